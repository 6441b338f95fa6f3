#include "kernels/transform/factors.hpp"

#include <algorithm>
#include <span>

namespace papilio::kernels_detail {
namespace {

// Calls found() for all ways to write n as `count` non-increasing factors of at most `most`, in
// ascending order of the first factor.
template <class Found>
void split(std::int64_t n, int count, std::int64_t most, const std::vector<std::int64_t>& divisors,
           std::vector<std::int64_t>& factors, const Found& found) {
  if (count == 1) {
    if (n > most) return;
    factors.push_back(n);
    found(factors);
    factors.pop_back();
    return;
  }
  for (const std::int64_t d : divisors) {
    if (d > most || n % d != 0) continue;
    std::int64_t reach = 1;
    for (int i = 0; i < count && reach < n; ++i) reach *= d;
    if (reach < n) continue;
    factors.push_back(d);
    split(n / d, count - 1, d, divisors, factors, found);
    factors.pop_back();
  }
}

// Points in a product of stage `index`: its radix times as much of another radix as stays within
// `most`, or a larger radix alone.
std::int64_t group_points(std::span<const std::int64_t> radices, std::size_t index,
                          std::int64_t most) {
  const std::int64_t own = radices[index];
  std::int64_t shared = 1;
  for (std::size_t i = 0; i < radices.size(); ++i)
    if (i != index && own <= most)
      shared = std::max(shared, largest_divisor(radices[i], most / own));
  return own * shared;
}

// Products of all stages for each point: small products take as long as full ones.
double groups_of(const std::vector<std::int64_t>& radices, std::int64_t most) {
  double groups = 0;
  for (std::size_t i = 0; i < radices.size(); ++i)
    groups += 1 / double(group_points(radices, i, most));
  return groups;
}

}  // namespace

std::vector<std::int64_t> primes_of(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  if (n > 1) primes.push_back(n);
  std::ranges::reverse(primes);
  return primes;
}

std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      result.push_back(d);
      if (d * d != n) result.push_back(n / d);
    }
  std::ranges::sort(result);
  return result;
}

std::vector<std::int64_t> radices_of(std::int64_t n, std::int64_t most, std::int64_t prime_most) {
  std::vector<std::int64_t> radices;
  for (const std::int64_t p : primes_of(n)) {
    if (p > prime_most) return {};
    if (p <= most) break;
    radices.push_back(p);
    n /= p;
  }
  if (n == 1) return radices.empty() ? std::vector<std::int64_t>{1} : radices;
  const std::vector<std::int64_t> divisors = divisors_of(n);
  std::vector<std::int64_t> best;
  double least = 0;
  for (int count = 1; best.empty(); ++count)
    split(n, count, most, divisors, radices, [&](const std::vector<std::int64_t>& found) {
      const double groups = groups_of(found, most);
      if (!best.empty() && groups >= least * (1 - 1e-9)) return;
      best = found;
      least = groups;
    });
  return best;
}

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  for (std::int64_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace papilio::kernels_detail

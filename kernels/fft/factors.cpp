#include "kernels/fft/factors.hpp"

#include <algorithm>

namespace papilio::kernels_detail {
namespace {

// n as `count` factors of at most `most`, not increasing; the first as small as it can be.
bool split(std::int64_t n, int count, std::int64_t most, const std::vector<std::int64_t>& divisors,
           std::vector<std::int64_t>& out) {
  if (count == 1) {
    if (n > most) return false;
    out.push_back(n);
    return true;
  }
  for (const std::int64_t d : divisors) {
    if (d > most || n % d != 0) continue;
    std::int64_t reach = 1;
    for (int i = 0; i < count && reach < n; ++i) reach *= d;
    if (reach < n) continue;
    out.push_back(d);
    if (split(n / d, count - 1, d, divisors, out)) return true;
    out.pop_back();
  }
  return false;
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
  for (int count = 1;; ++count)
    if (split(n, count, most, divisors, radices)) return radices;
}

}  // namespace papilio::kernels_detail

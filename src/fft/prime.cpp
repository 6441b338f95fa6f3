#include "fft/prime.hpp"

#include <algorithm>
#include <vector>

namespace papilio::fft_detail {
namespace {

std::vector<std::uint32_t> prime_factors(std::uint32_t n) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t f = 2; f <= n / f; f += 1 + f % 2) {
    if (n % f != 0) continue;
    found.push_back(f);
    while (n % f == 0) n /= f;
  }
  if (n > 1) found.push_back(n);
  return found;
}

std::uint32_t power(std::uint32_t base, std::uint32_t exponent, std::uint32_t p) {
  std::uint64_t square = base, result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * square % p;
    square = square * square % p;
  }
  return static_cast<std::uint32_t>(result);
}

}  // namespace

bool is_prime(std::uint32_t n) {
  if (n < 4) return n > 1;
  if (n % 2 == 0) return false;
  for (std::uint32_t f = 3; f <= n / f; f += 2)
    if (n % f == 0) return false;
  return true;
}

// g generates unless its order divides (p - 1) / q for a prime factor q of p - 1.
std::uint32_t primitive_root(std::uint32_t p) {
  if (p == 2) return 1;
  const std::vector<std::uint32_t> factors = prime_factors(p - 1);
  std::uint32_t g = 2;
  while (
      std::ranges::any_of(factors, [&](std::uint32_t q) { return power(g, (p - 1) / q, p) == 1; }))
    ++g;
  return g;
}

}  // namespace papilio::fft_detail

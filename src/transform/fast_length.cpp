#include <algorithm>
#include <bit>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/transform/frequencies.hpp"
#include "transform/smooth_length.hpp"

namespace papilio {
namespace transform_detail {
namespace {

// Calls f with the products up to `most` of powers of the odd primes up to `prime`.
template <class Function>
void each_odd_product(std::size_t product, unsigned prime, std::size_t most, const Function& f) {
  constexpr unsigned below[] = {0, 0, 0, 0, 0, 3, 0, 5, 0, 0, 0, 7};
  if (prime < 3) return f(product);
  for (;; product *= prime) {
    each_odd_product(product, below[prime], most, f);
    if (product > most / prime) return;
  }
}

unsigned odd_prime_up_to(unsigned n) {
  return n >= 11 ? 11 : n >= 7 ? 7 : n >= 5 ? 5 : n >= 3 ? 3 : 0;
}

}  // namespace

// Each odd product, times the least power of two that lifts it to the target. A power of two alone
// does so below twice the target.
std::size_t next_smooth(std::size_t target, unsigned largest_prime) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  const std::size_t most = target > largest / 2 ? largest : 2 * target;
  std::size_t best = 0;
  each_odd_product(1, odd_prime_up_to(largest_prime), most, [&](std::size_t odd) {
    const std::size_t times = (target - 1) / odd + 1;
    const auto twos = static_cast<unsigned>(std::bit_width(times - 1));
    if (twos >= std::numeric_limits<std::size_t>::digits || odd > largest >> twos) return;
    if (best == 0 || odd << twos < best) best = odd << twos;
  });
  return best;
}

std::size_t prev_smooth(std::size_t target, unsigned largest_prime) {
  std::size_t best = 1;
  each_odd_product(1, odd_prime_up_to(largest_prime), target, [&](std::size_t odd) {
    best = std::max(best, odd * std::bit_floor(target / odd));
  });
  return best;
}

}  // namespace transform_detail

namespace {

// The least product of powers of 2, 3, 5 and 7, or that times 11 or 13.
std::size_t least_fast(std::size_t target) {
  std::size_t best = std::numeric_limits<std::size_t>::max();
  bool is_found = false;
  for (const std::size_t factor : {1, 11, 13}) {
    const std::size_t smooth = transform_detail::next_smooth((target - 1) / factor + 1, 7);
    if (smooth == 0 || smooth > std::numeric_limits<std::size_t>::max() / factor) continue;
    best = std::min(best, factor * smooth);
    is_found = true;
  }
  if (!is_found)
    throw resource_error(
        base_detail::message("next_fast_len: no length at or above ", target, " can be held"));
  return best;
}

}  // namespace

std::size_t next_fast_len(std::ptrdiff_t target, bool real) {
  if (target < 1)
    throw invalid_argument(
        base_detail::message("next_fast_len: target must be at least 1, got ", target));
  const auto least = static_cast<std::size_t>(target);
  if (!real || least == 1) return least_fast(least);
  return 2 * least_fast(least / 2 + least % 2);
}

}  // namespace papilio

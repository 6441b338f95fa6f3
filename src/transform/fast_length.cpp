#include "papilio/transform/frequencies.hpp"

#include <algorithm>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// The least factor * 2^a 3^b 5^c 7^d >= target: every product of odd factors below it, times the
// least power of two that lifts it there.
std::size_t least_multiple(std::size_t factor, std::size_t target) {
  std::size_t best = none;
  const auto fits = [&](std::size_t v) { return v < best && v <= none / 7; };
  for (std::size_t s = factor; fits(s); s *= 7) {
    for (std::size_t f = s; fits(f); f *= 5) {
      for (std::size_t t = f; fits(t); t *= 3) {
        std::size_t v = t;
        while (v < target && v <= none / 2) v *= 2;
        if (v >= target) best = std::min(best, v);
        if (t >= target) break;
      }
      if (f >= target) break;
    }
    if (s >= target) break;
  }
  return best;
}

std::size_t least_fast(std::size_t target) {
  std::size_t best = none;
  for (const std::size_t factor : {1, 11, 13})
    best = std::min(best, least_multiple(factor, target));
  if (best == none)
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

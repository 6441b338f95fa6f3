#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>

#include "base/internal.hpp"
#include "base/share.hpp"

namespace papilio::fft_detail {

inline std::size_t product(std::span<const std::size_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

/// Points from which threads are worth while. Tests lower both numbers, so that small arrays are
/// shared.
struct sharing_bounds {
  std::size_t points_of_a_thread = 8192;
  /// Bound for a transform in several steps, between which threads exchange what they have written:
  /// for fewer points that takes as long as a second thread saves (measured with 2 MiB of L2 cache
  /// a core).
  std::size_t points_in_steps = 49152;
};
PAPILIO_INTERNAL sharing_bounds& shared_from();

/// Returns a team of as many threads as are worth waking for `points` points.
inline base_detail::team points_team(std::size_t points, int threads) {
  return base_detail::team_of(threads).at_most(points / shared_from().points_of_a_thread);
}
/// Returns the team for `points` points of a transform in several steps.
inline base_detail::team steps_team(std::size_t points, int threads) {
  return points_team(points < shared_from().points_in_steps ? 0 : points, threads);
}

/// Calls body(first, last) for consecutive ranges of [0, n), one step of several, on up to
/// `threads` threads. Ranges begin at multiples of the lanes of any register, so that a loop over
/// registers does the same to an element in whichever range it falls.
template <class Body>
void for_each_range(std::size_t n, int threads, const Body& body) {
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (n + block - 1) / block;
  base_detail::share(blocks, steps_team(n, threads),
                     [&](std::size_t first, std::size_t last, std::size_t) {
                       body(first * block, std::min(n, last * block));
                     });
}

}  // namespace papilio::fft_detail

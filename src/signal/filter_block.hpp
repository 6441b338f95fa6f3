#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio::filter_parts {

/// Checks that both are [samples, channels], and that out is the block itself or apart from it.
template <class T>
void require_block(const char* function, view<const T, 2> block, view<T, 2> out,
                   std::size_t channels) {
  if (block.extent(1) != channels || out.extents() != block.extents())
    throw shape_error(base_detail::message(function, ": block and out must be samples x ", channels,
                                           ", got ", block.extent(0), " x ", block.extent(1),
                                           " and ", out.extent(0), " x ", out.extent(1)));
  if (block.empty()) return;
  base_detail::require_distinct(function, out);
  const bool is_same = block.data() == out.data() && block.strides() == out.strides();
  if (!is_same && base_detail::reach(block).overlaps(base_detail::reach(out)))
    throw invalid_argument(base_detail::message(function, ": out overlaps block without being it"));
}

/// Computes out[n] = sum over i of weights[i] x[n + i], many n at a time so that they are vectors; each
/// sum goes from the first weight to the last, whatever stands beside it.
inline void correlate(std::span<const double> weights, const double* x, std::span<double> out) {
  constexpr std::size_t at_once = 256;
  const std::size_t window = weights.size();
  for (std::size_t first = 0; first < out.size(); first += at_once) {
    const std::size_t count = std::min(at_once, out.size() - first);
    double sums[at_once] = {};
    std::size_t i = 0;
    for (; i + 4 <= window; i += 4) {
      const double a = weights[i], b = weights[i + 1], c = weights[i + 2], d = weights[i + 3];
      const double* const from = x + first + i;
      for (std::size_t n = 0; n < count; ++n)
        sums[n] = sums[n] + a * from[n] + b * from[n + 1] + c * from[n + 2] + d * from[n + 3];
    }
    for (; i < window; ++i)
      for (std::size_t n = 0; n < count; ++n) sums[n] += weights[i] * x[first + i + n];
    std::copy_n(sums, count, out.data() + first);
  }
}

}  // namespace papilio::filter_parts

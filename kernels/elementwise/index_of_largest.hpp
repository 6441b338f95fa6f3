#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// out[0] = the index of the first of the n elements of x whose magnitude is largest; int32, n up
/// to 2^31. Runs of `width` elements, one a partition; fp32 holds the number of a run and a place
/// in it: where the index itself does not fit, width is `largest_width_log2` bits.
inline constexpr std::int64_t largest_width_log2 = 11;
void run_index_of_largest(engine::core& nc, std::int64_t n, std::int64_t width,
                          const engine::hbm_view& x, const engine::hbm_view& out);

}  // namespace papilio::kernels_detail

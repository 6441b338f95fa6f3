#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/transform/lines.hpp"
#include "kernels/transform/sweep.hpp"

// Transforms whose points are on partitions as they are loaded, so that lines that are adjacent in
// HBM are the columns of a product and nothing is transposed.
//   columns     adjacent lines are transformed where they lie
//   four-step   contiguous lines of n = n1 n2 points, j = j1 n2 + j2, k = k1 + n1 k2: a sweep
//               transforms columns over j1, multiplies by the twiddles w(n)^(j2 k1) and stores
//               [j2, k1]; a second sweep transforms columns over j2, whose results are in order
//   real lines  rows k1 <= n1/2 of the first sweep are enough; results of the second sweep from
//               k2 = n2/2 on are conjugates of the bins (n1 - k1) + n1 (n2 - 1 - k2). The inverse
//               runs the sweeps in reverse order, with the twiddles between them
//   long        columns of n1 n2 points, y = y1 n2 + y2, are transformed over y1, then over y2 by
//               matrices that depend on the row k1 and have the twiddles inside; real columns need
//               rows k1 <= n1/2, as real lines do
//   some axes   axes that end with the array's last take two sweeps: columns over the first axes
//               and a part of the next one, then lines over the rest, whose matrices depend on the
//               row of that part
//   bound       DMA: a sweep loads and stores everything once
namespace papilio::kernels_detail {

/// Transforms adjacent lines in one sweep, with the digits that dry runs find fastest; nothing
/// where no digits fit. `from` is the layout of the input, if it is not [planes, outer, n, inner].
std::optional<fft_step> columns_step(const lines_problem& problem,
                                     const engine::machine_spec& machine,
                                     const std::optional<sweep_end>& from = {});

/// Columns over n that are stored line by line, times the twiddles w(order)^((first + line)
/// number).
struct twiddled_columns {
  std::int64_t n = 1, lines = 1;
  bool inverse = false;
  std::int64_t order = 1, first = 0;
  sweep_end to = {};
  std::int64_t out_elements = 0;
};
std::optional<fft_step> twiddled_columns_step(const twiddled_columns& what,
                                              const engine::machine_spec& machine);

/// Transforms contiguous lines (inner is 1) in two sweeps, with the factors and digits that dry
/// runs find fastest; nothing where no two factors fit a sweep each.
std::optional<fft_recipe> four_step(const lines_problem& problem,
                                    const engine::machine_spec& machine);

/// Transforms columns in as many sweeps as they need, and contiguous lines that are too long for
/// two sweeps. Nothing where a prime factor is too large for the array.
std::optional<fft_recipe> columns(const lines_problem& problem,
                                  const engine::machine_spec& machine);
std::optional<fft_recipe> lines_in_three_sweeps(const lines_problem& problem,
                                                const engine::machine_spec& machine);

/// Transforms an array [outer, extents], n elements each, along its last axes in two sweeps;
/// nothing where these do not fit.
std::optional<fft_recipe> axes_in_two_sweeps(const lines_problem& arrays,
                                             const std::vector<std::int64_t>& extents,
                                             const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

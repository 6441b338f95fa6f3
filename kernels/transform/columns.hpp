#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/transform/lines.hpp"
#include "kernels/transform/sweep.hpp"

// Transforms whose points are on partitions as they are loaded.
//   columns     lines beside each other stay where they are
//   four-step   with j = j1 n2 + j2 and k = k1 + n1 k2 the columns over j1 leave line by line with
//               the factors w(n)^(j2 k1), and columns over j2 are the bins, in order
//   real lines  rows k1 <= n1/2 of the first columns are enough; of their transforms over j2 those
//               from k2 = n2/2 on are conjugates of the bins (n1 - k1) + n1 (n2 - 1 - k2). The
//               inverse has its sweeps in reverse order, with the factors between them
//   long        with y = y1 n2 + y2 columns over y1, then over y2 with the row k1 in their matrices;
//               of real columns again rows k1 <= n1/2, and conjugates as of real lines
//   some axes   of which the last is the array's last: columns over those before, and a part of one
//               more, then lines over the rest, with the row of that part in their matrices
//   bound       DMA
namespace papilio::kernels_detail {

/// Lines beside each other in one sweep, of the digits that dry runs find fastest; none where no
/// digits fit. `from`: how they lie as they enter, if not one after the other.
std::optional<fft_step> columns_step(const lines_problem& problem,
                                     const engine::machine_spec& machine,
                                     const std::optional<sweep_end>& from = {});

/// Columns over n that leave line by line, times w(order)^((first + lane) * number).
struct twiddled_columns {
  std::int64_t n = 1, lanes = 1;
  bool inverse = false;
  std::int64_t order = 1, first = 0;
  sweep_end to = {};
  std::int64_t out_elements = 0;
};
std::optional<fft_step> twiddled_columns_step(const twiddled_columns& what,
                                              const engine::machine_spec& machine);

/// Lines one after the other (inner is 1) in two sweeps, of the factors and digits that dry runs find
/// fastest; none where no two factors fit a sweep each.
std::optional<fft_recipe> four_step(const lines_problem& problem,
                                    const engine::machine_spec& machine);

/// Columns in as many sweeps as they need, and lines that are too long for two. None where a prime
/// factor is too large for the array.
std::optional<fft_recipe> columns(const lines_problem& problem,
                                  const engine::machine_spec& machine);
std::optional<fft_recipe> lines_in_three_sweeps(const lines_problem& problem,
                                                const engine::machine_spec& machine);

/// Transforms along the last axes of an array [outer, extents], of n elements, in two sweeps; none
/// where these do not fit.
std::optional<fft_recipe> axes_in_two_sweeps(const lines_problem& arrays,
                                             const std::vector<std::int64_t>& extents,
                                             const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

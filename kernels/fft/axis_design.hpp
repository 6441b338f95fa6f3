#pragma once

#include <optional>
#include <vector>

#include "kernels/fft/pass.hpp"

namespace papilio::kernels_detail {

/// The passes of transforms along one axis of an array [outer, n, inner], unplanned: each from a
/// tensor of that shape to another one. Empty where a prime factor is too large for a stage.
std::vector<fft_pass> axis_passes(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                  bool inverse, const array_operands& operands,
                                  const engine::machine_spec& machine);

/// The passes of four-step over contiguous lines of n points, of any length that is no prime. Empty
/// as above.
std::vector<fft_pass> four_step_passes(std::int64_t outer, std::int64_t n, bool inverse,
                                       const array_operands& operands,
                                       const engine::machine_spec& machine);

/// The pass over n2 points between the rows k <= n1/2 of a real line of n1 n2 points and its bins
/// (fft_pass::spectrum_rows), unplanned: [2, outer, n2, n1/2 + 1], with the twiddle factors, to
/// [2, outer, n1 n2 / 2 + 1]; or back to [2, outer, n1/2 + 1, n2] with the factors. None where n2
/// does not fit two stages of at most half the array.
std::optional<fft_pass> spectrum_pass(std::int64_t outer, std::int64_t n1, std::int64_t n2,
                                      bool inverse, const engine::machine_spec& machine);

/// A pass over contiguous lines of n points, one to a partition, unplanned; for whole lines that
/// fit a block of `axis_passes`, and none if n does not.
std::optional<fft_pass> line_pass(std::int64_t lanes, std::int64_t n, bool inverse,
                                  const array_operands& operands,
                                  const engine::machine_spec& machine);

/// Lines of n elements, each followed by `inner` - 1 others, in stages of these radices; several
/// lines to a partition where they are short. `model` has direction and operands.
std::vector<fft_pass> row_passes(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                 const std::vector<std::int64_t>& radices, const fft_pass& model,
                                 const engine::machine_spec& machine);

/// Passes over all axes at once: the leading digits, lanes being the rest, then the trailing ones;
/// two, where extents are such. Empty where they are not.
std::vector<fft_pass> mixed_passes(std::int64_t outer, const std::vector<std::int64_t>& extents,
                                   bool inverse, const array_operands& operands,
                                   const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

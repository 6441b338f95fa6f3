#pragma once

#include <cstddef>
#include <vector>

#include "base/internal.hpp"
#include "kernels/array_operands.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// Throws invalid_argument for a scale that is NaN or beyond fp32.
void check_scale(const char* function, double scale);

/// Throws resource_error where an array of so many bytes is more than `cores` cores hold, before
/// time is spent on its design.
void check_room(const char* function, std::int64_t bytes, const engine::machine_spec& machine,
                int cores = 1);

/// Throws the errors of kernels::fft_kernel, in the name of `function`, except those for precisions
/// and room.
void check_problem(const char* function, const fft_problem& problem,
                   const kernels::fft_kernel_options& options);

/// Throws invalid_argument, in the name of `function`, for precisions other than native.
void require_native(const char* function, const precision_options& precision);

/// Extents of a checked problem as the device's integers.
std::vector<std::int64_t> extents_of(const fft_problem& problem);

/// Factor on every output: the norm's and the options'.
double scale_of(const fft_problem& problem, const kernels::fft_kernel_options& options);

/// Axes of a checked problem, ascending; those of length 1 are left out, unless nothing else is
/// there.
std::vector<std::size_t> transformed_axes(const fft_problem& problem);

/// Lines of a checked problem whose only transformed axis is the last one, [batch, n].
struct fft_lines {
  bool only = false;  ///< false: the problem has other transformed axes
  std::int64_t batch = 1, n = 1;
};
fft_lines lines_of(const fft_problem& problem);

/// The lines of a checked problem of real numbers along the axis that has n/2 + 1 bins.
lines_problem real_lines_of(const fft_problem& problem);

/// Checks that a complex problem transforms the last axis and no other, and returns its lines.
/// Errors as check_problem; invalid_argument for other problems.
PAPILIO_INTERNAL fft_lines checked_lines(const char* function, const fft_problem& problem,
                                         const kernels::fft_kernel_options& options);

/// The recipe of a checked complex transform in one of the modes of operands_of; errors as
/// kernels::fft_kernel.
fft_recipe design_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                      const engine::machine_spec& machine);

/// The array's operands for native, bf16 or split_bf16. invalid_argument for other modes, which are
/// more than a way to multiply.
array_operands operands_of(const precision_options& options);

}  // namespace papilio::kernels_detail

#pragma once

#include <cstddef>
#include <vector>

#include "kernels/fft/recipe.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// invalid_argument for a scale that is NaN or beyond fp32.
void check_scale(const char* function, double scale);

/// resource_error where an array of so many bytes is more than `cores` cores hold: a design takes
/// time with its length, and is of no use then.
void check_room(const char* function, std::int64_t bytes, const engine::machine_spec& machine,
                int cores = 1);

/// The axes that a transform is along, ascending; those of length 1 are left out, unless nothing
/// else is there. Errors as kernels::fft_kernel.
std::vector<std::size_t> transformed_axes(const kernels::fft_shape& shape);

/// The recipe of a transform in one of the modes of operands_of; errors as kernels::fft_kernel.
fft_recipe design_fft(const kernels::fft_shape& shape, const engine::machine_spec& machine);

/// Operands of the array: native, bf16 or split_bf16. invalid_argument for other modes, which are
/// more than products.
array_operands operands_of(const precision_options& options);

}  // namespace papilio::kernels_detail

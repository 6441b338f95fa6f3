#pragma once

#include "kernels/fft/recipe.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

/// The recipe of a transform; errors as kernels::fft_kernel.
fft_recipe design_fft(const kernels::fft_shape& shape, const engine::machine_spec& machine);

/// Operands of the array for a mode of one product: native, bf16 or split_bf16.
array_operands operands_of(const precision_options& options);

}  // namespace papilio::kernels_detail

#pragma once

#include <string>

#include "kernels/operations/group_runs.hpp"
#include "kernels/precision_choice.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Each operation as a kernel: one file each. `refusal_of` says what can be told without a design;
// it is empty where there is a kernel.
namespace papilio::operations_detail {

/// What kernels of arrays take, axes of which they know nothing joined.
inline constexpr std::size_t most_axes_of_kernels = 5;

std::string refusal_of(const fft_problem& p, const precision_options& precision);
std::string refusal_of(const stft_problem& p, const precision_options& precision);
std::string refusal_of(const istft_problem& p, const precision_options& precision);
std::string refusal_of(const product_problem& p, const precision_options& precision);
std::string refusal_of(const gemm_problem& p, const precision_options& precision);
std::string refusal_of(const pair_energy_problem& p, const precision_options& precision);
std::string refusal_of(const integral_transform_problem& p, const precision_options& precision);
std::string refusal_of(const arrangement_problem& p, const precision_options& precision);
std::string refusal_of(const contraction_problem& p, const precision_options& precision);
std::string refusal_of(const layer_problem& p, const precision_options& precision);

kernels::sized_kernel kernel_of(const fft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const stft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const istft_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const product_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const gemm_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const pair_energy_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const integral_transform_problem& p,
                                const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const arrangement_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const contraction_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);
kernels::sized_kernel kernel_of(const layer_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine);

/// Each operation divided among the cores of a group, or why it is not. Errors are refusals too.
divided_work divided(const fft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode);
divided_work divided(const stft_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode);
divided_work divided(const gemm_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode);
divided_work divided(const contraction_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode);
divided_work divided(const pair_energy_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode);
template <class Problem>
divided_work divided(const Problem&, const precision_options&, engine::device_group&,
                     engine::run_mode) {
  return {.refusal = "this operation is not divided among cores"};
}

/// Why contractions, and products of matrices, do not compute so.
std::string products_refusal(const precision_options& precision);
/// Their kernel in a mode, or the fastest in the modes that they have for a target error: native,
/// bf16, split_bf16.
kernels_detail::chosen_mode in_product_mode(const char* name, const precision_options& precision,
                                            const kernels_detail::kernel_in_mode& kernel_in,
                                            const engine::machine_spec& machine);

/// For operations of which there are kernels in native precision alone: why another is refused. A
/// target error is compared with what the kernel expects once it is designed.
std::string native_only(const precision_options& precision);

/// Why operands of this type are refused.
std::string float_only(real_type type);

}  // namespace papilio::operations_detail

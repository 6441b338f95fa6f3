#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/groups/division.hpp"
#include "kernels/precision_choice.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Each operation as a row: what its kernel refuses, the modes of precision that it has, the kernel,
// and how it is divided among cores.
namespace papilio::operations_detail {

/// The most axes that kernels of arrays take, after axes which they do not treat apart are joined.
inline constexpr std::size_t most_axes_of_kernels = 5;

/// How an operation meets a target error.
///   expected  it runs in its one mode, and is refused where the expected error is above the target
///   fastest   dry runs choose the fastest of the first modes that are expected to meet it
///   kernel    the kernel is given the target, and chooses
enum class target_choice { expected, fastest, kernel };

/// The modes of precision that a kernel has.
struct kernel_modes {
  std::vector<precision_options> all = {{}};
  target_choice target = target_choice::expected;
  std::size_t compared = all.size();  ///< the first modes, of which a target chooses
  const char* why = "";               ///< why it has no others

  /// Says why a mode is refused; empty where the kernel has it, and for target errors.
  std::string refusal_of(const precision_options& precision) const;
};

extern const kernel_modes native_alone, modes_of_products;

/// The modes native, bf16, split_bf16 in 2 and in 3 parts, and more.
kernel_modes modes_in_parts(target_choice target,
                            std::initializer_list<precision_options> more = {},
                            const char* why = "");

/// The row of one operation.
template <class Problem>
struct operation_row {
  const char* name;  ///< the kernel's name in errors
  kernels::sized_kernel (*kernel)(const Problem& p, const precision_options& how,
                                  const engine::machine_spec& machine);
  const kernel_modes& (*modes)(const Problem& p) = [](const Problem&) -> const kernel_modes& {
    return native_alone;
  };
  /// Says why a problem is refused, without designing it; empty where it is not. The type and the
  /// precision are checked elsewhere.
  std::string (*refusal)(const Problem& p) = [](const Problem&) { return std::string(); };
  /// Divides the operation among the cores of a group. Its errors say why it is not divided.
  kernels_detail::divided_work (*divided)(const Problem& p, const precision_options& precision,
                                          engine::device_group& on, engine::run_mode mode) =
      [](const Problem&, const precision_options&, engine::device_group&,
         engine::run_mode) -> kernels_detail::divided_work {
    throw device_error("this operation is not divided among cores");
  };
};

/// The kernel of a row that `make(problem, machine)` returns, in native precision alone.
template <auto make>
inline constexpr auto native_kernel =
    [](const auto& p, const precision_options&, const engine::machine_spec& machine) {
      return make(p, machine);
    };

const operation_row<fft_problem>& row_of(const fft_problem& p);
const operation_row<stft_problem>& row_of(const stft_problem& p);
const operation_row<istft_problem>& row_of(const istft_problem& p);
const operation_row<product_problem>& row_of(const product_problem& p);
const operation_row<gemm_problem>& row_of(const gemm_problem& p);
const operation_row<triangle_problem>& row_of(const triangle_problem& p);
const operation_row<pair_energy_problem>& row_of(const pair_energy_problem& p);
const operation_row<integral_transform_problem>& row_of(const integral_transform_problem& p);
const operation_row<arrangement_problem>& row_of(const arrangement_problem& p);
const operation_row<contraction_problem>& row_of(const contraction_problem& p);
const operation_row<layer_problem>& row_of(const layer_problem& p);

/// The kernel in the mode that is asked for; for a target error in the fastest of the first modes
/// that is expected to meet it, by dry runs.
kernels_detail::chosen_mode in_mode(const char* name, const precision_options& precision,
                                    const kernel_modes& modes,
                                    const kernels_detail::kernel_in_mode& kernel_in,
                                    const engine::machine_spec& machine);

/// Why there is no kernel of a problem in such a precision; empty where there is one, as far as can
/// be told without a design.
template <class Problem>
std::string refusal_of(const Problem& p, const precision_options& precision) {
  if constexpr (requires { p.type; })
    if (p.type != real_type::single_precision)
      return base_detail::message("it computes in float, the operands are ", to_string(p.type));
  const operation_row<Problem>& row = row_of(p);
  std::string why = row.refusal(p);
  return why.empty() ? row.modes(p).refusal_of(precision) : why;
}

/// The kernel in the mode asked for, or in the one that meets a target error, and that mode.
template <class Problem>
kernels_detail::chosen_mode chosen(const Problem& p, const precision_options& precision,
                                   const engine::machine_spec& machine) {
  const operation_row<Problem>& row = row_of(p);
  const kernel_modes& modes = row.modes(p);
  const auto kernel_in = [&](const precision_options& how) { return row.kernel(p, how, machine); };
  const bool has_target = precision.target_error > 0;
  if (has_target && modes.target == target_choice::fastest)
    return in_mode(row.name, precision, modes, kernel_in, machine);
  const precision_options how =
      has_target && modes.target == target_choice::expected ? precision_options{} : precision;
  return {how, kernel_in(how)};
}

}  // namespace papilio::operations_detail

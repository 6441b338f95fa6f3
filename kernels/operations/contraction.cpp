// Contractions of several tensors as one kernel.
#include "papilio/kernels/contraction.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

std::string refusal_of(const contraction_problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  if (precision.target_error > 0 || precision.mode == papilio::precision::bf16) return {};
  if (!native_only(precision).empty()) return "its kernel computes in native precision and in bf16";
  return {};
}

kernels::sized_kernel kernel_of(const contraction_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  // A target is met in bf16 where that is expected to suffice: a pass instead of four.
  const bool has_target = precision.target_error > 0;
  if (has_target || precision.mode == papilio::precision::bf16) {
    kernels::sized_kernel rounded = kernels::contraction_kernel(p, machine, engine::dtype::bf16);
    if (!has_target || rounded.expected_error <= precision.target_error) return rounded;
  }
  return kernels::contraction_kernel(p, machine);
}

}  // namespace papilio::operations_detail

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
  kernels::contraction_shape shape{.sizes = {},
                                   .operands = {},
                                   .steps = {},
                                   .results = p.results,
                                   .loops = {},
                                   .is_complex = p.is_complex};
  for (const std::size_t size : p.sizes) shape.sizes.push_back(signed_size(size));
  for (const std::vector<std::size_t>& extents : p.operands) {
    std::int64_t count = 1;
    for (const std::size_t e : extents)
      count = checked_multiply(count, signed_size(e), "contraction: elements");
    shape.operands.push_back(count);
  }
  for (const contraction_problem::step& s : p.steps) {
    kernels::contraction_shape::step step{.of = {}, .labels = s.labels};
    for (const contraction_problem::term& t : s.of)
      step.of.push_back({t.value, t.labels, t.conjugate});
    shape.steps.push_back(std::move(step));
  }
  for (const contraction_problem::loop& l : p.loops)
    shape.loops.push_back({l.labels, l.first, l.last});
  // A target is met in bf16 where that is expected to suffice: a pass instead of four.
  const bool has_target = precision.target_error > 0;
  if (has_target || precision.mode == papilio::precision::bf16) {
    shape.type = engine::dtype::bf16;
    kernels::sized_kernel rounded = kernels::contraction_kernel(shape, machine);
    if (!has_target || rounded.expected_error <= precision.target_error) return rounded;
    shape.type = engine::dtype::fp32;
  }
  return kernels::contraction_kernel(shape, machine);
}

}  // namespace papilio::operations_detail

// Contractions of several tensors as one kernel.
#include "backends/device_operations.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/kernels/contraction.hpp"

namespace papilio::backends_detail {

std::string refusal_of(const contraction_problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  return native_only(precision);
}

kernels::sized_kernel kernel_of(const contraction_problem& p, const precision_options&,
                                const engine::machine_spec& machine) {
  kernels::contraction_shape shape{.sizes = {},
                                   .operands = {},
                                   .steps = {},
                                   .results = p.results,
                                   .sliced = p.sliced,
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
  return kernels::contraction_kernel(shape, machine);
}

}  // namespace papilio::backends_detail

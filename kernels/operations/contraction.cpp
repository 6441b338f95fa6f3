// Contractions of several tensors as one kernel.
#include "papilio/kernels/contraction.hpp"

#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

std::string refusal_of(const contraction_problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  return products_refusal(precision);
}

std::string products_refusal(const precision_options& precision) {
  if (precision.target_error > 0) return {};
  if (precision.mode == papilio::precision::bf16_refined)
    return "products have no inverse to refine them by: split_bf16 adds what bf16 leaves out";
  if (precision.mode == papilio::precision::compensated)
    return "its kernel has no compensated products: split_bf16 in 3 parts is as exact as fp32";
  return {};
}

kernels_detail::chosen_mode in_product_mode(const char* name, const precision_options& precision,
                                            const kernels_detail::kernel_in_mode& kernel_in,
                                            const engine::machine_spec& machine) {
  constexpr precision_options modes[] = {{.mode = papilio::precision::native},
                                         {.mode = papilio::precision::bf16},
                                         {.mode = papilio::precision::split_bf16, .parts = 2},
                                         {.mode = papilio::precision::split_bf16, .parts = 3}};
  kernels_detail::check_precision(name, precision);
  if (precision.target_error <= 0) return {precision, kernel_in(precision)};
  return kernels_detail::cheapest_mode(name, precision.target_error, modes, kernel_in, machine);
}

namespace {

kernels_detail::chosen_mode chosen(const contraction_problem& p, const precision_options& precision,
                                   const engine::machine_spec& machine) {
  const auto kernel_in = [&](const precision_options& how) {
    return kernels::contraction_kernel(p, machine, kernels_detail::products_in(how));
  };
  return in_product_mode("contraction_kernel", precision, kernel_in, machine);
}

}  // namespace

kernels::sized_kernel kernel_of(const contraction_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  return chosen(p, precision, machine).kernel;
}

divided_work divided(const contraction_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  const int label = kernels::widest_label(p, on.cores());
  const auto [how, whole] = chosen(p, precision, on.machine());
  const auto parts = std::make_shared<const kernels::sharded_contraction>(
      on, p, label, mode, kernels_detail::products_in(how));
  return {.recipe = parts->design().explain(),
          .relative_error = whole.expected_error,
          .inputs = whole.inputs,
          .outputs = whole.outputs,
          .run = [parts](const auto& in, const auto& out) { parts->run(in, out[0]); }};
}

}  // namespace papilio::operations_detail

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

kernels::sized_kernel kernel_of(const contraction_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  const auto kernel_in = [&](const precision_options& how) {
    using enum papilio::precision;
    return kernels::contraction_kernel(
        p, machine,
        {.type = how.mode == native ? engine::dtype::fp32 : engine::dtype::bf16,
         .parts = how.mode == split_bf16 ? how.parts : 1});
  };
  return in_product_mode("contraction_kernel", precision, kernel_in, machine).kernel;
}

}  // namespace papilio::operations_detail

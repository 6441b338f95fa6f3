// Products of matrices, and of numbers and other functions of them, as kernels.
#include <vector>

#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/elementwise.hpp"
#include "papilio/kernels/gemm.hpp"

namespace papilio::operations_detail {

std::string refusal_of(const product_problem& p, const precision_options& precision) {
  if (!p.factors.empty() && p.count % p.factors.size() != 0)
    return base_detail::message("the number of its factors, ", p.factors.size(), ", must divide ",
                                p.count);
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  return native_only(precision);
}

std::string refusal_of(const gemm_problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  if (p.is_complex && p.batch > 1 && p.shared_left && p.shared_right)
    return "complex products of a batch that are all the same are one product";
  return products_refusal(precision);
}

kernels::sized_kernel kernel_of(const product_problem& p, const precision_options&,
                                const engine::machine_spec& machine) {
  return kernels::complex_mask_kernel(p, machine);
}

std::string refusal_of(const layer_problem& p, const precision_options& precision) {
  if (const std::string why = float_only(p.type); !why.empty()) return why;
  return native_only(precision);
}

kernels::sized_kernel kernel_of(const layer_problem& p, const precision_options&,
                                const engine::machine_spec& machine) {
  return kernels::layer_kernel(p, machine);
}

namespace {

// Batches of products: b i j, b j k to b i k.
contraction_problem contraction_of(const gemm_problem& p) {
  std::vector<std::size_t> left{p.m, p.k}, right{p.k, p.n};
  std::vector<int> left_labels{1, 2}, right_labels{2, 3};
  if (!p.shared_left) {
    left.insert(left.begin(), p.batch);
    left_labels.insert(left_labels.begin(), 0);
  }
  if (!p.shared_right) {
    right.insert(right.begin(), p.batch);
    right_labels.insert(right_labels.begin(), 0);
  }
  return {.sizes = {p.batch, p.m, p.k, p.n},
          .operands = {left, right},
          .steps = {{.of = {{0, left_labels}, {1, right_labels}}, .labels = {0, 1, 3}}},
          .results = {2},
          .is_complex = p.is_complex,
          .type = p.type};
}

}  // namespace

kernels::sized_kernel kernel_of(const gemm_problem& p, const precision_options& precision,
                                const engine::machine_spec& machine) {
  const auto kernel_in = [&](const precision_options& how) {
    if (how.mode != papilio::precision::native || (p.is_complex && p.batch > 1))
      return kernel_of(contraction_of(p), how, machine);
    if (p.is_complex) return kernels::complex_gemm_kernel(p, machine);
    if (p.batch == 1) return kernels::gemm_kernel(p, machine);
    return kernels::batched_gemm_kernel(p, machine);
  };
  return in_product_mode("gemm_kernel", precision, kernel_in, machine).kernel;
}

divided_work divided(const gemm_problem& p, const precision_options& precision,
                     engine::device_group& on, engine::run_mode mode) {
  return divided(contraction_of(p), precision, on, mode);
}

}  // namespace papilio::operations_detail

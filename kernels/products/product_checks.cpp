#include <limits>

#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using base_detail::message;
using namespace engine;

matrix_product checked_product(const char* name, const gemm_problem& problem, dtype type,
                               dtype result) {
  const std::int64_t batch = checked_size(name, "batch", problem.batch);
  const matrix_product product{.batch_a = problem.shared_left ? 1 : batch,
                               .batch_b = problem.shared_right ? 1 : batch,
                               .m = checked_size(name, "m", problem.m),
                               .n = checked_size(name, "n", problem.n),
                               .k = checked_size(name, "k", problem.k),
                               .type = type,
                               .result = result};
  require_single(name, problem.type);
  require_float(name, "type", type);
  require_float(name, "result", result);
  return product;
}

void require_one_product(const char* name, const gemm_problem& problem) {
  if (problem.batch != 1)
    throw invalid_argument(message(name, ": batch must be 1, got ", problem.batch));
}

void require_size(const char* name, const char* argument, std::int64_t value) {
  if (value < 1)
    throw invalid_argument(message(name, ": ", argument, " must be at least 1, got ", value));
}

std::int64_t checked_size(const char* name, const char* argument, std::size_t value) {
  const auto size = checked_cast<std::int64_t>(value, name);
  require_size(name, argument, size);
  return size;
}

void require_single(const char* name, real_type type) {
  if (type != real_type::single_precision)
    throw invalid_argument(message(name, ": the problem must be in float, got ", to_string(type)));
}

product_form product_form_of(const char* name, int products) {
  if (products != 3 && products != 4)
    throw invalid_argument(message(name, ": products must be 3 or 4, got ", products));
  return products == 3 ? product_form::three_products : product_form::four_products;
}

void require_float(const char* name, const char* argument, dtype type) {
  if (!is_float(type))
    throw invalid_argument(
        message(name, ": ", argument, " must be a floating-point type, got ", to_string(type)));
}

void require_finite(const char* name, const char* argument, float value) {
  constexpr float most = std::numeric_limits<float>::max();
  if (!(value >= -most && value <= most))
    throw invalid_argument(message(name, ": ", argument, " must be finite, got ", value));
}

void require_bytes(const kernels::sized_kernel& sized) {
  for (const tensor_shape& operand : sized.inputs) operand.bytes();
  for (const tensor_shape& operand : sized.outputs) operand.bytes();
}

}  // namespace papilio::kernels_detail

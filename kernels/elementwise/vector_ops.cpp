// Operations on vectors: formulas of n rows of one number.
//   bound      DMA: 4 bytes of each operand an element
#include <algorithm>
#include <array>

#include "kernels/checks.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/elementwise.hpp"

namespace papilio::kernels_detail {
namespace {

using kernels::vector_operation;

constexpr std::int64_t indices_most = std::int64_t{1} << 31;  // int32
constexpr std::array vector_operations{"axpy", "scal", "dot", "nrm2", "asum", "iamax"};

pointwise_program formula_of(const kernels::vector_problem& p) {
  formula f;
  const real_term x = f.input(one_for::element);
  const auto y = [&] { return f.input(one_for::element); };
  const auto magnitude = [&] { return apply(engine::activation_function::abs, x); };
  switch (p.operation) {
    case vector_operation::axpy:
      f.output(p.alpha * x + y());
      break;
    case vector_operation::scal:
      f.output(p.alpha * x);
      break;
    case vector_operation::dot:
      f.output(sum(x * y()));
      break;
    case vector_operation::nrm2:
      f.output(root(sum(square(x))));
      break;
    case vector_operation::asum:
      f.output(sum(magnitude()));
      break;
    case vector_operation::iamax:
      f.output(index_of_largest(magnitude()));
      break;
  }
  return f.program();
}

}  // namespace

kernels::catalog_entry vector_entry() {
  using namespace kernels;
  return {.name = "vector",
          .summary =
              "alpha x + y, alpha x, the sum of x y, the norm of x, the sum of |x| or where |x| is "
              "largest",
          .parameters = {choice_parameter("operation", "Operation",
                                          {vector_operations.begin(), vector_operations.end()}),
                         {.name = "n", .preset = "1048576", .help = "Elements"},
                         factor_parameter("alpha", "1", "Factor of x, of axpy and scal")},
          .size = [](const parameter_values& values, const engine::machine_spec& machine) {
            const auto named = std::ranges::find(vector_operations, values.at("operation"),
                                                 [](const char* n) { return std::string(n); });
            return vector_kernel({.operation = vector_operation(named - vector_operations.begin()),
                                  .n = number_of(values, "n"),
                                  .alpha = float_of(values, "alpha")},
                                 machine);
          }};
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

using namespace kernels_detail;

const char* to_string(vector_operation operation) {
  return vector_operations[std::size_t(operation)];
}

sized_kernel vector_kernel(const vector_problem& problem, const engine::machine_spec& machine) {
  require_size("vector", "n", problem.n);
  require_finite("vector", "alpha", problem.alpha);
  require(problem.operation != vector_operation::iamax || problem.n <= indices_most,
          "vector: n of iamax must be at most ", indices_most, ", got ", problem.n);
  sized_kernel sized = pointwise_kernel("vector", problem.n, 1, formula_of(problem), 0, machine);
  for (engine::tensor_shape& x : sized.inputs) x.extents = {problem.n};
  engine::tensor_shape& result = sized.outputs[0];
  result.extents = {result.elements()};
  return sized;
}

}  // namespace papilio::kernels

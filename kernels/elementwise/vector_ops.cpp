// Operations on vectors: formulas of n rows of one number.
//   bound      DMA: 4 bytes of each operand an element
#include <utility>

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
real_term numbers_of(formula& f) { return f.input(one_for::element); }
real_term magnitude_of(real_term x) { return apply(engine::activation_function::abs, x); }

// The rows are in the order of vector_operation; x is the first input of each.
struct vector_row {
  const char* name;
  void (*write)(formula& f, real_term x, float alpha);
};
constexpr vector_row vector_rows[]{
    {"axpy", [](formula& f, real_term x, float alpha) { f.output(alpha * x + numbers_of(f)); }},
    {"scal", [](formula& f, real_term x, float alpha) { f.output(alpha * x); }},
    {"dot", [](formula& f, real_term x, float) { f.output(sum(x * numbers_of(f))); }},
    {"nrm2", [](formula& f, real_term x, float) { f.output(root(sum(square(x)))); }},
    {"asum", [](formula& f, real_term x, float) { f.output(sum(magnitude_of(x))); }},
    {"iamax", [](formula& f, real_term x, float) { f.output(index_of_largest(magnitude_of(x))); }}};

pointwise_program formula_of(const kernels::vector_problem& p) {
  formula f;
  vector_rows[std::size_t(p.operation)].write(f, numbers_of(f), p.alpha);
  return f.program();
}

}  // namespace

kernels::catalog_entry vector_entry() {
  using r = kernels::vector_problem;
  named_values<vector_operation> words;
  for (const vector_row& row : vector_rows)
    words.emplace_back(row.name, vector_operation(words.size()));
  return settings<r>{choice_setting("operation", &r::operation, "Operation", std::move(words)),
                     number_setting("n", &r::n, "1048576", "Elements"),
                     factor_setting("alpha", &r::alpha, "1", "Factor of x, of axpy and scal")}
      .entry("vector",
             "alpha x + y, alpha x, the sum of x y, the norm of x, the sum of |x| or where |x| is "
             "largest",
             kernels::vector_kernel);
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

using namespace kernels_detail;

const char* to_string(vector_operation operation) {
  return vector_rows[std::size_t(operation)].name;
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

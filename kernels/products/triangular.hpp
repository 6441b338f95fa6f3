#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/parameters.hpp"
#include "kernels/products/products.hpp"
#include "kernels/products/triangular_solve.hpp"
#include "papilio/base/array.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// Kernels whose matrix A, given by a triangle, stands on one side of an m x n matrix B: what they
// were designed to be, and what they share.
namespace papilio::kernels_detail {

struct symm_design {
  kernels::symm_problem problem;
  product_step_design how;

  auto fields() const {
    return std::tie(problem.m, problem.n, problem.side, problem.part, problem.alpha, problem.beta,
                    how);
  }
  std::string describe() const;
};

struct trmm_design {
  kernels::trmm_problem problem;
  product_step_design how;

  auto fields() const {
    return std::tie(problem.m, problem.n, problem.side, problem.part, problem.transposed,
                    problem.unit, problem.alpha, how);
  }
  std::string describe() const;
};

struct trsm_design {
  triangular_system system;
  triangular_tiling tiling;

  auto fields() const { return std::tie(system, tiling); }
  std::string describe() const;
};

/// Of A; also the terms of a sum.
template <class Problem>
std::int64_t order_of(const Problem& s) {
  return s.side == kernels::solve_side::left ? s.m : s.n;
}

/// A kernel of A and B with a result of B's shape. Throws as require_size, require_finite and
/// require_bytes.
template <class Problem>
kernels::sized_kernel triangular_operands(const char* name, const Problem& s) {
  require_size(name, "m", s.m);
  require_size(name, "n", s.n);
  require_finite(name, "alpha", s.alpha);
  const std::int64_t order = order_of(s);
  const engine::tensor_shape b{{s.m, s.n}};
  kernels::sized_kernel sized{.program = {.name = name},
                              .inputs = {{{order, order}}, b},
                              .outputs = {b},
                              .ranges = {{}, {}}};
  require_bytes(sized);
  return sized;
}

/// Half of A, `tensors` of B's size, and `passes` of the array over a product's terms.
template <class Problem>
void state_triangular_floor(engine::core& nc, const Problem& s, int tensors, double terms) {
  const double order = double(order_of(s)), b = double(s.m) * double(s.n);
  const engine::machine_spec& machine = nc.machine();
  nc.state_floor(4 * (order * (order + 1) / 2 + tensors * b),
                 machine.tensor.least_cycles(terms * b, machine.tensor.fp32_passes));
}

/// One launch of such a kernel, which reads c where it has three operands; shape_error, in its
/// name, unless they have the shapes of its inputs.
engine::launch_result launch_triangular(engine::device& on, const kernels::sized_kernel& sized,
                                        const view<const float, 2>& a,
                                        const view<const float, 2>& b, const view<float, 2>& c);

/// m, n, side and part; `result`: what the result is called.
std::vector<kernels::kernel_parameter> side_parameters(const std::string& result,
                                                       const char* n_preset, const char* part_help);
/// Those, a and diagonal.
std::vector<kernels::kernel_parameter> triangle_parameters(const std::string& result,
                                                           const char* n_preset);

/// What the parameters say, alpha too.
template <class Problem>
Problem side_problem(const kernels::parameter_values& values) {
  Problem s;
  s.m = kernels::number_of(values, "m");
  s.n = kernels::number_of(values, "n");
  s.side = values.at("side") == "left" ? kernels::solve_side::left : kernels::solve_side::right;
  s.part = values.at("part") == "lower" ? kernels::triangle::lower : kernels::triangle::upper;
  s.alpha = float_of(values, "alpha");
  return s;
}
template <class Problem>
Problem triangle_problem(const kernels::parameter_values& values) {
  Problem s = side_problem<Problem>(values);
  s.transposed = values.at("a") == "transposed";
  s.unit = values.at("diagonal") == "unit";
  return s;
}

}  // namespace papilio::kernels_detail

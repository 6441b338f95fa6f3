#pragma once

#include <string>
#include <vector>

#include "kernels/parameters.hpp"
#include "papilio/base/array.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// Kernels whose matrix A, given by a triangle, stands on one side of an m x n matrix B.
namespace papilio::kernels_detail {

/// The order of A, after checks of m, n and alpha. Throws as require_size and require_finite.
template <class Problem>
std::int64_t checked_order(const char* name, const Problem& s) {
  require_size(name, "m", s.m);
  require_size(name, "n", s.n);
  require_finite(name, "alpha", s.alpha);
  return s.side == kernels::solve_side::left ? s.m : s.n;
}

/// Launches such a kernel once; it also reads c where it has three inputs. shape_error, in its
/// name, unless a, b and c have the shapes of its inputs.
engine::launch_result launch_triangular(engine::device& on, const kernels::sized_kernel& sized,
                                        const view<const float, 2>& a,
                                        const view<const float, 2>& b, const view<float, 2>& c);

/// The catalog's parameters m, n, side and part; `result` is the result's name in their help.
std::vector<kernels::kernel_parameter> side_parameters(const std::string& result,
                                                       const char* n_preset, const char* part_help);
/// The parameters of side_parameters, and a and diagonal.
std::vector<kernels::kernel_parameter> triangle_parameters(const std::string& result,
                                                           const char* n_preset);

/// The problem that the parameters name; those that Problem has no member for are left out.
template <class Problem>
Problem triangle_problem(const kernels::parameter_values& values) {
  Problem s;
  s.m = kernels::number_of(values, "m");
  s.n = kernels::number_of(values, "n");
  s.side = values.at("side") == "left" ? kernels::solve_side::left : kernels::solve_side::right;
  s.part = values.at("part") == "lower" ? kernels::triangle::lower : kernels::triangle::upper;
  s.alpha = float_of(values, "alpha");
  if constexpr (requires { s.beta; }) s.beta = float_of(values, "beta");
  if constexpr (requires { s.transposed; }) s.transposed = values.at("a") == "transposed";
  if constexpr (requires { s.unit; }) s.unit = values.at("diagonal") == "unit";
  return s;
}

}  // namespace papilio::kernels_detail

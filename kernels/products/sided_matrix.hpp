#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// What kernels share whose matrix A, given by a triangle, stands on one side of an m x n matrix B.
namespace papilio::kernels_detail {

/// Of A; also the terms of a sum.
template <class Problem>
std::int64_t order_of(const Problem& s) {
  return s.side == kernels::solve_side::left ? s.m : s.n;
}

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
  s.alpha = float(kernels::decimal_of(values, "alpha"));
  return s;
}
template <class Problem>
Problem triangle_problem(const kernels::parameter_values& values) {
  Problem s = side_problem<Problem>(values);
  s.transposed = values.at("a") == "transposed";
  s.unit = values.at("diagonal") == "unit";
  return s;
}

/// A kernel of A and B whose result takes B's place, by one launch; shape_error, in its name,
/// unless they have the shapes of its inputs.
engine::launch_result launch_in_place(engine::device& on, const kernels::sized_kernel& sized,
                                      const view<const float, 2>& a, const view<float, 2>& b);

}  // namespace papilio::kernels_detail

// The size by which each operation grows, for the search of the crossover between host and device.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/comparison.hpp"

namespace papilio {
namespace {

using base_detail::message;
using dispatch_detail::in_ratio;

// Grows an operation by one size, and others in its ratio.
template <class Problem>
growth grown_by(std::size_t Problem::*size, const Problem& p, std::string parameter,
                std::initializer_list<std::size_t Problem::*> others = {}) {
  return {.parameter = std::move(parameter),
          .size = p.*size,
          .at = [p, size, others = std::vector(others)](std::size_t now) {
            Problem larger = p;
            larger.*size = now;
            for (const auto other : others) larger.*other = in_ratio(p.*other, now, p.*size);
            return operation(larger);
          }};
}

std::optional<growth> growth_of_problem(const gemm_problem& p) {
  const bool is_cube = p.m == p.k && p.k == p.n;
  return grown_by(&gemm_problem::m, p,
                  is_cube ? "side of the matrices" : "rows m, with k and n in their ratio",
                  {&gemm_problem::k, &gemm_problem::n});
}

std::optional<growth> growth_of_problem(const triangle_problem& p) {
  using problem = triangle_problem;
  if (p.function == triangle_function::syrk)
    return grown_by(&problem::n, p, "rows and columns of C, with k in its ratio", {&problem::k});
  if (p.side == matrix_side::left)
    return grown_by(&problem::m, p, "rows of A, with n in its ratio", {&problem::n});
  return grown_by(&problem::n, p, "rows of A, with m in its ratio", {&problem::m});
}

std::optional<growth> growth_of_problem(const integral_transform_problem& p) {
  using problem = integral_transform_problem;
  return grown_by(&problem::nbasis, p, "basis functions, with all else in its ratio",
                  {&problem::nocc, &problem::nvir, &problem::naux});
}

std::optional<growth> growth_of_problem(const pair_energy_problem& p) {
  using problem = pair_energy_problem;
  return grown_by(&problem::nvir, p, "virtual orbitals, with naux in its ratio",
                  {&problem::nvir_other, &problem::naux});
}

std::optional<growth> growth_of_problem(const product_problem& p) {
  return grown_by(&product_problem::count, {.count = p.count}, "complex numbers in each operand");
}

// Grows by rows where an operand has a number for each feature; else rows and features are alike,
// and their product grows.
std::optional<growth> growth_of_problem(const layer_problem& p) {
  const operand_shapes shapes = p.shapes();
  for (const auto* operands : {&shapes.in, &shapes.out})
    for (const operand_shape& s : *operands)
      if (s.extents.size() == 1)
        return grown_by(&layer_problem::rows, p, message("rows of ", p.features, " numbers"));
  layer_problem flat = p;
  flat.rows = 1;
  flat.features = checked_multiply(p.rows, p.features, "layer_problem: numbers");
  return grown_by(&layer_problem::features, flat, "complex numbers");
}

std::optional<growth> growth_of_problem(const stft_problem& p) {
  return growth{.parameter = "samples of each channel",
                .size = p.samples,
                .smallest = p.n_fft,
                .at = [p](std::size_t samples) {
                  stft_problem longer = p;
                  longer.samples = samples;
                  longer.adjoint = false;
                  longer.inverted_segments = p.adjoint ? longer.segments() : 0;
                  longer.adjoint = p.adjoint;
                  return operation(longer);
                }};
}

std::optional<growth> growth_of_problem(const istft_problem& p) {
  return growth{.parameter = "samples of each channel",
                .size = p.samples,
                .smallest = p.n_fft,
                .at = [p](std::size_t samples) {
                  istft_problem longer = p;
                  longer.first = 0;
                  longer.samples = samples;
                  longer.segments =
                      stft_problem{
                          .samples = samples, .n_fft = p.n_fft, .hop = p.hop, .centre = p.centre}
                          .segments();
                  return operation(longer);
                }};
}

// The axis that counts the lines of a transform over one axis: the longest other one, if any is
// longer than 1.
std::optional<std::size_t> axis_of_lines(const fft_problem& p) {
  if (p.axes.size() != 1) return std::nullopt;
  std::optional<std::size_t> longest;
  for (std::size_t a = 0; a < p.extents.size(); ++a)
    if (a != p.axes[0] && p.extents[a] > 1 && (!longest || p.extents[a] > p.extents[*longest]))
      longest = a;
  return longest;
}

std::optional<growth> growth_of_problem(const fft_problem& p) {
  if (const auto lines = axis_of_lines(p)) {
    const bool is_plain = p.extents.size() == 2 && p.axes[0] == 1;
    return growth{.parameter = is_plain
                                   ? message("lines of ", p.extents[1], " points")
                                   : message("extent of axis ", *lines, ", the others as they are"),
                  .size = p.extents[*lines],
                  .at = [p, axis = *lines](std::size_t size) {
                    fft_problem larger = p;
                    larger.extents[axis] = size;
                    return operation(larger);
                  }};
  }
  std::size_t longest = 1;
  for (const std::size_t a : p.axes) longest = std::max(longest, p.extents[a]);
  const bool is_cube =
      std::ranges::all_of(p.axes, [&](std::size_t a) { return p.extents[a] == longest; });
  return growth{.parameter = p.axes.size() == 1 ? "points of the line, in powers of two"
                             : is_cube ? "points along each transformed axis, in powers of "
                                         "two"
                                       : "points along the longest axis, in powers of two, the "
                                         "other transformed ones in their ratio",
                .size = longest,
                .smallest = 2,
                .is_power_of_two = true,
                .at = [p, longest](std::size_t size) {
                  fft_problem larger = p;
                  for (const std::size_t a : p.axes)
                    larger.extents[a] = in_ratio(p.extents[a], size, longest);
                  return operation(larger);
                }};
}

std::optional<growth> growth_of_problem(const arrangement_problem&) { return std::nullopt; }
std::optional<growth> growth_of_problem(const contraction_problem&) { return std::nullopt; }

}  // namespace

std::optional<growth> growth_of(const operation& what) {
  return std::visit([](const auto& p) { return growth_of_problem(p); }, what);
}

}  // namespace papilio

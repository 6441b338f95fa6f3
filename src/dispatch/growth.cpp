// What an operation is at other sizes.
#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/crossover.hpp"

namespace papilio {
namespace {

using base_detail::message;

std::size_t in_ratio(std::size_t value, std::size_t size, std::size_t of) {
  const double scaled =
      static_cast<double>(value) * static_cast<double>(size) / static_cast<double>(of);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(scaled)));
}

// Of a transform over one axis: the longest of the others, if any is longer than 1.
std::optional<std::size_t> axis_of_lines(const fft_problem& p) {
  if (p.axes.size() != 1) return std::nullopt;
  std::optional<std::size_t> longest;
  for (std::size_t a = 0; a < p.extents.size(); ++a)
    if (a != p.axes[0] && p.extents[a] > 1 && (!longest || p.extents[a] > p.extents[*longest]))
      longest = a;
  return longest;
}

growth of(const fft_problem& p) {
  if (const auto lines = axis_of_lines(p)) {
    const bool is_plain = p.extents.size() == 2 && p.axes[0] == 1;
    return {.parameter = is_plain ? message("lines of ", p.extents[1], " points")
                                  : message("extent of axis ", *lines, ", the others as they are"),
            .size = p.extents[*lines],
            .at = [p, axis = *lines](std::size_t size) {
              fft_problem grown = p;
              grown.extents[axis] = size;
              return operation(grown);
            }};
  }
  std::size_t longest = 1;
  for (const std::size_t a : p.axes) longest = std::max(longest, p.extents[a]);
  const bool is_cube =
      std::ranges::all_of(p.axes, [&](std::size_t a) { return p.extents[a] == longest; });
  return {.parameter = p.axes.size() == 1 ? "points of the line, in powers of two"
                       : is_cube          ? "points along each transformed axis, in powers of two"
                                 : "points along the longest axis, in powers of two, the other "
                                   "transformed ones in their ratio",
          .size = longest,
          .smallest = 2,
          .is_power_of_two = true,
          .at = [p, longest](std::size_t size) {
            fft_problem grown = p;
            for (const std::size_t a : p.axes)
              grown.extents[a] = in_ratio(p.extents[a], size, longest);
            return operation(grown);
          }};
}

growth of(const stft_problem& p) {
  return {.parameter = "samples of each channel",
          .size = p.samples,
          .smallest = p.n_fft,
          .at = [p](std::size_t size) {
            stft_problem grown = p;
            grown.samples = size;
            return operation(grown);
          }};
}

growth of(const istft_problem& p) {
  return {.parameter = "samples of each channel",
          .size = p.samples,
          .smallest = p.n_fft,
          .at = [p](std::size_t size) {
            istft_problem grown = p;
            grown.first = 0;
            grown.samples = size;
            const stft_problem forward{
                .samples = size, .n_fft = p.n_fft, .hop = p.hop, .centre = p.centre};
            grown.segments = forward.segments();
            return operation(grown);
          }};
}

growth of(const product_problem& p) {
  return {.parameter = "complex numbers in each operand",
          .size = p.count,
          .at = [](std::size_t size) { return operation(product_problem{.count = size}); }};
}

growth of(const gemm_problem& p) {
  const bool is_cube = p.m == p.k && p.k == p.n;
  return {.parameter = is_cube ? "side of the matrices" : "rows m, with k and n in their ratio",
          .size = p.m,
          .at = [p](std::size_t size) {
            gemm_problem grown = p;
            grown.m = size;
            grown.k = in_ratio(p.k, size, p.m);
            grown.n = in_ratio(p.n, size, p.m);
            return operation(grown);
          }};
}

growth of(const pair_energy_problem& p) {
  return {.parameter = "virtual orbitals, with naux in its ratio",
          .size = p.nvir,
          .at = [p](std::size_t size) {
            pair_energy_problem grown = p;
            grown.nvir = size;
            grown.nvir_other = in_ratio(p.nvir_other, size, p.nvir);
            grown.naux = in_ratio(p.naux, size, p.nvir);
            return operation(grown);
          }};
}

growth of(const integral_transform_problem& p) {
  return {.parameter = "basis functions, with all else in its ratio",
          .size = p.nbasis,
          .at = [p](std::size_t size) {
            integral_transform_problem grown = p;
            grown.nbasis = size;
            grown.nocc = in_ratio(p.nocc, size, p.nbasis);
            grown.nvir = in_ratio(p.nvir, size, p.nbasis);
            grown.naux = in_ratio(p.naux, size, p.nbasis);
            return operation(grown);
          }};
}

}  // namespace

std::optional<growth> growth_of(const operation& what) {
  if (std::holds_alternative<arrangement_problem>(what)) return std::nullopt;
  return std::visit(
      [](const auto& p) -> std::optional<growth> {
        if constexpr (requires { of(p); }) return of(p);
        return std::nullopt;
      },
      what);
}

}  // namespace papilio

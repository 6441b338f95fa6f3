#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "kernels/fft/recipe.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

/// Z [2, pairs, n, width]; X and Y where bins [2, outer, h, inner] have them.
struct column_twins {
  std::int64_t outer, n, inner;
  bool inverse;

  bool by_outer() const { return outer > 1; }
  std::int64_t pairs() const { return by_outer() ? outer / 2 : 1; }
  std::int64_t width() const { return by_outer() ? inner : inner / 2; }
  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t partnered() const { return (n - 1) / 2; }
  /// From a line to its twin, of lines of so many elements.
  std::int64_t step(std::int64_t length) const {
    return by_outer() ? pairs() * length * inner : width();
  }

  auto fields() const { return std::tie(outer, n, inner, inverse); }
  std::string describe() const {
    return base_detail::message(
        inverse ? "two lines to a complex one, " : "a complex line to two, ", outer * inner,
        " real lines of ", n, " beside each other");
  }
  column_twins without_batch() const { return {0, n, inner, inverse}; }
};

/// Transforms of real lines beside each other, [outer, n, inner] to bins [2, outer, n / 2 + 1,
/// inner], by columns: two lines as one complex line, of two values of outer, or of the two halves
/// of inner where there is one value. None where that is odd, or there are no passes by columns.
std::optional<fft_recipe> twin_columns_forward(std::int64_t outer, std::int64_t n,
                                               std::int64_t inner, double scale,
                                               const engine::machine_spec& machine);
/// The inverse.
std::optional<fft_recipe> twin_columns_backward(std::int64_t outer, std::int64_t n,
                                                std::int64_t inner, double scale,
                                                const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

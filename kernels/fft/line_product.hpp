#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Lines times a vector: out[l, j] = in[l, j] factors[j] for j < count, 0 for the others.
struct line_product {
  std::string name;
  std::int64_t lanes = 1;
  std::int64_t in_row = 1, out_row = 1;  ///< elements of a line; [2, lanes, row]
  std::int64_t count = 1;                ///< at most in_row and out_row
  /// Fills the table [2, count].
  std::function<void(std::span<float>)> factors = {};
};

/// The product as a sweep.
fft_step step_of(const line_product& product, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

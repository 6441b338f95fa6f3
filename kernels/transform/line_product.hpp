#pragma once

#include <cstdint>
#include <string>

#include "kernels/transform/chirp.hpp"
#include "kernels/transform/recipe.hpp"

namespace papilio::kernels_detail {

/// The elementwise product of lines with a vector of Bluestein's algorithm:
/// out[l, j] = in[l, j] factors[j] for j < count, 0 for other j.
struct line_product {
  std::int64_t lines = 1;
  std::int64_t in_row = 1, out_row = 1;  ///< elements of a line; [2, lines, row]
  std::int64_t count = 1;                ///< at most in_row and out_row
  /// Elements from the real to the imaginary plane of the input; 0: the same numbers are both
  /// planes; negative: lines * in_row.
  std::int64_t in_plane = -1;
  chirp_factors factors = {};
  double scale = 1;  ///< of the factors

  std::int64_t input_plane() const { return in_plane < 0 ? lines * in_row : in_plane; }

  auto fields() const { return std::tie(lines, in_row, out_row, count, in_plane, factors, scale); }
  std::string name() const;
  std::string describe() const;
  line_product without_batch() const;
};

/// The product as a sweep.
fft_step step_of(const line_product& product, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

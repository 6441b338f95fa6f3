#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

// Triangular systems T X = R in blocks, T the matrix A or its transpose.
namespace papilio::kernels_detail {

struct triangular_system {
  std::int64_t order = 1, columns = 1;  ///< of T; of X
  std::int64_t block = 1;               ///< a power of two, at most `side`
  std::int64_t side = 1;                ///< of the array
  /// Steps that are loaded, transposed and inverted side by side: as many as a bank of PSUM holds.
  std::int64_t at_once = 1;
  bool flipped = false;  ///< T = A^T
  bool lower = true;     ///< T, not A
  bool unit = false;
  bool turned = false;  ///< B and X lie as [columns, order]
  float alpha = 1;
  int refinements = 1;

  auto fields() const {
    return std::tie(order, columns, block, side, at_once, flipped, lower, unit, turned, alpha,
                    refinements);
  }

  std::int64_t blocks() const { return (order + block - 1) / block; }
  /// Blocks are solved in steps 0, 1, ...: from above, or of an upper T from below.
  std::int64_t place(std::int64_t step) const {
    return (lower ? step : blocks() - 1 - step) * block;
  }
  std::int64_t rows(std::int64_t step) const { return std::min(block, order - place(step)); }
};

}  // namespace papilio::kernels_detail

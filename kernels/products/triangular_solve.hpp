#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

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

/// How many columns of X are solved at a time.
struct triangular_tiling {
  std::int64_t chunk = 1;   ///< columns of a product
  std::int64_t chunks = 1;  ///< under way side by side
  std::int64_t groups = 2;  ///< of inverses that stay

  auto fields() const { return std::tie(chunk, chunks, groups); }

  std::int64_t columns() const { return chunk * chunks; }
  bool keeps_inverses(const triangular_system& system) const {
    return groups * system.at_once >= system.blocks();
  }
};

/// As many columns as the products of a step hide its chain for, and as fit.
triangular_tiling tile_triangular(const triangular_system& system,
                                  const engine::machine_spec& machine);

/// x = X of T X = alpha b, T of a: [order, order]; b and x: [order, columns], or turned.
void solve_triangular(engine::core& nc, const triangular_system& system,
                      const triangular_tiling& tiling, const engine::hbm_view& a,
                      const engine::hbm_view& b, const engine::hbm_view& x);

}  // namespace papilio::kernels_detail

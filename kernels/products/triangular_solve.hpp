#pragma once

#include <cstdint>
#include <tuple>

#include "kernels/products/triangular_system.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

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

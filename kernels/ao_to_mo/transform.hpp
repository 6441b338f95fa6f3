#pragma once

#include <vector>

#include "kernels/ao_to_mo/design.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Tiles of one kind in SBUF.
struct mo_ring {
  int depth = 1;
  std::int64_t columns = 1;
  engine::dtype type = engine::dtype::fp32;
};

/// What a run takes; those that a design has no use for are of one element.
struct mo_rings {
  mo_ring loads;      ///< integrals as they come, fp32
  mo_ring integrals;  ///< ... in the type of products, [part, P, s, n]
  mo_ring occupied;   ///< C_occ, [part, s, i]
  mo_ring virtuals;   ///< C_vir, [part, tile, a]
  mo_ring staged;     ///< coefficients on their way to another type
  mo_ring halves;     ///< half transformed, [part, tile, P, i]
  mo_ring results;    ///< [a]

  std::vector<mo_ring> all() const {
    return {loads, integrals, occupied, virtuals, staged, halves, results};
  }
};
mo_rings rings_of(const ao_to_mo_design& design);

/// out: flat, element (P, i, a) at P per_p + i per_i + a.
struct ao_to_mo_operands {
  engine::hbm_view eri, c_occ, c_vir, out;
  std::int64_t per_p = 1, per_i = 1;
};

/// Both transformations of all integrals.
void transform_integrals(engine::core& nc, const ao_to_mo_design& design,
                         const ao_to_mo_operands& operands);

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/products/products.hpp"
#include "kernels/tiles.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/mp2.hpp"

namespace papilio::kernels_detail {

/// How the two transformations are cut, and what follows them. Atomic orbitals m are q * strips + s
/// for partition q and s < strips, so that a partition's rows of integrals follow each other in
/// HBM; n are in tiles of the array's side.
struct ao_to_mo_design {
  std::int64_t nbasis = 1, nocc = 1, nvir = 1, naux = 1;
  kernels::integral_layout layout = kernels::integral_layout::pia;
  std::optional<product_design> metric = {};  ///< the product with the root of the metric
  std::int64_t side = 128, bank = 512;        ///< of the array; columns of a bank of PSUM
  engine::dtype type = engine::dtype::fp32;
  int parts = 1;  ///< of operands, whose sum they are

  std::int64_t strips = 1, tiles = 1;  ///< of m, and of n
  std::int64_t block = 1;              ///< occupied orbitals at once
  std::int64_t together = 1;  ///< auxiliary functions whose second products are made at once
  std::int64_t batch = 1;  ///< ... and whose integrals are loaded at once: a divisor of `together`
  std::int64_t rows = 1, columns = 1;  ///< s and n of a load: all, or columns of some tiles
  int depth = 3;                       ///< loads on chip
  bool stays = true;                   ///< C_vir does
  std::int64_t segment =
      1;  ///< columns of C_vir in a result's row, and where it does not stay on chip

  std::int64_t blocks() const { return ceil_div(nocc, block); }
  /// Partitions with row s.
  std::int64_t lanes(std::int64_t s) const { return ceil_div(nbasis - s, strips); }
  /// Elements n of tile j.
  std::int64_t tile_rows(std::int64_t j) const;
  /// Rows (P, i) of B follow each other evenly: any of them may be a stationary operand. Else they
  /// are ordered (i, P), and an operand has whole i.
  bool flat() const { return layout != kernels::integral_layout::ipa && block == nocc; }
  /// Rows of a stationary operand of so many P, as even as they can be.
  std::int64_t operand_rows(std::int64_t functions, std::int64_t orbitals) const;
  /// Half transformed integrals of a P and tile, and of `together` P.
  std::int64_t group_columns() const { return together * block; }
  bool converts() const { return type != engine::dtype::fp32; }
  /// Of a partition of SBUF, for everything that is on chip at once.
  std::int64_t bytes(const engine::machine_spec& machine) const;
  double tensor_cycles(const engine::machine_spec& machine) const;
  double expected_error(const engine::machine_spec& machine) const;
  std::string describe() const;
  auto fields() const {
    return std::tie(nbasis, nocc, nvir, naux, layout, metric, side, bank, type, parts, strips,
                    tiles, block, together, batch, rows, columns, depth, stays, segment);
  }
};

/// Of a checked problem; resource_error where nothing fits SBUF.
ao_to_mo_design design_ao_to_mo(const integral_transform_problem& problem,
                                const kernels::ao_to_mo_kernel_options& options,
                                const engine::machine_spec& machine);

/// What a run takes.
struct mo_pools {
  pool_shape loads;      ///< integrals as they come, fp32
  pool_shape integrals;  ///< ... in the type of products, [part, P, s, n]
  pool_shape occupied;   ///< C_occ, [part, s, i]
  pool_shape virtuals;   ///< C_vir, [part, tile, a]
  pool_shape staged;     ///< coefficients on their way to another type
  pool_shape halves;     ///< half transformed, [part, tile, P, i]
  pool_shape results;    ///< [a]

  std::vector<pool_shape> all() const {
    return {loads, integrals, occupied, virtuals, staged, halves, results};
  }
};
mo_pools pools_of(const ao_to_mo_design& design);

/// out: flat, element (P, i, a) at P per_p + i per_i + a.
struct ao_to_mo_operands {
  engine::hbm_view eri, c_occ, c_vir, out;
  std::int64_t per_p = 1, per_i = 1;
};

/// Both transformations of all integrals.
void transform_integrals(engine::core& nc, const ao_to_mo_design& design,
                         const ao_to_mo_operands& operands);

}  // namespace papilio::kernels_detail

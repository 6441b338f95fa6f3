#pragma once

#include <cstddef>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::chem_detail {

/// Occupied orbitals [i, i + rows) with [j, j + columns): every pair of them.
struct pair_block {
  std::size_t i = 0, rows = 0, j = 0, columns = 0;

  std::size_t pairs() const { return rows * columns; }
};

/// Cut of the pairs of occupied orbitals, and of the virtual orbitals of each: by the extents
/// alone, so that no result depends on threads or memory. Pairs go together until a block is worth
/// a product of matrices, or the virtual orbitals of one pair are cut into tiles.
struct pair_cut {
  std::size_t most_rows = 1, most_columns = 1;  ///< occupied orbitals
  std::size_t tile_rows = 1, tile_columns = 1;  ///< virtual orbitals
};
pair_cut cut_pairs(std::size_t row_virtuals, std::size_t column_virtuals);

/// The blocks of `rows` occupied orbitals with `columns`, the same ones unless the kind is
/// opposite_spin.
std::vector<pair_block> blocks_of(pair_spins kind, const pair_cut& cut, std::size_t rows,
                                  std::size_t columns);

/// Returns blocks that hold every pair i <= j once (i < j if `is_strict`), no block with i > j.
std::vector<pair_block> symmetric_blocks(const pair_cut& cut, std::size_t occupied, bool is_strict);

/// Returns blocks that hold every pair once.
std::vector<pair_block> rectangular_blocks(const pair_cut& cut, std::size_t rows,
                                           std::size_t columns);

}  // namespace papilio::chem_detail

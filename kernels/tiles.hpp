#pragma once

#include <algorithm>
#include <cstdint>

#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

// Sizes that the engines take at once, and matrices in HBM.
namespace papilio::kernels_detail {

/// Rows and columns of a stationary operand, and of a block that the array transposes.
inline std::int64_t array_rows(const engine::machine_spec& machine) {
  return std::min(machine.tensor.rows, machine.tensor.stationary_columns_max);
}

/// Columns of a moving operand whose fp32 sums a bank of PSUM holds.
inline std::int64_t product_columns(const engine::machine_spec& machine) {
  return std::min<std::int64_t>(machine.tensor.moving_columns_max, machine.psum.bank_bytes / 4);
}

/// Tiles of one kind that a run takes from SBUF; none: a run that has no use for them takes one of
/// one element.
struct pool_shape {
  int depth = 0;
  std::int64_t columns = 1;
  engine::dtype type = engine::dtype::fp32;

  /// The bytes of a partition.
  std::int64_t bytes(const engine::machine_spec& machine) const;
  engine::tile_pool make(engine::core& nc, std::int64_t partitions) const;
};

/// Rows [i, i + rows) and columns [j, j + columns) of a matrix.
inline engine::hbm_view block_of(const engine::hbm_view& matrix, std::int64_t i, std::int64_t rows,
                                 std::int64_t j, std::int64_t columns) {
  return matrix.slice(0, i, rows).slice(1, j, columns);
}

/// Fills a matrix with zeros.
void fill_zeros(engine::core& nc, const engine::hbm_view& matrix);

}  // namespace papilio::kernels_detail

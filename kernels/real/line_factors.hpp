#pragma once

#include <cstddef>
#include <vector>

#include "kernels/real/line_program.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Twiddle factors with which the lines of a program leave (line_columns::twiddle_order): results
/// of the last stage, in PSUM, where an operand costs the vector engine nothing, times the factors
/// of their elements, on the way to their places.
class line_factors {
 public:
  /// `table`: that of line_factors_table.
  line_factors(engine::core& nc, const line_program& program, const engine::hbm_view& table);

  /// Those of unit `number` of the last stage and lanes [first, first + count) come in. Those of
  /// four units before may be in use.
  engine::tile_view load(std::size_t number, std::int64_t first, std::int64_t count);
  /// Results of the unit to their places in `to`.
  void turn(std::size_t number, const engine::tile_view& to, const engine::tile_view& sums,
            const engine::tile_view& factors);

 private:
  engine::core& nc_;
  const line_stage& stage_;
  engine::hbm_view table_;
  std::vector<std::int64_t> columns_;  ///< of the units' factors in the table, and their end
  engine::tile_pool factors_, products_;
};

/// The level of a copy that leads from plane to plane of the stage's tile; one past the last where
/// it is of one plane.
std::ptrdiff_t plane_level(const line_stage& stage, const line_copy& copy);

/// Whether results of the last stage lie as planes of numbers, so that they can be multiplied.
bool takes_factors(const line_program& program);

/// The table [inner, results of the last stage], as they lie in PSUM: cosines where real parts are,
/// sines where imaginary ones.
kernels::constant_table line_factors_table(const line_program& program);

/// Elements of a partition that the factors take.
std::int64_t factors_columns(const line_program& program);

}  // namespace papilio::kernels_detail

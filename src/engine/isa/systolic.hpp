#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

class checker;
class instruction_run;

/// The systolic array computes in fp32, for each of m rows i and n columns j,
///   sum = 0; for k = 0 ... depth - 1: sum = fma(stationary[k][i], moving[k][j], sum)
///   out[i][j] = accumulate ? out[i][j] + sum : sum
/// or, where products are rounded, sum = sum + round(stationary * moving). Every instruction set
/// gives equal bits. stationary is depth x m without gaps; rows of moving and of out are
/// moving_pitch and out_pitch elements apart.
struct systolic_product {
  const float* stationary;
  const float* moving;
  std::size_t moving_pitch;
  float* out;
  std::size_t out_pitch;
  std::size_t depth, m, n;
  bool accumulate, products_rounded;
};

void multiply(const systolic_product& p);

/// The operands of a product as the array takes them: `depth` rows of m and of n numbers.
struct systolic_operands {
  const float* stationary;
  const float* moving;
  std::size_t moving_pitch;
  std::size_t depth, m, n;
};
/// Multiplies into a tile in PSUM, on the run's threads; onto what it holds where `accumulate`.
void multiply_into(const engine::tile_view& out, const systolic_operands& p, bool accumulate,
                   instruction_run& run);

/// Refuse operands that are not all in one of the array's tiles of rows; and a result that is not
/// m partitions of n columns in one run of a bank, or sizes beyond the array's.
void check_row_tile(const checker& check, const engine::tile_view& stationary,
                    const engine::tile_view& moving);
void check_result(const checker& check, const engine::tile_view& out, std::int64_t m,
                  std::int64_t n);

}  // namespace papilio::engine_detail

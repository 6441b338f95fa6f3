#pragma once

#include <cstddef>

#include "engine/checker.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// reduces() returns whether an operation can reduce a row, reduces_numbers() whether it does so in
/// fp32 and not on bits.
bool reduces(engine::alu_op op);
inline bool reduces_numbers(engine::alu_op op) { return reduces(op) && !is_bitwise(op); }

/// Reduces `count` >= 1 values by an operation for which reduces_numbers() holds. Element i goes
/// into partial result i mod 16, which begins at the neutral element; the partial results are then
/// combined pairwise, j with j + 8, + 4, + 2, + 1. This order fixes the rounding on every CPU.
float reduce_row(engine::alu_op op, std::size_t count, const float* from);

}  // namespace papilio::engine_detail

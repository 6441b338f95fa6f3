#pragma once

#include <cstddef>

#include "engine/checker.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// Whether an operation reduces a row, and whether it does so in fp32.
bool reduces(engine::alu_op op);
inline bool reduces_numbers(engine::alu_op op) { return reduces(op) && !is_bitwise(op); }

/// The reduction of `count` >= 1 values by an operation for which reduces_numbers() holds: element
/// i goes into partial result i mod 16, beginning at the neutral element, and those are combined
/// pairwise, j with j + 8, + 4, + 2, + 1.
float reduce_row(engine::alu_op op, std::size_t count, const float* from);

}  // namespace papilio::engine_detail

#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// Operations of the vector engines' arithmetic units. All but the bitwise ones and the shifts
/// compute in fp32, whatever the operands' types (int32 is converted: exact up to 2^24);
/// comparisons give 1 or 0. Those named _bits_ and the shifts take int32 or uint8 operands and stay
/// integers.
enum class alu_op : std::uint8_t {
  bypass,  ///< the left operand
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  absolute_maximum,  ///< max(|a|, |b|)
  equal,
  not_equal,
  greater,
  greater_equal,
  less,
  less_equal,
  logical_and,  ///< of a != 0, b != 0
  logical_or,
  logical_xor,
  bits_and,
  bits_or,
  bits_xor,
  shift_left,
  shift_right,
  power  ///< a to the b, computed in double and rounded once
};

PAPILIO_API const char* to_string(alu_op op);
/// Whether the operation works on integers bit by bit.
constexpr bool is_bitwise(alu_op op) { return op >= alu_op::bits_and && op <= alu_op::shift_right; }

}  // namespace papilio::engine

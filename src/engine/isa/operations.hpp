#pragma once

#include <cmath>

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// larger() and smaller() return NaN if one of the two numbers is NaN.
inline float larger(float a, float b) { return a > b || a != a ? a : b; }
inline float smaller(float a, float b) { return a < b || a != a ? a : b; }

/// Calls use(f) with the operation as a function of two floats. It does nothing for bitwise
/// operations.
template <class Use>
void with_operation(engine::alu_op op, const Use& use) {
  using engine::alu_op;
  switch (op) {
    case alu_op::bypass:
      return use([](float a, float) { return a; });
    case alu_op::add:
      return use([](float a, float b) { return a + b; });
    case alu_op::subtract:
      return use([](float a, float b) { return a - b; });
    case alu_op::multiply:
      return use([](float a, float b) { return a * b; });
    case alu_op::divide:
      return use([](float a, float b) { return a / b; });
    case alu_op::maximum:
      return use([](float a, float b) { return larger(a, b); });
    case alu_op::minimum:
      return use([](float a, float b) { return smaller(a, b); });
    case alu_op::absolute_maximum:
      return use([](float a, float b) { return larger(std::fabs(a), std::fabs(b)); });
    case alu_op::absolute_minimum:
      return use([](float a, float b) { return smaller(std::fabs(a), std::fabs(b)); });
    case alu_op::equal:
      return use([](float a, float b) { return a == b ? 1.0f : 0.0f; });
    case alu_op::not_equal:
      return use([](float a, float b) { return a != b ? 1.0f : 0.0f; });
    case alu_op::greater:
      return use([](float a, float b) { return a > b ? 1.0f : 0.0f; });
    case alu_op::greater_equal:
      return use([](float a, float b) { return a >= b ? 1.0f : 0.0f; });
    case alu_op::less:
      return use([](float a, float b) { return a < b ? 1.0f : 0.0f; });
    case alu_op::less_equal:
      return use([](float a, float b) { return a <= b ? 1.0f : 0.0f; });
    case alu_op::logical_and:
      return use([](float a, float b) { return a != 0 && b != 0 ? 1.0f : 0.0f; });
    case alu_op::logical_or:
      return use([](float a, float b) { return a != 0 || b != 0 ? 1.0f : 0.0f; });
    case alu_op::logical_xor:
      return use([](float a, float b) { return (a != 0) != (b != 0) ? 1.0f : 0.0f; });
    case alu_op::power:
      return use([](float a, float b) { return float(std::pow(double(a), double(b))); });
    case alu_op::bits_and:
    case alu_op::bits_or:
    case alu_op::bits_xor:
    case alu_op::shift_left:
    case alu_op::shift_right:
      return;  // apply_bits() computes these
  }
}

}  // namespace papilio::engine_detail

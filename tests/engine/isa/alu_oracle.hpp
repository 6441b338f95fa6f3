#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine::test {

inline constexpr std::array arithmetic_ops{
    alu_op::bypass,      alu_op::add,        alu_op::subtract,    alu_op::multiply,
    alu_op::divide,      alu_op::maximum,    alu_op::minimum,     alu_op::absolute_maximum,
    alu_op::equal,       alu_op::not_equal,  alu_op::greater,     alu_op::greater_equal,
    alu_op::less,        alu_op::less_equal, alu_op::logical_and, alu_op::logical_or,
    alu_op::logical_xor, alu_op::power};

/// What an operation gives for finite numbers: in double, which for one operation on floats rounds
/// to the same float as fp32 arithmetic does.
inline float alu_oracle(alu_op op, float a, float b) {
  const double x = a, y = b;
  switch (op) {
    case alu_op::bypass:
      return a;
    case alu_op::add:
      return float(x + y);
    case alu_op::subtract:
      return float(x - y);
    case alu_op::multiply:
      return float(x * y);
    case alu_op::divide:
      return float(x / y);
    case alu_op::maximum:
      return std::max(a, b);
    case alu_op::minimum:
      return std::min(a, b);
    case alu_op::absolute_maximum:
      return std::max(std::abs(a), std::abs(b));
    case alu_op::equal:
      return float(x == y);
    case alu_op::not_equal:
      return float(x != y);
    case alu_op::greater:
      return float(x > y);
    case alu_op::greater_equal:
      return float(x >= y);
    case alu_op::less:
      return float(x < y);
    case alu_op::less_equal:
      return float(x <= y);
    case alu_op::logical_and:
      return float((x != 0) && (y != 0));
    case alu_op::logical_or:
      return float((x != 0) || (y != 0));
    case alu_op::logical_xor:
      return float((x != 0) != (y != 0));
    case alu_op::power:
      return float(std::pow(x, y));
    default:
      return std::nanf("");
  }
}

/// The documented order of reductions: sixteen sums, then pairs of them.
inline float summed_in_order(const std::vector<float>& values) {
  float sums[16] = {};
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % 16] += values[i];
  for (int j = 0; j < 8; ++j) sums[j] += sums[j + 8];
  for (int j = 0; j < 4; ++j) sums[j] += sums[j + 4];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace papilio::engine::test

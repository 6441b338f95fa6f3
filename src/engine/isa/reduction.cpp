#include "engine/isa/reduction.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "engine/isa/operations.hpp"

namespace papilio::engine_detail {

using engine::alu_op;

namespace {

constexpr std::size_t width = 16;
constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

template <class Operation>
float reduced(std::size_t count, const float* from, float neutral, Operation f) {
  std::array<float, width> partial;
  partial.fill(neutral);
  const std::size_t whole = count - count % width;
  for (std::size_t i = 0; i < whole; i += width)
    for (std::size_t j = 0; j < width; ++j) partial[j] = f(partial[j], from[i + j]);
  for (std::size_t i = whole; i < count; ++i) partial[i - whole] = f(partial[i - whole], from[i]);
  for (std::size_t half = width / 2; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j) partial[j] = f(partial[j], partial[j + half]);
  return partial[0];
}

// Returns the neutral element of an operation that reduces a row in fp32, NaN for others.
float neutral_of(alu_op op) {
  switch (op) {
    case alu_op::add:
      return -0.0f;
    case alu_op::multiply:
    case alu_op::logical_and:
      return 1;
    case alu_op::maximum:
      return -infinity;
    case alu_op::minimum:
    case alu_op::absolute_minimum:
      return infinity;
    case alu_op::absolute_maximum:
    case alu_op::logical_or:
    case alu_op::logical_xor:
      return 0;
    default:
      return nan;
  }
}

}  // namespace

bool reduces(alu_op op) {
  return !std::isnan(neutral_of(op)) || op == alu_op::bits_and || op == alu_op::bits_or ||
         op == alu_op::bits_xor;
}

float reduce_row(alu_op op, std::size_t count, const float* from) {
  const float neutral = neutral_of(op);
  float result = nan;  // operations::number_reduction refuses others
  if (!std::isnan(neutral))
    with_operation(op, [&](auto f) { result = reduced(count, from, neutral, f); });
  return result;
}

}  // namespace papilio::engine_detail

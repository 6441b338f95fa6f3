#include "engine/isa/reduction.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "engine/isa/operations.hpp"

namespace papilio::engine_detail {

using engine::alu_op;

namespace {

constexpr std::size_t width = 16;
constexpr float infinity = std::numeric_limits<float>::infinity();

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

}  // namespace

bool reduces(alu_op op) {
  switch (op) {
    case alu_op::add:
    case alu_op::multiply:
    case alu_op::maximum:
    case alu_op::minimum:
    case alu_op::absolute_maximum:
    case alu_op::logical_and:
    case alu_op::logical_or:
    case alu_op::logical_xor:
    case alu_op::bits_and:
    case alu_op::bits_or:
    case alu_op::bits_xor:
      return true;
    default:
      return false;
  }
}

float reduce_row(alu_op op, std::size_t count, const float* from) {
  switch (op) {
    case alu_op::add:
      return reduced(count, from, -0.0f, [](float a, float b) { return a + b; });
    case alu_op::multiply:
      return reduced(count, from, 1, [](float a, float b) { return a * b; });
    case alu_op::maximum:
      return reduced(count, from, -infinity, [](float a, float b) { return larger(a, b); });
    case alu_op::minimum:
      return reduced(count, from, infinity, [](float a, float b) { return smaller(a, b); });
    case alu_op::absolute_maximum:
      return reduced(count, from, 0,
                     [](float a, float b) { return larger(std::fabs(a), std::fabs(b)); });
    case alu_op::absolute_minimum:
      return reduced(count, from, infinity,
                     [](float a, float b) { return smaller(std::fabs(a), std::fabs(b)); });
    case alu_op::logical_and:
      return reduced(count, from, 1,
                     [](float a, float b) { return a != 0 && b != 0 ? 1.0f : 0.0f; });
    case alu_op::logical_or:
      return reduced(count, from, 0,
                     [](float a, float b) { return a != 0 || b != 0 ? 1.0f : 0.0f; });
    case alu_op::logical_xor:
      return reduced(count, from, 0,
                     [](float a, float b) { return (a != 0) != (b != 0) ? 1.0f : 0.0f; });
    default:
      return std::numeric_limits<float>::quiet_NaN();  // operations::number_reduction
  }
}

}  // namespace papilio::engine_detail

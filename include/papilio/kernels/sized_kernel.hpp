#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::kernels {

/// A constant that a kernel reads: twiddle factors, matrices of a transform, a filter's spectrum.
/// It is uploaded once and stays on the device.
struct constant_table {
  std::string name;
  engine::tensor_shape shape;
  /// Writes all elements, row by row; they are rounded to the shape's type on the way to the
  /// device.
  std::function<void(std::span<float>)> fill;
};

/// Values of an input, evenly spread, for runs that only measure.
struct input_range {
  float low = -1, high = 1;
};

/// A kernel at given sizes, ready to be launched: its operands are the inputs, then the tables.
struct PAPILIO_API sized_kernel {
  engine::kernel program;
  std::vector<engine::tensor_shape> inputs, outputs;
  std::vector<input_range> ranges = {};  ///< of each input; absent ones are input_range{}
  std::vector<constant_table> tables = {};
  /// What runs and why: factors, tile shapes, passes; lines of text.
  std::string explanation = {};
  /// Expected relative error in the Euclidean norm for random input; 0 where none is stated.
  double expected_error = 0;

  std::int64_t table_bytes() const;
  /// The explanation, what the tables take, and the expected error where one is stated: lines of
  /// text.
  std::string explain() const;
};

}  // namespace papilio::kernels

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/machine_spec.hpp"

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

struct sized_kernel;

/// What a kernel does many times over, one like the other: from `least` on, more of them take time
/// in proportion.
struct repetition {
  std::string unit = {};  ///< "rows", "products", "lines"
  std::int64_t count = 0;
  std::int64_t least = 1;
  /// The kernel that does it so many times by the very same design. None: such a kernel is to be
  /// designed.
  std::function<sized_kernel(std::int64_t)> part = {};
};

/// A kernel at given sizes, ready to be launched: its operands are the inputs, then the tables.
///
/// Aliasing: where a kernel's own documentation does not say otherwise, a kernel may read an input
/// again after it has begun to write an output, so that a buffer that is both an input and an
/// output, or parts of one buffer that overlap, give undefined values. Inputs may be the same
/// buffer, or overlap. Arrays of the host may be input and output at once: they are copied to the
/// device before anything runs, and back when all has. Outputs that overlap are refused
/// (device::launch).
struct PAPILIO_API sized_kernel {
  engine::kernel program;
  std::vector<engine::tensor_shape> inputs, outputs;
  std::vector<input_range> ranges = {};  ///< of each input; absent ones are input_range{}
  std::vector<constant_table> tables = {};
  /// What runs and why: factors, tile shapes, passes; lines of text.
  std::string explanation = {};
  /// Expected relative error in the Euclidean norm for random input; 0 where none is stated.
  double expected_error = 0;
  /// Whose memories, engines and costs the factors, tiles and passes were chosen for; absent where
  /// none were chosen. prepared_kernel refuses others.
  std::optional<engine::machine_spec> machine = {};
  repetition repeats = {};

  std::int64_t table_bytes() const;
  /// The explanation, what the tables take, and the expected error where one is stated: lines of
  /// text.
  std::string explain() const;
};

}  // namespace papilio::kernels

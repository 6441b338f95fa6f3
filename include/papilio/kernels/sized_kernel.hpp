#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"
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

/// A sized kernel on a device. Its tables lie there: copied once, by the constructor.
///
///   const prepared_kernel product(dev, gemm_kernel({.m = 128, .k = 64, .n = 512}, dev.machine()));
///   product.launch({a, b}, {c});
class PAPILIO_API prepared_kernel {
 public:
  /// The device must outlive it. `mode` as of the launches to come: for dry runs no table is
  /// computed. device_error, with both names, where the kernel is for another machine than the
  /// device's: any field may differ, not the name alone. Errors as device::upload.
  prepared_kernel(engine::device& on, sized_kernel what,
                  engine::run_mode mode = engine::run_mode::execute);

  const sized_kernel& what() const { return what_; }
  engine::device& on() const { return *on_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

  /// device::launch with the tables behind the inputs; aliasing as sized_kernel says. shape_error,
  /// with the operand, the shape that it has and the one that it should, unless all are those of
  /// what(); invalid_argument for another number of operands. It runs in the mode that it was
  /// prepared for.
  engine::launch_result launch(const std::vector<engine::launch_input>& inputs,
                               const std::vector<engine::launch_output>& outputs) const;
  /// The same as a launch of a graph on the same device.
  void capture(engine::graph& into, const std::vector<engine::launch_input>& inputs,
               const std::vector<engine::launch_output>& outputs) const;

 private:
  std::vector<engine::launch_input> operands(
      const std::vector<engine::launch_input>& inputs,
      const std::vector<engine::launch_output>& outputs) const;

  engine::device* on_;
  sized_kernel what_;
  engine::run_mode mode_;
  std::vector<engine::device_buffer> tables_;
};

/// The modelled time of one dry run, without launch and copies, and what it is where documents leave
/// the machine open (engine::uncertain_fields): the same instructions on other machines.
struct time_range {
  struct field {
    std::string name, low_value, high_value;
    double low_seconds = 0, high_seconds = 0;  ///< with this field alone at its bounds
  };
  double seconds = 0;
  double low_seconds = 0, high_seconds = 0;  ///< with all fields at their bounds
  std::vector<field> fields = {};            ///< the one that opens most comes first
};

/// Errors as prepared_kernel and device::launch.
PAPILIO_API time_range modelled_range(const sized_kernel& kernel,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels {

/// Describes a constant that a kernel reads: twiddle factors, matrices of a transform, a filter's
/// spectrum. It is uploaded once and kept on the device.
struct constant_table {
  std::string name;
  engine::tensor_shape shape;
  /// Writes all elements, row by row; the upload rounds them to the shape's type.
  std::function<void(std::span<float>)> fill;
};

/// Bounds the evenly spread values of an input in runs that only measure.
struct input_range {
  float low = -1, high = 1;
};

/// Describes the part of a design that the steps of a profile name: "step 2".
struct design_part {
  std::string name, text;
};

/// Holds what a kernel was designed to be, as a value: the struct of its family, which
/// docs/kernels.md names. Equal designs for equal machines issue equal instructions and read equal
/// tables.
class PAPILIO_API kernel_design {
 public:
  /// The struct of a family, whatever it is.
  class PAPILIO_API value {
   public:
    virtual ~value();
    virtual std::string key() const = 0;
    virtual std::string explain() const = 0;
    virtual std::vector<design_part> parts() const = 0;
    virtual kernel_design without_batch() const = 0;
  };

  kernel_design() = default;  ///< Holds nothing.
  explicit kernel_design(std::shared_ptr<const value> held) : value_(std::move(held)) {}

  bool empty() const { return value_ == nullptr; }
  const value* get() const { return value_.get(); }
  /// Compares keys: families and all fields; 0 and -0 differ.
  bool operator==(const kernel_design& other) const;
  std::size_t hash() const;
  /// Returns all fields as text, the same for equal designs and for no others.
  std::string key() const;
  /// Returns lines of text: factors, tile shapes, passes.
  std::string explain() const;
  std::vector<design_part> parts() const;
  /// Returns the design without what grows with the number of rows, lines or segments.
  kernel_design without_batch() const;

 private:
  std::shared_ptr<const value> value_;
};

/// Returns whether two designs differ in nothing but how many rows, lines or segments they are for.
PAPILIO_API bool same_design(const kernel_design& a, const kernel_design& b);

/// Describes a design that was compared with others in a dry run.
struct compared_design {
  std::string text;
  double seconds = 0;      ///< modelled
  std::string bound = {};  ///< "bound by dma, active 98.1 %"
};

struct sized_kernel;

/// Describes what a kernel repeats: from `least` on, time is proportional to the count.
struct repetition {
  std::string unit = {};  ///< "rows", "products", "lines"
  std::int64_t count = 0;
  std::int64_t least = 1;
  /// Makes the kernel with that count and the same design. Empty: such a kernel needs a design of
  /// its own.
  std::function<sized_kernel(std::int64_t)> part = {};
};

/// Holds a kernel at given sizes, ready to launch: its operands are the inputs, then the tables.
///
/// Aliasing, unless a kernel's documentation says otherwise:
/// - A buffer that is both input and output, or overlapping views of one buffer, give undefined
///   values, because a kernel may read an input again after it has begun to write an output.
/// - Inputs may be the same buffer, or overlap.
/// - Arrays of the host may be input and output at once: they are copied before and after the run.
/// - Overlapping outputs are refused (device::launch).
struct PAPILIO_API sized_kernel {
  engine::kernel program;
  std::vector<engine::tensor_shape> inputs, outputs;
  std::vector<input_range> ranges = {};  ///< of each input; input_range{} for those beyond the list
  std::vector<constant_table> tables = {};
  kernel_design design = {};
  std::string chosen_as = {};  ///< "the fastest in a dry run, bound by dma"; or empty
  std::vector<compared_design> compared = {};  ///< in dry runs, `design` among them
  /// Expected relative error in the Euclidean norm for random input; 0: not stated.
  double expected_error = 0;
  /// Machine for which factors, tiles and passes were chosen; empty if none were. prepared_kernel
  /// refuses others.
  std::optional<engine::machine_spec> machine = {};
  repetition repeats = {};

  std::int64_t table_bytes() const;
  /// Returns lines of text: the design, and what it was chosen as.
  std::string recipe() const;
  /// Returns lines of text: what the design was compared with; empty if nothing.
  std::string comparison() const;
  /// Returns lines of text: the recipe, the comparison, the size of the tables, and the expected
  /// error if stated.
  std::string explain() const;
};

/// Holds a sized kernel on a device, with its tables, which the constructor uploads once.
///
///   const prepared_kernel product(dev, gemm_kernel({.m = 128, .k = 64, .n = 512}, dev.machine()));
///   product.launch({a, b}, {c});
class PAPILIO_API prepared_kernel {
 public:
  /// The device must outlive it. `mode` is that of the launches; for dry runs no table is computed.
  /// Throws device_error, with both names, if the kernel was designed for another machine (any
  /// field may differ, not only the name); others as device::upload.
  prepared_kernel(engine::device& on, sized_kernel what,
                  engine::run_mode mode = engine::run_mode::execute);

  const sized_kernel& what() const { return what_; }
  engine::device& on() const { return *on_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

  /// Launches the kernel with the tables after the inputs, in the mode of the constructor; aliasing
  /// as in sized_kernel.
  /// Throws shape_error, with the operand and both shapes, unless all shapes are those of what();
  /// invalid_argument for another number of operands; others as device::launch.
  engine::launch_result launch(const std::vector<engine::launch_input>& inputs,
                               const std::vector<engine::launch_output>& outputs) const;
  /// Captures the launch into a graph on the same device. Throws as launch.
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

/// Holds the modelled time of one dry run, without launch and copies, and its range where documents
/// leave the machine open (engine::uncertain_fields): the same instructions on other machines.
struct time_range {
  struct field {
    std::string name, low_value, high_value;
    double low_seconds = 0, high_seconds = 0;  ///< of runs with this field alone at its bounds
  };
  double seconds = 0;
  double low_seconds = 0, high_seconds = 0;  ///< of all runs, and with all fields at their bounds
  std::vector<field> fields = {};            ///< the widest range first
};

/// Models the kernel on the machine and on those of its uncertain fields. Throws as prepared_kernel
/// and device::launch.
PAPILIO_API time_range modelled_range(const sized_kernel& kernel,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels

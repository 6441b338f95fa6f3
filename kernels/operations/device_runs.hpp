#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/operations/host_operand.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Operations on an emulated device: device arrays, kernels with their tables, captured runs.
namespace papilio::operations_detail {

/// The accelerator as a group of cores; null where it is a single device.
engine::device_group* group_of(accelerator& on);
const engine::device_group* group_of(const accelerator& on);

/// The accelerator as a device; core 0 of a group. Other accelerators never reach this backend.
engine::device& device_of(accelerator& on);
const engine::device& device_of(const accelerator& on);

/// The shape of an operand on the device: its elements row-major and flat, [count] in fp32, or the
/// planes [2, count] of a complex one.
engine::tensor_shape flat_shape(const operand_shape& shape);

/// A device array: a flat buffer. In a captured run it may stand for an array of the host instead.
class memory_tensor final : public device_tensor {
 public:
  memory_tensor(accelerator& on, operand_shape shape);

  /// The buffer. device_error, in the name of `function`, where it stands for a host array.
  const engine::device_buffer& buffer(const char* function) const;

  /// The buffer of an operand that is read; device_error also where nothing was written to it yet.
  const engine::device_buffer& written_buffer(const char* function) const;

  /// Lets it stand for an array of the host that a graph reads.
  void read_from(host_operand<const void> array);
  /// Lets it stand for an array of the host that a graph writes. invalid_argument if it stands for
  /// one already.
  void write_to(host_operand<void> array);
  bool is_host_array() const { return source_ || target_; }
  /// invalid_argument if it stands for an array of the host already.
  void require_not_given() const;

  /// The operand of a graph's launch: the buffer, or the host array that it stands for.
  engine::launch_input graph_input() const;
  engine::launch_output graph_output() const;
  /// The array of the host that it stands for and a graph reads, or writes; else empty.
  const std::optional<host_operand<const void>>& source() const { return source_; }
  const std::optional<host_operand<void>>& target() const { return target_; }

 private:
  engine::device_buffer buffer_;
  std::optional<host_operand<const void>> source_;
  std::optional<host_operand<void>> target_;
};

const memory_tensor& memory_of(const device_tensor& tensor);
memory_tensor& memory_of(device_tensor& tensor);

/// The kernel, with operands accepted in any shape of as many elements: flat device arrays, or host
/// arrays whose axes are joined.
engine::kernel reshaping(const kernels::sized_kernel& what);

class run_list;
class kernel_program;
class group_program;

/// An operation built for a device or a group.
class launched_program : public device_program,
                         public std::enable_shared_from_this<launched_program> {
 public:
  explicit launched_program(accelerator& on) : on_(&on) {}

  /// The kernel that does all of it on one core, as graphs need it.
  virtual const kernel_program& on_one_core() const = 0;
  /// Itself, where it divides arrays of the host among the cores of a group; else null.
  virtual const group_program* divided() const { return nullptr; }

  run_record run(const char* function, std::span<const device_input> in,
                 std::span<const device_output> out) const final;

 protected:
  accelerator& on() const { return *on_; }
  /// Runs it at once; called where no runs are being captured.
  virtual run_record run_now(const char* function, std::span<const device_input> in,
                             std::span<const device_output> out) const = 0;

 private:
  accelerator* on_;
};

/// An operation on one core: a kernel, with its tables in the core's memory.
class kernel_program final : public launched_program {
 public:
  kernel_program(engine::device& on, kernels::sized_kernel what);

  std::string recipe() const override { return what_.recipe(); }
  double table_bytes() const override { return static_cast<double>(what_.table_bytes()); }
  double relative_error() const override { return what_.expected_error; }
  const kernel_program& on_one_core() const override { return *this; }
  run_record run_now(const char* function, std::span<const device_input> in,
                     std::span<const device_output> out) const override;

  const engine::kernel& program() const { return program_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

 private:
  engine::launch_result launched(const char* function,
                                 const std::vector<engine::launch_input>& inputs,
                                 const std::vector<engine::launch_output>& outputs) const;

  engine::device* on_;
  kernels::sized_kernel what_;
  engine::kernel program_;
  std::vector<engine::device_buffer> tables_;
};

/// invalid_argument, or shape_error, unless the operands have as many elements as the shapes.
template <class Operands>
void require_shapes(const char* function, const char* side, const Operands& operands,
                    const std::vector<engine::tensor_shape>& shapes) {
  if (operands.size() != shapes.size())
    throw invalid_argument(base_detail::message(function, ": the operation takes ", shapes.size(),
                                                " ", side, "s, got ", operands.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (operands[i].shape().elements() != shapes[i].elements())
      throw shape_error(base_detail::message(function, ": ", side, " ", i, " must be ",
                                             shapes[i].describe(), ", got ",
                                             operands[i].shape().describe()));
}

/// The functions of device_backend that deal with captured runs and with copies.
void begin_capture(accelerator& on);
std::unique_ptr<captured_runs> end_capture(accelerator& on);
void abandon_capture(accelerator& on);
run_record upload(device_tensor& to, const untyped_view<const void>& from);
run_record download(device_tensor& from, const untyped_view<void>& to);

/// The runs that are being captured on an accelerator; null where none are.
run_list* captured_on(accelerator& on);

/// The profile's steps, each with the text of the design's parts of that name.
std::vector<run_step> steps_of(const kernels::sized_kernel& kernel, const engine::profile& profile);

/// The record of a launch, from the device's own times and counts.
run_record record_of(const engine::launch_result& result, const std::string& machine);

/// Runs in the order in which they were captured.
class run_list {
 public:
  /// Appends a run; all its operands must be device arrays.
  void add(std::shared_ptr<const launched_program> program, std::span<const device_input> in,
           std::span<const device_output> out);
  /// invalid_argument unless a captured run writes the tensor.
  void require_result(const device_tensor& tensor) const;
  /// Adds an array of the host that the graph reads, or writes. A graph knows arrays by their
  /// memory: invalid_argument, in the name of `function`, where this one shares bytes with one that
  /// is written. An array to write that shares bytes with one that is read must be copied before
  /// (host_operand::stand_apart).
  void read_array(const char* function, const device_tensor& tensor,
                  const host_operand<const void>& array);
  void write_array(const char* function, const device_tensor& tensor,
                   const host_operand<void>& array);
  /// Whether the array shares bytes with one that the graph reads.
  bool reads(const host_operand<void>& array) const;
  /// Whether the tensor stands for a host array of this graph.
  bool has_array_of(const device_tensor& tensor) const;
  /// Fill the copies of host arrays before a submission, and copy results back after it.
  void load_arrays() const;
  void store_arrays() const;

  std::size_t size() const { return runs_.size(); }
  /// The recipe of the only run; with several runs, their number.
  std::string recipe(const accelerator& on) const;
  /// Whether there is one run, all operands are arrays of the host, and a group divides it among
  /// its cores.
  bool is_divided() const;
  run_record run_divided(const char* function) const;
  /// The runs as launches of a graph. invalid_argument where there are none; further errors are
  /// those of engine::graph::launch.
  engine::graph to_graph(engine::device& on) const;

 private:
  struct captured_run {
    std::shared_ptr<const launched_program> program;
    std::vector<shared_tensor> in, out;
  };
  std::vector<captured_run> runs_;
  std::vector<host_operand<const void>> read_;
  std::vector<host_operand<void>> written_;
  std::vector<const device_tensor*> of_arrays_;
};

}  // namespace papilio::operations_detail

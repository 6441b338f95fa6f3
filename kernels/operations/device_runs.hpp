#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/operations/host_operand.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Runs on an emulated device: its memory, kernels on it, and runs that are captured.
namespace papilio::operations_detail {

/// invalid_argument if it is not one: backends are asked for what they drive alone.
engine::device& device_of(accelerator& on);
const engine::device& device_of(const accelerator& on);

/// Elements of an operand on the device, row-major and flat: [count], or [2, count] of a complex
/// one, fp32.
engine::tensor_shape flat_shape(const operand_shape& shape);

/// A flat buffer. While runs are captured it may stand for an array of the host instead.
class memory_tensor final : public device_tensor {
 public:
  memory_tensor(accelerator& on, operand_shape shape);

  /// device_error, in the name of `function`, where there is none any more.
  const engine::device_buffer& buffer(const char* function) const;

  /// The same of an operand that is to be read: device_error, too, where nothing was written yet.
  const engine::device_buffer& written_buffer(const char* function) const;

  /// From now on it is an array of the host that a graph reads.
  void read_from(host_operand<const void> array);
  /// From now on it is an array of the host that a graph writes. invalid_argument if it was given
  /// away before.
  void write_to(host_operand<void> array);
  bool is_host_array() const { return source_ || target_; }
  /// invalid_argument if it was given away to a graph before.
  void require_not_given() const;

  /// For the launches of a graph.
  engine::launch_input graph_input() const;
  engine::launch_output graph_output() const;

 private:
  engine::device_buffer buffer_;
  std::optional<host_operand<const void>> source_;
  std::optional<host_operand<void>> target_;
};

const memory_tensor& memory_of(const device_tensor& tensor);
memory_tensor& memory_of(device_tensor& tensor);

/// A kernel whose operands may come in other shapes of as many elements: flat tensors, arrays of
/// the host with joined axes.
engine::kernel reshaping(const kernels::sized_kernel& what);

class run_list;

/// An operation on an emulated device: a kernel, its tables resident.
class kernel_program final : public device_program,
                             public std::enable_shared_from_this<kernel_program> {
 public:
  kernel_program(engine::device& on, kernels::sized_kernel what);

  std::string recipe() const override { return what_.recipe(); }
  double table_bytes() const override { return static_cast<double>(what_.table_bytes()); }
  double relative_error() const override { return what_.expected_error; }
  run_record run(const char* function, std::span<const device_input> in,
                 std::span<const device_output> out) const override;

  const engine::kernel& program() const { return program_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

 private:
  run_record captured_run(const char* function, run_list& list, std::span<const device_input> in,
                          std::span<const device_output> out) const;
  engine::launch_result launched(const char* function,
                                 const std::vector<engine::launch_input>& inputs,
                                 const std::vector<engine::launch_output>& outputs) const;

  engine::device* on_;
  kernels::sized_kernel what_;
  engine::kernel program_;
  std::vector<engine::device_buffer> tables_;
};

/// What device_backend asks for.
void begin_capture(accelerator& on);
std::unique_ptr<captured_runs> end_capture(accelerator& on);
void abandon_capture(accelerator& on);
run_record upload(device_tensor& to, const untyped_view<const void>& from);
run_record download(device_tensor& from, const untyped_view<void>& to);

/// Runs that are being captured on an accelerator; null where none are.
run_list* captured_on(accelerator& on);

/// Steps that the kernel names, each with the parts of the design that have its name.
std::vector<run_step> steps_of(const kernels::sized_kernel& kernel, const engine::profile& profile);

/// The device's own account of a launch.
run_record record_of(const engine::launch_result& result, const std::string& machine);

/// Runs in the order in which they were captured.
class run_list {
 public:
  /// Operands are tensors.
  void add(std::shared_ptr<const kernel_program> program, std::span<const device_input> in,
           std::span<const device_output> out);
  /// invalid_argument unless a captured run writes the tensor.
  void require_result(const device_tensor& tensor) const;
  /// An array of the host that the graph is to read, or to write. A graph tells arrays apart by
  /// their memory: invalid_argument, in the name of `function`, where it shares bytes with one that
  /// is written; one that is written must stand apart from those that are read.
  void read_array(const char* function, const device_tensor& tensor,
                  const host_operand<const void>& array);
  void write_array(const char* function, const device_tensor& tensor,
                   const host_operand<void>& array);
  /// Whether it shares bytes with an array that is read.
  bool reads(const host_operand<void>& array) const;
  /// Whether the tensor stands for one of them.
  bool has_array_of(const device_tensor& tensor) const;
  /// Before a submission, and after it.
  void load_arrays() const;
  void store_arrays() const;

  std::size_t size() const { return runs_.size(); }
  /// Of one run its own; else how many there are.
  std::string recipe() const;
  /// invalid_argument without runs. Errors as engine::graph::launch.
  engine::graph to_graph(engine::device& on) const;

 private:
  struct captured_run {
    std::shared_ptr<const kernel_program> program;
    std::vector<shared_tensor> in, out;
  };
  std::vector<captured_run> runs_;
  std::vector<host_operand<const void>> read_;
  std::vector<host_operand<void>> written_;
  std::vector<const device_tensor*> of_arrays_;
};

}  // namespace papilio::operations_detail

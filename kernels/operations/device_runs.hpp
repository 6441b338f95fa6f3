#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/call_queue.hpp"
#include "kernels/groups/division.hpp"
#include "kernels/operations/run_operand.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"
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
  void read_from(run_operand array);
  /// Lets it stand for an array of the host that a graph writes. invalid_argument if it stands for
  /// one already.
  void write_to(run_operand array);
  /// Remembers the call that should have written it and has failed; written_buffer throws its
  /// error.
  void fail_with(const engine::pending_call& call) { failed_ = call; }
  /// That call; empty where nothing has failed, or another has written it since.
  engine::pending_call failed() const;
  /// invalid_argument if it stands for an array of the host already.
  void require_not_given() const;

  /// The operand of a graph's launch: the buffer, or the host array that it stands for.
  const run_operand& operand() const { return operand_; }
  /// Whether it stands for an array of the host that a graph reads, or writes.
  bool is_read_array() const { return !operand_.is_buffer() && !is_written_; }
  bool is_written_array() const { return is_written_; }

 private:
  run_operand operand_;
  bool is_written_ = false;
  engine::pending_call failed_;
};

const memory_tensor& memory_of(const device_tensor& tensor);
memory_tensor& memory_of(device_tensor& tensor);

class run_list;

/// A kernel on one core, with its tables in the core's memory. It takes operands in any shape of as
/// many elements: flat device arrays, or host arrays whose axes are joined.
class kernel_program {
 public:
  kernel_program(engine::device& on, kernels::sized_kernel what);

  const kernels::sized_kernel& what() const { return what_; }
  const engine::kernel& program() const { return program_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

  /// Launches it, with one copy for each array of the host or one for all, whichever is faster.
  run_record launch(std::vector<engine::launch_input> inputs,
                    const std::vector<engine::launch_output>& outputs) const;

 private:
  engine::device* on_;
  kernels::sized_kernel what_;
  engine::kernel program_;
  std::vector<engine::device_buffer> tables_;
};

/// An operation built for a device, or for a group that may divide it among its cores. Device
/// arrays lie on core 0, which does operations on them alone.
class launched_program final : public device_program,
                               public std::enable_shared_from_this<launched_program> {
 public:
  /// Builds the kernel of one core at once, or, with divided work, when device arrays first need
  /// it. Without a recipe the kernel's is taken.
  launched_program(accelerator& on, operation what, const precision_options& precision,
                   std::string recipe = {}, kernels_detail::divided_work work = {});

  std::string recipe() const override { return recipe_; }
  double table_bytes() const override;
  double relative_error() const override;
  run_record run(const char* function, std::span<const device_input> in,
                 std::span<const device_output> out) const override;

  /// The kernel that does all of it on one core, as graphs need it.
  const kernel_program& on_one_core() const;
  /// Whether arrays of the host are divided among the cores of a group.
  bool is_divided() const { return bool(work_.run); }
  /// The recipe of runs on device arrays.
  std::string recipe_of_device_arrays() const;
  /// Runs it at once, divided where it can be and no operand is a buffer.
  run_record run_operands(const char* function, std::vector<run_operand> in,
                          std::vector<run_operand> out) const;

 private:
  /// Begins a run on device arrays alone, on an accelerator that is asynchronous.
  run_record begun(const char* function, std::span<const device_input> in,
                   std::span<const device_output> out) const;

  accelerator* on_;
  operation what_;
  precision_options precision_;
  kernels_detail::divided_work work_;
  mutable std::shared_ptr<const kernel_program> alone_;
  std::string recipe_;
};

/// The recipe with the reason why core 0 of a group does it alone; unchanged where `on` is a
/// device.
std::string recipe_on_core(const accelerator& on, const std::string& why,
                           const std::string& recipe);

/// call(), whose device_error is thrown in the name of `function`.
template <class Call>
auto in_name_of(const char* function, const Call& call) {
  try {
    return call();
  } catch (const device_error& e) {
    throw device_error(base_detail::message(function, ": ", e.what()));
  }
}

/// Throws invalid_argument for another number of operands than of shapes, shape_error for one of
/// another number of elements. `role` is "input" or "output".
void require_shapes(const char* function, const char* role,
                    const std::vector<run_operand>& operands,
                    const std::vector<engine::tensor_shape>& shapes);

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

/// Adds copies to a record.
void add_copies(run_record& r, const engine::copy_record& up, const engine::copy_record& down);

/// The record of a launch, from the device's own times and counts.
run_record record_of(const engine::launch_result& result, const std::string& machine);
/// The record of a run on a group, from its phases.
run_record record_of(std::span<const engine::group_phase> phases);

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
  /// (run_operand::stand_apart).
  void read_array(const char* function, const device_tensor& tensor, const run_operand& array);
  void write_array(const char* function, const device_tensor& tensor, const run_operand& array);
  /// Whether the array shares bytes with one that the graph reads.
  bool reads(const run_operand& array) const;
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
  /// Throws the error of a call that should have written an array which the runs read.
  void require_inputs() const;
  /// Lets the steps of a divided run use the graph's arrays, in place of parts and copies of them
  /// that are gone when it returns.
  void name_arrays(engine_detail::call_steps& steps) const;
  /// The runs as launches of a graph. invalid_argument where there are none; further errors are
  /// those of engine::graph::launch.
  engine::graph to_graph(engine::device& on) const;

 private:
  struct captured_run {
    std::shared_ptr<const launched_program> program;
    std::vector<shared_tensor> in, out;
  };
  std::vector<captured_run> runs_;
  std::vector<run_operand> read_, written_;
  std::vector<const device_tensor*> of_arrays_;
};

}  // namespace papilio::operations_detail

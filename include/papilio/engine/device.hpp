#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/engine/runtime_spec.hpp"

namespace papilio::engine_detail {
class device_state;
struct call_state;
}  // namespace papilio::engine_detail

namespace papilio::engine {

/// Selects what the first launch of a program on a device finds; later launches find it on the
/// device.
///   cold    no compiled program anywhere: it is compiled, then loaded
///   cached  a compiled program on disk: it is loaded
///   warm    the program on the device
/// cold and cached also pay runtime_spec::first_call_us at the device's first launch.
enum class program_start : std::uint8_t { cold, cached, warm };

/// Options of a device.
struct device_options {
  /// As core_options::strict; also refuses to read unwritten buffers. Without it they hold NaN
  /// (integers: 4).
  bool strict = true;
  bool trace = false;
  /// Host threads for execute, at least 0; no result depends on it. 0: one per processor.
  int threads = 1;
  program_start start = program_start::warm;
  /// Programs kept, at least 1; beyond it the least recently launched is dropped.
  std::size_t programs_max = 1024;
};

/// Call that does not wait: of device::launch_async, write_async, download_async or
/// graph::submit_async. Copies are the same call.
class PAPILIO_API pending_call {
 public:
  pending_call() = default;  ///< no call

  bool empty() const { return state_ == nullptr; }
  /// Returns the call's modelled times. Throws invalid_argument if empty.
  const call_times& times() const;
  /// Returns whether the host's clock has passed the call's end, so that wait would take no time.
  /// Throws as wait, but for the call's own error.
  bool is_done() const;
  /// Waits until the call is done, and returns what the synchronous call returns; its seconds are
  /// those of the call's own steps, which overlap others. May be called again.
  /// Throws what the call failed with, as the synchronous one; invalid_argument if empty;
  /// device_error if the device is gone.
  launch_result wait();

  explicit pending_call(std::shared_ptr<engine_detail::call_state> state)
      : state_(std::move(state)) {}
  // The library uses this member; programs do not need it.
  const std::shared_ptr<engine_detail::call_state>& state() const { return state_; }

 private:
  std::shared_ptr<engine_detail::call_state> state_;
};

/// Emulates one core of a machine with its memory behind the host's runtime: it computes what
/// kernels compute and models the machine's time. All seconds but wall_seconds are modelled;
/// emulation is slower than the host's own code. Not thread-safe; neither copyable nor movable.
///
///   device dev(trainium1(), sdk_2_24());
///   const device_buffer table = dev.upload(weights);      // on the device: copied once
///   launch_result run = dev.launch(scale, {table, x}, {y});  // x, y: arrays of the host
class PAPILIO_API device : public accelerator {
 public:
  /// Throws invalid_argument as require_valid of the two specs, for threads < 0 and
  /// programs_max < 1.
  explicit device(const machine_spec& machine = trainium1(),
                  const runtime_spec& runtime = sdk_2_24(), const device_options& options = {});
  ~device() override;

  std::string name() const override;  ///< the machine's
  const device_backend* operations() const override;
  const machine_spec& machine() const;
  const runtime_spec& runtime() const;
  const device_options& options() const;

  /// Allocates a tensor without contents. Host memory is taken when it is first written.
  /// Throws as tensor_shape::bytes; device_error, with the bytes asked for and free, beyond what
  /// machine.hbm lets a core use.
  device_buffer allocate(const tensor_shape& shape);
  std::int64_t free_bytes() const;

  /// Returns a new buffer with the contents of an array, by one copy to the device. For a shape the
  /// copy is only recorded, and only dry runs may read the buffer. Throws invalid_argument for a
  /// buffer.
  device_buffer upload(const launch_input& array);
  /// Copies an array into an existing buffer; throws shape_error unless shape and type are equal.
  void write(const device_buffer& to, const launch_input& array);
  /// Waits for the device and copies a buffer: one blocking fetch. To a shape the fetch is only
  /// recorded. Throws device_error if nothing was written (strict) or, to an array, only by dry
  /// runs; shape_error unless shape and type are equal.
  void download(const device_buffer& from, const launch_output& array);
  template <host_element T, std::size_t Rank>
  array<T, Rank> download(const device_buffer& from) {
    array<T, Rank> result(extents_of<Rank>(from), uninitialized);
    download(from, launch_output(result, from.shape().type));
    return result;
  }

  /// Runs a kernel in one dispatch. Input arrays are copied to the device, one copy each; output
  /// arrays are waited for and copied back. If all outputs are buffers the host does not wait:
  /// accelerator::synchronize and fetches do. A buffer may be input and output at once (it then
  /// counts as written from the start).
  ///
  /// Throws kernel_error as the kernel, and if it leaves part of an output unwritten; device_error
  /// for a buffer of another device, an unwritten one (strict) and too little memory;
  /// invalid_argument for overlapping outputs, an empty buffer, a kernel without name or body, and
  /// a shape in execute mode. Host arrays are then untouched; output buffers hold nothing.
  launch_result launch(const kernel& program, const std::vector<launch_input>& inputs,
                       const std::vector<launch_output>& outputs,
                       run_mode mode = run_mode::execute);

  /// Begin what launch, write and download do, and return before it is done, on a runtime that has
  /// asynchronous calls. Values are those of the synchronous calls in the same order. In modelled
  /// time a call passes the host (runtime_spec::submit_us; of a copy nothing), the queue of uploads,
  /// the core and the queue of fetches, each of which takes one call at a time, in order: a call is
  /// copied up while the one before runs. A step waits for steps of calls before that write the
  /// arrays or buffers that it reads or writes, or read those that it writes. Beyond
  /// runtime_spec::inflight_max calls, or the device's memory for their arrays, the host first
  /// waits for the next that ends; a kernel's own tensors in HBM are not counted then. allocate()
  /// waits so too. Synchronous calls wait for all.
  /// Throw at once for errors that need no run (launch: as graph::launch) and device_error if the
  /// runtime has no asynchronous calls; all other errors are thrown by pending_call::wait, or by
  /// synchronize if nobody waits.
  ///
  ///   pending_call first = dev.launch_async(scale, {x0}, {y0});
  ///   pending_call second = dev.launch_async(scale, {x1}, {y1});  // x1 goes up while first runs
  ///   first.wait();
  pending_call launch_async(const kernel& program, const std::vector<launch_input>& inputs,
                            const std::vector<launch_output>& outputs,
                            run_mode mode = run_mode::execute);
  pending_call write_async(const device_buffer& to, const launch_input& array);
  pending_call download_async(const device_buffer& from, const launch_output& array);

  /// Returns the sums since construction or reset_record; dry runs count as executed ones.
  const device_record& record() const;
  /// Resets the record; programs and buffers are kept.
  void reset_record();

  engine_detail::device_state& state() { return *state_; }

 private:
  template <std::size_t Rank>
  static extents_type<Rank> extents_of(const device_buffer& buffer) {
    const tensor_shape& shape = buffer.shape();
    if (shape.extents.size() != Rank)
      throw shape_error(base_detail::message("device::download: the buffer is ", shape.describe(),
                                             ", asked for rank ", Rank));
    extents_type<Rank> extents;
    for (std::size_t i = 0; i < Rank; ++i) extents[i] = std::size_t(shape.extents[i]);
    return extents;
  }
  void wait_for_all() override;
  void take_asynchronous(bool asynchronous) override;

  std::unique_ptr<engine_detail::device_state> state_;
};

}  // namespace papilio::engine

namespace papilio::engine_detail {
class program;
}

namespace papilio::engine {

/// Describes one submission, and what its launches would have cost one by one.
struct PAPILIO_API graph_result {
  launch_result run = {};
  std::uint64_t launches = 0;
  /// For the same launches made separately: a copy for each array of each launch.
  copy_record separate_upload = {};
  copy_record separate_fetch = {};
  double separate_launch_seconds = 0;

  /// Returns a table of copies and launches before and after packing.
  std::string to_text() const;
};

/// Captures launches and submits them as one dispatch with the results of the separate launches.
/// All arrays that they read are uploaded together, each once, at offsets that are multiples of 64
/// bytes; all that they write is fetched together. One core runs the kernels in the order of
/// capture on one timeline, so that they overlap as far as their operands allow.
/// - An array that one launch writes and a later one reads (equal pointer, shape, strides and
///   types) is kept on the device in between; other overlaps of the two are refused
///   (invalid_argument).
/// - An array that is written twice is fetched as the last launch left it.
class PAPILIO_API graph {
 public:
  static constexpr std::int64_t packing_bytes = 64;

  /// Makes an empty graph; the device must outlive it.
  explicit graph(device& on);
  ~graph();
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;

  /// Allocates a buffer for data between launches, as device::allocate.
  device_buffer buffer(const tensor_shape& shape);

  /// Captures a launch. Arrays must outlive the graph's submissions, which read and write them.
  /// Throws as device::launch for errors that need no run.
  void launch(const kernel& program, const std::vector<launch_input>& inputs,
              const std::vector<launch_output>& outputs);
  std::size_t launches() const;

  /// Reads the arrays, runs, and writes the arrays. May be called again; the program is then a hit.
  /// A buffer that is first read and later written must have been written before.
  /// Throws as device::launch, and invalid_argument for a graph without launches.
  graph_result submit(run_mode mode = run_mode::execute);
  /// Begins a submission, as device::launch_async: that of another graph, or of this one with
  /// other contents of its arrays, overlaps with it.
  pending_call submit_async(run_mode mode = run_mode::execute);

 private:
  device* device_;
  std::unique_ptr<engine_detail::program> program_;
};

}  // namespace papilio::engine

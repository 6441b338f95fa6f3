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
}

namespace papilio::engine {

/// What the first launch of a program on a device finds; later launches find it ready.
///   cold    no compiled program anywhere: it is compiled, then loaded
///   cached  a compiled program on disk: it is loaded
///   warm    the program on the device
/// cold and cached also pay runtime_spec::first_call_us at the device's first launch.
enum class program_start : std::uint8_t { cold, cached, warm };

struct device_options {
  /// As core_options::strict; also refuses to read buffers that nobody wrote. Without it they hold
  /// NaN (integers: 4).
  bool strict = true;
  bool trace = false;
  /// Of the host, for execute; no result depends on it. 0: one for each processor.
  int threads = 1;
  program_start start = program_start::warm;
  /// Programs kept; beyond it the one launched longest ago is dropped and starts anew.
  std::size_t programs_max = 1024;
};

/// One core of an emulated machine with its memory, behind the host's runtime: it computes what
/// kernels compute, and says how long the machine would have taken. Emulation is slower than the
/// host's own code; modelled seconds (everything but wall_seconds) are the machine's.
///
/// Not for concurrent calls. Moves and copies: none.
///
///   device dev(trainium1(), sdk_2_24());
///   const device_buffer table = dev.upload(weights);      // on the device: copied once
///   launch_result run = dev.launch(scale, {table, x}, {y});  // x, y: arrays of the host
class PAPILIO_API device : public accelerator {
 public:
  /// invalid_argument as require_valid of the two specs, for threads < 0 and programs_max < 1.
  explicit device(const machine_spec& machine = trainium1(),
                  const runtime_spec& runtime = sdk_2_24(), const device_options& options = {});
  ~device() override;

  std::string name() const override;  ///< the machine's
  const device_backend* operations() const override;
  const machine_spec& machine() const;
  const runtime_spec& runtime() const;
  const device_options& options() const;

  /// A tensor that holds nothing yet. Errors as tensor_shape::bytes; device_error with the bytes
  /// asked for and free where they exceed what machine.hbm lets a core use. Memory of the host is
  /// taken when it is first written.
  device_buffer allocate(const tensor_shape& shape);
  std::int64_t free_bytes() const;

  /// A new buffer with the contents of an array: one copy to the device. Of a shape alone: the copy
  /// is recorded, and only dry runs may read the buffer. invalid_argument of a buffer.
  device_buffer upload(const launch_input& array);
  /// The same into a buffer that there is; shape_error unless shape and type are equal.
  void write(const device_buffer& to, const launch_input& array);
  /// Waits for the device and copies a buffer: one blocking fetch. To a shape alone: the fetch is
  /// recorded. device_error if nothing was written (strict) or, to an array, by dry runs only;
  /// shape_error unless shape and type are equal.
  void download(const device_buffer& from, const launch_output& array);
  template <host_element T, std::size_t Rank>
  array<T, Rank> download(const device_buffer& from) {
    array<T, Rank> result(extents_of<Rank>(from), uninitialized);
    download(from, launch_output(result, from.shape().type));
    return result;
  }

  /// Runs a kernel: one dispatch. Arrays among the inputs are copied to the device, one copy each;
  /// arrays among the outputs are waited for and copied back. Where all outputs are buffers the
  /// host does not wait: synchronize and what fetches do.
  ///
  /// A buffer may be input and output at once (then it counts as written from the start). Outputs
  /// that overlap are refused. Errors: kernel_error by the kernel, and if it leaves part of an
  /// output unwritten; device_error for a buffer of another device, one that nobody wrote (strict),
  /// and too little memory; invalid_argument for an empty buffer, a kernel without name or body,
  /// and a shape alone in execute mode. Arrays of the host are then untouched; buffers that were
  /// outputs hold nothing.
  launch_result launch(const kernel& program, const std::vector<launch_input>& inputs,
                       const std::vector<launch_output>& outputs,
                       run_mode mode = run_mode::execute);

  /// Waits for all that was launched: its device time and nothing more.
  void synchronize();

  /// All since construction or reset_record; dry runs count as what they stand for.
  const device_record& record() const;
  /// Programs and buffers stay.
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

  std::unique_ptr<engine_detail::device_state> state_;
};

}  // namespace papilio::engine

namespace papilio::engine_detail {
class program;
}

namespace papilio::engine {

/// One submission, and what its launches would have cost one by one.
struct PAPILIO_API graph_result {
  launch_result run = {};
  std::uint64_t launches = 0;
  /// Of the same launches made separately: a copy for each array of each launch.
  copy_record separate_upload = {};
  copy_record separate_fetch = {};
  double separate_launch_seconds = 0;

  /// Copies and launches before and after packing, as a table.
  std::string to_text() const;
};

/// Launches that are captured first and then submitted as one dispatch. All arrays that they read
/// go to the device in one upload, each once however often it is read, at offsets that are
/// multiples of 64 bytes; all that they write comes back in one fetch. One core runs the kernels in
/// the order of capture; its timeline goes on from one to the next, so that they overlap as far as
/// their operands allow. Results are those of the separate launches.
///
/// An array that one launch writes and a later one reads stays on the device in between: equal
/// pointer, shape, strides and types; any other overlap of the two is refused (invalid_argument).
/// An array that is written twice comes back as the last launch left it.
class PAPILIO_API graph {
 public:
  static constexpr std::int64_t packing_bytes = 64;

  /// The device must outlive the graph.
  explicit graph(device& on);
  ~graph();
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;

  /// A buffer for what passes from one launch to another: device::allocate.
  device_buffer buffer(const tensor_shape& shape);

  /// Arrays must outlive the graph's submissions: they are read and written by submit. Errors as
  /// device::launch, those that need no run to be found.
  void launch(const kernel& program, const std::vector<launch_input>& inputs,
              const std::vector<launch_output>& outputs);
  std::size_t launches() const;

  /// Reads the arrays, runs, writes the arrays. May be called again; the program is then a hit. A
  /// buffer that is first read and later written must have been written before. Errors as
  /// device::launch; invalid_argument of a graph without launches.
  graph_result submit(run_mode mode = run_mode::execute);

 private:
  device* device_;
  std::unique_ptr<engine_detail::program> program_;
};

}  // namespace papilio::engine

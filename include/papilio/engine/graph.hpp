#pragma once

#include <memory>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"

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
  /// device::launch, of what can be told without running.
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

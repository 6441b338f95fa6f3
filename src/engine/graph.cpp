#include "papilio/engine/device.hpp"

#include <fmt/format.h>

#include "engine/program.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {

graph::graph(device& on)
    : device_(&on), program_(std::make_unique<engine_detail::program>(on.state(), true)) {}
graph::~graph() = default;
graph::graph(graph&&) noexcept = default;
graph& graph::operator=(graph&&) noexcept = default;

device_buffer graph::buffer(const tensor_shape& shape) { return device_->allocate(shape); }

void graph::launch(const kernel& program, const std::vector<launch_input>& inputs,
                   const std::vector<launch_output>& outputs) {
  program_->add("graph::launch", program, inputs, outputs);
}

std::size_t graph::launches() const { return program_->size(); }

graph_result graph::submit(run_mode mode) {
  if (launches() == 0) throw invalid_argument("graph::submit: nothing was launched");
  graph_result result;
  result.run = program_->run("graph::submit", mode);
  result.launches = launches();
  result.separate_upload = program_->separate_upload();
  result.separate_fetch = program_->separate_fetch();
  result.separate_launch_seconds = double(launches()) * device_->runtime().launch_us * 1e-6;
  return result;
}

pending_call graph::submit_async(run_mode mode) {
  if (launches() == 0) throw invalid_argument("graph::submit_async: nothing was launched");
  return program_->run_async("graph::submit_async", mode);
}

std::string graph_result::to_text() const {
  const auto line = [](const char* what, std::uint64_t count, std::uint64_t bytes, double seconds,
                       std::uint64_t count_packed, std::uint64_t bytes_packed,
                       double seconds_packed) {
    return fmt::format("{:<8} {:>8} {:>14} {:>12.6f} {:>8} {:>14} {:>12.6f}\n", what, count, bytes,
                       seconds, count_packed, bytes_packed, seconds_packed);
  };
  std::string text = fmt::format("{:<8} {:>8} {:>14} {:>12} {:>8} {:>14} {:>12}\n", "", "separate",
                                 "bytes", "seconds", "packed", "bytes", "seconds");
  text += line("launch", launches, 0, separate_launch_seconds, 1, 0, run.launch_seconds);
  text += line("upload", separate_upload.tensors, separate_upload.bytes, separate_upload.seconds,
               run.upload.tensors, run.upload.bytes, run.upload.seconds);
  text += line("fetch", separate_fetch.tensors, separate_fetch.bytes, separate_fetch.seconds,
               run.fetch.tensors, run.fetch.bytes, run.fetch.seconds);
  return text;
}

}  // namespace papilio::engine

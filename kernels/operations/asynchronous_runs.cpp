#include "kernels/operations/asynchronous_runs.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/device_state.hpp"

namespace papilio::operations_detail {
namespace {

run_record begun_on(const accelerator& on) {
  return {.backend = "device", .machine = on.name(), .asynchronous = true};
}

}  // namespace

// An array that goes through a row-major copy counts with all bytes from its first to its last.
engine::launch_input touched(const run_operand& array) {
  if (!array.is_copied()) return array.input();
  const base_detail::byte_range bytes = array.reach();
  const std::array extents{(bytes.last - bytes.first) / sizeof(float)};
  const std::array<std::ptrdiff_t, 1> strides{1};
  return engine::launch_input::strided(reinterpret_cast<const void*>(bytes.first),
                                       engine::dtype::fp32, extents, strides);
}

void name_error(const char* function, engine_detail::call_state& call) {
  try {
    std::rethrow_exception(call.error);
  } catch (const device_error& e) {
    call.error =
        std::make_exception_ptr(device_error(base_detail::message(function, ": ", e.what())));
  } catch (...) {  // errors of arguments name their function
  }
}

bool only_begins(const accelerator& on, std::span<const device_input> in,
                 std::span<const device_output> out) {
  const auto lies_there = [](const auto& operand) { return operand.tensor != nullptr; };
  return on.is_asynchronous() && std::ranges::all_of(in, lies_there) &&
         std::ranges::all_of(out, lies_there);
}

// A run on results of a call that has failed fails with it, and begins nothing.
run_record launched_program::begun(const char* function, std::span<const device_input> in,
                                   std::span<const device_output> out) const {
  run_record r = begun_on(*on_);
  engine::device& core = device_of(*on_);
  const kernel_program& kernel = on_one_core();
  engine::pending_call failed;
  std::vector<run_operand> inputs, outputs;
  for (const device_input& i : in) {
    const memory_tensor& tensor = memory_of(*i.tensor);
    if (failed.empty()) failed = tensor.failed();
    inputs.emplace_back(failed.empty() ? tensor.written_buffer(function) : tensor.buffer(function));
  }
  for (const device_output& o : out) outputs.emplace_back(memory_of(*o.tensor).buffer(function));
  require_shapes(function, "input", inputs, kernel.what().inputs);
  require_shapes(function, "output", outputs, kernel.what().outputs);
  if (failed.empty()) {
    std::vector<engine::launch_input> read;
    std::vector<engine::launch_output> written;
    for (const run_operand& i : inputs) read.push_back(i.input());
    for (const run_operand& o : outputs) written.push_back(o.output());
    read.insert(read.end(), kernel.tables().begin(), kernel.tables().end());
    const host_clock clock(core);
    const engine::pending_call call = core.launch_async(kernel.program(), read, written);
    const engine::launch_result& launched = call.state()->result;
    r = record_of(launched, on_->name());
    r.asynchronous = true;
    r.asynchronous_seconds = clock.moved();
    r.steps = steps_of(kernel.what(), launched.summary);
    if (call.state()->error) {
      name_error(function, *call.state());
      r.launches = 0;
      failed = call;
    }
  }
  if (!failed.empty())
    for (const device_output& o : out) memory_of(*o.tensor).fail_with(failed);
  r.recipe = recipe_of_device_arrays();
  return r;
}

run_record begin_upload(device_tensor& to, const run_operand& array) {
  engine::device& on = device_of(to.on("to_device"));
  run_record r = begun_on(to.on("to_device"));
  array.load();
  const host_clock clock(on);
  const engine::pending_call call =
      on.state().begin_write(memory_of(to).buffer("to_device"), array.input(), touched(array));
  add_copies(r, call.state()->result.upload, {});
  r.asynchronous_seconds = clock.moved();
  return r;
}

std::shared_ptr<run_under_way> begin_download(device_tensor& from, const untyped_view<void>& to) {
  constexpr const char* function = "to_host";
  engine::device& on = device_of(from.on(function));
  on.state().require_asynchronous("to_host_async");
  run_record r = begun_on(from.on(function));
  const run_operand array(function, to, from.shape().is_complex);
  const engine::device_buffer& buffer = memory_of(from).written_buffer(function);
  const host_clock clock(on);
  const engine::pending_call call =
      on.state().begin_download(function, buffer, array.output(), touched(array));
  array.store();
  add_copies(r, {}, call.state()->result.fetch);
  r.asynchronous_seconds = clock.moved();
  return std::make_shared<engine_call<engine::pending_call>>(on, call, std::move(r));
}

}  // namespace papilio::operations_detail

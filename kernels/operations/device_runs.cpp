#include "kernels/operations/device_runs.hpp"

#include <algorithm>
#include <utility>

#include "engine/device_memory.hpp"
#include "kernels/operations/device_times.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::operations_detail {

using base_detail::message;

namespace {

using engine::hbm_view;

hbm_view as(const hbm_view& tensor, const engine::tensor_shape& shape) {
  std::vector<engine::pattern_dim> dims(shape.extents.size());
  std::int64_t step = 1;
  for (std::size_t a = dims.size(); a-- > 0;) {
    dims[a] = {.extent = shape.extents[a], .stride = step};
    step *= shape.extents[a];
  }
  return tensor.pattern(0, dims);
}

}  // namespace

engine::kernel reshaping(const kernels::sized_kernel& what) {
  engine::kernel wrapped = what.program;
  for (const auto* shapes : {&what.inputs, &what.outputs})
    for (const engine::tensor_shape& s : *shapes)
      wrapped.parameters.append(" ").append(s.describe());
  wrapped.body = [inner = what.program.body, in = what.inputs, out = what.outputs](
                     engine::core& nc, const engine::kernel_arguments& t) {
    std::vector<hbm_view> ins, outs;
    for (std::size_t i = 0; i < t.inputs(); ++i)
      ins.push_back(i < in.size() ? as(t.in(i), in[i]) : t.in(i));
    for (std::size_t i = 0; i < t.outputs(); ++i) outs.push_back(as(t.out(i), out[i]));
    inner(nc, engine::kernel_arguments(std::move(ins), std::move(outs)));
  };
  return wrapped;
}

kernel_program::kernel_program(engine::device& on, kernels::sized_kernel what)
    : launched_program(on),
      on_(&on),
      what_(what),
      program_(reshaping(what_)),
      tables_(kernels::prepared_kernel(on, std::move(what)).tables()) {
  // The device has the tables now, so that the functions which fill them need not be kept.
  for (kernels::constant_table& table : what_.tables) table.fill = nullptr;
}

run_record record_of(const engine::launch_result& result, const std::string& machine) {
  run_record r;
  r.backend = "device";
  r.machine = machine;
  r.launches = 1;
  r.uploads = result.upload.tensors;
  r.upload_bytes = static_cast<double>(result.upload.bytes);
  r.upload_seconds = result.upload.seconds;
  r.fetches = result.fetch.tensors;
  r.fetch_bytes = static_cast<double>(result.fetch.bytes);
  r.fetch_seconds = result.fetch.seconds;
  r.launch_seconds = result.launch_seconds;
  r.device_seconds = result.device_seconds;
  r.compile_seconds = result.compile_seconds;
  r.wall_seconds = result.wall_seconds;
  return r;
}

std::vector<run_step> steps_of(const kernels::sized_kernel& kernel,
                               const engine::profile& profile) {
  std::vector<run_step> steps;
  const std::vector<kernels::design_part> parts = kernel.design.parts();
  for (const engine::profile_step& s : profile.steps) {
    run_step step{.name = s.name, .recipe = {}, .device_seconds = s.seconds};
    for (const kernels::design_part& p : parts)
      if (p.name == s.name) step.recipe.append(step.recipe.empty() ? "" : "; ").append(p.text);
    steps.push_back(std::move(step));
  }
  return steps;
}

run_record launched_program::run(const char* function, std::span<const device_input> in,
                                 std::span<const device_output> out) const {
  run_list* const list = captured_on(*on_);
  if (list == nullptr) return run_now(function, in, out);
  const auto is_of_host = [](const auto& operand) { return operand.tensor == nullptr; };
  if (std::ranges::any_of(in, is_of_host) || std::ranges::any_of(out, is_of_host))
    dispatch_detail::require_no_capture(function, *on_);
  for (const device_input& i : in)
    if (!list->has_array_of(*i.tensor)) memory_of(*i.tensor).buffer(function);  // throws
  list->add(shared_from_this(), in, out);
  run_record r;
  r.backend = "device";
  r.machine = on_->name();
  r.recipe = recipe();
  r.captured = true;
  return r;
}

run_record kernel_program::run_now(const char* function, std::span<const device_input> in,
                                   std::span<const device_output> out) const {
  // Operands own the copies of host arrays, so they must live until the launch is over.
  std::vector<host_operand<void>> results;
  std::vector<host_operand<const void>> arrays;
  std::vector<engine::launch_input> inputs;
  for (const device_input& i : in) {
    if (i.tensor != nullptr) {
      inputs.emplace_back(memory_of(*i.tensor).written_buffer(function));
      continue;
    }
    arrays.emplace_back(function, i.host, i.is_complex);
    inputs.push_back(arrays.back().input());
  }
  std::vector<engine::launch_output> outputs;
  for (const device_output& o : out) {
    if (o.tensor != nullptr) {
      outputs.emplace_back(memory_of(*o.tensor).buffer(function));
      continue;
    }
    results.emplace_back(function, o.host, o.is_complex);
    outputs.push_back(results.back().output());
  }
  require_shapes(function, "input", inputs, what_.inputs);
  require_shapes(function, "output", outputs, what_.outputs);
  inputs.insert(inputs.end(), tables_.begin(), tables_.end());
  for (const auto& array : arrays) array.load();
  const engine::launch_result launch = launched(function, inputs, outputs);
  run_record r = record_of(launch, on_->name());
  r.steps = steps_of(what_, launch.summary);
  for (const auto& result : results) result.store();
  r.recipe = recipe();
  return r;
}

namespace {

template <class Operand>
std::vector<double> bytes_of_host(const std::vector<Operand>& operands) {
  std::vector<double> bytes;
  for (const Operand& o : operands)
    if (o.from() == engine::launch_operand::source::host)
      bytes.push_back(static_cast<double>(o.shape().bytes()));
  return bytes;
}

}  // namespace

engine::launch_result kernel_program::launched(
    const char* function, const std::vector<engine::launch_input>& inputs,
    const std::vector<engine::launch_output>& outputs) const {
  try {
    if (!copies_of(on_->runtime(), bytes_of_host(inputs), bytes_of_host(outputs)).packed)
      return on_->launch(program_, inputs, outputs);
    engine::graph one(*on_);
    one.launch(program_, inputs, outputs);
    return one.submit().run;
  } catch (const device_error& e) {
    throw device_error(message(function, ": ", e.what()));
  }
}

namespace {

std::vector<std::byte> bytes_for(const device_tensor& tensor) {
  return std::vector<std::byte>(static_cast<std::size_t>(flat_shape(tensor.shape()).bytes()));
}

run_record copied(const device_tensor& tensor, const char* function) {
  run_record r;
  r.backend = "device";
  r.machine = tensor.on(function).name();
  return r;
}

}  // namespace

run_record upload(device_tensor& to, const untyped_view<const void>& from) {
  engine::device& on = device_of(to.on("to_device"));
  run_record r = copied(to, "to_device");
  const host_operand<const void> array("to_device", from, to.shape().is_complex);
  if (run_list* const captured = captured_on(to.on("to_device"))) {
    captured->read_array("to_device", to, array);
    memory_of(to).read_from(array);
    r.captured = true;
    return r;
  }
  std::vector<std::byte> bytes = bytes_for(to);
  array.load();
  engine_detail::gather(array.input(), bytes.data());
  const engine::copy_record before = on.record().upload;
  on.write(memory_of(to).buffer("to_device"),
           engine::launch_input(std::span<const std::byte>(bytes), flat_shape(to.shape())));
  r.uploads = 1;
  r.upload_bytes = static_cast<double>(bytes.size());
  r.upload_seconds = on.record().upload.seconds - before.seconds;
  return r;
}

run_record download(device_tensor& from, const untyped_view<void>& to) {
  engine::device& on = device_of(from.on("to_host"));
  run_record r = copied(from, "to_host");
  host_operand<void> array("to_host", to, from.shape().is_complex);
  if (run_list* const captured = captured_on(from.on("to_host"))) {
    if (captured->reads(array)) array.stand_apart();
    captured->require_result(from);
    memory_of(from).require_not_given();
    captured->write_array("to_host", from, array);
    memory_of(from).write_to(array);
    r.captured = true;
    return r;
  }
  std::vector<std::byte> bytes = bytes_for(from);
  const engine::device_record before = on.record();
  on.download(memory_of(from).written_buffer("to_host"),
              engine::launch_output(std::span<std::byte>(bytes), flat_shape(from.shape())));
  engine_detail::scatter(bytes.data(), array.output());
  array.store();
  r.fetches = 1;
  r.fetch_bytes = static_cast<double>(bytes.size());
  r.fetch_seconds = on.record().fetch.seconds - before.fetch.seconds;
  r.device_seconds = on.record().device_seconds - before.device_seconds;
  return r;
}

}  // namespace papilio::operations_detail

#include "kernels/operations/device_runs.hpp"

#include <algorithm>
#include <utility>

#include "kernels/operations/asynchronous_runs.hpp"
#include "kernels/operations/device_times.hpp"
#include "kernels/operations/group_runs.hpp"
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

// The kernel, with operands accepted in any shape of as many elements.
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

}  // namespace

kernel_program::kernel_program(engine::device& on, kernels::sized_kernel what)
    : on_(&on),
      what_(what),
      program_(reshaping(what_)),
      tables_(kernels::prepared_kernel(on, std::move(what)).tables()) {
  // The device has the tables now, so that the functions which fill them need not be kept.
  for (kernels::constant_table& table : what_.tables) table.fill = nullptr;
}

void add_copies(run_record& r, const engine::copy_record& up, const engine::copy_record& down) {
  r.uploads += up.tensors;
  r.upload_bytes += static_cast<double>(up.bytes);
  r.upload_seconds += up.seconds;
  r.fetches += down.tensors;
  r.fetch_bytes += static_cast<double>(down.bytes);
  r.fetch_seconds += down.seconds;
}

run_record record_of(const engine::launch_result& result, const std::string& machine) {
  run_record r;
  r.backend = "device";
  r.machine = machine;
  r.launches = 1;
  add_copies(r, result.upload, result.fetch);
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

run_record kernel_program::launch(std::vector<engine::launch_input> inputs,
                                  const std::vector<engine::launch_output>& outputs) const {
  inputs.insert(inputs.end(), tables_.begin(), tables_.end());
  engine::launch_result launched;
  if (copies_of(on_->runtime(), bytes_of_host(inputs), bytes_of_host(outputs)).packed) {
    engine::graph one(*on_);
    one.launch(program_, inputs, outputs);
    launched = one.submit().run;
  } else {
    launched = on_->launch(program_, inputs, outputs);
  }
  run_record r = record_of(launched, on_->name());
  r.steps = steps_of(what_, launched.summary);
  return r;
}

launched_program::launched_program(accelerator& on, operation what,
                                   const precision_options& precision, std::string recipe,
                                   kernels_detail::divided_work work)
    : on_(&on), what_(std::move(what)), precision_(precision), work_(std::move(work)) {
  if (!is_divided()) {
    on_one_core();
    what_ = {};  // it may hold large tables, and no other kernel is made of it
  }
  recipe_ = recipe.empty() ? on_one_core().what().recipe() : std::move(recipe);
}

const kernel_program& launched_program::on_one_core() const {
  engine::device& core = device_of(*on_);
  if (alone_ == nullptr)
    alone_ =
        std::make_shared<const kernel_program>(core, designed(what_, precision_, core.machine()));
  return *alone_;
}

double launched_program::table_bytes() const {
  return is_divided() ? work_.table_bytes : static_cast<double>(on_one_core().what().table_bytes());
}

double launched_program::relative_error() const {
  return is_divided() ? work_.relative_error : on_one_core().what().expected_error;
}

std::string launched_program::recipe_of_device_arrays() const {
  return recipe_on_core(*on_, "operands lie on it", on_one_core().what().recipe());
}

namespace {

run_record record_of_capture(const accelerator& on, std::string recipe = {}) {
  run_record r;
  r.backend = "device";
  r.machine = on.name();
  r.recipe = std::move(recipe);
  r.captured = true;
  return r;
}

}  // namespace

run_record launched_program::run(const char* function, std::span<const device_input> in,
                                 std::span<const device_output> out) const {
  if (run_list* const list = captured_on(*on_)) {
    const auto is_of_host = [](const auto& operand) { return operand.tensor == nullptr; };
    if (std::ranges::any_of(in, is_of_host) || std::ranges::any_of(out, is_of_host))
      dispatch_detail::require_no_capture(function, *on_);
    for (const device_input& i : in)
      if (!list->has_array_of(*i.tensor)) memory_of(*i.tensor).buffer(function);  // throws
    list->add(shared_from_this(), in, out);
    return record_of_capture(*on_, recipe());
  }
  if (only_begins(*on_, in, out)) return begun(function, in, out);
  std::vector<run_operand> inputs, outputs;
  for (const device_input& i : in)
    inputs.push_back(i.tensor ? run_operand(memory_of(*i.tensor).written_buffer(function))
                              : run_operand(i.host, i.is_complex));
  for (const device_output& o : out)
    outputs.push_back(o.tensor ? run_operand(memory_of(*o.tensor).buffer(function))
                               : run_operand(function, o.host, o.is_complex));
  return run_operands(function, std::move(inputs), std::move(outputs));
}

void require_shapes(const char* function, const char* role,
                    const std::vector<run_operand>& operands,
                    const std::vector<engine::tensor_shape>& shapes) {
  if (operands.size() != shapes.size())
    throw invalid_argument(message(function, ": the operation takes ", shapes.size(), " ", role,
                                   "s, got ", operands.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (const engine::tensor_shape got = operands[i].input().shape();
        got.elements() != shapes[i].elements())
      throw shape_error(message(function, ": ", role, " ", i, " must be ", shapes[i].describe(),
                                ", got ", got.describe()));
}

namespace {

// Gives host arrays the extents that divided work takes; the planes of a complex one stay its first
// axis.
void reshape(const char* function, std::vector<run_operand>& arrays,
             const std::vector<engine::tensor_shape>& shapes,
             const std::vector<operand_shape>& operands) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool is_complex = operands[i].is_complex;
    if (arrays[i].is_complex() != is_complex)
      throw shape_error(
          message(function, ": an array that is divided among cores must be ",
                  is_complex ? "complex, got a real one" : "real, got a complex one"));
    arrays[i].reshape({shapes[i].extents.begin() + (is_complex ? 1 : 0), shapes[i].extents.end()});
  }
}

}  // namespace

run_record launched_program::run_operands(const char* function, std::vector<run_operand> in,
                                          std::vector<run_operand> out) const {
  const bool has_buffers = std::ranges::any_of(in, &run_operand::is_buffer) ||
                           std::ranges::any_of(out, &run_operand::is_buffer);
  const bool among_cores = is_divided() && !has_buffers;
  require_shapes(function, "input", in, among_cores ? work_.inputs : on_one_core().what().inputs);
  require_shapes(function, "output", out,
                 among_cores ? work_.outputs : on_one_core().what().outputs);
  if (among_cores) {
    const operand_shapes shapes = shapes_of(what_);
    reshape(function, in, work_.inputs, shapes.in);
    // One core may write its part before another one reads: such results go through a copy.
    for (run_operand& result : out)
      for (const run_operand& array : in)
        if (share_memory(result, array)) result.stand_apart();
    reshape(function, out, work_.outputs, shapes.out);
  }
  std::vector<engine::launch_input> inputs;
  std::vector<engine::launch_output> outputs;
  for (const run_operand& i : in) {
    i.load();
    inputs.push_back(i.input());
  }
  for (const run_operand& o : out) outputs.push_back(o.output());
  const host_clock clock(device_of(*on_));
  run_record r = in_name_of(function, [&] {
    return among_cores ? run_on_group(work_, *group_of(*on_), inputs, outputs)
                       : on_one_core().launch(inputs, outputs);
  });
  for (const run_operand& o : out) o.store();
  r.asynchronous_seconds = clock.moved();
  r.machine = on_->name();
  r.recipe = has_buffers ? recipe_of_device_arrays() : recipe_;
  return r;
}

namespace {

// The record of a copy() between the host and device arrays.
template <class Copy>
run_record copied(const accelerator& on, const Copy& copy) {
  const engine::device& device = device_of(on);
  const engine::device_record before = device.record();
  copy();
  const engine::device_record& after = device.record();
  const auto since = [](const engine::copy_record& a, const engine::copy_record& b) {
    return engine::copy_record{a.tensors - b.tensors, a.bytes - b.bytes, a.seconds - b.seconds};
  };
  run_record r;
  r.backend = "device";
  r.machine = on.name();
  add_copies(r, since(after.upload, before.upload), since(after.fetch, before.fetch));
  r.device_seconds = after.device_seconds - before.device_seconds;
  return r;
}

}  // namespace

run_record upload(device_tensor& to, const untyped_view<const void>& from) {
  accelerator& on = to.on("to_device");
  run_operand array(from, to.shape().is_complex);
  if (run_list* const captured = captured_on(on)) {
    captured->read_array("to_device", to, array);
    memory_of(to).read_from(array);
    return record_of_capture(on);
  }
  if (on.is_asynchronous()) return begin_upload(to, array);
  array.reshape({to.shape().count()});
  array.load();
  return copied(on, [&] { device_of(on).write(memory_of(to).buffer("to_device"), array.input()); });
}

run_record download(device_tensor& from, const untyped_view<void>& to) {
  accelerator& on = from.on("to_host");
  run_operand array("to_host", to, from.shape().is_complex);
  if (run_list* const captured = captured_on(on)) {
    if (captured->reads(array)) array.stand_apart();
    captured->require_result(from);
    memory_of(from).require_not_given();
    captured->write_array("to_host", from, array);
    memory_of(from).write_to(array);
    return record_of_capture(on);
  }
  if (on.is_asynchronous()) return begin_download(from, to)->wait();
  array.reshape({from.shape().count()});
  run_record r = copied(on, [&] {
    device_of(on).download(memory_of(from).written_buffer("to_host"), array.output());
  });
  array.store();
  return r;
}

}  // namespace papilio::operations_detail

// Emulated devices as a backend of dispatch: each operation is a kernel, its time a dry run.
#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/device_operations.hpp"
#include "kernels/operations/asynchronous_runs.hpp"
#include "kernels/operations/device_runs.hpp"
#include "kernels/operations/device_times.hpp"
#include "kernels/operations/group_runs.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

using base_detail::message;

const kernel_modes native_alone{};

std::string kernel_modes::refusal_of(const precision_options& precision) const {
  if (precision.target_error > 0) return {};
  std::string names;
  for (const precision_options& one : all) {
    const bool is_same =
        one.mode == precision.mode &&
        (one.mode != precision::split_bf16 || one.parts == precision.parts) &&
        (one.mode != precision::bf16_refined || one.refinements == precision.refinements);
    if (is_same) return {};
    names.append(names.empty() ? "" : ", ").append(kernels_detail::describe(one));
  }
  return all.size() == 1 ? "its kernel computes in native precision only"
                         : message("its kernel computes in ", names, "; not in ",
                                   kernels_detail::describe(precision), why);
}

kernels_detail::chosen_mode in_mode(const char* name, const precision_options& precision,
                                    const kernel_modes& modes,
                                    const kernels_detail::kernel_in_mode& kernel_in,
                                    const engine::machine_spec& machine) {
  if (precision.target_error <= 0) return {precision, kernel_in(precision)};
  return kernels_detail::cheapest_mode(
      name, precision.target_error, std::span(modes.all).first(modes.compared), kernel_in, machine);
}

kernels::sized_kernel designed(const operation& what, const precision_options& precision,
                               const engine::machine_spec& machine) {
  kernels::sized_kernel kernel;
  try {
    kernel = std::visit([&](const auto& p) { return chosen(p, precision, machine).kernel; }, what);
  } catch (const invalid_argument& e) {
    // Dispatch has checked the operation, so the argument is valid; the kernel cannot do it.
    throw device_error(message(to_string(what), ": ", e.what()));
  }
  if (precision.target_error > 0 && kernel.expected_error <= 0)
    throw device_error(message(to_string(what), ": its kernel states no error that could be ",
                               "compared with target_error, ", precision.target_error));
  if (precision.target_error > 0 && kernel.expected_error > precision.target_error)
    throw device_error(
        message(to_string(what), ": target_error must be at least ", kernel.expected_error,
                ", what its kernel is expected to reach, got ", precision.target_error));
  return kernel;
}

namespace {

std::string runtime(const accelerator& on) { return device_of(on).runtime().name; }

std::string refusal(const operation& what, const precision_options& precision, const accelerator&) {
  const operand_shapes shapes = shapes_of(what);
  for (const auto* operands : {&shapes.in, &shapes.out})
    for (const operand_shape& s : *operands)
      if (s.count() == 0) return "it has no elements";
  return std::visit([&](const auto& p) { return refusal_of(p, precision); }, what);
}

std::vector<double> bytes_of(const std::vector<operand_shape>& shapes) {
  std::vector<double> bytes;
  for (const operand_shape& s : shapes) bytes.push_back(static_cast<double>(flat_shape(s).bytes()));
  return bytes;
}

// The estimate of copies and launch, to which the device's own time is added.
device_estimate around(const operation& what, const engine::device& on) {
  const engine::runtime_spec& runtime = on.runtime();
  const operand_shapes shapes = shapes_of(what);
  device_estimate e;
  const std::vector<double> in = bytes_of(shapes.in), out = bytes_of(shapes.out);
  const host_copies copies = copies_of(runtime, in, out);
  e.tensors_in = in.size();
  e.tensors_out = out.size();
  e.copies_in = copies.up;
  e.copies_out = copies.down;
  e.bytes_in = std::accumulate(in.begin(), in.end(), 0.0);
  e.bytes_out = std::accumulate(out.begin(), out.end(), 0.0);
  e.upload_seconds = copies.upload_seconds;
  e.fetch_seconds = copies.fetch_seconds;
  e.launch_seconds = runtime.launch_us * 1e-6;
  e.cold_seconds =
      runtime.compile_seconds_of(0) + runtime.load_seconds + runtime.first_call_us * 1e-6;
  e.memory_bytes = static_cast<double>(on.machine().hbm.usable_bytes_per_core);
  return e;
}

double product_seconds(const operation& what, const engine::machine_spec& machine) {
  if (!std::holds_alternative<gemm_problem>(what)) return 0;
  return nominal_flops(what) / machine.tensor.peak_flops(machine.tensor.fp32_passes);
}

double copy_seconds(const operand_shapes& arrays, const accelerator& on) {
  const engine::runtime_spec& runtime = device_of(on).runtime();
  const host_copies copies = packed_copies(runtime, bytes_of(arrays.in), bytes_of(arrays.out));
  return copies.upload_seconds + copies.fetch_seconds;
}

device_estimate bound_on_core(const operation& what, const engine::device& on) {
  device_estimate e = around(what, on);
  const double bytes_per_second = on.machine().hbm_dma_bytes_per_ns() * 1e9;
  e.floor_seconds =
      std::max((e.bytes_in + e.bytes_out) / bytes_per_second, product_seconds(what, on.machine()));
  e.device_seconds = e.floor_seconds;
  e.recipe = "bound";
  return e;
}

device_estimate bound(const operation& what, const accelerator& on) {
  const device_estimate alone = bound_on_core(what, device_of(on));
  const engine::device_group* const group = group_of(on);
  return group == nullptr ? alone : bound_on_group(alone, *group);
}

}  // namespace

device_estimate estimate_on_core(const operation& what, const precision_options& precision,
                                 const engine::device& on) {
  const kernels::sized_kernel kernel = designed(what, precision, on.machine());
  const dry_time time = dry_time_of(what, precision, kernel, on);
  device_estimate e = around(what, on);
  e.recipe = kernel.recipe() + time.basis;
  e.table_bytes = static_cast<double>(kernel.table_bytes());
  e.relative_error = kernel.expected_error;
  e.device_seconds = time.device_seconds;
  e.floor_seconds = time.floor_seconds;
  e.steps = time.steps;
  e.cold_seconds +=
      time.table_seconds + on.runtime().compile_us_per_instruction * 1e-6 * time.instructions;
  return e;
}

namespace {

device_estimate estimate(const operation& what, const precision_options& precision,
                         const accelerator& on) {
  const engine::device_group* const group = group_of(on);
  return group == nullptr ? estimate_on_core(what, precision, device_of(on))
                          : estimate_on_group(what, precision, *group);
}

std::shared_ptr<const device_program> build(const operation& what,
                                            const precision_options& precision, accelerator& on) {
  if (engine::device_group* const group = group_of(on))
    return build_on_group(what, precision, *group);
  return std::make_shared<const launched_program>(on, what, precision);
}

shared_tensor allocate(accelerator& on, const operand_shape& shape) {
  return std::make_shared<memory_tensor>(on, shape);
}

}  // namespace

}  // namespace papilio::operations_detail

namespace papilio {

const device_backend& engine_detail::operations_of_devices() {
  using namespace operations_detail;
  static constexpr device_backend all{
      runtime,  refusal,        bound,        estimate,      build,       allocate,       upload,
      download, begin_download, copy_seconds, begin_capture, end_capture, abandon_capture};
  return all;
}

}  // namespace papilio

#include "kernels/operations/group_runs.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/operations/device_times.hpp"
#include "kernels/operations/operations.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {

using base_detail::message;

divided_work work_of(engine::device_group& on, kernels::group_split split, engine::run_mode mode) {
  const auto prepared = std::make_shared<const kernels::prepared_split>(on, std::move(split), mode);
  const kernels::group_split& what = prepared->what();
  divided_work work{.recipe = what.explain(), .inputs = what.inputs, .outputs = what.outputs};
  for (const kernels::sized_kernel& k : what.kernels)
    work.relative_error = std::max(work.relative_error, k.expected_error);
  for (const kernels::core_share& share : what.shares)
    if (share.kernel >= 0)
      work.table_bytes +=
          static_cast<double>(what.kernels[static_cast<std::size_t>(share.kernel)].table_bytes());
  work.run = [prepared](const auto& in, const auto& out) { prepared->run(in, out); };
  return work;
}

std::string recipe_on_core(const accelerator& on, const std::string& why,
                           const std::string& recipe) {
  const engine::device_group* const group = group_of(on);
  if (group == nullptr) return recipe;
  return message("core 0 alone of ", group->cores(), ": ", why, "\n", recipe);
}

namespace {

divided_work divided_work_of(const operation& what, const precision_options& precision,
                             engine::device_group& on, engine::run_mode mode) {
  divided_work work;
  try {
    work =
        std::visit([&](const auto& p) { return row_of(p).divided(p, precision, on, mode); }, what);
  } catch (const error& e) {
    return {.refusal = e.what()};
  }
  if (work.run && precision.target_error > 0 &&
      !(work.relative_error > 0 && work.relative_error <= precision.target_error))
    return {.refusal = message("divided it is expected to reach an error of ", work.relative_error,
                               ", asked for was ", precision.target_error)};
  return work;
}

// Adds up the phases of a group as the record of one run.
run_record record_of(std::span<const engine::group_phase> phases) {
  run_record r{.backend = "device"};
  for (const engine::group_phase& p : phases) {
    r.launches += p.launch_seconds + p.device_seconds > 0 ? 1 : 0;
    r.uploads += p.upload.tensors;
    r.upload_bytes += static_cast<double>(p.upload.bytes);
    r.upload_seconds += p.upload.seconds;
    r.fetches += p.fetch.tensors;
    r.fetch_bytes += static_cast<double>(p.fetch.bytes);
    r.fetch_seconds += p.fetch.seconds;
    r.launch_seconds += p.launch_seconds;
    r.device_seconds += p.device_seconds;
    r.link_seconds += p.link_seconds;
    r.compile_seconds += p.compile_seconds;
    if (p.device_seconds + p.link_seconds > 0)
      r.steps.push_back({.name = p.name, .device_seconds = p.device_seconds + p.link_seconds});
  }
  return r;
}

std::span<const engine::group_phase> phases_since(const engine::device_group& on,
                                                  std::size_t before) {
  return std::span(on.report().phases).subspan(before);
}

std::string recipe_on_cores(const engine::device_group& on, int cores, const std::string& recipe) {
  const std::string all = cores == on.cores() ? "" : message(" of ", on.cores());
  return message("divided among ", cores, all, " cores: ", recipe);
}

// Estimates divided work by a dry run on a group of its own, so that the user's group keeps its
// report.
device_estimate estimate_divided(const operation& what, const precision_options& precision,
                                 const engine::device_group& on, int cores) {
  engine::device_group dry(on.machine(), on.runtime(), cores,
                           {.strict = false, .start = engine::program_start::cold});
  const divided_work work = divided_work_of(what, precision, dry, engine::run_mode::dry_run);
  if (!work.refusal.empty()) throw device_error(work.refusal);
  double table_seconds = 0;
  for (int c = 0; c < dry.cores(); ++c) table_seconds += dry.core(c).record().upload.seconds;
  work.run({work.inputs.begin(), work.inputs.end()}, {work.outputs.begin(), work.outputs.end()});
  run_record r = record_of(phases_since(dry, 0));
  const operand_shapes shapes = shapes_of(what);
  return {.recipe = recipe_on_cores(on, cores, work.recipe),
          .launches = r.launches,
          .tensors_in = shapes.in.size(),
          .tensors_out = shapes.out.size(),
          .copies_in = r.uploads,
          .copies_out = r.fetches,
          .bytes_in = r.upload_bytes,
          .bytes_out = r.fetch_bytes,
          .table_bytes = work.table_bytes,
          .launch_seconds = r.launch_seconds,
          .upload_seconds = r.upload_seconds,
          .device_seconds = r.device_seconds,
          .fetch_seconds = r.fetch_seconds,
          .link_seconds = r.link_seconds,
          .cold_seconds = r.compile_seconds + table_seconds,
          .relative_error = work.relative_error,
          .memory_bytes = cores * static_cast<double>(on.machine().hbm.usable_bytes_per_core),
          .steps = std::move(r.steps)};
}

// Estimates of core 0 alone, and divided among the number of cores that is fastest; each is empty
// where it cannot be done.
struct group_estimates {
  std::optional<device_estimate> alone, divided;
  int cores = 1;
  std::exception_ptr why_not_alone;
  std::string why_alone;

  bool is_divided() const { return divided && (!alone || divided->seconds() < alone->seconds()); }
};

std::string milliseconds(double seconds) { return message(seconds * 1e3, " ms"); }

group_estimates estimates_of(const operation& what, const precision_options& precision,
                             const engine::device_group& on) {
  group_estimates e;
  try {
    e.alone = estimate_on_core(what, precision, on.core(0));
  } catch (const error&) {
    e.why_not_alone = std::current_exception();
  }
  e.why_alone = "the group has no other";
  for (int cores = on.cores(); cores > 1; cores = std::bit_ceil(unsigned(cores)) / 2) try {
      device_estimate now = estimate_divided(what, precision, on, cores);
      if (e.divided && e.divided->seconds() <= now.seconds()) continue;
      e.divided = std::move(now);
      e.cores = cores;
    } catch (const error& refusal) {
      e.why_alone = refusal.what();
    }
  if (e.divided && e.alone)
    e.why_alone = message("divided it would take ", milliseconds(e.divided->seconds()), ", alone ",
                          milliseconds(e.alone->seconds()));
  if (!e.alone && !e.divided) std::rethrow_exception(e.why_not_alone);
  if (e.alone) e.alone->recipe = recipe_on_core(on, e.why_alone, e.alone->recipe);
  return e;
}

}  // namespace

device_estimate bound_on_group(const device_estimate& alone, const engine::device_group& on) {
  const engine::runtime_spec& runtime = on.runtime();
  device_estimate least = alone;
  least.of_device_arrays = std::make_shared<const device_estimate>(alone);
  least.device_seconds = least.floor_seconds = alone.floor_seconds / on.cores();
  least.memory_bytes *= on.cores();
  // Several copies may upload a large array faster than one; a divided run makes one for each core.
  const std::size_t most = static_cast<std::size_t>(on.cores()) * alone.tensors_in;
  for (std::size_t copies = 1; copies <= most; ++copies)
    least.upload_seconds =
        std::min(least.upload_seconds, runtime.upload_us(copies, alone.bytes_in) * 1e-6);
  least.fetch_seconds = std::min(least.fetch_seconds, runtime.fetch_us(1, alone.bytes_out) * 1e-6);
  return least;
}

device_estimate estimate_on_group(const operation& what, const precision_options& precision,
                                  const engine::device_group& on) {
  group_estimates e = estimates_of(what, precision, on);
  if (!e.is_divided()) return *std::move(e.alone);
  device_estimate all = *std::move(e.divided);
  device_estimate alone =
      e.alone.value_or(device_estimate{.device_seconds = std::numeric_limits<double>::infinity()});
  all.floor_seconds = e.alone ? alone.floor_seconds / e.cores : 0;
  all.of_device_arrays = std::make_shared<const device_estimate>(std::move(alone));
  return all;
}

std::shared_ptr<const device_program> build_on_group(const operation& what,
                                                     const precision_options& precision,
                                                     engine::device_group& on) {
  const group_estimates e = estimates_of(what, precision, on);
  divided_work work;
  if (e.is_divided()) {
    const auto part = std::make_shared<engine::device_group>(on, e.cores);
    work = divided_work_of(what, precision, *part, engine::run_mode::execute);
    if (!work.refusal.empty()) throw device_error(work.refusal);
    work.cores = part;
  }
  const std::string& recipe = e.is_divided() ? e.divided->recipe : e.alone->recipe;
  return std::make_shared<const group_program>(on, what, precision, std::move(work), recipe);
}

group_program::group_program(engine::device_group& on, operation what,
                             const precision_options& precision, divided_work work,
                             std::string recipe)
    : launched_program(on),
      on_(&on),
      what_(std::move(what)),
      precision_(precision),
      work_(std::move(work)),
      recipe_(std::move(recipe)) {
  if (!work_.run) on_one_core();
}

const kernel_program& group_program::on_one_core() const {
  if (alone_ == nullptr)
    alone_ = std::make_shared<const kernel_program>(on_->core(0),
                                                    designed(what_, precision_, on_->machine()));
  return *alone_;
}

double group_program::table_bytes() const {
  return work_.table_bytes + (work_.run ? 0 : on_one_core().table_bytes());
}

double group_program::relative_error() const {
  return work_.run ? work_.relative_error : on_one_core().relative_error();
}

std::string group_program::recipe_of_resident() const {
  return recipe_on_core(*on_, "operands lie on it", on_one_core().recipe());
}

run_record group_program::run_now(const char* function, std::span<const device_input> in,
                                  std::span<const device_output> out) const {
  const auto is_resident = [](const auto& operand) { return operand.tensor != nullptr; };
  const bool has_resident =
      std::ranges::any_of(in, is_resident) || std::ranges::any_of(out, is_resident);
  if (!work_.run || has_resident) {
    run_record r = on_one_core().run_now(function, in, out);
    r.machine = on_->name();
    r.recipe = has_resident ? recipe_of_resident() : recipe_;
    return r;
  }
  std::vector<host_operand<const void>> arrays;
  std::vector<host_operand<void>> results;
  for (const device_input& i : in) arrays.emplace_back(function, i.host, i.is_complex);
  for (const device_output& o : out) results.emplace_back(function, o.host, o.is_complex);
  return run_on_arrays(function, std::move(arrays), std::move(results));
}

namespace {

// Gives a host array the extents that the divided work takes; the planes of a complex one stay its
// first axis.
template <class Void>
void reshape(const char* function, host_operand<Void>& array, const engine::tensor_shape& shape,
             const operand_shape& of) {
  if (array.is_complex() != of.is_complex)
    throw shape_error(
        message(function, ": an array that is divided among cores must be ",
                of.is_complex ? "complex, got a real one" : "real, got a complex one"));
  array.reshape({shape.extents.begin() + (of.is_complex ? 1 : 0), shape.extents.end()});
}

}  // namespace

run_record group_program::run_on_arrays(const char* function,
                                        std::vector<host_operand<const void>> in,
                                        std::vector<host_operand<void>> out) const {
  const operand_shapes shapes = shapes_of(what_);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<engine::launch_input> inputs;
  std::vector<engine::launch_output> outputs;
  for (const auto& array : in) inputs.push_back(array.input());
  for (const auto& array : out) outputs.push_back(array.output());
  require_shapes(function, "input", inputs, work_.inputs);
  require_shapes(function, "output", outputs, work_.outputs);
  for (std::size_t i = 0; i < in.size(); ++i) {
    reshape(function, in[i], work_.inputs[i], shapes.in[i]);
    inputs[i] = in[i].input();
    in[i].load();
  }
  for (std::size_t o = 0; o < out.size(); ++o) {
    // One core may write its part before another one reads: such results go through a copy.
    for (const auto& array : in)
      if (share_memory(out[o], array)) out[o].stand_apart();
    reshape(function, out[o], work_.outputs[o], shapes.out[o]);
    outputs[o] = out[o].output();
  }
  const std::size_t before = on_->report().phases.size();
  try {
    work_.run(inputs, outputs);
  } catch (const device_error& e) {
    throw device_error(message(function, ": ", e.what()));
  }
  for (const auto& result : out) result.store();
  run_record r = record_of(phases_since(*on_, before));
  r.machine = on_->name();
  r.recipe = recipe_;
  r.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return r;
}

}  // namespace papilio::operations_detail

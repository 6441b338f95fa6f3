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
using kernels_detail::divided_work;

std::string recipe_on_core(const accelerator& on, const std::string& why,
                           const std::string& recipe) {
  const engine::device_group* const group = group_of(on);
  if (group == nullptr) return recipe;
  return message("core 0 alone of ", group->cores(), ": ", why, "\n", recipe);
}

namespace {

divided_work divided_work_of(const operation& what, const precision_options& precision,
                             engine::device_group& on, engine::run_mode mode) {
  divided_work work =
      std::visit([&](const auto& p) { return row_of(p).divided(p, precision, on, mode); }, what);
  if (precision.target_error > 0 &&
      !(work.relative_error > 0 && work.relative_error <= precision.target_error))
    throw device_error(message("divided it is expected to reach an error of ", work.relative_error,
                               ", asked for was ", precision.target_error));
  return work;
}

}  // namespace

run_record record_of(std::span<const engine::group_phase> phases) {
  run_record r{.backend = "device"};
  for (const engine::group_phase& p : phases) {
    r.launches += p.launch_seconds + p.device_seconds > 0 ? 1 : 0;
    add_copies(r, p.upload, p.fetch);
    r.launch_seconds += p.launch_seconds;
    r.device_seconds += p.device_seconds;
    r.link_seconds += p.link_seconds;
    r.compile_seconds += p.compile_seconds;
    if (p.device_seconds + p.link_seconds > 0)
      r.steps.push_back({.name = p.name, .device_seconds = p.device_seconds + p.link_seconds});
  }
  return r;
}

namespace {

std::string recipe_on_cores(const engine::device_group& on, int cores, const std::string& recipe) {
  const std::string all = cores == on.cores() ? "" : message(" of ", on.cores());
  return message("divided among ", cores, all, " cores: ", recipe);
}

// A dry run of divided work on a cold group of its own, so that the user's keeps its report.
struct divided_dry_run {
  divided_work work;
  double table_seconds = 0, pace_seconds = 0;
  engine::group_report phases = {};
};

divided_dry_run dry_run_divided(const operation& what, const precision_options& precision,
                                const engine::device_group& on, int cores, bool asynchronous) {
  engine::device_group dry(on.machine(), on.runtime(), cores,
                           {.strict = false, .start = engine::program_start::cold});
  divided_dry_run all{.work = divided_work_of(what, precision, dry, engine::run_mode::dry_run)};
  for (int c = 0; c < dry.cores(); ++c) all.table_seconds += dry.core(c).record().upload.seconds;
  const divided_work& work = all.work;
  const auto run = [&] {
    work.run({work.inputs.begin(), work.inputs.end()}, {work.outputs.begin(), work.outputs.end()});
  };
  if (asynchronous) {
    engine::pending_group_call call = dry.call_async(run);
    all.phases = call.wait();
    all.pace_seconds = call.pace_seconds();
  } else {
    run();
    all.phases = dry.report();
  }
  all.work.run = {};  // it refers to the group
  return all;
}

device_estimate estimate_divided(const operation& what, const precision_options& precision,
                                 const engine::device_group& on, int cores) {
  std::optional<divided_dry_run> dry;
  if (on.runtime().is_asynchronous()) try {
      dry = dry_run_divided(what, precision, on, cores, true);
    } catch (const device_error&) {
      // Copies of all phases, which an asynchronous call makes at once, may need too much memory.
    }
  if (!dry) dry = dry_run_divided(what, precision, on, cores, false);
  const divided_work& work = dry->work;
  run_record r = record_of(dry->phases.phases);
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
          .launch_seconds = double(r.launches) * on.runtime().launch_us * 1e-6,
          .upload_seconds = r.upload_seconds,
          .device_seconds = r.device_seconds,
          .fetch_seconds = r.fetch_seconds,
          .link_seconds = r.link_seconds,
          .cold_seconds = r.compile_seconds + dry->table_seconds,
          .relative_error = work.relative_error,
          .asynchronous_seconds = dry->pace_seconds,
          .memory_bytes = cores * static_cast<double>(on.machine().hbm.usable_bytes_per_core),
          .steps = std::move(r.steps)};
}

std::string milliseconds(double seconds) { return message(seconds * 1e3, " ms"); }

// The fastest way, and on how many cores: 1 is core 0 alone.
struct fastest_way {
  device_estimate estimate;
  int cores = 1;
};

fastest_way fastest_on(const operation& what, const precision_options& precision,
                       const engine::device_group& on) {
  std::optional<device_estimate> alone, divided;
  std::exception_ptr why_not_alone;
  try {
    alone = estimate_on_core(what, precision, on.core(0));
  } catch (const error&) {
    why_not_alone = std::current_exception();
  }
  std::string why_alone = "the group has no other";
  int fastest = 1;
  for (int cores = on.cores(); cores > 1; cores = std::bit_ceil(unsigned(cores)) / 2) try {
      device_estimate now = estimate_divided(what, precision, on, cores);
      if (divided && divided->seconds() <= now.seconds()) continue;
      divided = std::move(now);
      fastest = cores;
    } catch (const error& refusal) {
      if (cores == on.cores()) why_alone = refusal.what();
    }
  if (!alone && !divided) std::rethrow_exception(why_not_alone);
  if (alone && divided)
    why_alone = message("divided it would take ", milliseconds(divided->seconds()), ", alone ",
                        milliseconds(alone->seconds()));
  if (alone) alone->recipe = recipe_on_core(on, why_alone, alone->recipe);
  if (!divided || (alone && alone->seconds() <= divided->seconds())) return {*std::move(alone)};
  divided->floor_seconds = alone ? alone->floor_seconds / fastest : 0;
  divided->of_device_arrays = std::make_shared<const device_estimate>(
      alone.value_or(device_estimate{.device_seconds = std::numeric_limits<double>::infinity()}));
  return {*std::move(divided), fastest};
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
  return fastest_on(what, precision, on).estimate;
}

std::shared_ptr<const device_program> build_on_group(const operation& what,
                                                     const precision_options& precision,
                                                     engine::device_group& on) {
  fastest_way way = fastest_on(what, precision, on);
  divided_work work;
  if (way.cores > 1) {
    const auto part = std::make_shared<engine::device_group>(on, way.cores);
    work = divided_work_of(what, precision, *part, engine::run_mode::execute);
    work.cores = part;
  }
  return std::make_shared<const launched_program>(on, what, precision,
                                                  std::move(way.estimate.recipe), std::move(work));
}

run_record run_on_group(const divided_work& work, const engine::device_group& on,
                        const std::vector<engine::launch_input>& in,
                        const std::vector<engine::launch_output>& out) {
  const auto begun = std::chrono::steady_clock::now();
  run_record r = record_of(kernels_detail::phases_of(on, [&] { work.run(in, out); }).phases);
  r.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return r;
}

}  // namespace papilio::operations_detail

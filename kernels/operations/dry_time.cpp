#include "kernels/operations/device_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/operations/device_runs.hpp"
#include "papilio/base/error.hpp"

namespace papilio::operations_detail {
namespace {

// An operation that does one thing `count` times (lines, arrays, segments); `at` makes the
// operation that does it fewer times.
struct batch {
  const char* unit;
  std::size_t count;
  double bytes_of_one;
  std::function<operation(std::size_t)> at;
};

double bytes_of_arrays(const operand_shapes& shapes) {
  double bytes = 0;
  for (const auto* side : {&shapes.in, &shapes.out})
    for (const operand_shape& s : *side)
      bytes += static_cast<double>(s.count()) * (s.is_complex ? 8 : 4);
  return bytes;
}

batch batch_with(const char* unit, const operation& what, std::size_t count,
                 std::function<operation(std::size_t)> at) {
  return {unit, count, bytes_of_arrays(shapes_of(what)) / static_cast<double>(count),
          std::move(at)};
}

std::optional<batch> batch_of(const fft_problem& p) {
  if (p.extents.size() < 2 || std::ranges::find(p.axes, std::size_t{0}) != p.axes.end())
    return std::nullopt;
  return batch_with(p.extents.size() == 2 ? "lines" : "arrays", p, p.extents[0],
                    [p](std::size_t count) {
                      fft_problem part = p;
                      part.extents[0] = count;
                      return operation(part);
                    });
}

std::optional<batch> batch_of(const stft_problem& p) {
  if (p.adjoint) return std::nullopt;  // its first stage grows with the samples, not the segments
  return batch_with("segments", p, p.segments(), [p](std::size_t count) {
    stft_problem part = p;
    part.samples = (count - 1) * p.hop + (p.centre ? 0 : p.n_fft);
    return operation(part);
  });
}

std::optional<batch> batch_of(const istft_problem& p) {
  if (p.first != 0) return std::nullopt;  // a stretch has no part that begins as it does
  return batch_with("segments", p, p.segments, [p](std::size_t count) {
    istft_problem part = p;
    part.segments = count;
    const double share = static_cast<double>(count) / static_cast<double>(p.segments);
    part.samples = static_cast<std::size_t>(static_cast<double>(p.samples) * share);
    return operation(part);
  });
}

// Other operations are no batches here: their kernels state their own parts
// (sized_kernel::repeats).
template <class Problem>
std::optional<batch> batch_of(const Problem&) {
  return std::nullopt;
}

// Runs a kernel dry on a device of its own, so that the user's device keeps its record. Strict
// checks are off: they belong to launches, and take no modelled time.
dry_time run_dry(const kernels::sized_kernel& kernel, const engine::device& on) {
  engine::device dry(on.machine(), on.runtime(), {.strict = false});
  std::vector<engine::launch_input> inputs(kernel.inputs.begin(), kernel.inputs.end());
  for (const kernels::constant_table& table : kernel.tables)
    inputs.emplace_back(dry.upload(engine::launch_input(table.shape)));
  const double table_seconds = dry.record().upload.seconds;
  const std::vector<engine::launch_output> outputs(kernel.outputs.begin(), kernel.outputs.end());
  const engine::launch_result run =
      dry.launch(kernel.program, inputs, outputs, engine::run_mode::dry_run);
  return {run.device_seconds,
          run.summary.verdict.floor_seconds,
          static_cast<double>(run.instructions),
          table_seconds,
          {},
          steps_of(kernel, run.summary)};
}

// Parts of a kernel's work. `at` makes the kernel of a part, or nothing where a part would have
// another design.
struct parts {
  std::string unit;
  std::size_t count, first;  // units in all; units of the smallest part
  std::function<std::optional<kernels::sized_kernel>(std::size_t)> at;
};

// The smallest part of a batch has so many bytes and units: in smaller ones the start of a pipeline
// is too large a share of the time.
constexpr double sampled_bytes_min = 4e6;
constexpr std::size_t least_count = 64;
constexpr double most_share = 1.0 / 8;  // first part / batch
// Relative difference of two slopes up to which three times lie on a line. It is not 0, since the
// vector engine's share of copies out of PSUM differs from block to block.
constexpr double most_bend = 0.01;

std::optional<parts> parts_of(const batch& b, const precision_options& precision,
                              const kernels::sized_kernel& kernel,
                              const engine::machine_spec& machine, kernel_designer design) {
  const double count = static_cast<double>(b.count);
  const kernels::repetition& r = kernel.repeats;
  const double least =
      r.count > 0 ? static_cast<double>(r.least) * count / static_cast<double>(r.count) : 1;
  const auto is_enough = [&](std::size_t first) {
    return static_cast<double>(first) * b.bytes_of_one >= sampled_bytes_min &&
           static_cast<double>(first) >= least;
  };
  const auto at = [&b, &precision, &kernel, &machine,
                   design](std::size_t part) -> std::optional<kernels::sized_kernel> {
    kernels::sized_kernel smaller = design(b.at(part), precision, machine);
    if (same_design(kernel.design, smaller.design)) return smaller;
    return std::nullopt;
  };
  std::size_t first = std::max(least_count, static_cast<std::size_t>(least));
  while (!is_enough(first)) first *= 2;
  while (static_cast<double>(first) > count * most_share && first > 1) first /= 2;
  if (!is_enough(first)) return std::nullopt;
  return parts{b.unit, b.count, first, at};
}

std::optional<parts> parts_of(const kernels::repetition& r) {
  if (!r.part || static_cast<double>(r.least) > static_cast<double>(r.count) * most_share)
    return std::nullopt;
  return parts{r.unit, static_cast<std::size_t>(r.count), static_cast<std::size_t>(r.least),
               [&r](std::size_t part) { return r.part(static_cast<std::int64_t>(part)); }};
}

// Runs parts that double until the times of three lie on a line. The smallest parts may have
// another design, and are skipped.
std::optional<dry_time> run_parts(const parts& all, const kernels::sized_kernel& kernel,
                                  const engine::device& on) {
  const double count = static_cast<double>(all.count);
  dry_time last;
  double last_slope = 0;
  int runs = 0;
  for (std::size_t part = all.first; 2 * part <= all.count; part *= 2) {
    const double size = static_cast<double>(part);
    const std::optional<kernels::sized_kernel> smaller = all.at(part);
    if (!smaller) {
      if (runs > 0 || 2 * size > count * most_share) return std::nullopt;
      continue;
    }
    const dry_time now = run_dry(*smaller, on);
    const double slope = (now.device_seconds - last.device_seconds) / (size / 2);
    if (++runs > 2 && std::abs(slope - last_slope) <= most_bend * slope) {
      const auto of_all = [&](double dry_time::*what) {
        return now.*what + (count - size) * (now.*what - last.*what) / (size / 2);
      };
      return dry_time{
          of_all(&dry_time::device_seconds),
          of_all(&dry_time::floor_seconds),
          of_all(&dry_time::instructions),
          now.table_seconds,
          base_detail::message(kernel.recipe().ends_with('\n') ? "" : "\n",
                               "times from dry runs of ", part / 2, " and ", part, " ", all.unit),
          {}};
    }
    last = now;
    last_slope = slope;
  }
  return std::nullopt;
}

}  // namespace

dry_time dry_time_of(const operation& what, const precision_options& precision,
                     const kernels::sized_kernel& kernel, const engine::device& on,
                     kernel_designer design) {
  const auto b = std::visit([](const auto& p) { return batch_of(p); }, what);
  const std::optional<parts> all =
      b ? parts_of(*b, precision, kernel, on.machine(), design) : parts_of(kernel.repeats);
  if (all)
    if (auto time = run_parts(*all, kernel, on)) return *std::move(time);
  return run_dry(kernel, on);
}

}  // namespace papilio::operations_detail

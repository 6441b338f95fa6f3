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

// Units that an operation repeats, such as lines, and the operation with fewer of them.
struct batch {
  const char* unit = "";
  std::size_t count = 0;  // 0: there is no part of it
  std::function<operation(std::size_t)> at = {};
};

batch batch_of(const fft_problem& p) {
  if (p.extents.size() < 2 || std::ranges::find(p.axes, std::size_t{0}) != p.axes.end()) return {};
  return {p.extents.size() == 2 ? "lines" : "arrays", p.extents[0], [p](std::size_t count) {
            fft_problem part = p;
            part.extents[0] = count;
            return part;
          }};
}

batch batch_of(const stft_problem& p) {
  if (p.adjoint) return {};  // its first stage grows with the samples, not the segments
  return {"segments", p.segments(), [p](std::size_t count) {
            stft_problem part = p;
            part.samples = (count - 1) * p.hop + (p.centre ? 0 : p.n_fft);
            return part;
          }};
}

batch batch_of(const istft_problem& p) {
  if (p.first != 0) return {};  // a stretch has no part that begins as it does
  return {"segments", p.segments, [p](std::size_t count) {
            istft_problem part = p;
            part.segments = count;
            const double share = static_cast<double>(count) / static_cast<double>(p.segments);
            part.samples = static_cast<std::size_t>(static_cast<double>(p.samples) * share);
            return part;
          }};
}

// Kernels of other operations state their parts (sized_kernel::repeats).
template <class Problem>
batch batch_of(const Problem&) {
  return {};
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

// The smallest part of a batch has so many bytes and units: in smaller ones the start of a pipeline
// is too large a share of the time.
constexpr double sampled_bytes_min = 4e6;
constexpr std::size_t least_count = 64;
constexpr double most_share = 1.0 / 8;  // first part / batch
// Relative difference of two slopes up to which three times lie on a line. It is not 0, since the
// vector engine's share of copies out of PSUM differs from block to block.
constexpr double most_bend = 0.01;

double bytes_of_arrays(const operand_shapes& shapes) {
  double bytes = 0;
  for (const auto* operands : {&shapes.in, &shapes.out})
    for (const operand_shape& s : *operands)
      bytes += static_cast<double>(s.count()) * (s.is_complex ? 8 : 4);
  return bytes;
}

// A kernel's own parts, or those of the batch that its operation is.
kernels::repetition repetition_of(const operation& what, const precision_options& precision,
                                  const kernels::sized_kernel& kernel,
                                  const engine::machine_spec& machine) {
  const batch b = std::visit([](const auto& p) { return batch_of(p); }, what);
  const kernels::repetition& own = kernel.repeats;
  if (b.count == 0) return own;
  const double count = static_cast<double>(b.count),
               least = own.count > 0
                           ? static_cast<double>(own.least) * count / static_cast<double>(own.count)
                           : 1,
               enough =
                   std::max(least, sampled_bytes_min * count / bytes_of_arrays(shapes_of(what)));
  std::size_t first = std::max(least_count, static_cast<std::size_t>(least));
  while (static_cast<double>(first) < enough) first *= 2;
  while (static_cast<double>(first) > count * most_share && first > 1) first /= 2;
  if (static_cast<double>(first) < enough) return {};
  return {.unit = b.unit,
          .count = static_cast<std::int64_t>(b.count),
          .least = static_cast<std::int64_t>(first),
          .part = [=, at = b.at](std::int64_t part) {
            return designed(at(static_cast<std::size_t>(part)), precision, machine);
          }};
}

// Runs parts that double until the times of three lie on a line. The smallest parts may have
// another design, and are skipped.
std::optional<dry_time> run_parts(const kernels::repetition& all,
                                  const kernels::sized_kernel& kernel, const engine::device& on) {
  const double count = static_cast<double>(all.count);
  const std::int64_t first = std::max<std::int64_t>(all.least, 1);
  if (!all.part || static_cast<double>(first) > count * most_share) return std::nullopt;
  dry_time last;
  double last_slope = 0;
  int runs = 0;
  for (std::int64_t part = first; 2 * part <= all.count; part *= 2) {
    const double size = static_cast<double>(part);
    const kernels::sized_kernel smaller = all.part(part);
    if (!same_design(kernel.design, smaller.design)) {
      if (runs > 0 || 2 * size > count * most_share) return std::nullopt;
      continue;
    }
    const dry_time now = run_dry(smaller, on);
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
                     const kernels::sized_kernel& kernel, const engine::device& on) {
  const auto parts = repetition_of(what, precision, kernel, on.machine());
  if (auto time = run_parts(parts, kernel, on)) return *std::move(time);
  return run_dry(kernel, on);
}

}  // namespace papilio::operations_detail

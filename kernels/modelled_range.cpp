#include <algorithm>
#include <functional>

#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {
namespace {

double seconds_on(const engine::machine_spec& machine, const sized_kernel& kernel) {
  engine::device on(machine);
  sized_kernel same = kernel;
  same.machine.reset();  // designed for the machine that it is, run on what it may be
  const prepared_kernel prepared(on, std::move(same), engine::run_mode::dry_run);
  return prepared
      .launch({kernel.inputs.begin(), kernel.inputs.end()},
              {kernel.outputs.begin(), kernel.outputs.end()})
      .device_seconds;
}

}  // namespace

// The order of instructions on the queues may make a run on a faster machine the longer one: the
// range is that of all runs.
time_range modelled_range(const sized_kernel& kernel, const engine::machine_spec& machine) {
  const double seconds = seconds_on(machine, kernel);
  const auto [low, high] = std::minmax({seconds, seconds_on(engine::fastest(machine), kernel),
                                        seconds_on(engine::slowest(machine), kernel)});
  time_range range{.seconds = seconds, .low_seconds = low, .high_seconds = high};
  for (const engine::uncertain_field& f : engine::uncertain_fields(machine)) {
    const auto [least, most] =
        std::minmax({seconds, seconds_on(f.fast, kernel), seconds_on(f.slow, kernel)});
    range.fields.push_back({f.field, f.low, f.high, least, most});
    range.low_seconds = std::min(range.low_seconds, least);
    range.high_seconds = std::max(range.high_seconds, most);
  }
  std::ranges::stable_sort(range.fields, std::greater{}, [](const time_range::field& f) {
    return f.high_seconds - f.low_seconds;
  });
  return range;
}

}  // namespace papilio::kernels

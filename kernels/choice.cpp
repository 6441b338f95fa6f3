#include "kernels/choice.hpp"

#include <fmt/format.h>

#include "kernels/design.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::kernels_detail {

price price_of(const engine::profile& dry_run, double scale) {
  return {dry_run.value("total_time") * scale,
          fmt::format("bound by {}, active {:.1f} %", to_string(dry_run.verdict.bound_by),
                      dry_run.verdict.active_fraction * 100)};
}

double modelled_seconds(const kernels::sized_kernel& kernel, const engine::machine_spec& machine) {
  key_writer problem;
  problem.add(std::string_view(kernel.program.name));
  problem.add(kernel.design);
  return *made_once(problem.text(), machine, [&] {
    engine::device dev(machine, engine::sdk_2_24(), {.strict = false});
    const std::vector<engine::launch_input> in(kernel.inputs.begin(), kernel.inputs.end());
    const std::vector<engine::launch_output> out(kernel.outputs.begin(), kernel.outputs.end());
    return kernels::prepared_kernel(dev, kernel, engine::run_mode::dry_run)
        .launch(in, out)
        .device_seconds;
  });
}

std::string time_text(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

}  // namespace papilio::kernels_detail

#include "kernels/fft/recipe_time.hpp"

#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

using namespace engine;

double modelled_seconds(const fft_recipe& recipe, const machine_spec& machine) {
  kernels::sized_kernel kernel;
  kernel.inputs = {{{recipe.steps.front().in_elements}}};
  kernel.outputs = {{{recipe.steps.back().out_elements}}};
  kernel.tables = recipe.tables();
  kernel.program = {.name = "recipe", .body = [&](core& nc, const kernel_arguments& t) {
                      recipe.run(nc, t.in(0), t.out(0), t, 1);
                    }};
  device dev(machine);
  return kernels::prepared_kernel(dev, kernel, run_mode::dry_run)
      .launch({launch_input(kernel.inputs[0])}, {launch_output(kernel.outputs[0])})
      .device_seconds;
}

}  // namespace papilio::kernels_detail

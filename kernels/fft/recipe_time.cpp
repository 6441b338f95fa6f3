#include "kernels/fft/recipe_time.hpp"

#include <utility>

#include "kernels/choice.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

using namespace engine;

double modelled_seconds(const fft_recipe& recipe, const machine_spec& machine) {
  kernels::sized_kernel kernel;
  kernel.inputs = {{{recipe.steps.front().in_elements}}};
  kernel.outputs = {{{recipe.steps.back().out_elements}}};
  kernel.tables = recipe.tables();
  kernel.design = design_of(recipe.design());
  kernel.program = {.name = "recipe", .body = [&](core& nc, const kernel_arguments& t) {
                      recipe.run(nc, t.in(0), t.out(0), t, 1);
                    }};
  return modelled_seconds(kernel, machine);
}

fft_recipe fastest(std::vector<fft_recipe> ways, const machine_spec& machine) {
  if (ways.size() == 1) return std::move(ways.front());
  std::vector<fft_recipe*> all;
  for (fft_recipe& way : ways) all.push_back(&way);
  return std::move(*cheapest(all, [&](const fft_recipe* way) {
                      return price{modelled_seconds(*way, machine)};
                    }).best);
}

}  // namespace papilio::kernels_detail

#include "kernels/transform/recipe.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/choice.hpp"
#include "kernels/transform/error_model.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

std::int64_t fft_recipe::sweeps() const {
  return std::ranges::count(steps, false, &fft_step::joins_previous);
}

std::int64_t fft_recipe::floor_sweeps() const {
  return std::max<std::int64_t>(1, std::ranges::count_if(steps, [](const fft_step& step) {
                                  return step.in_floor && !step.joins_previous;
                                }));
}

std::string step_designs::describe() const {
  std::string all;
  for (const kernels::kernel_design& step : steps) all += step.explain() + "\n";
  return all;
}

step_designs step_designs::without_batch() const {
  step_designs one;
  for (const kernels::kernel_design& step : steps) one.steps.push_back(step.without_batch());
  return one;
}

step_designs fft_recipe::design() const {
  step_designs all;
  for (const fft_step& step : steps) all.steps.push_back(step.design);
  return all;
}

double fft_recipe::expected_error() const {
  double sum = 0;
  for (const fft_step& step : steps)
    if (!step.joins_previous) sum += step.squared_error;
  return square_root(sum);
}

std::vector<kernels::constant_table> fft_recipe::tables() const {
  std::vector<kernels::constant_table> all;
  for (const fft_step& step : steps) all.insert(all.end(), step.tables.begin(), step.tables.end());
  return all;
}

kernels::repetition fft_recipe::repeats() const {
  kernels::repetition lines;
  for (const fft_step& step : steps)
    if (step.lines > lines.count)
      lines = {.unit = "lines", .count = step.lines, .least = step.lines_together};
  return lines;
}

double fft_recipe::floor_bytes(const machine_spec& machine, std::int64_t round_trip_sweeps) const {
  constexpr double size = 4;
  const double in = double(steps.front().in_elements) * size,
               out = double(steps.back().out_elements) * size;
  const double on_chip = double(machine.sbuf.partitions) * double(machine.sbuf.bytes_per_partition);
  const double trips = std::max(in, out) > on_chip ? double(round_trip_sweeps - 1) : 0;
  return in + out + 2 * trips * std::max(in, out);
}

void fft_recipe::run(engine::core& nc, const engine::hbm_view& in, const engine::hbm_view& out,
                     const engine::kernel_arguments& arguments, std::size_t first_table) const {
  std::int64_t most[2] = {0, 0};
  std::int64_t sweep = -1;
  const std::int64_t last = sweeps() - 1;
  for (const fft_step& step : steps) {
    if (!step.joins_previous) ++sweep;
    if (sweep < last) most[sweep % 2] = std::max(most[sweep % 2], step.out_elements);
  }
  engine::hbm_view scratch[2];
  for (int i = 0; i < 2; ++i)
    if (most[i] > 0) scratch[i] = nc.hbm({most[i]});
  sweep = -1;
  std::size_t table = first_table;
  for (const fft_step& step : steps) {
    if (!step.joins_previous) ++sweep;
    std::vector<engine::hbm_view> tables;
    for (std::size_t i = 0; i < step.tables.size(); ++i) tables.push_back(arguments.in(table++));
    step.run(nc, sweep == 0 ? in : scratch[(sweep + 1) % 2].slice(0, 0, step.in_elements),
             sweep == last ? out : scratch[sweep % 2].slice(0, 0, step.out_elements), tables);
  }
}

double modelled_seconds(const fft_recipe& recipe, const machine_spec& machine) {
  kernels::sized_kernel kernel;
  kernel.inputs = {{{recipe.steps.front().in_elements}}};
  kernel.outputs = {{{recipe.steps.back().out_elements}}};
  kernel.tables = recipe.tables();
  kernel.design = design_of(recipe.design());
  kernel.program = {.name = "recipe",
                    .body = [&](engine::core& nc, const engine::kernel_arguments& t) {
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

kernels::sized_kernel kernel_of(fft_recipe recipe, kernels::sized_kernel sized,
                                const machine_spec& machine, std::int64_t round_trip_sweeps) {
  sized.tables = recipe.tables();
  sized.program.parameters = sized.design.key();
  sized.expected_error = recipe.expected_error();
  const double bytes = recipe.floor_bytes(
      machine, round_trip_sweeps > 0 ? round_trip_sweeps : recipe.floor_sweeps());
  const std::int64_t in = sized.inputs[0].elements(), out = sized.outputs[0].elements();
  sized.program.body = [recipe = std::move(recipe), in, out, bytes](
                           engine::core& nc, const engine::kernel_arguments& t) {
    nc.state_floor(bytes, 0);
    recipe.run(nc, t.in(0).reshape({in}), t.out(0).reshape({out}), t, 1);
  };
  return sized;
}

void append(fft_recipe& to, fft_recipe from) {
  std::ranges::move(from.steps, std::back_inserter(to.steps));
}

}  // namespace papilio::kernels_detail

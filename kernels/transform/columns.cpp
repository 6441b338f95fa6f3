#include "kernels/transform/columns.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/choice.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/transform/cuts.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

std::optional<fft_step> step_for(const lines_problem& p, const std::vector<std::int64_t>& radices,
                                 const machine_spec& machine) {
  transform_sweep s{.formula = {.radices = radices,
                                .real = p.real,
                                .transposed = p.inverse,
                                .scale = p.scale,
                                .point_factors = p.point_factors,
                                .bin_factors = p.bin_factors},
                    .lanes = p.inner,
                    .operands = p.operands};
  const auto side = [&](std::int64_t numbers) {
    return sweep_end{.on_partitions = true,
                     .plane = p.outer * numbers * p.inner,
                     .lane = 1,
                     .axes = {p.inner}};
  };
  const std::int64_t in = s.in_numbers() * p.inner, out = s.out_numbers() * p.inner;
  s.in = side(s.in_numbers());
  s.out = side(s.out_numbers());
  if (p.outer > 1) s.loops.push_back({p.outer, in, out});
  return sweep_step(std::move(s), p.outer * in * s.in_planes(), p.outer * out * s.out_planes(),
                    machine);
}

// Blocks of which dry runs tell designs apart.
constexpr std::int64_t column_blocks_compared = 8;

}  // namespace

std::optional<fft_step> columns_step(const lines_problem& p, const machine_spec& machine) {
  lines_problem few = p;
  const std::int64_t widest = product_columns_max(machine);
  few.inner = std::min(p.inner, column_blocks_compared * widest);
  few.outer = std::min(p.outer, ceil_div(column_blocks_compared * widest, few.inner));
  const auto cuts = cuts_of(p.n, machine.tensor.rows);
  const auto found = cheapest(cuts, [&](const std::vector<std::int64_t>& radices) -> std::optional<price> {
    auto step = step_for(few, radices, machine);
    if (!step) return {};
    return price{modelled_seconds({{*std::move(step)}}, machine)};
  });
  if (found.compared.empty()) return {};
  return step_for(p, found.best, machine);
}

}  // namespace papilio::kernels_detail

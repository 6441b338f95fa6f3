// The two dispatches of one transform by several cores.
//   identity       four-step: n = n1 n2, j = j1 n2 + j2, k = k1 + n1 k2
//   first          one sweep: columns over n1, entered by columns (j2 contiguous), left by
//                  rows with the twiddle factors, each line in as many parts as there are cores
//   second         one sweep: columns over n2, entered by columns (k1 contiguous), results in
//                  natural order; where n2 is beyond one sweep the buffer is put in order first and
//                  transformed as any other axis
//   bound          DMA, whose rows are n2 / p and n1 / p elements: the more cores, the shorter
#include "kernels/groups/large_fft_design.hpp"

#include <algorithm>
#include <utility>

#include "kernels/choice.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transform/columns.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::index_range;
using kernels::sized_kernel;

namespace {

constexpr std::int64_t plane_value_bytes = 4;
constexpr std::size_t candidates_timed = 4;

index_range range_of(std::int64_t each, std::int64_t all, int core) {
  const std::int64_t first = std::min(all, each * core);
  return {first, std::min(each, all - first)};
}

// None where n1 does not fit a sweep.
std::optional<fft_step> columns_of(const exchange_plan& plan, const index_range& columns,
                                   bool inverse, const machine_spec& machine) {
  const sweep_end parts{.plane = plan.rows,
                        .line = 2 * plan.rows,
                        .part = plan.rows,
                        .part_step = plan.columns * 2 * plan.rows};
  return twiddled_columns_step({.n = plan.n1,
                                .lines = columns.count,
                                .inverse = inverse,
                                .order = plan.n1 * plan.n2,
                                .first = columns.first,
                                .to = parts,
                                .out_elements = plan.buffer().elements()},
                               machine);
}

// Zeros where no result of a core lies.
void fill_rest(core& nc, const exchange_plan& plan, std::int64_t columns, const hbm_view& out) {
  const std::int64_t part = plan.columns * 2 * plan.rows, used = columns * 2 * plan.rows;
  if (used < part) fill_zeros(nc, out.pattern(used, {{plan.cores, part}, {part - used, 1}}));
  for (int d = 0; d < plan.cores; ++d)
    if (const std::int64_t valid = plan.rows_of(d).count; valid < plan.rows)
      fill_zeros(nc,
                 out.pattern(d * part + valid, {{2 * columns, plan.rows}, {plan.rows - valid, 1}}));
}

// The part of one core in one of the two dispatches.
struct exchange_design {
  exchange_plan plan = {};
  bool ordered_first = false;
  step_designs steps = {};

  auto fields() const { return std::tie(plan, ordered_first, steps); }
  std::string describe() const {
    return (ordered_first ? "planes of the buffer brought apart\n" : "") + steps.describe();
  }
};

struct row_design {
  fft_recipe recipe = {};
  bool ordered_first = false;
};

// No steps where the length has a prime factor that no stage holds.
row_design design_rows(const exchange_plan& plan, std::int64_t count, bool inverse, double scale,
                       const machine_spec& machine) {
  const lines_problem p{.n = plan.n2, .inner = count, .inverse = inverse, .scale = scale};
  row_design design;
  if (plan.n2 <= machine.thresholds.one_sweep_points_max) {
    const sweep_end buffer{
        .on_partitions = true, .plane = plan.rows, .line = 1, .axes = {2 * plan.rows}};
    if (auto step = columns_step(p, machine, buffer)) design.recipe.steps = {*std::move(step)};
  } else if (auto recipe = columns(p, machine)) {
    design = {*std::move(recipe), true};
  }
  return design;
}

bool fits(const exchange_plan& plan, const machine_spec& machine) {
  return columns_of(plan, plan.columns_of(0), false, machine) &&
         !design_rows(plan, plan.rows, false, 1, machine).recipe.steps.empty();
}

// Seconds of both dispatches on core 0, which has as much to do as any.
double seconds_of(const exchange_plan& plan, const machine_spec& machine) {
  double seconds = 0;
  for (const sized_kernel& k : {column_kernel(plan, plan.columns_of(0), false, machine),
                                row_kernel(plan, plan.rows, false, 1, machine)}) {
    seconds += modelled_seconds(k, machine);
  }
  return seconds;
}

}  // namespace

index_range exchange_plan::columns_of(int core) const {
  const index_range own = range_of(columns, n2, core);
  return own.count > 0 ? own : index_range{n2 - 1, 1};
}

index_range exchange_plan::rows_of(int core) const {
  if (alone()) return {0, core == 0 ? 1 : 0};
  return range_of(rows, n1, core);
}

exchange_plan plan_exchange(std::int64_t n, int cores, const machine_spec& machine) {
  std::vector<exchange_plan> candidates;
  for (const std::int64_t n1 : divisors_of(n)) {
    const std::int64_t n2 = n / n1;
    if (cores == 1 || n1 < 2 || n2 < 2 || n1 > machine.thresholds.one_sweep_points_max) continue;
    candidates.push_back({.n1 = n1,
                          .n2 = n2,
                          .cores = cores,
                          .columns = (n2 + cores - 1) / cores,
                          .rows = (n1 + cores - 1) / cores});
  }
  // Rows of a transfer are n1 / p and n2 / p elements: neither may be short.
  std::ranges::stable_sort(candidates, {},
                           [](const exchange_plan& plan) { return std::max(plan.n1, plan.n2); });
  std::vector<exchange_plan> timed;
  for (const exchange_plan& plan : candidates) {
    if (fits(plan, machine)) timed.push_back(plan);
    if (timed.size() == candidates_timed) break;
  }
  if (timed.empty()) return {.n1 = 1, .n2 = n, .cores = cores, .columns = n, .rows = 1};
  return cheapest(timed,
                  [&](const exchange_plan& plan) { return price{seconds_of(plan, machine)}; })
      .best;
}

sized_kernel column_kernel(const exchange_plan& plan, const kernels::index_range& columns,
                           bool inverse, const machine_spec& machine) {
  const auto recipe_from = [&](std::int64_t first) {
    return fft_recipe{{columns_of(plan, {first, columns.count}, inverse, machine).value()}};
  };
  const fft_recipe recipe = recipe_from(columns.first);
  sized_kernel sized;
  sized.inputs = {{{2, plan.n1, columns.count}}};
  sized.outputs = {plan.buffer()};
  sized.tables = recipe.tables();
  sized.design = design_of(exchange_design{plan, false, recipe.design()});
  // Where its columns begin decides a core's twiddle factors, which are a table: all cores with as
  // many columns run the same program.
  const exchange_design program{plan, false, recipe_from(0).design()};
  sized.expected_error = recipe.expected_error();
  sized.program = {
      .name = "large_fft columns",
      .parameters = design_of(program).key(),
      .body = [recipe, plan, own = columns.count](engine::core& nc, const kernel_arguments& t) {
        const std::int64_t in = t.in(0).elements(), out = t.out(0).elements();
        nc.state_floor(double(plane_value_bytes * (in + out)), 0);
        const hbm_view buffer = t.out(0).reshape({out});
        recipe.run(nc, t.in(0).reshape({in}), buffer, t, 1);
        fill_rest(nc, plan, own, buffer);
      }};
  return sized;
}

sized_kernel row_kernel(const exchange_plan& plan, std::int64_t count, bool inverse, double scale,
                        const machine_spec& machine) {
  row_design design = design_rows(plan, count, inverse, scale, machine);
  sized_kernel sized;
  sized.inputs = {plan.buffer()};
  sized.outputs = {{{2, plan.n2, count}}};
  sized.tables = design.recipe.tables();
  sized.design = design_of(exchange_design{plan, design.ordered_first, design.recipe.design()});
  sized.expected_error = design.recipe.expected_error();
  const double floor_bytes = design.recipe.floor_bytes(machine, design.recipe.sweeps());
  sized.program = {
      .name = "large_fft rows",
      .parameters = sized.design.key(),
      .body = [design, floor_bytes, rows = plan.rows, n2 = plan.n2, count](
                  engine::core& nc, const kernel_arguments& t) {
        nc.state_floor(floor_bytes, 0);
        const std::int64_t elements = t.out(0).elements();
        hbm_view in = t.in(0).reshape({t.in(0).elements()});
        if (design.ordered_first) {
          const hbm_view apart = nc.hbm({elements});
          nc.issue(dma_copy{.out = apart.pattern(0, {{2, n2 * count}, {n2, count}, {count, 1}}),
                            .in = in.pattern(0, {{2, rows}, {n2, 2 * rows}, {count, 1}})});
          in = apart;
        }
        design.recipe.run(nc, in, t.out(0).reshape({elements}), t, 1);
      }};
  return sized;
}

}  // namespace papilio::kernels_detail

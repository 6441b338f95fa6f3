// How the products of a step are cut: which operand stands still, what lies on partitions, and how
// much of each axis is in a block.
#include <algorithm>
#include <utility>

#include "kernels/contraction/step_designs.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Whether the elements that lie next to each other are of a summed axis.
bool is_summed_fastest(const contraction_step& step, const panel_design& d) {
  std::vector<int> all = fastest_first(step, joined(d.columns, d.summed), d.from);
  if (all.empty() || d.columns.empty()) return false;
  return std::ranges::find(d.summed, all.front()) != d.summed.end();
}

// Elements next to each other that a load as it lies brings at once.
std::int64_t straight_run(const contraction_step& step, const panel_design& d) {
  std::int64_t run = 1;
  for (const int a : fastest_first(step, joined(d.columns, d.summed), d.from)) {
    const step_axis& axis = step.axes[std::size_t(a)];
    if (axis.stride(d.from) != run || axis.is_summed()) break;
    run *= axis.extent;
  }
  return run;
}

panel_design panel_of(const contraction_step& step, side from, const std::vector<int>& batch,
                      const std::vector<int>& axes, const product_step_design& d) {
  panel_design panel{.from = from,
                     .columns = joined(batch, axes),
                     .k = d.k,
                     .summed = d.k_axes,
                     .is_transposed = false,
                     .raw = {},
                     .planes = step.planes,
                     .parts = step.parts};
  panel.is_transposed = is_summed_fastest(step, panel);
  return panel;
}

bool has_room(const contraction_step& step, const product_step_design& d,
              const machine_spec& machine, std::int64_t room) {
  const product_tile_sizes sizes = sizes_of(step, d);
  return sizes.largest() <= machine.thresholds.contraction_tile_elements_max &&
         room_of(d, sizes) <= room;
}

struct wishes {
  side rows;
  bool far_lanes;     ///< the slowest axes of the output on partitions
  bool rows_outside;  ///< the loop over rows outside that over columns
  bool transposing;   ///< also what could be loaded as it lies, in short runs
};

product_step_design base_design(const contraction_step& step, const wishes& w,
                                const machine_spec& machine) {
  const side rows = w.rows;
  const bool far_lanes = w.far_lanes;
  const bool is_left = rows == side::left;
  product_step_design d{.rows = rows,
                        .m = {},
                        .n = {},
                        .k = {},
                        .batch = step.axes_of(true, true, true),
                        .m_axes = step.axes_of(is_left, !is_left, true),
                        .n_axes = step.axes_of(!is_left, is_left, true),
                        .k_axes = step.axes_of(true, true, false),
                        .stationary = {},
                        .moving = {},
                        .loops = {},
                        .conjugates = step.conjugate[is_left ? 0 : 1],
                        .banks = step.planes};
  const std::int64_t side_max =
      std::min<std::int64_t>(array_side(machine), machine.sbuf.partitions);
  const std::int64_t bank = product_columns(machine);
  // What fills the array comes first.
  std::vector<int> summed = fastest_first(step, d.k_axes, rows);
  std::ranges::stable_sort(summed, std::greater<>{}, [&](int a) {
    const std::int64_t extent = step.extent(a);
    return extent <= side_max ? extent : 0;
  });
  d.k = lanes_of(step, summed, side_max);
  d.m = lanes_of(step,
                 far_lanes ? slowest_first(step, d.m_axes, side::out)
                           : fastest_first(step, d.m_axes, side::out),
                 side_max);
  d.n = lanes_of(step, fastest_first(step, d.n_axes, side::out), bank);
  d.stationary = panel_of(step, rows, d.batch, d.m_axes, d);
  d.stationary.raw = d.m;
  d.moving = panel_of(step, d.columns(), d.batch, d.n_axes, d);
  d.moving.raw = lanes_of(step, slowest_first(step, d.n_axes, d.columns()), side_max);
  d.moving.negated = step.planes == 2;
  if (w.transposing)
    for (panel_design* const p : {&d.stationary, &d.moving})
      if (!p->columns.empty() && !p->summed.empty() &&
          4 * straight_run(step, *p) < machine.dma.good_row_bytes)
        p->is_transposed = true;
  return d;
}

void add_loops(const contraction_step& step, product_step_design& d, bool rows_outside) {
  std::vector<block_loop> batch = loops_of(step, slowest_first(step, d.batch, side::out), {}),
                          m = loops_of(step, slowest_first(step, d.m_axes, side::out), d.m),
                          n = loops_of(step, slowest_first(step, d.n_axes, side::out), d.n),
                          k = loops_of(step, slowest_first(step, d.k_axes, d.rows), d.k);
  d.loops = std::move(batch);
  for (const auto* loops : {rows_outside ? &m : &n, rows_outside ? &n : &m, &k})
    d.loops.insert(d.loops.end(), loops->begin(), loops->end());
}

// The lanes of a value that lies in SBUF, as axes of the step.
axis_lanes lanes_of_given(const contraction_step& step, const chip_layout& lies) {
  const auto axis_of = [&](int label) {
    return int(std::ranges::find(step.labels, label) - step.labels.begin());
  };
  axis_lanes group;
  for (const int label : lies.whole) {
    group.whole.push_back(axis_of(label));
    group.inner *= step.axes[std::size_t(group.whole.back())].extent;
  }
  if (lies.cut >= 0) group.cut = axis_of(lies.cut);
  group.chunk = lies.chunk;
  return group;
}

bool all_in(const axis_lanes& group, const std::vector<int>& axes) {
  const auto is_in = [&](int a) { return std::ranges::find(axes, a) != axes.end(); };
  return std::ranges::all_of(group.whole, is_in) && (group.cut < 0 || is_in(group.cut));
}

// Takes an operand from where it lies in SBUF. False where no panel can use it so.
bool take(const contraction_step& step, product_step_design& d, const panel_design& given) {
  const axis_lanes lanes = lanes_of_given(step, *given.given);
  const bool is_row = given.from == d.rows;
  panel_design& mine = is_row ? d.stationary : d.moving;
  mine.given = given.given;
  if (all_in(lanes, d.k_axes)) {
    const bool is_all = std::ranges::all_of(d.k_axes, [&](int a) { return lanes.has(a); });
    if (!is_all || mine.negated || step.type != dtype::fp32) return false;
    d.k = d.stationary.k = d.moving.k = lanes;
    mine.is_transposed = false;
    return true;
  }
  if (!all_in(lanes, is_row ? d.m_axes : d.n_axes)) return false;
  mine.is_transposed = true;
  mine.raw = lanes;
  if (is_row) d.m = lanes;
  return true;
}

// Of SBUF a part; and blocks of which two of everything have room are shorter ones.
struct block_size {
  std::int64_t share;
  bool is_doubled = false;
};

}  // namespace

std::vector<product_step_design> product_designs(const contraction_step& step,
                                                 const machine_spec& machine,
                                                 const panel_design* given) {
  if (!step.is_pair || !step.axes_of(true, false, false).empty() ||
      !step.axes_of(false, true, false).empty())
    return {};
  const bool is_given = given != nullptr;
  const std::int64_t all_words = machine.sbuf.bytes_per_partition / 4,
                     words = is_given ? all_words - given->given->words - 8 : all_words;
  const std::vector<block_size> sizes = is_given
                                            ? std::vector<block_size>{{1}, {4}}
                                            : std::vector<block_size>{{1}, {1, true}, {4}, {16}};
  const std::vector<bool> orders = is_given ? std::vector{true} : std::vector{true, false};
  std::vector<product_step_design> all;
  for (const side rows : {side::left, side::right})
    for (const bool transposing : {false, true})
      for (const bool far_lanes : {true, false})
        for (const bool rows_outside : orders)
          for (const auto& [share, is_doubled] : sizes) {
            product_step_design d =
                base_design(step, {rows, far_lanes, rows_outside, transposing}, machine);
            if (is_given && !take(step, d, *given)) continue;
            add_loops(step, d, rows_outside);
            if (!has_room(step, d, machine, words)) continue;
            grow(step, d.loops, machine, [&, part = words / share, twice = is_doubled] {
              return has_room(step, d, machine, part) &&
                     (!twice || 2 * sizes_of(step, d).sum() <= part);
            });
            all.push_back(std::move(d));
          }
  return all;
}

std::string product_step_design::describe(const contraction_step& step) const {
  using base_detail::message;
  return message(batch.empty() ? "" : message(step.count_of(batch), " products of "),
                 step.count_of(m_axes), "x", step.count_of(k_axes), " by ", step.count_of(k_axes),
                 "x", step.count_of(n_axes), ", ", rows == side::left ? "left" : "right",
                 " operand stationary", stationary.is_transposed ? ", transposed" : "",
                 moving.is_transposed ? ", the other transposed" : "", "; ", k.lanes(), " x ",
                 m.lanes(), " x ", n.lanes(), " at a time, in ", std::int64_t(blocks_of(loops)),
                 " blocks");
}

}  // namespace papilio::kernels_detail

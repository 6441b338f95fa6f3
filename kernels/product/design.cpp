// The candidate designs of a step's products: which operand is stationary, which axes lie on
// partitions, what is transposed on the tensor engine, how the loops nest, and how much of each
// axis a block has. run.cpp has the identity and the layout.
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/product/design.hpp"
#include "kernels/product/rooms.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// Whether a summed axis is the fastest in HBM: loading it onto partitions would move single
// elements.
bool is_summed_fastest(const contraction_step& step, const panel_design& d) {
  std::vector<int> all = fastest_first(step, both_axes(d.columns, d.summed), d.from);
  std::erase_if(all, [&](int a) { return step.extent(a) == 1; });
  if (all.empty() || d.columns.empty()) return false;
  return is_among(d.summed, all.front());
}

// Whether an operand to be transposed would be loaded in rows: its fastest axis in HBM is not one
// on partitions.
bool has_rows(const contraction_step& step, const panel_design& d) {
  const std::vector<int> all = fastest_first(step, both_axes(d.columns, d.summed), d.from);
  const auto first = std::ranges::find_if(all, [&](int a) { return step.extent(a) > 1; });
  return first == all.end() || !d.raw.has(*first);
}

// Whether rows of an operand's fastest axis take less than a quarter of a descriptor's time, so that
// matrices of a batch are rather loaded whole, one to a partition.
bool has_tiny_rows(const contraction_step& step, const std::vector<int>& batch, operand_role from,
                   const machine_spec& machine) {
  const std::vector<int> all = fastest_first(step, step.axes_in(from), from);
  const auto bytes = std::int64_t(size_bytes(step.stored[std::size_t(from)]));
  return !all.empty() && !batch.empty() && !is_among(batch, all.front()) &&
         step.stride(all.front(), from) == 1 &&
         4 * double(step.extent(all.front()) * bytes) <
             machine.dma.descriptor_ns * machine.dma.bytes_per_ns;
}

// Contiguous elements in a row of DMA if the operand is loaded without a transposition.
std::int64_t straight_run(const contraction_step& step, const panel_design& d) {
  std::int64_t run = 1;
  for (const int a : fastest_first(step, both_axes(d.columns, d.summed), d.from)) {
    const step_axis& axis = step.axes[std::size_t(a)];
    if (axis.stride(d.from) != run || axis.is_summed()) break;
    run *= axis.extent;
  }
  return run;
}

panel_design panel_of(const contraction_step& step, operand_role from,
                      const std::vector<int>& batch, const std::vector<int>& axes,
                      const product_step_design& d, const machine_spec& machine) {
  const auto stored = std::int64_t(size_bytes(step.stored[std::size_t(from)]));
  panel_design panel{.from = from,
                     .columns = both_axes(batch, axes),
                     .k = d.k,
                     .summed = d.k_axes,
                     .is_transposed = false,
                     .raw = {},
                     .planes = step.planes,
                     .parts = step.parts,
                     .added = step.three_products,
                     .row = std::max<std::int64_t>(1, machine.dma.good_row_bytes / stored),
                     .triangle = step.triangles[from == operand_role::left ? 0 : 1],
                     .is_packed = is_packed(step.type)};
  panel.is_transposed = panel.is_mirrored() || is_summed_fastest(step, panel);
  // Packed panels are loaded in 16 bits, so that their slices have room for longer rows.
  if (panel.is_packed) panel.row *= 2;
  return panel;
}

bool has_room(const contraction_step& step, const product_step_design& d,
              const machine_spec& machine, std::int64_t room, bool is_doubled = false) {
  const product_pools pools = pools_of(step, d);
  return pools.longest_step <= machine.thresholds.contraction_tile_elements_max &&
         pools.bytes() <= room && (!is_doubled || pools.twice_bytes <= room);
}

// Tells what is transposed beside operands whose summed axis is the fastest: those that could be
// loaded in short rows instead; or all operands, from so many matrices of a batch that are loaded
// whole, one to a partition (0: none are).
struct transposing {
  bool short_rows = false;
  std::int64_t whole = 0;
};

std::vector<transposing> transposing_ways(const contraction_step& step, bool is_given,
                                          const machine_spec& machine) {
  std::vector<transposing> ways{{}, {.short_rows = true}};
  const std::vector<int> batch = step.axes_of(true, true, true);
  if (is_given || step.triangles[0] || step.triangles[1] || step.part ||
      !has_tiny_rows(step, batch, operand_role::left, machine) ||
      !has_tiny_rows(step, batch, operand_role::right, machine))
    return ways;
  const std::int64_t most = array_rows(machine);
  for (const std::int64_t whole : {most, most / 2, most / 4}) ways.push_back({.whole = whole});
  return ways;
}

struct wishes {
  operand_role rows;
  bool has_far_partitions;  ///< the slowest axes of the output lie on partitions
  bool rows_outside;        ///< the loop over rows is outside that over columns
  transposing what = {};
};

product_step_design base_design(const contraction_step& step, const wishes& w,
                                const machine_spec& machine) {
  const operand_role rows = w.rows;
  const bool has_far_partitions = w.has_far_partitions;
  const bool is_left = rows == operand_role::left;
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
                        .banks = step.three_products ? 3 : step.planes};
  const std::int64_t side_max =
      std::min<std::int64_t>(array_rows(machine), machine.sbuf.partitions);
  const std::int64_t bank = product_columns(machine);
  // Longer axes come first, as far as they fit the array, since they fill it best.
  std::vector<int> summed = fastest_first(step, d.k_axes, rows);
  std::ranges::stable_sort(summed, std::greater<>{}, [&](int a) {
    const std::int64_t extent = step.extent(a);
    return extent <= side_max ? extent : 0;
  });
  d.k = partitions_of(step, summed, side_max);
  d.m = partitions_of(step,
                      has_far_partitions ? slowest_first(step, d.m_axes, operand_role::out)
                                         : fastest_first(step, d.m_axes, operand_role::out),
                      side_max);
  // A triangular moving operand gets the fewest columns that keep the array busy: more columns
  // would have more zeros in them.
  const std::optional<operand_triangle>& triangle = step.triangles[is_left ? 1 : 0];
  const bool has_zeros = triangle && !triangle->is_mirrored;
  d.n = partitions_of(step, fastest_first(step, d.n_axes, operand_role::out),
                      has_zeros ? std::min(bank, 2 * side_max) : bank);
  const auto& [left, right] = step.triangles;
  if ((left && !left->is_mirrored) || (right && !right->is_mirrored))  // square blocks
    for (axis_partitions* const partitions : {&d.m, &d.k})
      if (partitions->cut >= 0) partitions->chunk = side_max;
  if (is_packed(step.type)) {  // whole groups of scales, and even numbers of rows
    d.k = {.cut = d.k_axes[0], .chunk = step.summed_together() * side_max};
    d.m = {.cut = d.m_axes[0], .chunk = side_max};
  }
  if (step.part) {  // rows of blocks of the triangle
    d.m = {.cut = d.m_axes[0], .chunk = side_max};
    d.n = {.cut = d.n_axes[0], .chunk = bank};
  }
  d.stationary = panel_of(step, rows, d.batch, d.m_axes, d, machine);
  d.stationary.raw = d.m;
  d.moving = panel_of(step, d.columns(), d.batch, d.n_axes, d, machine);
  d.moving.has_zeros = true;
  d.moving.raw = partitions_of(step, slowest_first(step, d.n_axes, d.columns()), side_max);
  if (d.moving.is_packed) d.moving.raw = {.cut = d.n_axes[0], .chunk = side_max};
  d.moving.negated = step.planes == 2 && !step.three_products;
  if (w.what.whole > 0)
    for (panel_design* const p : {&d.stationary, &d.moving}) {
      p->is_transposed = true;
      p->raw = partitions_of(step, fastest_first(step, d.batch, rows), w.what.whole);
    }
  if (w.what.short_rows)
    for (panel_design* const p : {&d.stationary, &d.moving})
      if (!p->columns.empty() && !p->summed.empty() && !p->triangle && has_rows(step, *p) &&
          4 * straight_run(step, *p) < machine.dma.good_row_bytes)
        p->is_transposed = true;
  return d;
}

void add_loops(const contraction_step& step, product_step_design& d, bool rows_outside) {
  // Matrices that are loaded whole stay together.
  std::vector<block_loop> batch = loops_of(step, slowest_first(step, d.batch, operand_role::out),
                                           d.stationary.raw),
                          m = loops_of(step, slowest_first(step, d.m_axes, operand_role::out), d.m),
                          n = loops_of(step, slowest_first(step, d.n_axes, operand_role::out), d.n),
                          k = loops_of(step, slowest_first(step, d.k_axes, d.rows), d.k);
  d.loops = std::move(batch);
  for (const auto* loops : {rows_outside ? &m : &n, rows_outside ? &n : &m, &k})
    d.loops.insert(d.loops.end(), loops->begin(), loops->end());
}

// The axes of the step that a value in SBUF has on partitions.
axis_partitions partitions_of_given(const contraction_step& step, const chip_layout& lies) {
  const auto axis_of = [&](int label) {
    return int(std::ranges::find(step.labels, label) - step.labels.begin());
  };
  axis_partitions group;
  for (const int label : lies.whole) {
    group.whole.push_back(axis_of(label));
    group.inner *= step.axes[std::size_t(group.whole.back())].extent;
  }
  if (lies.cut >= 0) group.cut = axis_of(lies.cut);
  group.chunk = lies.chunk;
  return group;
}

bool all_in(const axis_partitions& group, const std::vector<int>& axes) {
  const auto is_in = [&](int a) { return is_among(axes, a); };
  return std::ranges::all_of(group.whole, is_in) && (group.cut < 0 || is_in(group.cut));
}

// Makes the design read an operand from SBUF. False where its layout fits no panel.
bool take(const contraction_step& step, product_step_design& d, const panel_design& given) {
  const axis_partitions partitions = partitions_of_given(step, *given.given);
  const bool is_row = given.from == d.rows;
  panel_design& mine = is_row ? d.stationary : d.moving;
  mine.given = given.given;
  if (all_in(partitions, d.k_axes)) {
    const bool is_all = std::ranges::all_of(d.k_axes, [&](int a) { return partitions.has(a); });
    if (!is_all || mine.negated || step.type != given.given->type ||
        step.parts != given.given->parts)
      return false;
    d.k = d.stationary.k = d.moving.k = partitions;
    mine.is_transposed = false;
    return true;
  }
  if (!all_in(partitions, is_row ? d.m_axes : d.n_axes)) return false;
  mine.is_transposed = true;
  mine.raw = partitions;
  if (is_row) d.m = partitions;
  return true;
}

// Whether an epilogue allows these loops: it needs the rows of the result on partitions, and a
// row's sum must be finished before the next block of rows begins.
bool is_allowed(const contraction_step& step, operand_role rows, bool rows_outside) {
  const kernels::product_epilogue& e = step.epilogue;
  const bool has_sums = e.sums != kernels::product_sums::none;
  if (has_sums && !rows_outside) return false;
  return rows == operand_role::left || (!has_sums && !e.bias && !step.part);
}

// The design with one panel of all rows for both operands, which are one matrix (A A^T).
product_step_design with_one_panel(product_step_design d) {
  d.shares = true;
  for (block_loop& l : d.loops)
    if (l.axis == d.m_axes[0] || l.axis == d.n_axes[0]) l.block = l.units;
  return d;
}

// Adds designs that stream the moving operand: a block is a few pieces of rows by one of columns,
// and the moving operand is loaded k tile by k tile, or as many at a time as make a long row where
// it is transposed.
void add_streaming(const contraction_step& step, const product_step_design& d,
                   std::vector<product_step_design>& ways, const machine_spec& machine) {
  const bool is_cut = d.k.cut >= 0 && step.extent(d.k.cut) > d.k.chunk;
  if (!is_cut || d.k_axes.size() > d.k.whole.size() + 1) return;  // k tiles must be of one axis
  product_step_design way = d;
  way.stream = d.moving.is_transposed ? std::max<std::int64_t>(1, d.moving.row / d.k.chunk) : 1;
  if (has_double_rows(step, machine)) way.stream += way.stream % 2;
  const std::int64_t most = sums_at_once(d, machine);
  for (const std::int64_t pieces : {most, std::max<std::int64_t>(1, most - 1)}) {
    for (block_loop& l : way.loops) {
      if (step.axes[std::size_t(l.axis)].is_summed()) continue;
      l.is_fixed = true;
      if (l.axis == d.m.cut)
        l.block = ceil_div(l.units, ceil_div(l.units, std::min(pieces, l.units)));
    }
    ways.push_back(way);
  }
}

// Keeps blocks at the columns of one bank. False where there are no more columns anyway.
bool keep_one_bank(product_step_design& d) {
  bool has_more = false;
  for (block_loop& l : d.loops)
    if (is_among(d.n_axes, l.axis)) {
      l.is_fixed = true;
      has_more = has_more || l.units > 1;
    }
  return has_more;
}

// The share of SBUF, 1 / share, that blocks may fill. `is_doubled`: two blocks of everything fit;
// `is_narrow`: blocks have the columns of one bank, and as many rows as then fit.
struct block_share {
  std::int64_t share;
  bool is_doubled = false, is_narrow = false;
};

}  // namespace

bool has_double_rows(const contraction_step& step, const machine_spec& machine) {
  return machine.tensor.fp8_double_row && is_fp8(step.type) && step.planes == 1 && step.parts == 1;
}

std::optional<product_step_design> plain_product(
    const contraction_step& step, const std::vector<int>& rows,
    const std::variant<std::vector<int>, chip_layout>& summed, const machine_spec& machine) {
  product_step_design d = base_design(step, {operand_role::left, true, true}, machine);
  const std::int64_t most = std::min<std::int64_t>(array_rows(machine), machine.sbuf.partitions);
  d.m = d.stationary.raw = partitions_of(step, rows, most);
  d.stationary.is_transposed = d.moving.is_transposed = false;
  if (const auto* const lies = std::get_if<chip_layout>(&summed)) {
    panel_design there;
    there.given = *lies;
    if (!take(step, d, there)) return {};
  } else {
    d.k = d.stationary.k = d.moving.k = partitions_of(step, std::get<0>(summed), most);
  }
  add_loops(step, d, true);
  return d;
}

std::vector<product_step_design> product_designs(const contraction_step& step,
                                                 const machine_spec& machine,
                                                 const panel_design* given) {
  if (!step.is_pair || !step.axes_of(true, false, false).empty() ||
      !step.axes_of(false, true, false).empty())
    return {};
  const bool is_given = given != nullptr;
  const std::int64_t all = machine.sbuf.bytes_per_partition,
                     room = is_given ? all - 4 * (given->given->words + 8) : all;
  const std::vector<block_share> sizes =
      is_given ? std::vector<block_share>{{1}, {4}}
               : std::vector<block_share>{{1}, {1, true}, {1, false, true}, {4}, {16}};
  const std::vector<bool> orders = is_given ? std::vector{true} : std::vector{true, false};
  std::vector<product_step_design> designs;
  for (const operand_role rows : {operand_role::left, operand_role::right})
    for (const transposing& what : transposing_ways(step, is_given, machine))
      for (const bool has_far_partitions : {true, false})
        for (const bool rows_outside : orders) {
          if (!has_far_partitions &&
              step.axes_of(rows == operand_role::left, rows != operand_role::left, true).size() < 2)
            continue;  // one axis: the order of axes does not matter
          if (!is_allowed(step, rows, rows_outside)) continue;
          for (const auto& [share, is_doubled, is_narrow] : sizes) {
            product_step_design d =
                base_design(step, {rows, has_far_partitions, rows_outside, what}, machine);
            if (is_given && !take(step, d, *given)) continue;
            add_loops(step, d, rows_outside);
            if (is_narrow && !keep_one_bank(d)) continue;
            std::vector<product_step_design> ways{d};
            if (step.part) ways.push_back(with_one_panel(d));
            if (share == 1 && !is_doubled && !is_narrow && rows_outside && !is_given)
              add_streaming(step, d, ways, machine);
            for (std::size_t i = 0; i < ways.size(); ++i) {
              product_step_design way = ways[i];
              if (!has_room(step, way, machine, room)) continue;
              grow(step, way.loops, machine, [&, part = room / share, twice = is_doubled] {
                return has_room(step, way, machine, part, twice);
              });
              // Shorter streamed parts leave room for more rows, so that sums need fewer blocks.
              const std::int64_t least = has_double_rows(step, machine) ? 2 : 1;
              if (way.stream / 2 % least == 0 && way.stream > 1 && blocks_of_a_result(way) > 1) {
                ways.push_back(ways[i]);
                ways.back().stream /= 2;
              }
              designs.push_back(std::move(way));
            }
          }
        }
  return designs;
}

}  // namespace papilio::kernels_detail

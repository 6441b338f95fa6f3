// Products of a step on the tensor engine.
//   identity   out[b, m, n] = sum over k of rows[b, m, k] columns[b, k, n]
//   layout     panels of both with k on partitions; a result tile [lanes of m, (b, rest of m, n)]
//              in the order of the output, filled through PSUM bank by bank
//   order      blocks of k innermost, added up in the result tile; the next block's panels are
//              brought before the products of this one, or half way through
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernels/array_operands.hpp"
#include "kernels/contraction/blocks.hpp"
#include "kernels/contraction/step_designs.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// A result tile in SBUF: lanes of the rows on partitions.
class result_layout {
 public:
  result_layout(const contraction_step& step, const product_step_design& design,
                const axis_ranges& ranges)
      : step_(step), design_(design), lies_(step, side::out, design.m, ranges) {}

  const tile_layout& lies() const { return lies_; }

  chip_layout chip() const {
    chip_layout chip{.chunk = design_.m.chunk, .plane = lies_.plane(), .words = lies_.words()};
    for (const int a : design_.m.whole) chip.whole.push_back(step_.labels[std::size_t(a)]);
    if (design_.m.cut >= 0) chip.cut = step_.labels[std::size_t(design_.m.cut)];
    for (const tile_layout::free_axis& f : lies_.free_axes())
      if (f.axis >= 0) chip.steps[step_.labels[std::size_t(f.axis)]] = f.here;
    return chip;
  }

  std::int64_t offset(const axis_piece& b, const axis_piece& m, const axis_piece& n) const {
    std::int64_t offset = 0;
    const auto add = [&](const std::vector<int>& axes, const axis_piece& p) {
      for (const int a : axes)
        offset +=
            p.at[std::size_t(a)] / (a == design_.m.cut ? design_.m.chunk : 1) * lies_.stride(a);
    };
    add(design_.batch, b);
    add(design_.m_axes, m);
    add(design_.n_axes, n);
    return offset;
  }

  // `count` sums, `apart` from each other.
  tile_view sums(const tile_view& tile, int plane, std::int64_t offset, std::int64_t count,
                 std::int64_t apart, const axis_piece& m, const axis_piece& n) const {
    view_levels levels = one_sum(n.cut_count);
    levels.insert(levels.begin(), {count, {apart}});
    return viewed(tile.partition_range(0, int(m.lanes)), plane * lies_.plane() + offset,
                  merged(levels), 0);
  }
  // Levels of a sum in the tile.
  std::size_t levels() const { return merged(one_sum(2)).size(); }

 private:
  view_levels one_sum(std::int64_t cut_count) const {
    view_levels levels;
    if (design_.n.cut >= 0) levels.push_back({cut_count, {lies_.stride(design_.n.cut)}});
    for (const int a : design_.n.whole) levels.push_back({step_.extent(a), {lies_.stride(a)}});
    return levels;
  }

  const contraction_step& step_;
  const product_step_design& design_;
  tile_layout lies_;
};

// Two of what changes from block to block, so that the next is made beside the work on this one.
struct pool_depths {
  int stationary, moving, result;
};
pool_depths depths_of(const product_step_design& d) {
  const auto depth = [&](std::vector<int> axes, const std::vector<int>& more) {
    axes.insert(axes.end(), more.begin(), more.end());
    return std::ranges::any_of(d.loops,
                               [&](const block_loop& l) {
                                 return l.blocks() > 1 &&
                                        std::ranges::find(axes, l.axis) != axes.end();
                               })
               ? 2
               : 1;
  };
  std::vector<int> kept = d.batch;
  kept.insert(kept.end(), d.m_axes.begin(), d.m_axes.end());
  return {depth(d.stationary.columns, d.k_axes), depth(d.moving.columns, d.k_axes),
          depth(kept, d.n_axes)};
}

class product_run {
 public:
  product_run(core& nc, const contraction_step& step, const product_step_design& design,
              const step_tensors& tensors, const product_chips& chips)
      : nc_(nc),
        step_(step),
        design_(design),
        tensors_(tensors),
        chips_(chips),
        walk_(step, design.loops),
        sizes_(sizes_of(step, design)),
        depths_(depths_of(design)),
        bank_(nc.machine().psum.bank_bytes / 4),
        stationary_(pool(depths_.stationary, sizes_.stationary, step.type)),
        moving_(pool(depths_.moving, sizes_.moving, step.type)),
        stationary_raw_(pool(depths_.stationary, sizes_.stationary_raw)),
        moving_raw_(pool(depths_.moving, sizes_.moving_raw)),
        results_(pool(depths_.result, chips.result.empty() ? sizes_.result : 1)),
        transposes_(nc.psum_pool(2, nc.machine().psum.partitions, bank_)),
        sums_(nc.psum_pool(int((nc.machine().psum.banks - 2) / design.banks),
                           nc.machine().psum.partitions, design.banks * bank_)) {}

  void run(std::int64_t blocks) {
    blocks = std::min(blocks, walk_.blocks());
    bring(0);
    for (std::int64_t i = 0; i < blocks; ++i) multiply(i, i + 1 < blocks ? i + 1 : -1);
  }

 private:
  tile_pool pool(int depth, std::int64_t words, dtype type = dtype::fp32) {
    return nc_.sbuf_pool(depth, nc_.machine().sbuf.partitions, words, type);
  }

  std::vector<int> with_k(const std::vector<int>& axes) const {
    std::vector<int> all = axes;
    all.insert(all.end(), design_.k_axes.begin(), design_.k_axes.end());
    return all;
  }

  // Panels of a block, unless they are those of the block before.
  void bring(std::int64_t block) {
    const axis_ranges ranges = walk_.ranges(block);
    const std::int64_t row_place = walk_.place(block, with_k(design_.stationary.columns)),
                       column_place = walk_.place(block, with_k(design_.moving.columns));
    if (rows_ == nullptr || row_place != row_place_)
      rows_ = std::make_shared<product_panel>(nc_, step_, design_.stationary, ranges,
                                              tensors_.of(design_.rows), stationary_pools_,
                                              chips_.given);
    if (columns_ == nullptr || column_place != column_place_)
      columns_ = std::make_shared<product_panel>(nc_, step_, design_.moving, ranges,
                                                 tensors_.of(design_.columns()), moving_pools_,
                                                 chips_.given);
    row_place_ = row_place;
    column_place_ = column_place;
  }

  // The next block's panels come before the products of this one, which keeps DMA going, or between
  // them, so that the array need not wait.
  void multiply(std::int64_t block, std::int64_t next) {
    const auto rows = rows_, columns = columns_;
    const axis_ranges ranges = walk_.ranges(block);
    const bool begins = walk_.place(block, design_.k_axes) == 0;
    const bool ends = block + 1 == walk_.blocks() || walk_.place(block + 1, design_.k_axes) == 0;
    if (begins) result_ = chips_.result.empty() ? results_.next() : chips_.result;
    const result_layout layout(step_, design_, ranges);
    const auto ms = pieces_of(step_, design_.m, design_.m_axes, ranges),
               ns = pieces_of(step_, design_.n, design_.n_axes, ranges),
               bs = pieces_of(step_, {}, design_.batch, ranges);
    std::vector<place> places;
    for (const axis_piece& b : bs)
      for (const axis_piece& m : ms)
        for (const axis_piece& n : ns) places.push_back({&b, &m, &n, layout.offset(b, m, n)});
    if (design_.is_early && next >= 0) bring(std::exchange(next, -1));
    for (std::size_t i = 0; i < places.size();) {
      i += fill(layout, *rows, *columns, std::span(places).subspan(i), begins);
      if (next < 0 || 2 * i < places.size()) continue;
      bring(std::exchange(next, -1));
    }
    if (ends && chips_.result.empty())
      layout.lies().issue(nc_, transfer::store, result_, tensors_.of(side::out));
  }

  // One sum: where it is, and its place in the result tile.
  struct place {
    const axis_piece *b, *m, *n;
    std::int64_t offset;
  };

  // A bank of sums whose places are evenly spaced: they leave together. How many there were.
  std::size_t fill(const result_layout& layout, const product_panel& rows,
                   const product_panel& columns, std::span<const place> places, bool begins) {
    const std::int64_t lanes = places[0].m->lanes, width = places[0].n->lanes;
    std::int64_t count = 0, step = 0;
    const tile_view sums = sums_.next().partition_range(0, int(lanes));
    for (const place& p : places) {
      if (p.m->lanes != lanes || p.n->lanes != width || (count + 1) * width > bank_) break;
      if (count > 0 && layout.levels() >= std::size_t(nc_.machine().access.pattern_dims_max)) break;
      if (count == 1) step = p.offset - places[0].offset;
      if (p.offset != places[0].offset + count * step || (count > 0 && step <= 0)) break;
      add_up(sums, count * width, rows, columns, *p.b, *p.m, *p.n);
      ++count;
    }
    for (int p = 0; p < step_.planes; ++p)
      put(layout.sums(result_, p, places[0].offset, count, step, *places[0].m, *places[0].n),
          sums.columns(p * bank_, count * width), begins, p == 1 && design_.conjugates);
    return std::size_t(count);
  }

  void add_up(const tile_view& sums, std::int64_t at, const product_panel& rows,
              const product_panel& columns, const axis_piece& b, const axis_piece& m,
              const axis_piece& n) {
    bool onto = false;
    for (std::size_t t = 0; t < rows.k_tiles().size(); ++t)
      for_part_products(step_.parts, [&](int part, int other) {
        add_product(
            [&](int to, int left, int right, bool accumulate) {
              const int row = part * design_.stationary.planes_of_part() + left,
                        column = other * design_.moving.planes_of_part() + right;
              nc_.issue(matmul{.out = sums.columns(to * bank_ + at, n.lanes),
                               .stationary = rows.columns(t, row, m, b.at, design_.m),
                               .moving = columns.columns(t, column, n, b.at, design_.n),
                               .accumulate = accumulate});
            },
            onto);
        onto = true;
      });
  }

  // A product of numbers: add(bank, plane of rows, plane of columns, onto what is there).
  template <class Add>
  void add_product(const Add& add, bool onto) const {
    add(0, 0, 0, onto);
    if (step_.planes == 1) return;
    const int im = design_.moving.negated && takes_conjugate() ? 2 : 1;
    add(1, 0, im, onto);
    add(0, 1, 3 - im, true);
    add(1, 1, 0, true);
  }

  // conj(x) y is the conjugate of x conj(y).
  bool takes_conjugate() const { return step_.conjugate[0] != step_.conjugate[1]; }

  void put(const tile_view& to, const tile_view& sums, bool begins, bool negated) {
    if (begins)
      evacuate(nc_, to, sums, negated ? -1.0F : 1.0F);
    else
      nc_.issue(tensor_tensor{
          .out = to, .left = to, .right = sums, .op = negated ? alu_op::subtract : alu_op::add});
  }

  core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  const step_tensors& tensors_;
  product_chips chips_;
  block_walk walk_;
  product_tile_sizes sizes_;
  pool_depths depths_;
  std::int64_t bank_;
  tile_pool stationary_, moving_, stationary_raw_, moving_raw_, results_, transposes_, sums_;
  panel_pools stationary_pools_{stationary_, stationary_raw_, transposes_},
      moving_pools_{moving_, moving_raw_, transposes_};
  std::shared_ptr<product_panel> rows_, columns_;
  std::int64_t row_place_ = 0, column_place_ = 0;
  tile_view result_;
};

}  // namespace

product_tile_sizes sizes_of(const contraction_step& step, const product_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);  // the first is the largest
  const panel_size rows = panel_size_of(d.stationary, ranges),
                   columns = panel_size_of(d.moving, ranges);
  return {rows.kept, columns.kept, rows.raw, columns.raw,
          tile_layout(step, side::out, d.m, ranges).words()};
}

std::int64_t room_of(const product_step_design& design, const product_tile_sizes& s) {
  const pool_depths depths = depths_of(design);
  constexpr std::int64_t rounding = 8;  // of each tile
  return depths.stationary * (s.stationary + s.stationary_raw + 2 * rounding) +
         depths.moving * (s.moving + s.moving_raw + 2 * rounding) +
         depths.result * (s.result + rounding);
}

double blocks_of_a_result(const product_step_design& design) {
  double blocks = 1;
  for (const block_loop& l : design.loops)
    if (std::ranges::find(design.k_axes, l.axis) != design.k_axes.end())
      blocks *= double(l.blocks());
  return blocks;
}

double effort_of(const contraction_step& step, const product_step_design& design) {
  const axis_ranges ranges = block_walk(step, design.loops).ranges(0);
  const auto pieces = [&](const axis_lanes& group, const std::vector<int>& axes) {
    double count = 1;
    for (const int a : axes)
      if (a == group.cut)
        count *= double(ceil_div(ranges[std::size_t(a)].count, group.chunk));
      else if (!group.has(a))
        count *= double(ranges[std::size_t(a)].count);
    return count;
  };
  const double b = pieces({}, design.batch), m = pieces(design.m, design.m_axes),
               n = pieces(design.n, design.n_axes), k = pieces(design.k, design.k_axes);
  double count =
      b * m * n *
      (k * double(step.planes * step.planes * step.part_products()) + double(step.planes));
  const double panels = k * double(step.planes * step.parts);
  if (design.stationary.is_transposed) count += b * m * panels;
  if (design.moving.is_transposed) count += b * pieces(design.moving.raw, design.n_axes) * panels;
  return count + 8;
}

void run_products(core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, std::int64_t blocks, const product_chips& chips) {
  product_run(nc, step, design, tensors, chips).run(blocks);
}

bool makes_one_block(const contraction_step& step, const product_step_design& design) {
  return std::ranges::all_of(design.loops, [&](const block_loop& l) {
    return l.blocks() == 1 || step.axes[std::size_t(l.axis)].is_summed();
  });
}

chip_layout layout_of(const contraction_step& step, const product_step_design& design) {
  return result_layout(step, design, block_walk(step, design.loops).ranges(0)).chip();
}

}  // namespace papilio::kernels_detail

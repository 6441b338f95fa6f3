// Products of a step on the tensor engine.
//   identity   out[b, m, n] = sum over k of rows[b, m, k] columns[b, k, n]
//   layout     panels of both with k on partitions; a result tile [lanes of m, (b, rest of m, n)]
//              in the order of the output, filled through PSUM bank by bank
//   order      blocks of k innermost, added up in the result tiles; rows are stored as they are
//              finished; what the next block transposes comes between the products of this one
//   epilogue   function(alpha sums + beta C0 + bias), on the way out of PSUM
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "kernels/array_operands.hpp"
#include "kernels/product/blocks.hpp"
#include "kernels/product/design.hpp"
#include "kernels/product/triangle_mask.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::product_epilogue;
using kernels::product_sums;
using kernels::triangle;
using kernels::triangle_layout;

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

// The axis along which a block's rows are made in groups, each stored when it is finished: of the
// batch, else of the rows.
struct row_groups {
  int axis = -1;
  std::int64_t count = 1;  ///< elements of the axis in a group

  std::int64_t groups(const axis_ranges& ranges) const {
    return axis < 0 ? 1 : ceil_div(ranges[std::size_t(axis)].count, count);
  }
  axis_ranges part(axis_ranges ranges, std::int64_t group) const {
    if (axis < 0) return ranges;
    axis_range& r = ranges[std::size_t(axis)];
    const std::int64_t skipped = group * count;
    r = {r.first + skipped, std::min(count, r.count - skipped)};
    return ranges;
  }
};

row_groups row_groups_of(const contraction_step& step, const product_step_design& d,
                         const axis_ranges& ranges) {
  constexpr std::int64_t least = 512;  // elements of a partition that are stored at once
  row_groups g;
  const auto is_long = [&](int a) { return ranges[std::size_t(a)].count > 1; };
  if (const auto b = std::ranges::find_if(d.batch, is_long); b != d.batch.end())
    g.axis = *b;
  else if (d.m.cut >= 0)
    g.axis = d.m.cut;
  else
    for (const int a : d.m_axes)
      if (!d.m.has(a) && is_long(a) && g.axis < 0) g.axis = a;
  if (g.axis < 0) return g;
  const std::int64_t unit = g.axis == d.m.cut ? d.m.chunk : 1;
  g.count = std::min(unit, ranges[std::size_t(g.axis)].count);
  const bool is_single = step.part || step.epilogue.sums != kernels::product_sums::none;
  while (!is_single && g.groups(ranges) > 1 &&
         tile_layout(step, side::out, d.m, g.part(ranges, 0)).words() < least)
    g.count += g.count;
  return g;
}

// Two of what changes from block to block, so that the next is made beside the work on this one.
struct pool_depths {
  int stationary, moving, stationary_raw, moving_raw, result;
};
// Of a moving operand that streams: parts that come before they are used.
std::int64_t parts_ahead(const product_step_design& d) {
  constexpr std::int64_t tiles = 8;
  return std::max<std::int64_t>(2, tiles / d.stream);
}

pool_depths tile_depths_of(const product_step_design& d, const product_tile_sizes& sizes) {
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
  constexpr std::int64_t groups_under_way = 3;
  std::vector<int> kept = d.batch;
  kept.insert(kept.end(), d.m_axes.begin(), d.m_axes.end());
  const int stationary = depth(d.stationary.columns, d.k_axes),
            moving = d.stream > 0 ? int(parts_ahead(d) + 1) : depth(d.moving.columns, d.k_axes),
            result = depth(kept, d.n_axes);
  const auto raw = [](int blocks, const panel_size& s) {
    return s.slices > 1 ? 2 : std::min(blocks, 2);
  };
  // Of sums in several blocks all groups wait for the last, and a result in one block may stay; else
  // few are under way.
  const std::int64_t all = (d.stream > 0 ? 2 : result) * sizes.groups;
  return {stationary, moving, raw(stationary, sizes.stationary), raw(moving, sizes.moving),
          int(blocks_of_a_result(d) > 1 || d.stream > 0 || result == 1
                  ? all
                  : std::min(all, groups_under_way))};
}

// Of a triangle: columns that these rows have of it, those of a block on the diagonal all.
axis_range in_part(const contraction_step& step, const axis_range& rows,
                   const axis_range& columns) {
  if (!step.part) return columns;
  const std::int64_t end = columns.first + columns.count;
  const bool is_lower = *step.part == triangle::lower;
  const std::int64_t first = is_lower ? columns.first : std::max(columns.first, rows.first);
  return {first, std::max<std::int64_t>(
                     0, (is_lower ? std::min(end, rows.first + rows.count) : end) - first)};
}

// Blocks of a triangle that have none of it are not made.
bool is_made(const contraction_step& step, const product_step_design& d,
             const axis_ranges& ranges) {
  if (!step.part) return true;
  const axis_range &m = ranges[std::size_t(d.m_axes[0])], &n = ranges[std::size_t(d.n_axes[0])];
  return *step.part == kernels::triangle::lower ? n.first < m.first + m.count
                                                : n.first + n.count > m.first;
}

class product_run {
 public:
  product_run(core& nc, const contraction_step& step, const product_step_design& design,
              const step_tensors& tensors, const product_chips& chips)
      : nc_(nc),
        step_(step),
        design_(design),
        epilogue_(step.epilogue),
        tensors_(tensors),
        chips_(chips),
        walk_(step, design.loops),
        sizes_(sizes_of(step, design)),
        depths_(tile_depths_of(design, sizes_)),
        bank_(nc.machine().psum.bank_bytes / 4),
        kept_axes_(with(design.batch, with(design.m_axes, design.n_axes))),
        is_single_(step.part || step.epilogue.bias || step.triangles[0] || step.triangles[1] ||
                   step.epilogue.sums != product_sums::none),
        sums_count_(sums_at_once(design, nc.machine())),
        stationary_(pool(depths_.stationary, sizes_.stationary.kept, step.type)),
        moving_(pool(depths_.moving, sizes_.moving.kept, step.type)),
        stationary_raw_(pool(depths_.stationary_raw, sizes_.stationary.raw, stored(design.rows))),
        moving_raw_(pool(depths_.moving_raw, sizes_.moving.raw, stored(design.columns()))),
        results_(pool(depths_.result, chips.result.empty() ? sizes_.result : 1,
                      made_type(step, design))),
        biases_(pool(step.epilogue.bias ? 2 : 1, sizes_.bias)),
        row_sums_(pool(2, sizes_.row_sums)),
        cells_(pool(4, 1)),
        totals_(pool(2, 1)),
        transposes_(nc.psum_pool(2, nc.machine().psum.partitions, bank_)),
        sums_(nc.psum_pool(int(sums_count_), nc.machine().psum.partitions, design.banks * bank_)) {}

  void run(std::int64_t blocks) {
    for (std::int64_t i = 0; i < walk_.blocks() && std::int64_t(made_.size()) < blocks; ++i)
      if (is_made(step_, design_, walk_.ranges(i))) made_.push_back(i);
    bring(0);
    for (std::size_t i = 0; i < made_.size(); ++i) multiply(i);
  }

 private:
  tile_pool pool(int depth, std::int64_t words, dtype type = dtype::fp32) {
    return nc_.sbuf_pool(depth, nc_.machine().sbuf.partitions, words, type);
  }
  dtype stored(side of) const { return step_.stored[std::size_t(of)]; }

  static std::vector<int> with(std::vector<int> axes, const std::vector<int>& more) {
    axes.insert(axes.end(), more.begin(), more.end());
    return axes;
  }

  // Panels of a block, unless they are those of the block before: what is loaded as it lies at
  // once, what is transposed as its time comes.
  void bring(std::size_t at) {
    const std::int64_t block = made_[at];
    const axis_ranges ranges = walk_.ranges(block);
    const auto bring_one = [&](const panel_design& design, side of, const panel_pools& pools,
                               std::shared_ptr<product_panel>& panel, std::int64_t& place) {
      const std::int64_t wanted = walk_.place(block, with(design.columns, design_.k_axes));
      if (panel != nullptr && place == wanted) return;
      place = wanted;
      panel = std::make_shared<product_panel>(
          nc_, step_, design, ranges, tensors_.of(of), pools, chips_.given,
          at > 0 && !design.is_transposed ? panel_issue::at_once : panel_issue::by_units);
    };
    bring_one(design_.stationary, design_.rows, stationary_pools_, rows_, row_place_);
    if (design_.shares)
      columns_ = rows_;
    else if (design_.stream == 0)
      bring_one(design_.moving, design_.columns(), moving_pools_, columns_, column_place_);
  }

  // Of a moving operand that streams: parts up to one, of all blocks.
  void stream_until(std::int64_t count) {
    for (; streamed_ < count && stream_block_ < made_.size(); ++streamed_) {
      axis_ranges ranges = walk_.ranges(made_[stream_block_]);
      axis_range& k = ranges[std::size_t(design_.k.cut)];
      const std::int64_t each = design_.stream * design_.k.chunk, first = stream_part_ * each;
      const bool is_last = first + each >= k.count;
      k = {k.first + first, std::min(each, k.count - first)};
      stream_.push_back(std::make_shared<product_panel>(nc_, step_, design_.moving, ranges,
                                                        tensors_.of(design_.columns()),
                                                        moving_pools_, chips_.given));
      stream_part_ = is_last ? 0 : stream_part_ + 1;
      if (is_last) ++stream_block_;
    }
  }
  // The part that k tile t of the block under way is in, whose first parts were used.
  product_panel& streamed(std::size_t t) {
    const std::int64_t part = std::int64_t(t) / design_.stream;
    stream_until(used_ + part + 1 + parts_ahead(design_));
    while (dropped_ < used_ + part) {
      stream_.pop_front();
      ++dropped_;
    }
    return *stream_.front();
  }

  // Rows that are stored together.
  struct group {
    axis_ranges ranges;
    result_layout layout;
    std::vector<axis_piece> bs, ms;  // within the block
    std::int64_t first_row;          // of the block's pieces of m
    std::int64_t left = 0;           // sums that are not there yet
    tile_view tile = {};
  };
  // One sum: where it is, and its place in the result tile.
  struct place {
    group* into;
    const axis_piece *b, *m, *n;
    std::int64_t offset, row;
  };
  // What sums of a block are made of.
  struct filling {
    const axis_ranges& block;
    product_panel& rows;
    product_panel* columns;  // none: they stream
    bool begins, ends;
  };
  // Panels of the block under way, and how far the next ones are: in k tiles of places.
  struct progress {
    std::size_t at;
    std::shared_ptr<product_panel> rows, columns;
    std::int64_t all, done = 0, start = 0;
    bool has_next = false;
  };

  bool is_last(std::size_t at, const std::vector<int>& axes) const {
    return at + 1 == made_.size() ||
           walk_.place(made_[at + 1], axes) != walk_.place(made_[at], axes);
  }

  // The panels of a block are there when its products begin, but for the first; those of the next
  // come evenly between its products.
  void advance(progress& p, std::int64_t tiles) {
    p.done += tiles;
    if (!p.has_next) {
      const std::int64_t ahead = p.at == 0 ? 2 * p.done : p.all;
      bool is_complete = true;
      for (const auto& panel : {p.rows, p.columns})
        if (panel != nullptr) {
          panel->ensure(ceil_div(panel->units() * ahead, p.all));
          is_complete = is_complete && panel->made() == panel->units();
        }
      if (!is_complete || p.at + 1 == made_.size()) return;
      bring(p.at + 1);
      p.has_next = true;
      p.start = p.done;
    }
    const std::int64_t left = std::max<std::int64_t>(1, p.all - p.start);
    for (const auto& panel : {rows_, columns_})
      if (panel != nullptr)
        panel->ensure(p.done == p.all ? panel->units()
                                      : ceil_div(panel->units() * (p.done - p.start), left));
  }

  void make_groups(const axis_ranges& ranges) {
    groups_.clear();
    const row_groups cut = rows_in_groups(ranges);
    std::int64_t row = 0;
    for (std::int64_t g = 0; g < cut.groups(ranges); ++g) {
      const axis_ranges part = cut.part(ranges, g);
      groups_.push_back({part, result_layout(step_, design_, part),
                         pieces_of(step_, {}, design_.batch, part),
                         pieces_of(step_, design_.m, design_.m_axes, part), row});
      row += std::int64_t(groups_.back().ms.size());
    }
  }

  // All sums of a block.
  std::vector<place> places_of(const axis_ranges& ranges, const std::vector<axis_piece>& ns) {
    const int cut = rows_in_groups(ranges).axis;
    const bool is_batch = std::ranges::find(design_.batch, cut) != design_.batch.end();
    std::vector<place> places;
    for (group& g : groups_) {
      g.left = std::int64_t(g.bs.size() * g.ms.size() * ns.size());
      for (axis_piece& b : g.bs)
        for (std::size_t m = 0; m < g.ms.size(); ++m)
          for (const axis_piece& n : ns)
            places.push_back({&g, &b, &g.ms[m], &n, 0, g.first_row + std::int64_t(m)});
    }
    // Places in a tile are of a group, those in panels of the block.
    const auto shift = [&](std::int64_t sign) {
      if (cut < 0) return;
      const auto axis = std::size_t(cut);
      for (group& g : groups_)
        for (axis_piece& p : is_batch ? g.bs : g.ms)
          p.at[axis] += sign * (g.ranges[axis].first - ranges[axis].first);
    };
    if (is_shifted_) shift(-1);
    for (place& p : places) p.offset = p.into->layout.offset(*p.b, *p.m, *p.n);
    shift(1);
    is_shifted_ = true;
    return places;
  }

  void multiply(std::size_t at) {
    const axis_ranges ranges = walk_.ranges(made_[at]);
    const bool begins = at == 0 || is_last(at - 1, kept_axes_), ends = is_last(at, kept_axes_);
    if (begins) {
      make_groups(ranges);
      is_shifted_ = false;
      opened_ = 0;
    }
    begin_additions(at, ranges);
    const auto ns = pieces_of(step_, design_.n, design_.n_axes, ranges);
    const std::vector<place> places = places_of(ranges, ns);
    progress going{.at = at,
                   .rows = rows_,
                   .columns = columns_,
                   .all = std::int64_t(places.size() * rows_->k_tiles().size())};
    if (at > 0) advance(going, 0);
    const filling f{ranges, *going.rows, going.columns.get(), begins, ends};
    for (std::size_t i = 0; i < places.size();) {
      const auto rest = std::span<const place>(places).subspan(i);
      if (begins)
        open_until(design_.stream > 0 ? groups_.size()
                                      : std::size_t(rest[0].into - groups_.data()) + 2);
      const std::size_t some = design_.stream > 0 ? fill_all(f, rest, going) : fill(f, rest, going);
      for (const place& p : rest.first(some))
        if (--p.into->left == 0 && ends) close(*p.into);
      i += some;
    }
    if (design_.stream > 0) used_ += ceil_div(std::int64_t(rows_of(going)), design_.stream);
    if (epilogue_.sums != product_sums::none && is_last(at, design_.m_axes))
      store_sums(ranges, at + 1 == made_.size());
  }
  static std::size_t rows_of(const progress& p) { return p.rows->k_tiles().size(); }

  row_groups rows_in_groups(const axis_ranges& ranges) const {
    return chips_.result.empty() ? row_groups_of(step_, design_, ranges) : row_groups{};
  }

  // Tiles of the first groups, with what the sums are added to.
  void open_until(std::size_t count) {
    for (; opened_ < std::min(count, groups_.size()); ++opened_) {
      group& now = groups_[opened_];
      now.tile = chips_.result.empty() ? results_.next() : chips_.result;
      if (epilogue_.beta != 0) transfer_result(transfer::load, now, tensors_.before);
    }
  }

  void close(const group& g) {
    if (!chips_.result.empty() || epilogue_.sums != product_sums::none) return;
    if (step_.part) mask(g);
    transfer_result(transfer::store, g, tensors_.of(side::out));
  }

  void transfer_result(transfer which, const group& g, const hbm_view& tensor) {
    if (!step_.part) return g.layout.lies().issue(nc_, which, g.tile, tensor);
    const axis_range rows = g.ranges[std::size_t(design_.m_axes[0])],
                     all = g.ranges[std::size_t(design_.n_axes[0])],
                     columns = in_part(step_, rows, all);
    if (columns.count == 0) return;
    const triangle_layout packed(*step_.part, step_.extent(design_.m_axes[0]), design_.m.chunk);
    const triangle_layout::row_of_blocks r = packed.at(rows.first / design_.m.chunk);
    const hbm_view there = tensor.pattern(r.offset + columns.first - r.column,
                                          {{rows.count, r.columns}, {columns.count, 1}});
    const tile_view here = g.tile.partition_range(0, int(rows.count))
                               .columns(columns.first - all.first, columns.count);
    if (which == transfer::load)
      nc_.issue(dma_copy{.out = here, .in = there});
    else
      nc_.issue(dma_copy{.out = there, .in = here});
  }

  // Blocks on the diagonal lose what they have of the other triangle.
  void mask(const group& g) {
    const axis_range rows = g.ranges[std::size_t(design_.m_axes[0])],
                     all = g.ranges[std::size_t(design_.n_axes[0])];
    const std::int64_t first = std::max(rows.first, all.first),
                       end = std::min(rows.first + rows.count, all.first + all.count);
    if (first >= end) return;
    const tile_view block =
        g.tile.partition_range(0, int(rows.count)).columns(first - all.first, end - first);
    keep_triangle(nc_, block, block, *step_.part, rows.first - first, false);
  }

  void begin_additions(std::size_t at, const axis_ranges& ranges) {
    const auto changes = [&](const std::vector<int>& axes) {
      return at == 0 || walk_.place(made_[at], axes) != walk_.place(made_[at - 1], axes);
    };
    if (epilogue_.sums != product_sums::none && changes(design_.m_axes))
      row_sum_ = row_sums_.next();
    if (!epilogue_.bias || !changes(design_.n_axes)) return;
    const axis_range n = ranges[std::size_t(design_.n_axes[0])];
    bias_ = biases_.next().columns(0, step_.planes * n.count).reshape({step_.planes, n.count});
    nc_.issue(dma_copy{
        .out = bias_,
        .in = tensors_.bias.slice(1, n.first, n.count).repeat(nc_.machine().sbuf.partitions)});
  }

  // Sums in a bank, at places of a tile that are evenly spaced: they leave together.
  struct bank_of_sums {
    const place& head;
    tile_view sums;
    axis_piece n;           // of the first
    std::int64_t from = 0;  // it begins so many columns later than its place
    std::int64_t count = 1, step = 0;
    bool has_terms = false;
  };

  // Of a triangle with what it has of a place; nothing, where that is none.
  std::optional<bank_of_sums> begin_bank(const filling& f, const place& p) {
    bank_of_sums bank{.head = p, .sums = {}, .n = *p.n};
    if (step_.part) {
      const axis_range rows = range_of(f.block, design_.m_axes, *p.m),
                       columns = range_of(f.block, design_.n_axes, *p.n),
                       kept = in_part(step_, rows, columns);
      if (kept.count == 0) return {};
      bank.from = kept.first - columns.first;
      bank.n.at[std::size_t(design_.n_axes[0])] += bank.from;
      bank.n.lanes = bank.n.cut_count = kept.count;
    }
    bank.sums = sums_.next().partition_range(0, int(p.m->lanes));
    return bank;
  }

  // A sum of each bank, k tile by k tile.
  std::size_t fill_all(const filling& f, std::span<const place> places, progress& going) {
    const std::size_t most = std::size_t(sums_count_);
    places = places.first(std::min(most, places.size()));
    std::vector<bank_of_sums> banks;
    for (const place& p : places)
      if (auto bank = begin_bank(f, p)) banks.push_back(*std::move(bank));
    for (std::size_t t = 0; t < f.rows.k_tiles().size(); ++t) {
      for (bank_of_sums& b : banks) add_tile(f, b, 0, t, *b.head.b, *b.head.m, b.n);
      advance(going, std::int64_t(places.size()));
    }
    for (bank_of_sums& b : banks) empty_bank(f, b);
    return places.size();
  }

  // How many sums there were.
  std::size_t fill(const filling& f, std::span<const place> places, progress& going) {
    const std::size_t tiles = f.rows.k_tiles().size();
    auto bank = begin_bank(f, places[0]);
    if (!bank) {
      advance(going, std::int64_t(tiles));
      return 1;
    }
    const place& head = bank->head;
    std::int64_t count = 0;
    for (const place& p : places) {
      const std::int64_t width = bank->n.lanes;
      if (p.into != head.into || p.m->lanes != head.m->lanes ||
          (count > 0 && p.n->lanes != width) || (count + 1) * width > bank_)
        break;
      if (count > 0 && (is_single_ || head.into->layout.levels() >=
                                          std::size_t(nc_.machine().access.pattern_dims_max)))
        break;
      if (count == 1) bank->step = p.offset - head.offset;
      if (p.offset != head.offset + count * bank->step || (count > 0 && bank->step <= 0)) break;
      bool has_terms = false;
      for (std::size_t t = 0; t < tiles; ++t) {
        std::swap(bank->has_terms, has_terms);
        add_tile(f, *bank, count * width, t, *p.b, *p.m, count == 0 ? bank->n : *p.n);
        std::swap(bank->has_terms, has_terms);
      }
      bank->has_terms = has_terms;
      ++count;
    }
    bank->count = count;
    empty_bank(f, *bank);
    advance(going, count * std::int64_t(tiles));
    return std::size_t(count);
  }

  void empty_bank(const filling& f, const bank_of_sums& b) {
    const place& p = b.head;
    const auto to = [&](int plane) {
      return p.into->layout.sums(p.into->tile, plane, p.offset + b.from, b.count, b.step, *p.m,
                                 b.n);
    };
    const auto bank = [&](int i) { return b.sums.columns(i * bank_, b.count * b.n.lanes); };
    if (!b.has_terms) {
      if (f.begins) nc_.issue(memset{.out = to(0), .value = 0});
    } else if (step_.three_products) {
      put_three(to(0), to(1), bank, f.begins);
      for (int i = 0; i < 2 && f.begins && epilogue_.bias; ++i)
        nc_.issue(tensor_tensor{.out = to(i), .left = to(i), .right = bias_of(i, *p.m, b.n)});
    } else {
      for (int i = 0; i < step_.planes; ++i)
        put(f, {to(i), bank(i), bias_of(i, *p.m, b.n), p.row, b.n.at},
            i == 1 && design_.conjugates);
    }
  }

  axis_range range_of(const axis_ranges& block, const std::vector<int>& axes,
                      const axis_piece& p) const {
    const auto a = std::size_t(axes[0]);
    return {block[a].first + p.at[a], p.lanes};
  }
  tile_view bias_of(int plane, const axis_piece& m, const axis_piece& n) const {
    if (!epilogue_.bias) return {};
    return bias_.partition_range(0, int(m.lanes))
        .slice(1, plane, 1)
        .columns(n.at[std::size_t(design_.n_axes[0])], n.lanes);
  }

  // Of a panel that is both operands columns are the rows of the same numbers.
  axis_piece as_rows(axis_piece n) const {
    std::swap(n.at[std::size_t(design_.m_axes[0])], n.at[std::size_t(design_.n_axes[0])]);
    return n;
  }

  // Products of k tile t, from one column of a bank on.
  void add_tile(const filling& f, bank_of_sums& bank, std::int64_t at, std::size_t t,
                const axis_piece& b, const axis_piece& m, const axis_piece& n) {
    constexpr std::int64_t ahead = 2;  // units that are made beside products
    f.rows.ensure(f.rows.units_for(m, b.at, t) + ahead);
    const axis_piece moving = design_.shares ? as_rows(n) : n;
    const axis_lanes& lanes = design_.shares ? design_.m : design_.n;
    product_panel& columns = design_.stream > 0 ? streamed(t) : *f.columns;
    const std::size_t tile = design_.stream > 0 ? t % std::size_t(design_.stream) : t;
    columns.ensure(columns.units_for(moving, b.at, tile));
    if (f.rows.is_zero(t, m) || columns.is_zero(tile, moving)) return;
    for_part_products(step_.parts, [&](int part, int other) {
      add_product(
          [&](int to, int left, int right, bool accumulate) {
            const int row = part * design_.stationary.planes_of_part() + left,
                      column = other * design_.moving.planes_of_part() + right;
            nc_.issue(matmul{.out = bank.sums.columns(to * bank_ + at, n.lanes),
                             .stationary = f.rows.columns(t, row, m, b.at, design_.m),
                             .moving = columns.columns(tile, column, moving, b.at, lanes),
                             .accumulate = accumulate});
          },
          bank.has_terms);
      bank.has_terms = true;
    });
  }

  // A product of numbers: add(bank, plane of rows, plane of columns, onto what is there).
  template <class Add>
  void add_product(const Add& add, bool onto) const {
    add(0, 0, 0, onto);
    if (step_.planes == 1) return;
    if (step_.three_products) {
      add(1, 1, 1, onto);
      add(2, 2, 2, onto);
      return;
    }
    const int im = design_.moving.negated && takes_conjugate() ? 2 : 1;
    add(1, 0, im, onto);
    add(0, 1, 3 - im, true);
    add(1, 1, 0, true);
  }

  // conj(x) y is the conjugate of x conj(y).
  bool takes_conjugate() const { return step_.conjugate[0] != step_.conjugate[1]; }

  // p - q and s - p - q.
  template <class Bank>
  void put_three(const tile_view& re, const tile_view& im, const Bank& bank, bool begins) {
    const auto combine = [&](const tile_view& out, const tile_view& left, const tile_view& right,
                             alu_op op) {
      nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = op});
    };
    if (begins) {
      evacuate(nc_, re, bank(0));
      combine(im, bank(2), re, alu_op::subtract);
    } else {
      combine(re, re, bank(0), alu_op::add);
      combine(im, im, bank(2), alu_op::add);
      combine(im, im, bank(0), alu_op::subtract);
    }
    combine(re, re, bank(1), alu_op::subtract);
    combine(im, im, bank(1), alu_op::subtract);
  }

  // Sums, where they go, and where these are.
  struct sums_place {
    tile_view to, sums, bias;
    std::int64_t row;
    const std::vector<std::int64_t>& at;
  };

  // C0 and the bias are scaled and added by gpsimd; the vector engine adds them to what is in PSUM,
  // or the scalar engine applies scale and function, and adds up rows as it does so.
  void put(const filling& f, const sums_place& p, bool negated) {
    const product_epilogue& e = epilogue_;
    const float alpha = negated ? -e.alpha : e.alpha;
    tile_view other = f.begins ? p.bias : p.to;
    if (f.begins && e.beta != 0) {
      if (e.beta != 1)
        nc_.issue(tensor_scalar{.out = p.to,
                                .in = p.to,
                                .op0 = alu_op::multiply,
                                .operand0 = e.beta,
                                .on = unit::gpsimd});
      if (e.bias)
        nc_.issue(tensor_tensor{.out = p.to, .left = p.to, .right = p.bias, .on = unit::gpsimd});
      other = p.to;
    }
    const bool is_added = !other.empty(), applies = f.ends && !is_plain_copy();
    if (is_added) {
      if (alpha == 1 || alpha == -1)
        nc_.issue(tensor_tensor{.out = p.to,
                                .left = other,
                                .right = p.sums,
                                .op = alpha == 1 ? alu_op::add : alu_op::subtract});
      else
        nc_.issue(scalar_tensor_tensor{.out = p.to,
                                       .in = p.sums,
                                       .right = other,
                                       .op0 = alu_op::multiply,
                                       .operand0 = alpha,
                                       .op1 = alu_op::add});
    } else if (!applies) {
      evacuate(nc_, p.to, p.sums, alpha);
    }
    if (!applies) return;
    const tile_view& values = is_added ? p.to : p.sums;
    const float scale = is_added ? 1.0F : alpha;
    if (e.sums == product_sums::none)
      nc_.issue(activation{.out = p.to, .in = values, .function = e.function, .scale = scale});
    else
      sum_row(f, p, values, scale);
  }
  bool is_plain_copy() const {
    return epilogue_.function == activation_function::copy && epilogue_.sums == product_sums::none;
  }

  // Sums of the columns of a row come one after the other.
  void sum_row(const filling& f, const sums_place& p, const tile_view& values, float scale) {
    const auto rows = [&](const tile_view& whole) {
      return whole.partition_range(0, p.to.partitions());
    };
    const auto axis = std::size_t(design_.n_axes[0]);
    const bool is_first = f.block[axis].first + p.at[axis] == 0;
    const tile_view sums = rows(row_sum_).columns(p.row, 1),
                    here = is_first ? sums : rows(cells_.next());
    nc_.issue(activation_reduce{.out = p.to,
                                .reduced = here,
                                .in = values,
                                .function = epilogue_.function,
                                .scale = scale});
    if (!is_first) nc_.issue(tensor_tensor{.out = sums, .left = sums, .right = here});
  }

  // Those of a block of rows, or, once all are there, the sum of all.
  void store_sums(const axis_ranges& block, bool is_last_block) {
    const axis_range rows = block[std::size_t(design_.m_axes[0])];
    const std::int64_t lanes = design_.m.lanes_within(step_), whole = rows.count / lanes,
                       rest = rows.count % lanes;
    if (epilogue_.sums == product_sums::rows) {
      if (whole > 0)
        nc_.issue(dma_copy{.out = tensors_.sums.pattern(rows.first, {{lanes, 1}, {whole, lanes}}),
                           .in = row_sum_.partition_range(0, int(lanes)).columns(0, whole)});
      if (rest > 0)
        nc_.issue(
            dma_copy{.out = tensors_.sums.pattern(rows.first + whole * lanes, {{rest, 1}, {1, 1}}),
                     .in = row_sum_.partition_range(0, int(rest)).columns(whole, 1)});
      return;
    }
    if (total_.empty()) {
      total_ = totals_.next();
      nc_.issue(memset{.out = total_, .value = 0});
    }
    for (std::int64_t r = 0; r < ceil_div(rows.count, lanes); ++r) {
      const int count = int(r < whole ? lanes : rest);
      const tile_view to = total_.partition_range(0, count);
      nc_.issue(tensor_tensor{
          .out = to, .left = to, .right = row_sum_.partition_range(0, count).columns(r, 1)});
    }
    if (!is_last_block) return;
    const tile_view sum = totals_.next().partition_range(0, 1);
    nc_.issue(partition_reduce{.out = sum, .in = total_});
    nc_.issue(dma_copy{.out = tensors_.sums, .in = sum});
  }

  core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  const product_epilogue& epilogue_;
  const step_tensors& tensors_;
  product_chips chips_;
  block_walk walk_;
  product_tile_sizes sizes_;
  pool_depths depths_;
  std::int64_t bank_;
  std::vector<int> kept_axes_;
  bool is_single_;  // a sum at a time leaves PSUM
  std::int64_t sums_count_;
  tile_pool stationary_, moving_, stationary_raw_, moving_raw_, results_, biases_, row_sums_,
      cells_, totals_, transposes_, sums_;
  panel_pools stationary_pools_{stationary_, stationary_raw_, transposes_},
      moving_pools_{moving_, moving_raw_, transposes_};
  std::vector<std::int64_t> made_;  // blocks
  std::shared_ptr<product_panel> rows_, columns_;
  std::int64_t row_place_ = 0, column_place_ = 0;
  // Of a moving operand that streams: the parts that are there, how many were brought and dropped,
  // used by the blocks before, and which is the next.
  std::deque<std::shared_ptr<product_panel>> stream_;
  std::int64_t streamed_ = 0, dropped_ = 0, used_ = 0, stream_part_ = 0;
  std::size_t stream_block_ = 0;
  std::vector<group> groups_;
  std::size_t opened_ = 0;
  bool is_shifted_ = false;  // pieces of groups are within the block
  tile_view bias_, row_sum_, total_;
};

}  // namespace

namespace {

axis_ranges streamed_part(const product_step_design& d, axis_ranges ranges) {
  if (d.stream == 0) return ranges;
  axis_range& k = ranges[std::size_t(d.k.cut)];
  k.count = std::min(k.count, d.stream * d.k.chunk);
  return ranges;
}

}  // namespace

product_tile_sizes sizes_of(const contraction_step& step, const product_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);  // the first is the largest
  const row_groups groups = row_groups_of(step, d, ranges);
  product_tile_sizes sizes{
      .stationary = panel_size_of(d.stationary, ranges),
      .moving = d.shares ? panel_size{1, 1, 1} : panel_size_of(d.moving, streamed_part(d, ranges)),
      .result = tile_layout(step, side::out, d.m, groups.part(ranges, 0)).words(),
      .groups = groups.groups(ranges)};
  if (step.epilogue.bias) sizes.bias = step.planes * ranges[std::size_t(d.n_axes[0])].count;
  if (step.epilogue.sums != product_sums::none)
    sizes.row_sums = ceil_div(ranges[std::size_t(d.m_axes[0])].count, d.m.lanes_within(step));
  return sizes;
}

std::int64_t sums_at_once(const product_step_design& d, const machine_spec& machine) {
  constexpr int transposing = 2;
  return (machine.psum.banks - transposing) / d.banks;
}

dtype made_type(const contraction_step& step, const product_step_design& design) {
  const product_epilogue& e = step.epilogue;
  const bool is_final = blocks_of_a_result(design) == 1 && e.beta == 0 && !step.three_products &&
                        e.sums == product_sums::none &&
                        (!e.bias || e.function == activation_function::copy);
  return is_final ? step.stored[std::size_t(side::out)] : dtype::fp32;
}

namespace {

// With what each tile is rounded up by.
std::int64_t tile_bytes(std::int64_t elements, dtype type) {
  constexpr std::int64_t rounding = 32;
  return elements * std::int64_t(size_bytes(type)) + rounding;
}

std::int64_t other_bytes(const product_tile_sizes& s) {
  return 2 * tile_bytes(s.bias, dtype::fp32) + 2 * tile_bytes(s.row_sums, dtype::fp32) +
         6 * tile_bytes(1, dtype::fp32);
}

}  // namespace

std::int64_t room_of(const contraction_step& step, const product_step_design& design,
                     const product_tile_sizes& s) {
  const pool_depths depths = tile_depths_of(design, s);
  const auto stored = [&](side of) { return step.stored[std::size_t(of)]; };
  return depths.stationary * tile_bytes(s.stationary.kept, step.type) +
         depths.stationary_raw * tile_bytes(s.stationary.raw, stored(design.rows)) +
         depths.moving * tile_bytes(s.moving.kept, step.type) +
         depths.moving_raw * tile_bytes(s.moving.raw, stored(design.columns())) +
         depths.result * tile_bytes(s.result, made_type(step, design)) + other_bytes(s);
}

std::int64_t twice_room_of(const contraction_step& step, const product_tile_sizes& s) {
  const auto size = std::int64_t(size_bytes(step.type));
  return 2 * (size * (s.stationary.kept + s.moving.kept) +
              4 * (s.stationary.raw + s.moving.raw + s.result * s.groups));
}

std::int64_t blocks_made(const contraction_step& step, const product_step_design& design) {
  const block_walk walk(step, design.loops);
  if (!step.part) return walk.blocks();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < walk.blocks(); ++i)
    count += is_made(step, design, walk.ranges(i)) ? 1 : 0;
  return count;
}

double share_of_blocks(const contraction_step& step, const product_step_design& design,
                       std::int64_t some) {
  const block_walk walk(step, design.loops);
  if (!step.part) return double(some) / double(walk.blocks());
  double all = 0, share = 0;
  for (std::int64_t i = 0, count = 0; i < walk.blocks(); ++i) {
    const axis_ranges ranges = walk.ranges(i);
    if (!is_made(step, design, ranges)) continue;
    const axis_range m = ranges[std::size_t(design.m_axes[0])];
    for (std::int64_t r = 0; r < m.count; r += design.m.chunk)
      all += double(in_part(step, {m.first + r, std::min(design.m.chunk, m.count - r)},
                            ranges[std::size_t(design.n_axes[0])])
                        .count);
    if (++count == some) share = all;
  }
  return share / all;
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

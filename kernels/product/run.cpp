// Runs the products of a step on the tensor engine.
//   identity   out[b, m, n] = sum over k of rows[b, m, k] columns[b, k, n]
//   layout     panels of both operands have k on partitions; PSUM sums a bank of results, which
//              goes to a result tile (result_layout)
//   order      blocks of k are innermost, and add to the result tiles; rows are stored once they
//              are finished; the next block is loaded and transposed between this one's products
//   bound      tensor engine: passes * m n k / (rows * columns of the array) cycles; DMA where
//              blocks are short
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "kernels/array_operands.hpp"
#include "kernels/product/chain.hpp"
#include "kernels/product/epilogue.hpp"
#include "kernels/product/operands.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// The PSUM banks of sums in flight, and those of transposes.
struct banks_of_psum {
  tile_pool transposes, sums;

  banks_of_psum(core& nc, const product_step_design& design)
      : transposes(nc.psum_pool(int(nc.machine().psum.banks - count(nc, design) * design.banks),
                                nc.machine().psum.partitions, columns_of(nc))),
        sums(nc.psum_pool(int(count(nc, design)), nc.machine().psum.partitions,
                          design.banks * columns_of(nc))) {}

  static std::int64_t count(core& nc, const product_step_design& design) {
    return sums_at_once(design, nc.machine());
  }
  static std::int64_t columns_of(core& nc) { return nc.machine().psum.bank_bytes / 4; }
};

class product_run {
 public:
  // `stays`: the result stays in SBUF, in the tile that on_chip_values names.
  product_run(core& nc, const contraction_step& step, const product_step_design& design,
              const step_tensors& tensors, banks_of_psum& banks, bool stays,
              const block_span& blocks = {})
      : product_run(nc, step, design, tensors, banks, stays, blocks, pools_of(step, design)) {}

  // Runs the next blocks, as far as `on_chip` has the slice that they read or make.
  void run_next(const on_chip_values& on_chip) {
    on_chip_ = on_chip;
    const std::size_t first = end_;
    const auto is_there = [&](std::int64_t block) {
      return on_chip.axis < 0 || walk_.ranges(block)[std::size_t(on_chip.axis)].first == on_chip.at;
    };
    while (end_ < made_.size() && is_there(made_[end_])) ++end_;
    operands_.take(on_chip, end_);
    if (first < end_) operands_.bring(first);
    for (std::size_t i = first; i < end_; ++i) multiply(i);
  }

 private:
  product_run(core& nc, const contraction_step& step, const product_step_design& design,
              const step_tensors& tensors, banks_of_psum& banks, bool stays,
              const block_span& blocks, const product_pools& pools)
      : nc_(nc),
        step_(step),
        design_(design),
        walk_(step, design.loops),
        made_(made_blocks(step, design, blocks)),
        bank_(banks_of_psum::columns_of(nc)),
        kept_axes_(both_axes(design.batch, both_axes(design.m_axes, design.n_axes))),
        is_single_(step.part || step.epilogue.bias || step.triangles[0] || step.triangles[1] ||
                   step.epilogue.sums != kernels::product_sums::none),
        has_pairs_(has_double_rows(step, nc.machine())),
        sums_count_(sums_at_once(design, nc.machine())),
        operands_(nc, step, design, tensors, pools, banks.transposes, walk_, made_),
        results_((stays ? pool_size{} : pools.result).made(nc)),
        sums_(banks.sums),
        epilogue_(nc, step, design, tensors, pools) {}

  // Rows that are stored together.
  struct group {
    result_layout layout;
    std::vector<axis_piece> bs, ms;  // within the block
    std::int64_t first_row;          // number of its first piece of m in the block
    std::int64_t left = 0;           // sums still to be made
    tile_view tile = {};
  };
  // One sum: its pieces, and its place in the result tile.
  struct place {
    group* into;
    const axis_piece *b, *m, *n;
    std::int64_t offset, row;
  };
  // The sums of a bank. Their places in the tile are evenly spaced, so that one instruction takes
  // them out of PSUM.
  struct bank_of_sums {
    const place& head;
    tile_view sums;
    axis_piece n;           // columns of the first sum
    std::int64_t from = 0;  // columns of its place that are beside the triangle, before it
    std::int64_t count = 1, step = 0;
    bool has_terms = false;
  };

  bool streams() const { return design_.stream > 0; }

  // The ranges of the result tile in SBUF.
  axis_ranges ranges_on_chip() const {
    axis_ranges all;
    for (const step_axis& a : step_.axes) all.push_back({0, a.extent});
    if (on_chip_.axis >= 0) all[std::size_t(on_chip_.axis)] = {on_chip_.at, 1};
    return all;
  }

  void make_groups(const axis_ranges& block) {  // cut as the first block's, which are the largest
    groups_.clear();
    opened_ = 0;
    const row_groups cut =
        on_chip_.result.empty() ? row_groups_of(step_, design_, walk_.ranges(0)) : row_groups{};
    std::int64_t row = 0;
    for (std::int64_t g = 0; g < cut.groups(block); ++g) {
      const axis_ranges part = cut.part(block, g);
      group& now = groups_.emplace_back(
          group{{step_, design_, on_chip_.result.empty() ? part : ranges_on_chip(), block},
                pieces_of(step_, {}, design_.batch, part),
                pieces_of(step_, design_.m, design_.m_axes, part),
                row});
      row += std::int64_t(now.ms.size());
      if (cut.axis < 0) continue;
      const auto a = std::size_t(cut.axis);
      for (axis_piece& p : is_among(design_.batch, cut.axis) ? now.bs : now.ms)
        p.at[a] += part[a].first - block[a].first;
    }
  }

  // The places of all sums of a block, group by group.
  std::vector<place> places_of(const std::vector<axis_piece>& ns) {
    std::vector<place> places;
    for (group& g : groups_) {
      g.left = std::int64_t(g.bs.size() * g.ms.size() * ns.size());
      for (const axis_piece& b : g.bs)
        for (std::size_t m = 0; m < g.ms.size(); ++m)
          for (const axis_piece& n : ns)
            places.push_back({&g, &b, &g.ms[m], &n, g.layout.offset(b, g.ms[m], n),
                              g.first_row + std::int64_t(m)});
    }
    return places;
  }

  // Whether block `at` is at another place in these loops than the one before.
  bool changes(std::size_t at, const std::vector<int>& axes) const {
    return at == 0 || at == made_.size() ||
           walk_.place(made_[at], axes) != walk_.place(made_[at - 1], axes);
  }

  void multiply(std::size_t at) {
    block_ = {.ranges = walk_.ranges(made_[at]),
              .begins = changes(at, kept_axes_),
              .ends = changes(at + 1, kept_axes_),
              .has_new_rows = changes(at, design_.m_axes),
              .has_new_columns = changes(at, design_.n_axes),
              .ends_rows = changes(at + 1, design_.m_axes),
              .is_last = at + 1 == made_.size()};
    if (block_.begins) make_groups(block_.ranges);
    epilogue_.begin(block_);
    const auto ns = pieces_of(step_, design_.n, design_.n_axes, block_.ranges);
    const std::vector<place> places = places_of(ns);
    operands_.begin(at, std::int64_t(places.size()));
    for (std::size_t i = 0; i < places.size();) {
      const auto rest = std::span<const place>(places).subspan(i);
      if (block_.begins)
        open_until(streams() ? groups_.size() : std::size_t(rest[0].into - groups_.data()) + 2);
      const std::size_t some = streams() ? fill_all(rest) : fill(rest);
      for (const place& p : rest.first(some))
        if (--p.into->left == 0 && block_.ends && on_chip_.result.empty())
          epilogue_.close(p.into->layout, p.into->tile);
      i += some;
    }
    operands_.end();
    epilogue_.end();
  }
  std::size_t k_tiles() const { return operands_.k_tiles(); }

  // Takes tiles for the first `count` groups, and loads C0 where sums are added to it.
  void open_until(std::size_t count) {
    for (; opened_ < std::min(count, groups_.size()); ++opened_) {
      group& now = groups_[opened_];
      now.tile = on_chip_.result.empty() ? results_.next() : on_chip_.result;
      epilogue_.open(now.layout, now.tile);
    }
  }

  // Begins a bank with the columns of a place that are in the triangle; empty where there are none.
  std::optional<bank_of_sums> begin_bank(const place& p) {
    bank_of_sums bank{.head = p, .sums = {}, .n = *p.n};
    if (step_.part) {
      const axis_range columns = range_of(design_.n_axes[0], *p.n),
                       kept = in_part(step_, range_of(design_.m_axes[0], *p.m), columns);
      if (kept.count == 0) return {};
      bank.from = kept.first - columns.first;
      bank.n.at[std::size_t(design_.n_axes[0])] += bank.from;
      bank.n.partitions = bank.n.cut_count = kept.count;
    }
    const auto odd = is_packed(step_.type) ? p.m->partitions % 2 : 0;  // packed rows are even
    bank.sums = sums_.next().partition_range(0, int(p.m->partitions + odd));
    return bank;
  }
  axis_range range_of(int axis, const axis_piece& p) const {
    const auto a = std::size_t(axis);
    return {block_.ranges[a].first + p.at[a], p.partitions};
  }

  // Makes one sum in each bank, k tile by k tile, so that a streamed k tile serves all of them.
  std::size_t fill_all(std::span<const place> places) {
    places = places.first(std::min(std::size_t(sums_count_), places.size()));
    std::vector<bank_of_sums> banks;
    for (const place& p : places)
      if (auto bank = begin_bank(p)) banks.push_back(*std::move(bank));
    for (std::size_t t = 0; t < k_tiles(); t += tiles_at(t)) {
      for (bank_of_sums& b : banks) add_tiles(b, 0, t, b.head, b.n, b.has_terms);
      operands_.advance(std::int64_t(places.size() * tiles_at(t)));
    }
    for (const bank_of_sums& b : banks) empty_bank(b);
    return places.size();
  }

  // Makes as many sums as fit one bank; returns how many.
  std::size_t fill(std::span<const place> places) {
    const auto tiles = std::int64_t(k_tiles());
    auto bank = begin_bank(places[0]);
    if (!bank) {
      operands_.advance(tiles);
      return 1;
    }
    bank->count = 0;
    for (const place& p : places) {
      if (bank->count == 1) bank->step = p.offset - bank->head.offset;
      if (bank->count > 0 && !fits(*bank, p)) break;
      bank->has_terms = false;
      for (std::size_t t = 0; t < k_tiles(); t += tiles_at(t))
        add_tiles(*bank, bank->count * bank->n.partitions, t, p, bank->count == 0 ? bank->n : *p.n,
                  bank->has_terms);
      ++bank->count;
    }
    empty_bank(*bank);
    operands_.advance(bank->count * tiles);
    return std::size_t(bank->count);
  }
  // Whether one more sum fits a bank and can leave PSUM with the others.
  bool fits(const bank_of_sums& bank, const place& p) const {
    const place& head = bank.head;
    return !is_single_ && p.into == head.into && p.m->partitions == head.m->partitions &&
           p.n->partitions == bank.n.partitions && (bank.count + 1) * bank.n.partitions <= bank_ &&
           head.into->layout.levels() < std::size_t(nc_.machine().access.pattern_dims_max) &&
           bank.step > 0 && p.offset == head.offset + bank.count * bank.step;
  }

  void empty_bank(const bank_of_sums& b) {
    const place& p = b.head;
    leaving_sums s{.m = *p.m, .n = b.n, .row = p.row, .parts = on_chip_.parts};
    for (int i = 0; i < std::max(step_.planes, on_chip_.parts); ++i)
      s.to[std::size_t(i)] =
          p.into->layout.sums(p.into->tile, i, p.offset + b.from, b.count, b.step, *p.m, b.n);
    for (int i = 0; i < design_.banks && b.has_terms; ++i)
      s.banks[std::size_t(i)] = b.sums.partition_range(0, int(p.m->partitions))
                                    .columns(i * bank_, b.count * b.n.partitions);
    epilogue_.put(s);
  }

  // The number of k tiles, 1 or 2, that a product sums from tile t on.
  std::size_t tiles_at(std::size_t t) {
    if (!has_pairs_ || t % 2 != 0 || t + 1 == k_tiles()) return 1;
    const auto& tiles = operands_.rows().k_tiles();
    return tiles[t].partitions == tiles[t + 1].partitions ? 2 : 1;
  }

  // Issues products of tiles_at(t) k tiles into a bank, from column `at` on, onto earlier terms.
  void add_tiles(const bank_of_sums& bank, std::int64_t at, std::size_t t, const place& p,
                 const axis_piece& n, bool& has_terms) {
    constexpr std::int64_t ahead = 2;  // units made ahead of products
    const axis_piece &m = *p.m, &b = *p.b;
    product_panel& rows = operands_.rows();
    const std::size_t last = t + tiles_at(t) - 1;
    rows.ensure(rows.units_for(m, b.at, last) + ahead);
    axis_piece moving = n;
    if (design_.shares)  // one panel is both operands: column j is its row j
      std::swap(moving.at[std::size_t(design_.m_axes[0])],
                moving.at[std::size_t(design_.n_axes[0])]);
    const axis_partitions& partitions = design_.shares ? design_.m : design_.n;
    const product_operands::tile_of_columns found = operands_.columns(t);
    product_panel& columns = found.panel;
    const std::size_t tile = found.tile;
    columns.ensure(columns.units_for(moving, b.at, tile + last - t));
    const auto is_zero = [&](std::size_t i) {
      return rows.is_zero(t + i, m) || columns.is_zero(tile + i, moving);
    };
    if (is_packed(step_.type) || (last > t && !is_zero(0) && !is_zero(1))) {
      multiply_together(nc_, bank.sums.columns(at, n.partitions), {rows, t, m, design_.m},
                        {columns, tile, moving, partitions}, b.at, has_terms);
      has_terms = true;
      return;
    }
    for (std::size_t i = 0; i <= last - t; ++i)
      if (!is_zero(i)) add_tile(bank, at, {rows, t + i}, {columns, tile + i}, p, moving, has_terms);
  }

  // Issues the products of one k tile.
  void add_tile(const bank_of_sums& bank, std::int64_t at,
                const product_operands::tile_of_columns& rows,
                const product_operands::tile_of_columns& columns, const place& p,
                const axis_piece& moving, bool& has_terms) {
    const axis_piece &m = *p.m, &b = *p.b;
    const axis_partitions& partitions = design_.shares ? design_.m : design_.n;
    for_part_products(step_.parts, [&](int part, int other) {
      add_product(
          [&](int to, int left, int right, bool accumulate) {
            const int row = part * design_.stationary.planes_of_part() + left,
                      column = other * design_.moving.planes_of_part() + right;
            nc_.issue(matmul{
                .out = bank.sums.columns(to * bank_ + at, moving.partitions),
                .stationary = rows.panel.columns(rows.tile, row, m, b.at, design_.m),
                .moving = columns.panel.columns(columns.tile, column, moving, b.at, partitions),
                .accumulate = accumulate});
          },
          has_terms);
      has_terms = true;
    });
  }

  // Makes a product of numbers from real ones: add(bank, plane of rows, plane of columns,
  // accumulate).
  template <class Add>
  void add_product(const Add& add, bool onto) const {
    add(0, 0, 0, onto);
    if (step_.planes == 1) return;
    if (step_.three_products) {
      add(1, 1, 1, onto);
      add(2, 2, 2, onto);
      return;
    }
    // conj(x) y is the conjugate of x conj(y), which design_.conjugates applies to the sums.
    const bool takes_conjugate = step_.conjugate[0] != step_.conjugate[1];
    const int im = design_.moving.negated && takes_conjugate ? 2 : 1;
    add(1, 0, im, onto);
    add(0, 1, 3 - im, true);
    add(1, 1, 0, true);
  }

  core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  block_walk walk_;
  std::vector<std::int64_t> made_;  // blocks
  on_chip_values on_chip_ = {};
  std::size_t end_ = 0;  // blocks before it can run now
  std::int64_t bank_;
  std::vector<int> kept_axes_;
  bool is_single_;  // sums leave PSUM one at a time
  bool has_pairs_;  // products sum two k tiles
  std::int64_t sums_count_;
  product_operands operands_;
  tile_pool results_;
  tile_pool& sums_;
  result_epilogue epilogue_;
  block_place block_ = {};
  std::vector<group> groups_;
  std::size_t opened_ = 0;
};

}  // namespace

void run_products(core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, const on_chip_values& on_chip,
                  const block_span& blocks) {
  banks_of_psum banks(nc, design);
  product_run(nc, step, design, tensors, banks, !on_chip.result.empty(), blocks).run_next(on_chip);
}

void run_chain(core& nc, const product_chain& chain, const step_tensors& of_first,
               const step_tensors& of_second, std::int64_t count) {
  const chip_layout& lies = *chain.read.stationary.given;
  banks_of_psum banks(nc, chain.make);
  tile_pool kept =
      nc.sbuf_pool(2, nc.machine().sbuf.partitions, lies.parts * lies.words, lies.type);
  product_run make(nc, chain.first, chain.make, of_first, banks, true),
      read(nc, chain.second, chain.read, of_second, banks, false);
  // The second product of a slice runs behind the first product of the next slice.
  tile_view before;
  count = std::min(count, chain.slices());
  for (std::int64_t at = 0; at <= count; ++at) {
    const tile_view slice = at < count ? kept.next() : tile_view();
    if (at < count)
      make.run_next({.result = slice, .parts = lies.parts, .axis = chain.axes[0], .at = at});
    if (at > 0) read.run_next({.given = before, .axis = chain.axes[1], .at = at - 1});
    before = slice;
  }
}

}  // namespace papilio::kernels_detail

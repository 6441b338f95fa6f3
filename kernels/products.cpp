// Tiled matrix products.
//   identity   C[i, j] = sum over k of A^T[k, i] B[k, j]: A^T stationary, B moving, k on partitions
//   layout     panel of A as [128 k, (k tile, group, plane, row)] in SBUF, transposed through PSUM;
//              block of B as tiles [128 k, (plane, column)]; C tile [128 rows, (bank, column)] in
//              PSUM, a bank for each sum
//   order      k innermost; the next panel is transposed between the products of this one
//   bound      tensor engine: passes * products * m n k / 128^2 cycles; DMA where m is small
#include "kernels/products.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/transposer.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// Panels are made, and B is loaded, so many k tiles before their products.
constexpr std::int64_t lookahead = 2;

tile_pool pool_of(core& nc, const product_pool& p, std::int64_t side) {
  return p.depth == 0 ? nc.sbuf_pool(1, 1, 1, p.type)
                      : nc.sbuf_pool(p.depth, int(side), p.columns, p.type);
}

// Rows [i, i + rows) x columns [j, j + columns) of a batch, as [rows, planes, columns].
hbm_view block_of(const hbm_view& tensor, std::int64_t batch, std::int64_t i, std::int64_t rows,
                  std::int64_t j, std::int64_t columns) {
  return tensor.slice(0, batch, 1).slice(2, i, rows).slice(3, j, columns).permute({0, 2, 1, 3});
}

/// Part [first, first + depth) of k.
struct k_part {
  std::int64_t first, depth, tiles;
  std::int64_t rows_of(std::int64_t t, std::int64_t side) const {
    return std::min(side, depth - t * side);
  }
};

/// Memory and operands of a run.
struct workspace {
  workspace(core& on, const product_problem& p, const product_tiling& t, const product_operands& o)
      : nc(on),
        problem(p),
        tiling(t),
        operands(o),
        pools(pools_of(p, t, on.machine())),
        bank_columns(on.machine().psum.bank_bytes / 4),
        panels(pool_of(nc, pools.panels, t.side)),
        left_slices(pool_of(nc, pools.left_slices, t.side)),
        right_slices(pool_of(nc, pools.right_slices, t.side)),
        moving(pool_of(nc, pools.moving, t.side)),
        moving_sums(pool_of(nc, pools.moving_sums, t.side)),
        stationary_sums(pool_of(nc, pools.stationary_sums, t.side)),
        results(pool_of(nc, pools.results, t.side)),
        addends(pool_of(nc, pools.addends, t.side)),
        parts(pool_of(nc, pools.parts, t.side)),
        sums(nc.psum_pool(int(pools.sums), int(t.side), p.banks() * bank_columns)),
        transposes(nc.psum_pool(pools.transposing_banks, int(t.side), bank_columns)) {}

  core& nc;
  const product_problem& problem;
  const product_tiling& tiling;
  const product_operands& operands;
  product_pools pools;
  std::int64_t bank_columns;
  tile_pool panels, left_slices, right_slices, moving, moving_sums, stationary_sums, results,
      addends, parts, sums, transposes;
};

/// Some rows of A of one batch, made k tile by k tile, group by group.
class panel {
 public:
  panel(workspace& w, const k_part& k, std::int64_t batch, std::int64_t first)
      : w_(w), k_(k), batch_(batch), first_(first) {
    rows_ = std::min(w.tiling.rows * w.tiling.groups, w.problem.m - first);
    whole_ = w.panels.next();
  }

  std::int64_t batch() const { return batch_; }
  std::int64_t first() const { return first_; }
  std::int64_t groups() const { return tiles_of(rows_, w_.tiling.rows); }
  std::int64_t rows_of(std::int64_t group) const {
    return std::min(w_.tiling.rows, rows_ - group * w_.tiling.rows);
  }
  std::int64_t units() const { return groups() * k_.tiles; }
  std::int64_t made() const { return made_; }
  bool complete() const { return made_ == units(); }

  void ensure(std::int64_t count) {
    while (made_ < std::min(count, units())) make();
  }
  /// k tile t of `count` rows from i of a group: a stationary operand.
  tile_view stationary(std::int64_t group, std::int64_t t, std::int64_t plane, std::int64_t i,
                       std::int64_t count) const {
    return whole_.partition_range(0, int(k_.rows_of(t, w_.tiling.side)))
        .columns(place(group, t) + plane * w_.tiling.rows + i, count);
  }

 private:
  std::int64_t place(std::int64_t group, std::int64_t t) const {
    return (t * w_.tiling.groups + group) * w_.problem.planes() * w_.tiling.rows;
  }
  void make() {
    const std::int64_t group = made_ / k_.tiles, t = made_ % k_.tiles;
    if (t == 0)
      from_.emplace(w_.nc, w_.left_slices, w_.transposes,
                    block_of(w_.operands.a, batch_, first_ + group * w_.tiling.rows, rows_of(group),
                             k_.first, k_.depth),
                    w_.tiling.side, w_.pools.slice);
    from_->make(t, whole_.columns(place(group, t), w_.problem.planes() * w_.tiling.rows),
                w_.tiling.rows);
    ++made_;
  }

  workspace& w_;
  k_part k_;
  tile_view whole_;
  std::int64_t batch_, first_, rows_ = 0, made_ = 0;
  std::optional<transposer> from_;
};

/// The blocks of B in the order of their use, k tile by k tile.
class moving_blocks {
 public:
  moving_blocks(workspace& w, const k_part& k, std::int64_t a_panel)
      : w_(w), k_(k), across_(tiles_of(w.problem.n, w.tiling.width)), a_panel_(a_panel) {
    one_ = one_block(w.problem, w.tiling);
  }

  /// Blocks that a panel passes over.
  std::int64_t blocks() const {
    return across_ * (w_.problem.batch_a == 1 ? w_.problem.batch_b : 1);
  }
  /// Batch of C and first column of block q.
  std::pair<std::int64_t, std::int64_t> place(std::int64_t q) const {
    const std::int64_t within = q % blocks();
    const std::int64_t batch = w_.problem.batch_a == 1 ? within / across_ : q / blocks() / a_panel_;
    return {batch, within % across_ * w_.tiling.width};
  }
  std::int64_t width(std::int64_t q) const {
    return std::min(w_.tiling.width, w_.problem.n - place(q).second);
  }
  void ensure(std::int64_t q, std::int64_t t) {
    for (const std::int64_t wanted = one_ ? t : q * k_.tiles + t; made_ <= wanted;) make();
  }
  /// [k, planes x width] of what was made last but few.
  const tile_view& tile(std::int64_t t) const { return tiles_[std::size_t(t)]; }
  void begin(std::int64_t q) {
    ensure(q, 0);
    if (one_) return;
    tiles_.erase(tiles_.begin(), tiles_.begin() + (q * k_.tiles - dropped_));
    dropped_ = q * k_.tiles;
  }

 private:
  void make() {
    const std::int64_t q = made_ / k_.tiles, t = made_ % k_.tiles;
    const auto [batch, j] = place(q);
    const std::int64_t from = w_.problem.batch_b == 1 ? 0 : batch, count = width(q);
    const tile_view tile = w_.moving.next();
    if (w_.problem.right_transposed) {
      if (t == 0)
        from_.emplace(w_.nc, w_.right_slices, w_.transposes,
                      block_of(w_.operands.b, from, j, count, k_.first, k_.depth), w_.tiling.side,
                      w_.pools.slice);
      from_->make(t, tile, w_.tiling.width);
    } else {
      const std::int64_t rows = k_.rows_of(t, w_.tiling.side);
      w_.nc.issue(dma_copy{
          .out = tile.partition_range(0, int(rows))
                     .reshape({w_.problem.planes(), w_.tiling.width})
                     .columns(0, count),
          .in = block_of(w_.operands.b, from, k_.first + t * w_.tiling.side, rows, j, count)});
    }
    tiles_.push_back(tile);
    ++made_;
  }

  workspace& w_;
  k_part k_;
  std::int64_t across_, a_panel_, made_ = 0, dropped_ = 0;
  bool one_ = false;
  std::vector<tile_view> tiles_;
  std::optional<transposer> from_;
};

/// One tile row of C under way.
struct open_tile {
  tile_view sums;
  std::int64_t i, rows;  // within the group
};

class part_run {
 public:
  part_run(workspace& w, const k_part& k)
      : w_(w),
        k_(k),
        down_(tiles_of(w.problem.m, w.tiling.rows * w.tiling.groups)),
        blocks_(w, k, down_) {}

  void run() {
    const std::int64_t panels = down_ * w_.problem.batch_a, blocks = blocks_.blocks();
    for (std::int64_t x = 0; x < panels; ++x) {
      current_ = next_ ? std::move(next_) : start(x);
      left_ = blocks / tiles_of(w_.problem.n, w_.tiling.width) *
              tiles_of(w_.problem.n, w_.tiling.columns) * current_->units();
      for (std::int64_t q = x * blocks; q < (x + 1) * blocks; ++q)
        pass(q, x + 1 < panels ? x + 1 : -1, q + 1 < panels * blocks);
      if (!next_ && x + 1 < panels) next_ = start(x + 1);
    }
  }

 private:
  std::unique_ptr<panel> start(std::int64_t x) {
    return std::make_unique<panel>(w_, k_, x / down_,
                                   x % down_ * w_.tiling.rows * w_.tiling.groups);
  }

  // All groups over block q.
  void pass(std::int64_t q, std::int64_t following, bool more) {
    blocks_.begin(q);
    const std::int64_t width = blocks_.width(q);
    for (std::int64_t c = 0; c < width; c += w_.tiling.columns) {
      const std::int64_t count = std::min(w_.tiling.columns, width - c);
      const auto [batch, j] = blocks_.place(q);
      const tile_view bias = bias_of(j + c, count);
      for (std::int64_t g = 0; g < current_->groups(); ++g) {
        const bool first = c == 0 && g == 0,
                   last = c + count == width && g + 1 == current_->groups();
        std::vector<open_tile> tiles = open(current_->rows_of(g));
        for (std::int64_t t = 0; t < k_.tiles; ++t) {
          if (first) blocks_.ensure(q, std::min(t + lookahead, k_.tiles - 1));
          if (last && more && t + lookahead >= k_.tiles) ahead(q, t + lookahead - k_.tiles);
          advance(g * k_.tiles + t, following);
          multiply(tiles, g, t, c, count);
        }
        for (const open_tile& tile : tiles) finish(tile, g, batch, j + c, count, bias);
      }
    }
  }
  void ahead(std::int64_t q, std::int64_t t) {
    if (t < k_.tiles && !one_block(w_.problem, w_.tiling)) blocks_.ensure(q + 1, t);
  }

  // What is needed soon of this panel; then of the next one, evenly over what is left of this.
  void advance(std::int64_t unit, std::int64_t following) {
    current_->ensure(unit + 1 + lookahead);
    const std::int64_t left = left_--;
    if (following < 0 || !current_->complete()) return;
    if (!next_) next_ = start(following);
    const std::int64_t missing = next_->units() - next_->made();
    if (missing > 0)
      next_->ensure(next_->made() + std::min<std::int64_t>(2, (missing + left - 1) / left));
  }

  tile_view bias_of(std::int64_t j, std::int64_t count) {
    if (!w_.problem.biased || k_.first > 0) return {};
    const tile_view tile = addend(int(w_.tiling.side), count);
    w_.nc.issue(
        dma_copy{.out = tile, .in = w_.operands.bias.slice(1, j, count).repeat(w_.tiling.side)});
    return tile;
  }
  tile_view addend(std::int64_t rows, std::int64_t count) {
    return w_.addends.next()
        .partition_range(0, int(rows))
        .reshape({w_.problem.planes(), w_.tiling.columns})
        .columns(0, count);
  }

  std::vector<open_tile> open(std::int64_t rows) {
    std::vector<open_tile> tiles;
    for (std::int64_t i = 0; i < rows; i += w_.tiling.side) {
      const std::int64_t count = std::min(w_.tiling.side, rows - i);
      tiles.push_back({w_.sums.next().partition_range(0, int(count)), i, count});
    }
    return tiles;
  }

  void multiply(const std::vector<open_tile>& tiles, std::int64_t g, std::int64_t t, std::int64_t c,
                std::int64_t count) {
    const int depth = int(k_.rows_of(t, w_.tiling.side));
    const tile_view block = blocks_.tile(t).partition_range(0, depth);
    const tile_view re = block.columns(c, count);
    tile_view im, combined, stationary_sum;
    if (w_.problem.form != product_form::real) {
      im = block.columns(w_.tiling.width + c, count);
      combined = w_.moving_sums.next().partition_range(0, depth).columns(0, count);
      // On gpsimd, where nothing that waits for products is in the way.
      if (w_.problem.form == product_form::four_products) {
        w_.nc.issue(tensor_scalar{.out = combined,
                                  .in = im,
                                  .op0 = alu_op::multiply,
                                  .operand0 = -1.0F,
                                  .on = unit::gpsimd});
      } else {
        w_.nc.issue(tensor_tensor{.out = combined, .left = re, .right = im, .on = unit::gpsimd});
        const std::int64_t rows = current_->rows_of(g);
        stationary_sum = w_.stationary_sums.next().partition_range(0, depth).columns(0, rows);
        w_.nc.issue(tensor_tensor{.out = stationary_sum,
                                  .left = current_->stationary(g, t, 0, 0, rows),
                                  .right = current_->stationary(g, t, 1, 0, rows),
                                  .on = unit::gpsimd});
      }
    }
    const auto add = [&](const tile_view& sums, std::int64_t bank, const tile_view& stationary,
                         const tile_view& moving, bool onto) {
      w_.nc.issue(matmul{.out = sums.columns(bank * w_.bank_columns, count),
                         .stationary = stationary,
                         .moving = moving,
                         .accumulate = onto});
    };
    for (const open_tile& tile : tiles) {
      const auto left = [&](std::int64_t plane) {
        return current_->stationary(g, t, plane, tile.i, tile.rows);
      };
      add(tile.sums, 0, left(0), re, t > 0);
      if (w_.problem.form == product_form::four_products) {
        add(tile.sums, 1, left(0), im, t > 0);
        add(tile.sums, 0, left(1), combined, true);
        add(tile.sums, 1, left(1), re, true);
      } else if (w_.problem.form == product_form::three_products) {
        add(tile.sums, 1, left(1), im, t > 0);
        add(tile.sums, 2, stationary_sum.columns(tile.i, tile.rows), combined, t > 0);
      }
    }
  }

  // p - q and s - p - q into out, [2][count].
  void combine_three(const tile_view& out, const tile_view& sums, std::int64_t count) {
    const auto bank = [&](std::int64_t i) { return sums.columns(i * w_.bank_columns, count); };
    const tile_view parts = w_.parts.next().partition_range(0, sums.partitions());
    const tile_view p = parts.columns(0, count), s = parts.columns(w_.tiling.columns, count);
    const auto plane = [&](std::int64_t i) { return out.slice(1, i, 1); };
    const auto subtract = [&](const tile_view& to, const tile_view& left, const tile_view& right) {
      w_.nc.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = alu_op::subtract});
    };
    evacuate(w_.nc, p, bank(0));
    subtract(plane(0), p, bank(1));
    subtract(s, bank(2), p);
    subtract(plane(1), s, bank(1));
  }

  void finish(const open_tile& tile, std::int64_t g, std::int64_t batch, std::int64_t j,
              std::int64_t count, const tile_view& bias) {
    const std::int64_t planes = w_.problem.planes();
    const hbm_view place = block_of(
        w_.operands.c, batch, current_->first() + g * w_.tiling.rows + tile.i, tile.rows, j, count);
    const tile_view result = w_.results.next()
                                 .partition_range(0, int(tile.rows))
                                 .reshape({planes, w_.tiling.columns})
                                 .columns(0, count);
    tile_view other;
    if (!bias.empty()) other = bias.partition_range(0, int(tile.rows));
    if (k_.first > 0) {
      other = addend(tile.rows, count);
      w_.nc.issue(dma_copy{.out = other, .in = place});
    }
    if (w_.problem.form == product_form::three_products) {
      combine_three(result, tile.sums, count);
      if (!other.empty()) w_.nc.issue(tensor_tensor{.out = result, .left = result, .right = other});
    } else {
      const tile_view sums = tile.sums.reshape({planes, w_.bank_columns}).columns(0, count);
      if (other.empty())
        evacuate(w_.nc, result, sums);
      else
        w_.nc.issue(tensor_tensor{.out = result, .left = sums, .right = other});
    }
    w_.nc.issue(dma_copy{.out = place, .in = result});
  }

  workspace& w_;
  k_part k_;
  std::int64_t down_;
  moving_blocks blocks_;
  std::unique_ptr<panel> current_, next_;
  std::int64_t left_ = 0;
};

}  // namespace

void run_product(core& nc, const product_problem& problem, const product_tiling& tiling,
                 const product_operands& operands) {
  workspace memory(nc, problem, tiling, operands);
  for (std::int64_t first = 0; first < problem.k; first += tiling.depth) {
    const std::int64_t depth = std::min(tiling.depth, problem.k - first);
    part_run(memory, {first, depth, tiles_of(depth, tiling.side)}).run();
  }
}

}  // namespace papilio::kernels_detail

// Tiled matrix products.
//   identity   C[i, j] = sum over k of A^T[k, i] B[k, j]: A^T stationary, B moving, k on partitions
//   layout     panel of A as [128 k, (k tile, group, plane, row)] in SBUF, transposed through PSUM;
//              block of B as tiles [128 k, (plane, column)]; C tile [128 rows, (bank, column)] in
//              PSUM, a bank for each sum
//   turned     where the model prefers it, the roles exchanged: B stationary, A^T moving, C^T tiles
//              [128 columns, rows], transposed on the way out
//   order      k innermost; the next panel is transposed between the products of this one
//   bound      tensor engine: passes * products * m n k / 128^2 cycles; DMA where m is small
#include "kernels/products/products.hpp"

#include <algorithm>
#include <memory>

#include "kernels/ceil_div.hpp"
#include "kernels/products/product_workspace.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

// Panels are made, and B is loaded, so many k tiles before their products.
constexpr std::int64_t lookahead = 2;

class part_run {
 public:
  part_run(workspace& w, const k_part& k)
      : w_(w),
        k_(k),
        down_(ceil_div(w.problem.m, w.tiling.rows * w.tiling.groups)),
        blocks_(w, k, down_),
        moves_panel_(moves_its_panel(w.problem, w.tiling)) {}

  void run() {
    const std::int64_t panels = down_ * w_.problem.batch_a, all = blocks_.first(panels);
    for (std::int64_t x = 0; x < panels; ++x) {
      current_ = next_ ? std::move(next_) : start(x);
      left_ = blocks_.blocks() / ceil_div(w_.problem.n, w_.tiling.width) *
              ceil_div(w_.problem.n, w_.tiling.columns) * current_->units();
      for (std::int64_t q = blocks_.first(x); q < blocks_.first(x + 1); ++q)
        pass(q, x + 1 < panels ? x + 1 : -1, q + 1 < all);
      if (k_.first + k_.depth == w_.problem.k) finish_sums(w_, *current_, x + 1 == panels);
      if (!next_ && x + 1 < panels) next_ = start(x + 1);
    }
  }

 private:
  std::unique_ptr<panel> start(std::int64_t x) {
    return std::make_unique<panel>(w_, k_, x / down_,
                                   x % down_ * w_.tiling.rows * w_.tiling.groups);
  }

  // Columns of a block that a group passes over at once.
  struct turn {
    std::int64_t c, count, group;
    bool begins = false;  // with these columns
  };
  std::vector<turn> turns_of(std::int64_t j, std::int64_t width) const {
    std::vector<turn> all;
    for (std::int64_t c = 0; c < width; c += w_.tiling.columns) {
      bool begins = true;
      for (std::int64_t g = 0; g < current_->groups(); ++g) {
        const std::int64_t count = std::min(w_.tiling.columns, width - c),
                           row = current_->first() + g * w_.tiling.rows;
        if (!touches(w_.problem, row, current_->rows_of(g), j + c, count)) continue;
        all.push_back({c, count, g, begins});
        begins = false;
      }
    }
    return all;
  }

  // All groups over block q.
  void pass(std::int64_t q, std::int64_t following, bool more) {
    if (!moves_panel_) blocks_.begin(q);
    const auto [batch, j] = blocks_.place(q);
    const std::vector<turn> turns = turns_of(j, blocks_.width(q));
    tile_view bias;
    for (const turn& s : turns) {
      if (s.begins) bias = product_tiles::bias_of(w_, k_, j + s.c, s.count);
      const bool first = &s == &turns.front(), last = &s == &turns.back();
      const std::int64_t column = moves_panel_ ? (j + s.c) % w_.tiling.rows : s.c;
      product_tiles tiles(w_, k_, *current_,
                          {batch, s.group, current_->rows_of(s.group), j + s.c, column, s.count});
      for (std::int64_t t = 0; t < k_.tiles; ++t) {
        if (moves_panel_) {
          const std::int64_t group = (j + s.c) / w_.tiling.rows;
          current_->ensure(std::max(group, s.group) * k_.tiles + t + 1 + lookahead);
          tiles.multiply(t, current_->stationary(group, t, 0, 0, current_->rows_of(group)));
          continue;
        }
        if (first) blocks_.ensure(q, std::min(t + lookahead, k_.tiles - 1));
        if (last && more && t + lookahead >= k_.tiles) ahead(q, t + lookahead - k_.tiles);
        advance(s.group * k_.tiles + t, following);
        tiles.multiply(t, blocks_.tile(t));
      }
      tiles.finish(bias);
    }
  }
  void ahead(std::int64_t q, std::int64_t t) {
    if (t < k_.tiles && !one_block(w_.problem, w_.tiling)) blocks_.ensure(q + 1, t);
  }

  // What is needed soon of this panel; then of the next one, evenly over what is left of this.
  void advance(std::int64_t unit, std::int64_t following) {
    current_->ensure(unit + 1 + lookahead);
    const std::int64_t left = std::max<std::int64_t>(1, left_--);
    if (following < 0 || !current_->complete()) return;
    if (!next_) next_ = start(following);
    const std::int64_t missing = next_->units() - next_->made();
    if (missing > 0)
      next_->ensure(next_->made() + std::min<std::int64_t>(2, (missing + left - 1) / left));
  }

  workspace& w_;
  k_part k_;
  std::int64_t down_;
  moving_blocks blocks_;
  bool moves_panel_;
  std::unique_ptr<panel> current_, next_;
  std::int64_t left_ = 0;
};

}  // namespace

void run_product(core& nc, const matrix_product& problem, const product_tiling& tiling,
                 const product_operands& operands) {
  workspace memory(nc, problem, tiling, operands);
  for (std::int64_t first = 0; first < problem.k; first += tiling.depth) {
    const std::int64_t depth = std::min(tiling.depth, problem.k - first);
    part_run(memory, {first, depth, ceil_div(depth, tiling.side)}).run();
  }
}

}  // namespace papilio::kernels_detail

// Triangular systems T X = alpha B on the tensor engine, by blocks of T.
//   identity   X[i] = W[i] (alpha B[i] - sum over j before i of T[i, j] X[j]), W[i] the inverse of
//              T[i, i]; refinement: X[i] += W[i] (R[i] - T[i, i] X[i]), R[i] the term in brackets
//   layout     SBUF holds X as [row of a block, (block, column)]; T[i, j]^T is stationary, X[j]
//              moving; a bank of PSUM sums a step's products for each chunk of columns
//   order      a step is a chain of dependent instructions; between its links the next step's
//              products with known blocks, and later blocks' inverses, are issued
//   bound      tensor engine: passes * order^2 / 2 * columns / 128^2 cycles, and three products of
//              a block each step
#include "kernels/products/triangular_solve.hpp"

#include "kernels/ceil_div.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/tiles.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

// Solves for some columns of X, from the first block to the last.
class column_run {
 public:
  column_run(core& nc, const triangular_system& system, const triangular_tiling& tiling,
             diagonal_inverses& inverses, tile_pool& banks, const hbm_view& a, std::int64_t first,
             std::int64_t count)
      : nc_(nc),
        system_(system),
        inverses_(inverses),
        count_(count),
        blocks_(nc, system, a, banks),
        columns_(nc, system, banks, first, count),
        x_(nc.sbuf(int(system.block), system.blocks() * count)),
        residuals_(nc.sbuf_pool(2, int(system.block), count)),
        sums_(nc.psum_pool(int(2 * tiling.chunks), int(system.block),
                           nc.machine().psum.bank_bytes / 4)),
        links_(
            nc.psum_pool(int(tiling.chunks), int(system.block), nc.machine().psum.bank_bytes / 4)) {
    for (std::int64_t c = 0; c < count; c += tiling.chunk)
      chunks_.push_back({c, std::min(tiling.chunk, count - c)});
  }

  void run(const hbm_view& b, const hbm_view& x) {
    const std::int64_t steps = system_.blocks();
    tile_view right = columns_.load(b, 0);
    for (std::int64_t i = 0; i < steps; ++i) {
      step_ = i;
      now_ = std::move(next_);
      if (i > 0) add_product(i, i - 1, now_);
      const tile_view here = right;
      begin_next();
      if (i + 1 < steps) right = columns_.load(b, i + 1);
      inverses_.ensure(i);
      solve(here);
      columns_.store(x, i, x_of(i));
      fill(1);  // the rest of the next step's products
    }
  }

 private:
  struct chunk {
    std::int64_t first, count;
  };

  tile_view x_of(std::int64_t step) const {
    return x_->partition_range(0, int(system_.rows(step))).columns(step * count_, count_);
  }

  // Adds the product with block `other` of X to the sums of `step`, in each chunk.
  void add_product(std::int64_t step, std::int64_t other, const std::vector<tile_view>& sums) {
    const tile_view block = blocks_.of(step, other), values = x_of(other);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      nc_.issue(matmul{.out = sums[c],
                       .stationary = block,
                       .moving = values.columns(chunks_[c].first, chunks_[c].count),
                       .accumulate = other > 0});
  }

  void begin_next() {
    next_.clear();
    done_ = 0;
    if (step_ + 1 >= system_.blocks()) return;
    for (const chunk& c : chunks_)
      next_.push_back(
          sums_.next().partition_range(0, int(system_.rows(step_ + 1))).columns(0, c.count));
  }

  // Issues work of later steps: inverses, and products of the next step until a share of those that
  // are possible is done.
  void fill(double share) {
    inverses_.advance(step_, 2);
    if (next_.empty()) return;
    for (; double(done_) < share * double(step_); ++done_) add_product(step_ + 1, done_, next_);
  }

  void solve(const tile_view& right) {
    const int rounds = system_.refinements;
    const double links = 2.0 + 2 * rounds;
    if (step_ > 0)
      for (std::size_t c = 0; c < chunks_.size(); ++c)
        subtract(part(right, c), part(right, c), now_[c]);
    fill(1 / links);
    const tile_view x = x_of(step_);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      evacuate(nc_, part(x, c), product(inverses_.inverse(step_), part(right, c), c));
    for (int round = 0; round < rounds; ++round) {
      fill((2.0 + 2 * round) / links);
      const tile_view rest =
          residuals_.next().partition_range(0, x.partitions()).columns(0, count_);
      for (std::size_t c = 0; c < chunks_.size(); ++c)
        subtract(part(rest, c), part(right, c), product(inverses_.block(step_), part(x, c), c));
      fill((3.0 + 2 * round) / links);
      for (std::size_t c = 0; c < chunks_.size(); ++c)
        nc_.issue(tensor_tensor{.out = part(x, c),
                                .left = part(x, c),
                                .right = product(inverses_.inverse(step_), part(rest, c), c)});
    }
  }

  tile_view part(const tile_view& whole, std::size_t c) const {
    return whole.columns(chunks_[c].first, chunks_[c].count);
  }
  tile_view product(const tile_view& stationary, const tile_view& moving, std::size_t c) {
    const tile_view bank =
        links_.next().partition_range(0, moving.partitions()).columns(0, chunks_[c].count);
    nc_.issue(matmul{.out = bank, .stationary = stationary, .moving = moving});
    return bank;
  }
  void subtract(const tile_view& out, const tile_view& left, const tile_view& right) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = alu_op::subtract});
  }

  core& nc_;
  const triangular_system& system_;
  diagonal_inverses& inverses_;
  std::int64_t count_;
  stationary_blocks blocks_;
  system_columns columns_;
  tile x_;
  tile_pool residuals_, sums_, links_;
  std::vector<chunk> chunks_;
  std::vector<tile_view> now_, next_;  // sums of this step and of the next
  std::int64_t step_ = 0, done_ = 0;
};

// Bytes of a partition that tiles take which do not depend on the number of columns.
std::int64_t fixed_bytes(const triangular_system& s, std::int64_t groups) {
  const std::int64_t wide = 4 * s.at_once * s.block, grain = 64 * 32;
  const std::int64_t raw = s.flipped ? 1 : stationary_blocks::raw_depth;
  return diagonal_inverses::work_bytes(s) + groups * diagonal_inverses::matrices_kept * wide +
         (stationary_blocks::depth + raw) * wide + grain;
}

}  // namespace

triangular_tiling tile_triangular(const triangular_system& s, const machine_spec& machine) {
  const std::int64_t bank = product_columns(machine), all = ceil_div(s.blocks(), s.at_once);
  triangular_tiling t;
  t.chunks = machine.psum.banks >= 8 ? 2 : 1;
  // Two chunks run side by side, so that one's chain hides the other's; with few columns each has
  // half of them.
  t.chunk = std::clamp(ceil_div(s.columns, t.chunks),
                       std::min(machine.thresholds.triangular_chunk_columns_min, bank), bank);
  const auto bytes = [&] {
    const std::int64_t lines = s.blocks() + system_columns::depth + 2;
    return fixed_bytes(s, t.groups) + 4 * lines * t.columns() +
           system_columns::line_bytes(s, t.columns());
  };
  while (bytes() > machine.sbuf.bytes_per_partition && t.chunk > 1) t.chunk = (t.chunk + 1) / 2;
  const bool has_passes = s.columns > t.columns();
  t.groups = has_passes ? std::max<std::int64_t>(2, all) : 2;
  if (bytes() > machine.sbuf.bytes_per_partition) t.groups = 2;
  return t;
}

void solve_triangular(core& nc, const triangular_system& system, const triangular_tiling& tiling,
                      const hbm_view& a, const hbm_view& b, const hbm_view& x) {
  tile_pool banks = nc.psum_pool(2, int(system.array_rows), nc.machine().psum.bank_bytes / 4);
  std::unique_ptr<diagonal_inverses> inverses;
  for (std::int64_t first = 0; first < system.columns; first += tiling.columns()) {
    const std::int64_t count = std::min(tiling.columns(), system.columns - first);
    if (!inverses || !tiling.keeps_inverses(system)) {
      inverses.reset();  // frees SBUF for the next
      inverses = std::make_unique<diagonal_inverses>(nc, system, a, banks, tiling.groups);
    }
    column_run(nc, system, tiling, *inverses, banks, a, first, count).run(b, x);
  }
}

}  // namespace papilio::kernels_detail

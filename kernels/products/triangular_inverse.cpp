// Inverses of triangular blocks on the tensor engine.
//   identity   W has the inverses of T's diagonal blocks of s x s, E the rest of its diagonal
//              blocks of 2s x 2s; then W - W E W has the inverses of the latter. W E W is nonzero
//              only where W is 0, so that nothing cancels
//   layout     T and V = W^T with rows on partitions, several blocks side by side: P = E^T V (E
//              stationary), V := V - W^T P (W stationary), W the transpose of V
//   bound      a chain of 5 instructions a level, hidden behind other products
#include "kernels/products/triangular_solve.hpp"

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

std::int64_t levels_of(std::int64_t block) {
  std::int64_t levels = 0;
  while ((std::int64_t{1} << levels) < block) ++levels;
  return levels;
}

affine_pattern pattern_of(std::int64_t base, std::int64_t partitions, pattern_dim outer,
                          pattern_dim inner) {
  return {.base = base,
          .partition_step = partitions,
          .levels = {pattern_dim{}, pattern_dim{}, outer, inner}};
}

}  // namespace

diagonal_inverses::diagonal_inverses(core& nc, const triangular_system& system, const hbm_view& a,
                                     tile_pool& banks, std::int64_t groups)
    : nc_(nc),
      system_(system),
      a_(a),
      banks_(banks),
      at_once_(system.at_once),
      levels_(levels_of(system.block)),
      masks_(nc.sbuf(int(system.block), (levels_ + 1) * system.block)),
      ones_(nc.sbuf(int(system.block), system.block)),
      kept_(nc.sbuf_pool(int(groups), int(system.block), matrices_kept * at_once_ * system.block)),
      given_(nc.sbuf_pool(1, int(system.block), at_once_ * system.block)),
      other_(nc.sbuf_pool(1, int(system.block), at_once_ * system.block)),
      work_(nc.sbuf_pool(2, int(system.block), at_once_ * system.block)),
      parts_(nc.sbuf_pool(2, int(system.block), at_once_ * system.block)),
      cells_(nc.sbuf_pool(2, int(system.block), at_once_)) {
  make_masks();
  start(0);
}

std::int64_t diagonal_inverses::work_bytes(const triangular_system& s) {
  return 4 * (s.block * (levels_of(s.block) + 2 + 6 * s.at_once) + 2 * (s.at_once + 64));
}

// Mask 0 is the identity; mask l > 0 has ones in the diagonal blocks of 2^l but not in those of
// 2^(l - 1), which is where E is.
void diagonal_inverses::make_masks() {
  const std::int64_t n = system_.block;
  nc_.issue(memset{.out = ones_, .value = 1, .on = unit::gpsimd});
  for (std::int64_t level = levels_; level >= 0; --level) {
    const std::int64_t s = std::int64_t{1} << level;
    const tile_view mask = masks_->columns(level * n, n);
    // Column j is in block c = j / s, whose rows are c s to c s + s - 1.
    nc_.issue(
        affine_select{.out = mask, .in = ones_, .pattern = pattern_of(0, 1, {n / s, -s}, {s, 0})});
    nc_.issue(affine_select{
        .out = mask, .in = mask, .pattern = pattern_of(s - 1, -1, {n / s, s}, {s, 0})});
    if (level == levels_) continue;
    const tile_view larger = masks_->columns((level + 1) * n, n);
    nc_.issue(tensor_tensor{
        .out = larger, .left = larger, .right = mask, .op = alu_op::subtract, .on = unit::gpsimd});
  }
}

void diagonal_inverses::ensure(std::int64_t step) {
  while (std::int64_t(groups_.size()) <= step / at_once_) run_stage();
}

void diagonal_inverses::advance(std::int64_t step, int stages) {
  for (int i = 0; i < stages && std::int64_t(groups_.size()) <= step / at_once_ + 1; ++i) {
    if (group_ < 0) return;
    run_stage();
  }
}

void diagonal_inverses::start(std::int64_t group) {
  const std::int64_t left = system_.blocks() - group * at_once_;
  group_ = left > 0 ? group : -1;
  count_ = std::min(left, at_once_);
  stage_ = 0;
}

void diagonal_inverses::run_stage() {
  if (stage_ == 0)
    load();
  else if (stage_ == 1)
    transpose_blocks();
  else if (stage_ == 2)
    invert_diagonal();
  else if (stage_ % 2 == 1)
    join_parts((stage_ - 3) / 2 + 1);
  else
    finish_level((stage_ - 4) / 2 + 1);
  if (++stage_ < stages()) return;
  start(group_ + 1);
}

// Loads a group of diagonal blocks of A, and writes ones on the diagonal of a unit triangle and
// zeros into the other triangle. The last block of A may be smaller: the identity completes it.
void diagonal_inverses::load() {
  const std::int64_t n = system_.block;
  const tile_view tile = wide(given_);
  for (std::int64_t b = 0; b < count_; ++b) {
    const std::int64_t step = group_ * at_once_ + b, at = system_.place(step),
                       rows = system_.rows(step);
    const tile_view block = block_of(tile, b);
    if (rows < n)
      nc_.issue(tensor_copy{.out = block, .in = masks_->columns(0, n), .on = unit::gpsimd});
    nc_.issue(dma_copy{.out = block.partition_range(0, int(rows)).columns(0, rows),
                       .in = a_.slice(0, at, rows).slice(1, at, rows)});
  }
  const std::int64_t sign = system_.lower != system_.flipped ? 1 : -1;
  nc_.issue(
      affine_select{.out = tile,
                    .in = tile,
                    .pattern = pattern_of(system_.unit ? -1 : 0, sign, {count_, 0}, {n, -sign})});
  if (system_.unit)
    nc_.issue(tensor_tensor{.out = tile.reshape({count_, n}),
                            .left = tile.reshape({count_, n}),
                            .right = repeated(masks_->columns(0, n)),
                            .on = unit::gpsimd});
  natural_ = tile;
}

void diagonal_inverses::transpose_blocks() {
  const std::int64_t n = system_.block;
  const tile_view all = kept_.next().columns(0, matrices_kept * at_once_ * n);
  const tile_view bank = wide(banks_);
  for (std::int64_t b = 0; b < count_; ++b)
    nc_.issue(transpose{.out = block_of(bank, b), .in = block_of(natural_, b)});
  const tile_view stays = all.columns(at_once_ * n, count_ * n);
  inverse_ = all.columns(0, count_ * n);
  if (system_.flipped) {
    nc_.issue(tensor_copy{.out = stays, .in = natural_, .on = unit::gpsimd});
    natural_ = wide(other_);
    evacuate(nc_, natural_, bank);
  } else {
    evacuate(nc_, stays, bank);
  }
  kept_now_ = all;
}

void diagonal_inverses::invert_diagonal() {
  const std::int64_t n = system_.block;
  const tile_view identity = repeated(masks_->columns(0, n));
  const tile_view alone = wide(parts_).reshape({count_, n});
  nc_.issue(tensor_tensor{.out = alone,
                          .left = natural_.reshape({count_, n}),
                          .right = identity,
                          .op = alu_op::multiply,
                          .on = unit::gpsimd});
  const tile_view diagonal = cells_.next().columns(0, count_);
  nc_.issue(tensor_reduce{.out = diagonal, .in = alone});
  nc_.issue(reciprocal{.out = diagonal, .in = diagonal});
  nc_.issue(tensor_tensor{.out = inverse_.reshape({count_, n}),
                          .left = identity,
                          .right = diagonal.spread(n),
                          .op = alu_op::multiply});
  transposed_ = inverse_;  // a diagonal matrix is its own transpose
  if (levels_ == 0) groups_.push_back(kept_now_);
}

// Computes P = E^T V.
void diagonal_inverses::join_parts(std::int64_t level) {
  const std::int64_t n = system_.block;
  const tile_view beside = wide(parts_);
  nc_.issue(tensor_tensor{.out = beside.reshape({count_, n}),
                          .left = natural_.reshape({count_, n}),
                          .right = repeated(masks_->columns(level * n, n)),
                          .op = alu_op::multiply,
                          .on = unit::gpsimd});
  const tile_view bank = wide(banks_);
  for (std::int64_t b = 0; b < count_; ++b)
    nc_.issue(matmul{.out = block_of(bank, b),
                     .stationary = block_of(beside, b),
                     .moving = block_of(inverse_, b)});
  product_ = wide(work_);
  evacuate(nc_, product_, bank);
}

// Computes V := V - W^T P, and W as its transpose.
void diagonal_inverses::finish_level(std::int64_t level) {
  const tile_view bank = wide(banks_);
  for (std::int64_t b = 0; b < count_; ++b)
    nc_.issue(matmul{.out = block_of(bank, b),
                     .stationary = block_of(transposed_, b),
                     .moving = block_of(product_, b)});
  nc_.issue(
      tensor_tensor{.out = inverse_, .left = inverse_, .right = bank, .op = alu_op::subtract});
  if (level == levels_) {
    groups_.push_back(kept_now_);
    return;
  }
  const tile_view transposed = wide(banks_);
  for (std::int64_t b = 0; b < count_; ++b)
    nc_.issue(transpose{.out = block_of(transposed, b), .in = block_of(inverse_, b)});
  transposed_ = wide(work_);
  evacuate(nc_, transposed_, transposed);
}

tile_view diagonal_inverses::kept(std::int64_t step, std::int64_t which) const {
  const std::int64_t n = system_.block, rows = system_.rows(step);
  return groups_[std::size_t(step / at_once_)]
      .partition_range(0, int(rows))
      .columns((which * at_once_ + step % at_once_) * n, rows);
}

}  // namespace papilio::kernels_detail

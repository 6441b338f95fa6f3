#include "kernels/products/product_workspace.hpp"

#include "kernels/ceil_div.hpp"
#include "kernels/products/triangle_mask.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

hbm_view block_of(const hbm_view& tensor, std::int64_t batch, std::int64_t i, std::int64_t rows,
                  std::int64_t j, std::int64_t columns) {
  return tensor.slice(0, batch, 1).slice(2, i, rows).slice(3, j, columns).permute({0, 2, 1, 3});
}

workspace::workspace(core& on, const matrix_product& p, const product_tiling& t,
                     const product_operands& o)
    : nc(on),
      problem(p),
      tiling(t),
      operands(o),
      pools(pools_of(p, t, on.machine())),
      bank_columns(on.machine().psum.bank_bytes / 4),
      panels(pools.panels.make(nc, t.side)),
      left_slices(pools.left_slices.make(nc, t.side)),
      right_slices(pools.right_slices.make(nc, t.side)),
      moving(pools.moving.make(nc, t.side)),
      moving_sums(pools.moving_sums.make(nc, t.side)),
      stationary_sums(pools.stationary_sums.make(nc, t.side)),
      results(pools.results.make(nc, t.side)),
      addends(pools.addends.make(nc, t.side)),
      parts(pools.parts.make(nc, t.side)),
      turned(pools.turned.make(nc, t.side)),
      biases(pools.biases.make(nc, t.side)),
      row_sums(pools.row_sums.make(nc, t.side)),
      cells(pools.cells.make(nc, t.side)),
      totals(pools.totals.make(nc, t.side)),
      diagonals(pools.diagonals.make(nc, t.side)),
      sums(nc.psum_pool(int(pools.sums), int(t.side), p.banks() * bank_columns)),
      transposes(nc.psum_pool(pools.transposing_banks, int(t.side), bank_columns)),
      partial(o.c) {
  if (p.k <= t.depth || !p.has_epilogue() || (!o.c.empty() && p.result == dtype::fp32)) return;
  partial = p.part ? nc.hbm({o.c.extent(0)}) : nc.hbm({p.batches(), 1, p.m, p.n});
}

void operand_reader::make(const hbm_view& tensor, std::int64_t batch, std::int64_t first,
                          std::int64_t count, std::int64_t t, const tile_view& out,
                          std::int64_t stride) {
  const std::int64_t side = w_.tiling.side;
  if (!is_transposed_) {
    const std::int64_t rows = k_.rows_of(t, side), k = k_.first + t * side;
    const tile_view lanes = out.partition_range(0, int(rows)),
                    tile = lanes.reshape({w_.problem.planes(), stride}).columns(0, count);
    if (triangle_ && triangle_->is_mirrored)
      return make_symmetric(tensor, t, first, lanes.columns(0, count));
    w_.nc.issue(dma_copy{.out = tile, .in = block_of(tensor, batch, k, rows, first, count)});
    return mask(tile, k, first);
  }
  if (t == 0)
    from_.emplace(w_.nc, slices_, w_.transposes,
                  block_of(tensor, batch, first, count, k_.first, k_.depth), side, w_.pools.slice,
                  [this, first](const tile_view& rows, std::int64_t row, std::int64_t k) {
                    mask(rows, first + row, k_.first + k);
                  });
  from_->make(t, out, stride);
}

// A block of the operand as it lies, from this row and column on.
void operand_reader::mask(const tile_view& block, std::int64_t row, std::int64_t column) {
  if (!triangle_) return;
  const std::int64_t diagonal = row + triangle_->diagonal - column, rows = block.partitions(),
                     columns = block.dims().back().extent;
  const bool is_lower = triangle_->part == kernels::triangle::lower;
  if (is_lower ? columns - 1 > diagonal : rows - 1 > -diagonal)
    keep_triangle(w_.nc, block, block, triangle_->part, diagonal, false);
  if (triangle_->unit && diagonal > -rows && diagonal < columns)
    set_diagonal(w_.nc, block, diagonal);
}

// Columns on the side of the diagonal block where the triangle has them come as they lie.
void operand_reader::make_symmetric(const hbm_view& matrix, std::int64_t t, std::int64_t first,
                                    const tile_view& out) {
  const std::int64_t side = w_.tiling.side, rows = out.partitions(), k = k_.first + t * side,
                     last = first + out.elements(), begin = std::clamp(k, first, last),
                     end = std::clamp(k + rows, first, last);
  if (t == 0) mirrored_.assign(std::size_t(ceil_div(out.elements(), side)), {});
  first_ = first;
  const auto columns = [&](std::int64_t from, std::int64_t to) {
    return out.columns(from - first, to - from);
  };
  const bool is_lower = triangle_->part == kernels::triangle::lower;
  for (const auto& [from, to, is_given] :
       {std::tuple(first, begin, is_lower), std::tuple(end, last, !is_lower)})
    if (from < to && is_given)
      w_.nc.issue(
          dma_copy{.out = columns(from, to), .in = block_of(matrix, 0, k, rows, from, to - from)});
    else if (from < to)
      make_mirrored(matrix, k, from, columns(from, to));
  if (begin == end) return;
  const auto block = [&](tile_pool& pool) {
    return pool.next().partition_range(0, int(rows)).columns(0, rows);
  };
  const tile_view given = block(w_.diagonals), strict = block(w_.diagonals),
                  bank = block(w_.transposes), diagonal = columns(begin, end);
  w_.nc.issue(dma_copy{.out = given, .in = block_of(matrix, 0, k, rows, k, rows)});
  keep_triangle(w_.nc, strict, given, triangle_->part, 0, true);
  keep_triangle(w_.nc, diagonal, given, triangle_->part, 0, false);
  w_.nc.issue(transpose{.out = bank, .in = strict});
  w_.nc.issue(tensor_tensor{.out = diagonal, .left = bank, .right = diagonal});
}

// Columns that the matrix has as rows, which come in slices, up to the diagonal or to the end of k.
void operand_reader::make_mirrored(const hbm_view& matrix, std::int64_t k, std::int64_t column,
                                   const tile_view& out) {
  const std::int64_t side = w_.tiling.side, slice = w_.pools.slice, rows = out.partitions();
  for (std::int64_t at = 0; at < out.elements(); at += w_.bank_columns) {
    const std::int64_t count = std::min(w_.bank_columns, out.elements() - at);
    const tile_view bank = w_.transposes.next().partition_range(0, int(rows)).columns(0, count);
    for (std::int64_t c = at; c < at + count; c += side) {
      const std::int64_t row = column + c, lanes = std::min(side, at + count - c),
                         end = k_.first + k_.depth, limit = row > k ? std::min(row, end) : end;
      mirrored_rows& from = mirrored_[std::size_t((row - first_) / side)];
      if (k >= from.end) {
        from = {.tile = slices_.next().partition_range(0, int(lanes)),
                .k = k,
                .end = std::min(k_.first + ((k - k_.first) / slice + 1) * slice, limit)};
        w_.nc.issue(dma_copy{.out = from.tile.columns(0, from.end - k),
                             .in = block_of(matrix, 0, row, lanes, k, from.end - k)});
      }
      w_.nc.issue(
          transpose{.out = bank.columns(c - at, lanes), .in = from.tile.columns(k - from.k, rows)});
    }
    evacuate(w_.nc, out.columns(at, count), bank);
  }
}

void panel::make() {
  const std::int64_t group = made_ / k_.tiles, t = made_ % k_.tiles;
  reader_.make(w_.operands.a, batch_, first_ + group * w_.tiling.rows, rows_of(group), t,
               whole_.columns(place(group, t), w_.problem.planes() * w_.tiling.rows),
               w_.tiling.rows);
  ++made_;
}

// Blocks that have columns of the panel's part of the triangle.
void moving_blocks::choose_of_triangle() {
  const std::int64_t rows = w_.tiling.rows * w_.tiling.groups, n = w_.problem.n,
                     width = w_.tiling.width;
  for (std::int64_t x = 0; x < ceil_div(n, rows); ++x) {
    starts_.push_back(std::int64_t(columns_.size()));
    const bool is_lower = *w_.problem.part == kernels::triangle::lower;
    const std::int64_t last = is_lower ? std::min(n, (x + 1) * rows) : n;
    for (std::int64_t j = is_lower ? 0 : x * rows / width * width; j < last; j += width)
      columns_.push_back(j);
  }
  starts_.push_back(std::int64_t(columns_.size()));
}

void moving_blocks::make() {
  const std::int64_t q = made_ / k_.tiles, t = made_ % k_.tiles;
  const auto [batch, j] = place(q);
  const tile_view tile = w_.moving.next();
  reader_.make(w_.operands.b, w_.problem.batch_b == 1 ? 0 : batch, j, width(q), t, tile,
               w_.tiling.width);
  tiles_.push_back(tile);
  ++made_;
}

}  // namespace papilio::kernels_detail

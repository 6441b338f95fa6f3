#include "kernels/products/product_workspace.hpp"
#include "kernels/ceil_div.hpp"

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
      sums(nc.psum_pool(int(pools.sums), int(t.side), p.banks() * bank_columns)),
      transposes(nc.psum_pool(pools.transposing_banks, int(t.side), bank_columns)),
      partial(o.c) {
  if (p.k <= t.depth || !p.has_epilogue() || (!o.c.empty() && p.result == dtype::fp32)) return;
  partial = p.part ? nc.hbm({o.c.extent(0)}) : nc.hbm({p.batches(), 1, p.m, p.n});
}

void panel::make() {
  const std::int64_t group = made_ / k_.tiles, t = made_ % k_.tiles;
  if (w_.problem.left_transposed) {
    const std::int64_t rows = k_.rows_of(t, w_.tiling.side);
    w_.nc.issue(dma_copy{.out = whole_.partition_range(0, int(rows))
                                    .columns(place(group, t), w_.problem.planes() * w_.tiling.rows)
                                    .reshape({w_.problem.planes(), w_.tiling.rows})
                                    .columns(0, rows_of(group)),
                         .in = block_of(w_.operands.a, batch_, k_.first + t * w_.tiling.side, rows,
                                        first_ + group * w_.tiling.rows, rows_of(group))});
    ++made_;
    return;
  }
  if (t == 0)
    from_.emplace(w_.nc, w_.left_slices, w_.transposes,
                  block_of(w_.operands.a, batch_, first_ + group * w_.tiling.rows, rows_of(group),
                           k_.first, k_.depth),
                  w_.tiling.side, w_.pools.slice);
  from_->make(t, whole_.columns(place(group, t), w_.problem.planes() * w_.tiling.rows),
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

}  // namespace papilio::kernels_detail

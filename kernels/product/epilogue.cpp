// The epilogue of a product, between PSUM and the result tile.
//   identity   out = function(alpha sums + beta C0 + bias), or the sums of out by rows or in all
//              three products p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi): re = p - q,
//              im = s - p - q
//   layout     the bias is repeated on all partitions; sums of rows are a tile [row of a piece,
//              piece]
//   order      gpsimd scales C0 and adds the bias; the vector engine adds that to the sums in PSUM,
//              or the scalar engine applies scale and function and adds up rows
#include "kernels/product/epilogue.hpp"

#include <algorithm>

#include "kernels/array_operands.hpp"
#include "kernels/product/triangle_mask.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::product_sums;

result_epilogue::result_epilogue(core& nc, const contraction_step& step,
                                 const product_step_design& design, const step_tensors& tensors,
                                 const product_pools& pools)
    : nc_(nc),
      step_(step),
      design_(design),
      what_(step.epilogue),
      tensors_(tensors),
      biases_(pools.bias.made(nc)),
      row_sums_(pools.row_sums.made(nc)),
      cells_(pools.cells.made(nc)),
      totals_(pools.totals.made(nc)) {}

bool result_epilogue::has_sums() const { return what_.sums != product_sums::none; }

void result_epilogue::begin(const block_place& block) {
  block_ = block;
  if (has_sums() && block.has_new_rows) row_sum_ = row_sums_.next();
  if (!what_.bias || !block.has_new_columns) return;
  const axis_range n = block.ranges[std::size_t(design_.n_axes[0])];
  bias_ = biases_.next().columns(0, step_.planes * n.count).reshape({step_.planes, n.count});
  nc_.issue(dma_copy{
      .out = bias_,
      .in = tensors_.bias.slice(1, n.first, n.count).repeat(nc_.machine().sbuf.partitions)});
}

void result_epilogue::open(const result_layout& layout, const tile_view& tile) {
  if (what_.beta != 0) layout.issue(nc_, transfer::load, tile, tensors_.before);
}

void result_epilogue::close(const result_layout& layout, const tile_view& tile) {
  if (has_sums()) return;
  if (step_.part) {  // zeros the other triangle of blocks on the diagonal
    const axis_range m = layout.rows(), n = layout.columns();
    const std::int64_t first = std::max(m.first, n.first),
                       end = std::min(m.first + m.count, n.first + n.count);
    if (first < end) {
      const tile_view block =
          tile.partition_range(0, int(m.count)).columns(first - n.first, end - first);
      keep_triangle(nc_, block, block, *step_.part, m.first - first, false);
    }
  }
  layout.issue(nc_, transfer::store, tile, tensors_.of(operand_role::out));
}

void result_epilogue::put(const leaving_sums& s) {
  if (s.banks[0].empty()) {
    if (block_.begins) nc_.issue(memset{.out = s.to[0], .value = 0});
  } else if (s.parts > 1) {
    fill_parts(
        nc_, s.banks[0], s.parts, [&](int part) { return s.to[std::size_t(part)]; },
        [] { return tile_view(); });
  } else if (step_.three_products) {
    put_three(s);
  } else {
    for (int i = 0; i < step_.planes; ++i) put_plane(s, i);
  }
}

void result_epilogue::end() {
  if (!has_sums() || !block_.ends_rows) return;
  if (what_.sums == product_sums::rows)
    store_row_sums();
  else
    add_to_total();
}

tile_view result_epilogue::bias_of(int plane, const leaving_sums& s) const {
  if (!what_.bias) return {};
  return bias_.partition_range(0, int(s.m.partitions))
      .slice(1, plane, 1)
      .columns(s.n.at[std::size_t(design_.n_axes[0])], s.n.partitions);
}

void result_epilogue::put_three(const leaving_sums& s) {
  const auto& [re, im] = s.to;
  const auto& [p, q, both] = s.banks;
  const auto combine = [&](const tile_view& out, const tile_view& left, const tile_view& right,
                           alu_op op) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = op});
  };
  if (block_.begins) {
    evacuate(nc_, re, p);
    combine(im, both, re, alu_op::subtract);
  } else {
    combine(re, re, p, alu_op::add);
    combine(im, im, both, alu_op::add);
    combine(im, im, p, alu_op::subtract);
  }
  combine(re, re, q, alu_op::subtract);
  combine(im, im, q, alu_op::subtract);
  for (int i = 0; i < 2 && block_.begins && what_.bias; ++i)
    combine(s.to[std::size_t(i)], s.to[std::size_t(i)], bias_of(i, s), alu_op::add);
}

void result_epilogue::put_plane(const leaving_sums& s, int plane) {
  const tile_view &to = s.to[std::size_t(plane)], &sums = s.banks[std::size_t(plane)],
                  bias = bias_of(plane, s);
  const float alpha = plane == 1 && design_.conjugates ? -what_.alpha : what_.alpha;
  tile_view other = block_.begins ? bias : to;
  if (block_.begins && what_.beta != 0) {
    if (what_.beta != 1)
      nc_.issue(tensor_scalar{.out = to,
                              .in = to,
                              .op0 = alu_op::multiply,
                              .operand0 = what_.beta,
                              .on = unit::gpsimd});
    if (what_.bias)
      nc_.issue(tensor_tensor{.out = to, .left = to, .right = bias, .on = unit::gpsimd});
    other = to;
  }
  const bool is_added = !other.empty(),
             applies = block_.ends && (what_.function != activation_function::copy || has_sums());
  if (is_added) {
    if (alpha == 1 || alpha == -1)
      nc_.issue(tensor_tensor{.out = to,
                              .left = other,
                              .right = sums,
                              .op = alpha == 1 ? alu_op::add : alu_op::subtract});
    else
      nc_.issue(scalar_tensor_tensor{.out = to,
                                     .in = sums,
                                     .right = other,
                                     .op0 = alu_op::multiply,
                                     .operand0 = alpha,
                                     .op1 = alu_op::add});
  } else if (!applies) {
    evacuate(nc_, to, sums, alpha);
  }
  if (!applies) return;
  const tile_view& values = is_added ? to : sums;
  const float scale = is_added ? 1.0F : alpha;
  if (has_sums())
    sum_row(s, values, scale);
  else
    nc_.issue(activation{.out = to, .in = values, .function = what_.function, .scale = scale});
}

// Adds up a piece's columns; the sums of a row's pieces of columns are added one after the other.
void result_epilogue::sum_row(const leaving_sums& s, const tile_view& values, float scale) {
  const tile_view& to = s.to[0];
  const auto axis = std::size_t(design_.n_axes[0]);
  const bool is_first = block_.ranges[axis].first + s.n.at[axis] == 0;
  const tile_view sums = row_sum_.partition_range(0, to.partitions()).columns(s.row, 1),
                  here = is_first ? sums : cells_.next().partition_range(0, to.partitions());
  nc_.issue(activation_reduce{
      .out = to, .reduced = here, .in = values, .function = what_.function, .scale = scale});
  if (!is_first) nc_.issue(tensor_tensor{.out = sums, .left = sums, .right = here});
}

// Stores pieces with all partitions by one transfer, then a last piece with fewer.
void result_epilogue::store_row_sums() {
  const std::int64_t partitions = design_.m.partitions_within(step_),
                     whole = rows().count / partitions, rest = rows().count % partitions;
  const auto store = [&](std::int64_t first, std::int64_t pieces, std::int64_t count) {
    nc_.issue(dma_copy{.out = tensors_.sums.pattern(rows().first + first * partitions,
                                                    {{count, 1}, {pieces, partitions}}),
                       .in = row_sum_.partition_range(0, int(count)).columns(first, pieces)});
  };
  if (whole > 0) store(0, whole, partitions);
  if (rest > 0) store(whole, 1, rest);
}

// Adds the block's row sums to a total for each partition; behind the last block the partitions are
// added up and stored.
void result_epilogue::add_to_total() {
  if (total_.empty()) {
    total_ = totals_.next();
    nc_.issue(memset{.out = total_, .value = 0});
  }
  const std::int64_t partitions = design_.m.partitions_within(step_), all = rows().count;
  for (std::int64_t first = 0; first < all; first += partitions) {
    const auto count = int(std::min(partitions, all - first));
    const tile_view to = total_.partition_range(0, count);
    nc_.issue(
        tensor_tensor{.out = to,
                      .left = to,
                      .right = row_sum_.partition_range(0, count).columns(first / partitions, 1)});
  }
  if (!block_.is_last) return;
  const tile_view sum = totals_.next().partition_range(0, 1);
  nc_.issue(partition_reduce{.out = sum, .in = total_});
  nc_.issue(dma_copy{.out = tensors_.sums, .in = sum});
}

}  // namespace papilio::kernels_detail

// What becomes of a tile of C on its way out of PSUM.
//   identity   function(alpha A B + beta C0 + bias); stored, or summed by rows
//   layout     C0 and the bias come to SBUF, where gpsimd scales and adds them; the vector engine
//              adds them to what is in PSUM, the scalar engine applies scale and function, and adds
//              up rows as it does so
//   bound      the products', unless k is short
#include <algorithm>

#include "kernels/products/product_workspace.hpp"
#include "kernels/products/triangle_mask.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::product_epilogue;
using kernels::product_sums;
using kernels::triangle;
using kernels::triangle_layout;

bool touches(const matrix_product& p, std::int64_t row, std::int64_t rows, std::int64_t column,
             std::int64_t columns) {
  if (!p.part) return true;
  return *p.part == triangle::lower ? column < row + rows : column + columns > row;
}

// The window in a tensor that lies as C does.
hbm_view product_tiles::part_of(const hbm_view& tensor, const window& at) const {
  const std::int64_t row = row_of(at.i), column = at_.j + at.from;
  if (!w_.problem.part) return block_of(tensor, at_.batch, row, at.rows, column, at.count);
  const triangle_layout lies(*w_.problem.part, w_.problem.n, w_.tiling.side);
  const triangle_layout::row_of_blocks r = lies.at(row / w_.tiling.side);
  return tensor.pattern(r.offset + column - r.column, {{at.rows, r.columns}, {at.count, 1}});
}

void product_tiles::put(const tile_view& sums, const tile_view& bias, const window& at) {
  const product_epilogue& e = w_.problem.epilogue;
  const tile_view values = added(sums, bias, at);
  // Where something was added, alpha was applied before.
  const bool is_scaled = e.beta != 0 || !bias.empty();
  const float scale = is_scaled ? 1 : e.alpha;
  if (e.sums != product_sums::none) return sum_rows(values, scale, at);
  const tile_view result = lanes(w_.results, at);
  if (e.function == activation_function::copy && values.space() == memory_space::psum)
    evacuate(w_.nc, result, values, scale);
  else
    w_.nc.issue(activation{.out = result, .in = values, .function = e.function, .scale = scale});
  mask(result, at);
  w_.nc.issue(dma_copy{.out = part_of(w_.operands.c, at), .in = result});
}

// The product of all parts of k, with alpha where something is added to it; as it is where nothing
// is.
tile_view product_tiles::added(const tile_view& sums, const tile_view& bias, const window& at) {
  const product_epilogue& e = w_.problem.epilogue;
  tile_view values = sums;
  if (k_.first > 0) {
    const tile_view earlier = loaded(w_.partial, at);
    values = lanes(w_.parts, at);
    w_.nc.issue(tensor_tensor{.out = values, .left = sums, .right = earlier});
  }
  const tile_view other = added_before(bias, at);
  if (other.empty()) return values;
  const tile_view out = lanes(w_.parts, at);
  if (e.alpha == 1)
    w_.nc.issue(tensor_tensor{.out = out, .left = values, .right = other});
  else
    w_.nc.issue(scalar_tensor_tensor{.out = out,
                                     .in = values,
                                     .right = other,
                                     .op0 = alu_op::multiply,
                                     .operand0 = e.alpha,
                                     .op1 = alu_op::add});
  return out;
}

// beta C0 + bias; empty where there is neither.
tile_view product_tiles::added_before(const tile_view& bias, const window& at) {
  const float beta = w_.problem.epilogue.beta;
  const tile_view row =
      bias.empty() ? bias : bias.partition_range(0, int(at.rows)).columns(at.from, at.count);
  if (beta == 0) return row;
  const tile_view before = loaded(w_.operands.before, at);
  if (beta != 1)
    w_.nc.issue(tensor_scalar{.out = before,
                              .in = before,
                              .op0 = alu_op::multiply,
                              .operand0 = beta,
                              .on = unit::gpsimd});
  if (!row.empty())
    w_.nc.issue(tensor_tensor{.out = before, .left = before, .right = row, .on = unit::gpsimd});
  return before;
}

// The values themselves are not kept. Sums of the columns of a row come one after the other.
void product_tiles::sum_rows(const tile_view& values, float scale, const window& at) {
  const auto rows = [&](const tile_view& whole) { return whole.partition_range(0, int(at.rows)); };
  const std::int64_t tile = (at_.group * w_.tiling.rows + at.i) / w_.tiling.side;
  const tile_view sums = rows(panel_.row_sums()).columns(tile, 1);
  const tile_view here = at_.j == 0 ? sums : rows(w_.cells.next());
  w_.nc.issue(activation_reduce{.out = lanes(w_.results, at),
                                .reduced = here,
                                .in = values,
                                .function = w_.problem.epilogue.function,
                                .scale = scale});
  if (at_.j != 0) w_.nc.issue(tensor_tensor{.out = sums, .left = sums, .right = here});
}

void finish_sums(workspace& w, const panel& rows, bool is_last) {
  const product_sums kind = w.problem.epilogue.sums;
  const std::int64_t side = w.tiling.side, whole = rows.rows() / side, rest = rows.rows() % side;
  if (kind == product_sums::none) return;
  const tile_view& sums = rows.row_sums();
  if (kind == product_sums::rows) {
    const hbm_view to = w.operands.sums.slice(0, rows.first(), rows.rows());
    if (whole > 0)
      w.nc.issue(
          dma_copy{.out = to.pattern(0, {{side, 1}, {whole, side}}), .in = sums.columns(0, whole)});
    if (rest > 0)
      w.nc.issue(dma_copy{.out = to.pattern(whole * side, {{rest, 1}, {1, 1}}),
                          .in = sums.partition_range(0, int(rest)).columns(whole, 1)});
    return;
  }
  if (w.lane_sums.empty()) {
    w.lane_sums = w.totals.next();
    w.nc.issue(memset{.out = w.lane_sums, .value = 0});
  }
  for (std::int64_t t = 0; t < whole + (rest > 0 ? 1 : 0); ++t) {
    const int lanes = int(t < whole ? side : rest);
    const tile_view to = w.lane_sums.partition_range(0, lanes);
    w.nc.issue(tensor_tensor{
        .out = to, .left = to, .right = sums.partition_range(0, lanes).columns(t, 1)});
  }
  if (!is_last) return;
  const tile_view sum = w.parts.next().partition_range(0, 1).columns(0, 1);
  w.nc.issue(partition_reduce{.out = sum, .in = w.lane_sums});
  w.nc.issue(dma_copy{.out = w.operands.sums, .in = sum});
}

// Blocks on the diagonal lose what they have of the other triangle.
void product_tiles::mask(const tile_view& result, const window& at) {
  if (!w_.problem.part) return;
  const std::int64_t first = row_of(at.i) - (at_.j + at.from);
  if (first < 0 || first >= at.count) return;
  const tile_view block = result.columns(first, std::min(at.rows, at.count - first));
  keep_triangle(w_.nc, block, block, *w_.problem.part, 0, false);
}

}  // namespace papilio::kernels_detail

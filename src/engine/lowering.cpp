#include "papilio/engine/lowering.hpp"

#include <algorithm>

#include "engine/core_state.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/isa/rules.hpp"

namespace papilio::engine {
namespace {

using base_detail::message;

std::int64_t blocks_of(std::int64_t rows, int block) { return (rows + block - 1) / block; }

std::int64_t required_rows(std::int64_t rows) {
  if (rows < 1)
    throw shape_error(message("transposing_loader: rows must be at least 1, got ", rows));
  return rows;
}

std::int64_t required_columns(std::int64_t columns, const machine_spec& machine) {
  const int columns_max = machine.dma.load_transpose_side_max;
  if (columns < 1 || columns > columns_max)
    throw shape_error(
        message("transposing_loader: columns must be in [1, ", columns_max, "], got ", columns));
  return columns;
}

}  // namespace

transposing_loader::transposing_loader(core& nc, std::int64_t rows, std::int64_t columns,
                                       dtype type, int depth, int queue)
    : nc_(nc),
      rows_(required_rows(rows)),
      columns_(required_columns(columns, nc.machine())),
      by_dma_(nc.machine().dma.transpose_rate_hbm > 0),
      queue_(queue),
      scratch_(nc.sbuf_pool(
          by_dma_ ? 1 : depth, by_dma_ ? 1 : nc.machine().lowering.transpose_block_rows,
          by_dma_ ? 1 : columns * blocks_of(rows, nc.machine().lowering.transpose_block_rows),
          type)) {}

void transposing_loader::load(const tile_view& out, const hbm_view& in) {
  if (in.rank() != 2 || in.extent(0) != out.elements() || in.extent(1) != out.partitions() ||
      in.extent(0) > rows_ || in.extent(1) > columns_)
    throw shape_error(message("transposing_loader::load: ", in.describe(), " into ", out.describe(),
                              ", at most ", rows_, " x ", columns_));
  if (by_dma_) return nc_.issue(dma_transpose{.out = out, .in = in, .queue = queue_});
  const std::int64_t rows = in.extent(0), columns = in.extent(1);
  const int block = nc_.machine().lowering.transpose_block_rows;
  const std::int64_t whole = rows / block, tail = rows % block;
  const tile_view scratch = scratch_.next();
  const auto columns_of = [&](std::int64_t first, std::int64_t count) {
    return scratch.columns(first * columns_, count * columns_)
        .reshape({count, columns_})
        .slice(2, 0, columns);
  };
  if (whole > 0) {
    // The load puts row b * block + r of the source on partition r, in column block b.
    const hbm_view rows_in = in.slice(0, 0, whole * block);
    const hbm_view by_partition = rows_in.pattern(0, {{block, in.dims()[0].stride},
                                                      {whole, block * in.dims()[0].stride},
                                                      {columns, in.dims()[1].stride}});
    nc_.issue(dma_copy{.out = columns_of(0, whole), .in = by_partition, .queue = queue_});
  }
  if (tail > 0)
    nc_.issue(dma_copy{.out = columns_of(whole, 1).partition_range(0, int(tail)),
                       .in = in.slice(0, whole * block, tail),
                       .queue = queue_});
  for (std::int64_t first = 0; first < rows; first += block) {
    const auto count = std::min<std::int64_t>(block, rows - first);
    nc_.issue(transpose{
        .out = out.columns(first, count),
        .in = scratch.columns(first / block * columns_, columns).partition_range(0, int(count)),
        .on = unit::vector,
        .strip = true});
  }
}

void evacuate(core& nc, const tile_view& out, const tile_view& in, float scale) {
  const engine_detail::timeline& times = nc.state().times;
  const bool on_scalar = nc.machine().psum.scalar_shares_vector_port ||
                         times.free_ns(unit::scalar) <= times.free_ns(unit::vector);
  const bool is_fast = scale == 1 && nc.machine().scalar.fast_copy_factor > 1 &&
                       size_bytes(out.type()) == 2 && size_bytes(in.type()) == 2;
  if (is_fast)
    nc.issue(tensor_copy{.out = out, .in = in, .on = on_scalar ? unit::scalar : unit::vector});
  else if (on_scalar || scale != 1)
    nc.issue(
        activation{.out = out, .in = in, .function = activation_function::copy, .scale = scale});
  else
    nc.issue(tensor_copy{.out = out, .in = in, .on = unit::vector});
}

void copy_tile(core& nc, const tile_view& out, const tile_view& in, unit on) {
  if (on == unit::scalar && has_rule(nc.machine(), isa_rule::copy_on_scalar))
    nc.issue(activation{.out = out, .in = in});
  else
    nc.issue(tensor_copy{.out = out, .in = in, .on = on});
}

}  // namespace papilio::engine

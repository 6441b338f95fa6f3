// GEMM with the transposed left operand resident by panels.
//   identity   C[i, j] = sum over k of A^T[k, i] B[k, j]: A^T stationary, B moving, k on partitions
//   layout     A panel [128 k, (k tile, 512 i)] in SBUF, B tile [128 k, 512 j], C tile [128 i, 512
//   j]
//              in one PSUM bank
//   bound      tensor engine: passes * m n k / 128^2 cycles; B is read m / 512 times
#include "papilio/kernels/gemm.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/entries.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

struct gemm_shape {
  std::int64_t m, n, k;  // of this product
  std::int64_t side;     // 128: the array's
  std::int64_t columns;  // 512: of an output tile
  std::int64_t panel;    // rows of A that stay
  std::int64_t slice;    // of A's rows loaded at a time
  dtype type;
};

// As many rows, in whole tiles, as two panels of k fit in two thirds of SBUF; at least one tile.
std::int64_t panel_rows(const machine_spec& machine, std::int64_t k, std::int64_t side,
                        std::int64_t size) {
  const std::int64_t budget = machine.sbuf.bytes_per_partition / 3;
  const std::int64_t row_bytes = tiles_of(k, side) * size;
  // Outputs take half of the banks, and a k tile of the panel is transposed in one.
  const std::int64_t most =
      std::min(machine.psum.banks / 2 * side, machine.psum.bank_bytes / 4 / side * side);
  return std::max(side, std::min(budget / row_bytes / side * side, most));
}

// The k of which one tile of rows fits; at least one tile, for the allocation to refuse.
std::int64_t resident_depth(const machine_spec& machine, std::int64_t side, std::int64_t size) {
  return std::max(machine.sbuf.bytes_per_partition / 3 / (side * size) * side, side);
}

/// Rows [first, first + rows) of A as [k, rows], made one k tile at a time.
class transposed_panel {
 public:
  transposed_panel(core& nc, const gemm_shape& shape, const hbm_view& a, std::int64_t first,
                   tile_pool& panels, tile_pool& slices, tile_pool& banks)
      : nc_(nc), shape_(shape), slices_(slices), banks_(banks) {
    rows_ = std::min(shape.panel, shape.m - first);
    a_ = a.slice(0, first, rows_);
    whole_ = panels.next();
  }

  std::int64_t rows() const { return rows_; }
  bool complete() const { return next_ == tiles_of(shape_.k, shape_.side); }
  /// k tile `t` of rows [i, i + count) of the panel: a stationary operand.
  tile_view stationary(std::int64_t t, std::int64_t i, std::int64_t count) const {
    const std::int64_t depth = std::min(shape_.side, shape_.k - t * shape_.side);
    return whole_.columns(t * shape_.panel + i, count).partition_range(0, int(depth));
  }

  void make_next() {
    const std::int64_t t = next_++, per_slice = shape_.slice / shape_.side;
    if (t % per_slice == 0) load_slice(t);
    const std::int64_t depth = std::min(shape_.side, shape_.k - t * shape_.side);
    const tile_view bank = banks_.next().partition_range(0, int(depth)).columns(0, rows_);
    for (std::int64_t i = 0; i < rows_; i += shape_.side) {
      const std::int64_t count = std::min(shape_.side, rows_ - i);
      nc_.issue(transpose{.out = bank.columns(i, count),
                          .in = loaded_[std::size_t(i / shape_.side)]
                                    .partition_range(0, int(count))
                                    .columns(t % per_slice * shape_.side, depth)});
    }
    evacuate(nc_, whole_.columns(t * shape_.panel, rows_).partition_range(0, int(depth)), bank);
  }

 private:
  void load_slice(std::int64_t t) {
    loaded_.clear();
    const std::int64_t first = t * shape_.side, width = std::min(shape_.slice, shape_.k - first);
    for (std::int64_t i = 0; i < rows_; i += shape_.side) {
      const std::int64_t count = std::min(shape_.side, rows_ - i);
      loaded_.push_back(slices_.next());
      nc_.issue(dma_copy{.out = loaded_.back().partition_range(0, int(count)).columns(0, width),
                         .in = a_.slice(0, i, count).slice(1, first, width)});
    }
  }

  core& nc_;
  const gemm_shape& shape_;
  tile_pool& slices_;
  tile_pool& banks_;
  tile_view whole_;
  hbm_view a_;
  std::int64_t rows_ = 0, next_ = 0;
  std::vector<tile_view> loaded_;
};

// C (+)= A B for a k of which a panel fits.
void resident_gemm(core& nc, const gemm_shape& shape, const hbm_view& c, const hbm_view& a,
                   const hbm_view& b, bool add) {
  const std::int64_t k_tiles = tiles_of(shape.k, shape.side);
  const std::int64_t row_tiles = shape.panel / shape.side;
  tile_pool panels = nc.sbuf_pool(shape.m > shape.panel ? 2 : 1, int(shape.side),
                                  k_tiles * shape.panel, shape.type);
  tile_pool slices = nc.sbuf_pool(int(2 * row_tiles), int(shape.side), shape.slice, shape.type);
  tile_pool moving = nc.sbuf_pool(6, int(shape.side), shape.columns, shape.type);
  tile_pool results = nc.sbuf_pool(3, int(shape.side), shape.columns, c.type());
  tile_pool sums = add ? nc.sbuf_pool(2, int(shape.side), shape.columns, c.type())
                       : nc.sbuf_pool(1, 1, 1, c.type());
  tile_pool banks =
      nc.psum_pool(nc.machine().psum.banks, int(shape.side), std::max(shape.columns, shape.panel));

  std::unique_ptr<transposed_panel> panel, next;
  const auto start = [&](std::int64_t first) {
    next = std::make_unique<transposed_panel>(nc, shape, a, first, panels, slices, banks);
  };
  start(0);
  while (!next->complete()) next->make_next();
  for (std::int64_t first = 0; first < shape.m; first += shape.panel) {
    panel = std::move(next);
    const bool last = first + shape.panel >= shape.m;
    if (!last) start(first + shape.panel);
    const std::int64_t column_tiles = tiles_of(shape.n, shape.columns);
    const std::int64_t each = tiles_of(k_tiles, column_tiles);
    for (std::int64_t j = 0; j < shape.n; j += shape.columns) {
      const std::int64_t width = std::min(shape.columns, shape.n - j);
      std::vector<tile_view> outs;
      for (std::int64_t i = 0; i < panel->rows(); i += shape.side)
        outs.push_back(banks.next()
                           .partition_range(0, int(std::min(shape.side, panel->rows() - i)))
                           .columns(0, width));
      for (std::int64_t t = 0; t < k_tiles; ++t) {
        const std::int64_t depth = std::min(shape.side, shape.k - t * shape.side);
        const tile_view tile = moving.next().partition_range(0, int(depth)).columns(0, width);
        nc.issue(dma_copy{.out = tile, .in = b.slice(0, t * shape.side, depth).slice(1, j, width)});
        for (std::size_t i = 0; i < outs.size(); ++i)
          nc.issue(matmul{.out = outs[i],
                          .stationary = panel->stationary(t, std::int64_t(i) * shape.side,
                                                          outs[i].partitions()),
                          .moving = tile,
                          .accumulate = t > 0});
      }
      for (std::size_t i = 0; i < outs.size(); ++i) {
        const hbm_view place =
            c.slice(0, first + std::int64_t(i) * shape.side, outs[i].partitions())
                .slice(1, j, width);
        const tile_view result =
            results.next().partition_range(0, outs[i].partitions()).columns(0, width);
        if (add) {
          const tile_view before =
              sums.next().partition_range(0, outs[i].partitions()).columns(0, width);
          nc.issue(dma_copy{.out = before, .in = place});
          nc.issue(
              tensor_tensor{.out = result, .left = outs[i], .right = before, .op = alu_op::add});
        } else {
          evacuate(nc, result, outs[i]);
        }
        nc.issue(dma_copy{.out = place, .in = result});
      }
      for (std::int64_t x = 0; !last && x < each && !next->complete(); ++x) next->make_next();
    }
    while (!last && !next->complete()) next->make_next();
  }
}

}  // namespace

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("gemm: C ", c.describe(), " is not A ", a.describe(),
                                           " times B ", b.describe()));
  const machine_spec& machine = nc.machine();
  const auto size = std::int64_t(size_bytes(a.type()));
  gemm_shape shape{.m = a.extent(0),
                   .n = b.extent(1),
                   .k = a.extent(1),
                   .side = std::min(machine.tensor.rows, machine.tensor.stationary_columns_max),
                   .columns = std::min<std::int64_t>(machine.tensor.moving_columns_max,
                                                     machine.psum.bank_bytes / 4),
                   .panel = 0,
                   .slice = 0,
                   .type = a.type()};
  const std::int64_t all = shape.k, most = resident_depth(machine, shape.side, size);
  for (std::int64_t first = 0; first < all; first += most) {
    shape.k = std::min(most, all - first);
    shape.panel = std::min(panel_rows(machine, shape.k, shape.side, size),
                           tiles_of(shape.m, shape.side) * shape.side);
    // Rows of at least 2 KiB keep DMA at its rate.
    shape.slice = std::min(tiles_of(shape.k, shape.side),
                           std::max<std::int64_t>(1, 2048 / (shape.side * size))) *
                  shape.side;
    resident_gemm(nc, shape, c, a.slice(1, first, shape.k), b.slice(0, first, shape.k), first > 0);
  }
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry gemm_entry() {
  using namespace engine;
  return {.name = "gemm",
          .summary = "C = A B, A m x k, B k x n, on the tensor engine",
          .parameters = {{.name = "m", .preset = "1024", .help = "Rows of A and C"},
                         {.name = "k", .preset = "1024", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "1024", .help = "Columns of B and C"},
                         {.name = "dtype",
                          .preset = "fp32",
                          .help = "Of A and B; C is fp32",
                          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}}},
          .size = [](const kernels::parameter_values& values, const machine_spec&) {
            const std::int64_t m = kernels::number_of(values, "m"),
                               k = kernels::number_of(values, "k"),
                               n = kernels::number_of(values, "n");
            const dtype type = parse_dtype(values.at("dtype"));
            return kernels::sized_kernel{.program = {.name = "gemm",
                                                     .body =
                                                         [](core& nc, const kernel_arguments& t) {
                                                           kernels::gemm(nc, t.out(0), t.in(0),
                                                                         t.in(1));
                                                         }},
                                         .inputs = {{{m, k}, type}, {{k, n}, type}},
                                         .outputs = {{{m, n}, dtype::fp32}},
                                         .ranges = {{}, {}}};
          }};
}

}  // namespace papilio::kernels_detail

// The tile loop that the published products share.
//   identity   C[i, j] = sum over tiles t of k: A[i, t] B[t, j]
//   layout     A^T tile [128 k, 128 i] stationary, B tile [128 k, 512 j] moving, C tile [128 i,
//              512 j] in one bank of PSUM
//   bound      DMA: A is read once for every 512 columns of C in rows of 512 bytes, B once for
//              every 128 rows; in fp32 the array takes half of that time on trainium1
#include "kernels/published/tile_products.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/tiles.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

using namespace engine;

/// One tile of k of one tile of C.
struct tile_products::step {
  hbm_view place;
  tile_view stationary, moving, sum;
  bool first = false, last = false;
};

/// All steps of all products, in order.
struct tile_products::walk {
  const std::function<hbm_product(std::int64_t)>& which;
  std::int64_t tile_rows, columns;
  hbm_product at = {};
  std::int64_t product = -1, i = 0, j = 0, t = 0;

  void advance() {
    if (product >= 0) {
      if ((t += tile_rows) < at.k()) return;
      t = 0;
      if ((j += columns) < at.n()) return;
      j = 0;
      if ((i += tile_rows) < at.m()) return;
      i = 0;
    }
    at = which(++product);
  }
  std::int64_t steps(std::int64_t count) const {
    std::int64_t total = 0;
    for (std::int64_t p = 0; p < count; ++p) {
      const hbm_product one = which(p);
      total +=
          ceil_div(one.m(), tile_rows) * ceil_div(one.n(), columns) * ceil_div(one.k(), tile_rows);
    }
    return total;
  }
};

// While a tile is multiplied the next ones are loaded: what the stages hand on lives for two steps,
// a sum until it is copied.
tile_products::tile_products(core& nc)
    : nc_(nc),
      tile_rows_(array_rows(nc.machine())),
      columns_(product_columns(nc.machine())),
      transposed_(nc, tile_rows_, tile_rows_, dtype::fp32, 3),
      stationary_(nc.sbuf_pool(4, int(tile_rows_), tile_rows_)),
      moving_(nc.sbuf_pool(4, int(tile_rows_), columns_)),
      sums_(nc.psum_pool(std::min(4, nc.machine().psum.banks), int(tile_rows_), columns_)),
      results_(nc.sbuf_pool(3, int(tile_rows_), columns_)) {}

tile_products::step tile_products::load(const hbm_product& of, std::int64_t i, std::int64_t j,
                                        std::int64_t t) {
  const std::int64_t rows = std::min(tile_rows_, of.m() - i),
                     width = std::min(columns_, of.n() - j),
                     depth = std::min(tile_rows_, of.k() - t);
  step one{.place = of.c.slice(0, i, rows).slice(1, j, width),
           .stationary = stationary_.next().partition_range(0, int(depth)).columns(0, rows),
           .moving = moving_.next().partition_range(0, int(depth)).columns(0, width),
           .sum = {},
           .first = t == 0,
           .last = t + tile_rows_ >= of.k()};
  if (of.a_is_transposed)
    nc_.issue(dma_copy{.out = one.stationary, .in = of.a.slice(0, t, depth).slice(1, i, rows)});
  else
    transposed_.load(one.stationary, of.a.slice(0, i, rows).slice(1, t, depth));
  nc_.issue(dma_copy{.out = one.moving, .in = of.b.slice(0, t, depth).slice(1, j, width)});
  return one;
}

void tile_products::multiply(step& one) {
  if (one.first)
    sum_ = sums_.next()
               .partition_range(0, int(one.stationary.elements()))
               .columns(0, one.moving.elements());
  one.sum = sum_;
  nc_.issue(engine::matmul{.out = one.sum,
                           .stationary = one.stationary,
                           .moving = one.moving,
                           .accumulate = !one.first});
}

void tile_products::finish(const step& one) {
  if (!one.last) return;
  const tile_view result =
      results_.next().partition_range(0, one.sum.partitions()).columns(0, one.sum.elements());
  nc_.issue(tensor_copy{.out = result, .in = one.sum});
  nc_.issue(dma_copy{.out = one.place, .in = result});
}

void tile_products::run(std::int64_t count, const std::function<hbm_product(std::int64_t)>& which) {
  walk all{.which = which, .tile_rows = tile_rows_, .columns = columns_};
  pipeline(
      all.steps(count), 1,
      [&](std::int64_t) {
        all.advance();
        return load(all.at, all.i, all.j, all.t);
      },
      [&](step one) {
        multiply(one);
        return one;
      },
      [&](const step& one) { finish(one); });
}

}  // namespace papilio::kernels_detail

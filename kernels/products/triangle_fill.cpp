// Matrices from one of their triangles.
//   identity   A[i, j] = A[j, i], or 0 beside the triangle
//   layout     blocks of a bank's columns (512) in strips of 128 rows; mirrored ones transposed on
//              the tensor engine, 128 x 128 each, a bank for 128 rows of the mirror image
//   bound      DMA: half of the matrix comes, all of it goes
#include "kernels/products/triangle_fill.hpp"

#include "kernels/ceil_div.hpp"

#include <algorithm>
#include <vector>

#include "kernels/tiles.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::triangle;

namespace {

// Zeros where the column is beyond row + first; `strict`: and on that diagonal.
void keep_triangle(core& nc, const tile_view& out, const tile_view& in, triangle part,
                   std::int64_t first, bool strict) {
  const std::int64_t sign = part == triangle::lower ? 1 : -1;
  nc.issue(affine_select{.out = out,
                         .in = in,
                         .pattern = {.base = sign * first - (strict ? 1 : 0),
                                     .partition_step = sign,
                                     .levels = {pattern_dim{}, pattern_dim{}, pattern_dim{},
                                                pattern_dim{in.elements(), -sign}}}});
}

class mirror {
 public:
  mirror(core& nc, const hbm_view& a, triangle part)
      : nc_(nc),
        a_(a),
        part_(part),
        n_(a.extent(0)),
        side_(array_side(nc.machine())),
        wide_(std::min(nc.machine().psum.bank_bytes / 4 / side_, ceil_div(n_, side_)) * side_),
        whole_(nc.hbm({n_, n_})),
        strips_(nc.sbuf_pool(int(2 * wide_ / side_), int(side_), wide_)),
        stricts_(nc.sbuf_pool(int(wide_ / side_), int(side_), side_)),
        results_(nc.sbuf_pool(3, int(side_), wide_)),
        banks_(nc.psum_pool(2, int(side_), nc.machine().psum.bank_bytes / 4)) {}

  hbm_view run() {
    for (std::int64_t i = 0; i < n_; i += wide_) {
      on_diagonal(i);
      const bool is_lower = part_ == triangle::lower;
      for (std::int64_t j = is_lower ? 0 : i + wide_; j < (is_lower ? i : n_); j += wide_)
        beside(i, j);
    }
    return whole_;
  }

 private:
  std::int64_t length(std::int64_t first) const { return std::min(wide_, n_ - first); }
  static std::int64_t rows_of(std::int64_t r, std::int64_t side, std::int64_t all) {
    return std::min(side, all - r);
  }

  std::vector<tile_view> load(std::int64_t i, std::int64_t j) {
    const std::int64_t rows = length(i), columns = length(j);
    std::vector<tile_view> strips;
    for (std::int64_t r = 0; r < rows; r += side_) {
      const std::int64_t count = rows_of(r, side_, rows);
      strips.push_back(strips_.next().partition_range(0, int(count)).columns(0, columns));
      nc_.issue(dma_copy{.out = strips.back(), .in = block_of(a_, i + r, count, j, columns)});
    }
    return strips;
  }

  void beside(std::int64_t i, std::int64_t j) {
    const std::int64_t rows = length(i), columns = length(j);
    const std::vector<tile_view> strips = load(i, j);
    for (std::size_t s = 0; s < strips.size(); ++s)
      nc_.issue(dma_copy{
          .out = block_of(whole_, i + std::int64_t(s) * side_, strips[s].partitions(), j, columns),
          .in = strips[s]});
    for (std::int64_t c = 0; c < columns; c += side_) {
      const std::int64_t count = rows_of(c, side_, columns);
      const tile_view bank = banks_.next().partition_range(0, int(count)).columns(0, rows);
      for (std::size_t s = 0; s < strips.size(); ++s)
        nc_.issue(transpose{.out = bank.columns(std::int64_t(s) * side_, strips[s].partitions()),
                            .in = strips[s].columns(c, count)});
      const tile_view result = results_.next().partition_range(0, int(count)).columns(0, rows);
      evacuate(nc_, result, bank);
      nc_.issue(dma_copy{.out = block_of(whole_, j + c, count, i, rows), .in = result});
    }
  }

  // The strict triangles of the blocks of `side` on the diagonal, mirrored, are added to these.
  void on_diagonal(std::int64_t i) {
    const std::int64_t rows = length(i), strips = ceil_div(rows, side_);
    const bool is_lower = part_ == triangle::lower;
    const std::vector<tile_view> loaded = load(i, i);
    std::vector<tile_view> stricts;
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t count = loaded[std::size_t(s)].partitions();
      const tile_view block = loaded[std::size_t(s)].columns(s * side_, count);
      stricts.push_back(stricts_.next().partition_range(0, int(count)).columns(0, count));
      keep_triangle(nc_, stricts.back(), block, part_, 0, true);
      keep_triangle(nc_, block, block, part_, 0, false);
    }
    for (std::int64_t s = 0; s < strips; ++s) {
      const tile_view strip = loaded[std::size_t(s)];
      const std::int64_t count = strip.partitions(), at = s * side_;
      const tile_view bank = banks_.next().partition_range(0, int(count)).columns(0, rows);
      for (std::int64_t o = is_lower ? s : 0; o < (is_lower ? strips : s + 1); ++o) {
        const tile_view from =
            o == s ? stricts[std::size_t(s)] : loaded[std::size_t(o)].columns(at, count);
        nc_.issue(transpose{.out = bank.columns(o * side_, from.partitions()), .in = from});
      }
      nc_.issue(tensor_tensor{.out = strip.columns(at, count),
                              .left = bank.columns(at, count),
                              .right = strip.columns(at, count)});
      const std::int64_t first = is_lower ? at + count : 0, last = is_lower ? rows : at;
      if (last > first)
        evacuate(nc_, strip.columns(first, last - first), bank.columns(first, last - first));
      nc_.issue(dma_copy{.out = block_of(whole_, i + at, count, i, rows), .in = strip});
    }
  }

  core& nc_;
  const hbm_view& a_;
  triangle part_;
  std::int64_t n_, side_, wide_;
  hbm_view whole_;
  tile_pool strips_, stricts_, results_, banks_;
};

}  // namespace

hbm_view symmetric_matrix(core& nc, const hbm_view& a, triangle part) {
  return mirror(nc, a, part).run();
}

triangular_matrix::triangular_matrix(core& nc, const hbm_view& a, triangle part, bool unit,
                                     bool by_columns, std::int64_t strip)
    : nc_(nc),
      a_(a),
      whole_(nc.hbm({a.extent(0), a.extent(0)})),
      part_(part),
      unit_(unit),
      by_columns_(by_columns),
      n_(a.extent(0)),
      side_(std::min(array_side(nc.machine()), n_)),
      strip_(strip),
      identity_(nc.sbuf(int(side_), side_)),
      blocks_(nc.sbuf_pool(depth, int(side_), std::min(strip, n_))) {
  if (!unit_) return;
  nc.issue(memset{.out = identity_, .value = 1, .on = unit::gpsimd});
  keep_triangle(nc, identity_, identity_, triangle::lower, 0, false);
  keep_triangle(nc, identity_, identity_, triangle::upper, 0, false);
}

void triangular_matrix::make(std::int64_t first) {
  const std::int64_t height = std::min(strip_, n_ - first);
  for (std::int64_t r = 0; r < height; r += side_) {
    const std::int64_t rows = std::min(side_, height - r);
    const tile_view block = blocks_.next().partition_range(0, int(rows)).columns(0, height);
    nc_.issue(dma_copy{.out = block, .in = block_of(a_, first + r, rows, first, height)});
    keep_triangle(nc_, block, block, part_, r, unit_);
    if (unit_)
      nc_.issue(tensor_tensor{.out = block.columns(r, rows),
                              .left = block.columns(r, rows),
                              .right = identity_->partition_range(0, int(rows)).columns(0, rows)});
    nc_.issue(dma_copy{.out = block_of(whole_, first + r, rows, first, height), .in = block});
  }
  // Of a lower triangle a row ends on the diagonal and a column begins there.
  const bool ends = (part_ == triangle::lower) != by_columns_;
  const std::int64_t from = ends ? 0 : first + height, count = (ends ? first : n_) - from;
  if (count <= 0) return;
  const auto rest = [&](const hbm_view& of) {
    return by_columns_ ? block_of(of, from, count, first, height)
                       : block_of(of, first, height, from, count);
  };
  nc_.issue(dma_copy{.out = rest(whole_), .in = rest(a_)});
}

std::int64_t triangular_matrix::bytes(std::int64_t strip, const machine_spec& machine) {
  const std::int64_t step = machine.sbuf.alignment_bytes;
  const auto aligned = [&](std::int64_t columns) { return (4 * columns + step - 1) / step * step; };
  return depth * aligned(strip) + aligned(array_side(machine));
}

}  // namespace papilio::kernels_detail

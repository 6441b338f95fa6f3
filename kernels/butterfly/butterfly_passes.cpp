// The passes of a butterfly FFT over blocks of the batch.
//   identity   y_k = w(r m)^(p k) sum_j w(r)^(j k) a_j; odd r sum pairs u = a_j + a_(r-j),
//              v = a_j - a_(r-j):  A = a_0 + sum cos u, B = sum sin v, y_k = A - i B,
//              y_(r-k) = A + i B
//   layout     the batch is on partitions (some items on each), [plane][item][point] on the free
//              axis; a_j are runs of m s points, results are at s (r p + k) + q; an instruction
//              does both planes
//   PSUM       one of two operands is in PSUM where that costs nothing, which halves the cycles
//   bound      the vector engine (and gpsimd, which shares its port): a pass of radix 4 takes 2.5
//              cycles a point for the first level, 2 for the second, 4.5 for the twiddle factors
#include <algorithm>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "kernels/butterfly/butterfly_arithmetic.hpp"
#include "kernels/ceil_div.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

class butterfly_passes {
 public:
  butterfly_passes(core& nc, const butterfly_design& d, const hbm_view& table)
      : nc_(nc),
        d_(d),
        table_(table),
        arithmetic_(nc, d.compensated),
        factors_(nc.sbuf(d.partitions, d.table_chunk)),
        here_{nc.sbuf(d.partitions, d.work_columns)},
        there_{nc.psum(d.partitions, d.psum_columns)} {
    if (d.compensated)
      for (tile& low : low_) low = nc.sbuf(d.partitions, 2 * d.items * d.n);
  }

  /// Transforms `items` lines of each partition of `in`; returns the tile with the result, `in` or
  /// `other`.
  tile_view run(const tile_view& in, const tile_view& other, std::int64_t items) {
    items_ = items;
    y_ = {in};
    butterfly_value next{other};
    for (const butterfly_stage& stage : d_.stages) {
      stage_ = &stage;
      x_ = std::exchange(y_, next);
      next = {x_.hi};
      if (d_.compensated) {
        std::swap(low_[0], low_[1]);
        y_.lo = low_[0].whole().partition_range(0, in.partitions()).columns(0, in.elements());
      }
      run_chunks();
    }
    arithmetic_.round(y_);
    return y_.hi;
  }

 private:
  // Rows of intermediates in one tile, taken and given back in order.
  struct arena {
    tile whole = {};
    std::int64_t used = 0;
  };
  // Items, groups p and places q within a group that an instruction covers.
  struct chunk {
    std::int64_t g = 0, items = 1, p = 0, groups = 1, q = 0, places = 1;
    std::int64_t width() const { return items * groups * places; }
  };

  void run_chunks() {
    const auto [radix, m, s, table, width] = stage_->fields();
    const auto balanced = [](std::int64_t extent, std::int64_t most) {
      return ceil_div(extent, ceil_div(extent, most));
    };
    const std::int64_t wide = s <= width ? s : balanced(s, width);
    const std::int64_t high = m * s <= width ? m : s <= width ? balanced(m, width / s) : 1;
    const std::int64_t each = m * s <= width ? std::min(items_, width / (m * s)) : 1;
    for (std::int64_t p = 0; p < m; p += high) {
      const std::int64_t groups = std::min(high, m - p);
      if (!stage_->last()) load_factors(p, groups);
      for (std::int64_t g = 0; g < items_; g += each)
        for (std::int64_t q = 0; q < s; q += wide)
          run_chunk({g, std::min(each, items_ - g), p, groups, q, std::min(wide, s - q)});
    }
  }

  void run_chunk(const chunk& c) {
    chunk_ = c;
    const std::int64_t r = stage_->radix;
    here_.used = there_.used = 0;
    if (d_.compensated)
      arithmetic_.use({.difference = row(there_),
                       .upper = row(there_),
                       .lower = row(there_),
                       .rest = row(here_)});
    if (!stage_->last()) others_ = value(stage_->merges(), r - 1);
    const std::int64_t here = here_.used, there = there_.used;
    r == 2 ? two() : r == 4 ? four() : odd();
    here_.used = here;
    there_.used = there;
    if (!stage_->last()) twiddle();
  }

  // Takes rows for both planes of a chunk, [2, rows width].
  tile_view row(arena& from, std::int64_t rows = 1) {
    const std::int64_t count = 2 * rows * chunk_.width();
    from.used += count;
    return from.whole.whole()
        .partition_range(0, x_.hi.partitions())
        .columns(from.used - count, count)
        .reshape({2, count / 2});
  }

  butterfly_value value(bool parked = false, std::int64_t rows = 1) {
    if (d_.compensated) return {row(here_, rows), row(here_, rows)};
    return {row(parked ? there_ : here_, rows)};
  }

  butterfly_value input(std::int64_t j) const {
    return x_.of([&](const tile_view& v) {
      return v.reshape({2, items_, stage_->radix, stage_->m * stage_->s})
          .slice(2, chunk_.g, chunk_.items)
          .slice(3, j, 1)
          .slice(4, chunk_.p * stage_->s + chunk_.q, chunk_.groups * chunk_.places);
    });
  }

  // The scalar engine copies an input to PSUM, so that a sum with it takes half the cycles.
  butterfly_value parked_input(std::int64_t j) {
    if (d_.compensated) return input(j);
    const tile_view place = row(there_);
    copy_tile(nc_, place, input(j).hi, unit::scalar);
    return {place};
  }

  butterfly_value output(std::int64_t k, std::int64_t count) const {
    return y_.of([&](const tile_view& v) {
      const tile_view part = v.reshape({2, items_, stage_->m, stage_->radix, stage_->s})
                                 .slice(2, chunk_.g, chunk_.items)
                                 .slice(3, chunk_.p, chunk_.groups)
                                 .slice(4, k, count)
                                 .slice(5, chunk_.q, chunk_.places);
      return count == 1 ? part : part.permute({1, 4, 2, 3, 5});
    });
  }

  // Rows of the results from k on that are to be multiplied by twiddle factors.
  butterfly_value waiting(std::int64_t k, std::int64_t count) const {
    return others_.of([&](const tile_view& v) {
      return v.columns((k - 1) * chunk_.width(), count * chunk_.width());
    });
  }

  // The place of the sum for k: the result's, or a row that is to be multiplied by its twiddle
  // factor.
  butterfly_value branch(std::int64_t k) const {
    return k == 0 || stage_->last() ? output(k, 1) : waiting(k, 1);
  }

  void two() {
    const butterfly_value right = parked_input(1);
    arithmetic_.add(branch(0), input(0), input(1));
    arithmetic_.add(branch(1), input(0), right, true);
  }

  void four() {
    const butterfly_value even = value(), even_difference = value();
    const butterfly_value odd = value(true), odd_difference = value(true);
    const butterfly_value third = parked_input(3), second = parked_input(2);
    // The first sum does not need the copies, which run meanwhile.
    arithmetic_.add(even, input(0), input(2));
    arithmetic_.add(odd, input(1), third);
    arithmetic_.add(odd_difference, input(1), third, true);
    arithmetic_.add(even_difference, input(0), second, true);
    arithmetic_.add(branch(0), even, odd);
    arithmetic_.add(branch(2), even, odd, true);
    add_rotated(1, 3, even_difference, odd_difference);
  }

  void odd() {
    const std::int64_t r = stage_->radix, pairs = r / 2;
    const base_detail::roots_of_unity<double> root{std::size_t(r)};
    const butterfly_value product = d_.compensated ? value() : butterfly_value{};
    const butterfly_value cosines[2] = {value(), value()}, sines[2] = {value(true), value(true)};
    std::vector<butterfly_value> sums, differences;
    butterfly_value all = input(0);
    for (std::int64_t j = 1; j <= pairs; ++j) {
      const butterfly_value right = parked_input(r - j);
      arithmetic_.add(sums.emplace_back(value()), input(j), input(r - j));
      arithmetic_.add(differences.emplace_back(value()), input(j), right, true);
    }
    for (std::int64_t j = 1; j <= pairs; ++j) {
      const butterfly_value next = j == pairs ? branch(0) : cosines[(j + 1) % 2];
      arithmetic_.add(next, std::exchange(all, next), sums[std::size_t(j - 1)]);
    }
    for (std::int64_t k = 1; k <= pairs; ++k) {
      butterfly_value a = input(0), b;
      for (std::int64_t j = 1; j <= pairs; ++j) {
        const auto w = root(std::size_t(j * k % r));
        const butterfly_value &u = sums[std::size_t(j - 1)], &v = differences[std::size_t(j - 1)];
        const butterfly_value before = std::exchange(b, sines[j % 2]);
        arithmetic_.multiply_add(cosines[j % 2], u, w.real(), std::exchange(a, cosines[j % 2]),
                                 product);
        if (j == 1)
          arithmetic_.multiply(b, arithmetic_.split(v), {.constant = split(-w.imag())});
        else
          arithmetic_.multiply_add(b, v, -w.imag(), before, product);
      }
      add_rotated(k, r - k, a, b);
    }
  }

  // Branch k1 gets a - i b, k2 gets a + i b; the inverse exchanges them.
  void add_rotated(std::int64_t k1, std::int64_t k2, const butterfly_value& a,
                   const butterfly_value& b) {
    if (d_.inverse) std::swap(k1, k2);
    for (const int plane : {0, 1})
      for (const bool subtract : {false, true})
        arithmetic_.add(branch(subtract == (plane == 0) ? k2 : k1).plane(plane), a.plane(plane),
                        b.plane(1 - plane), subtract);
  }

  // Loads the twiddle factors of some groups, [array][k - 1][p].
  void load_factors(std::int64_t p, std::int64_t groups) {
    const std::int64_t others = stage_->radix - 1;
    const int partitions = x_.hi.partitions();
    loaded_ = factors_.whole()
                  .partition_range(0, partitions)
                  .columns(0, d_.arrays() * others * groups)
                  .reshape({d_.arrays(), others, groups});
    nc_.issue(dma_copy{.out = loaded_,
                       .in = table_.slice(0, stage_->table, d_.arrays() * stage_->factors())
                                 .reshape({d_.arrays(), others, stage_->m})
                                 .slice(2, p, groups)
                                 .repeat(partitions)});
  }

  // Twiddle factors for `count` branches from k on, repeated for both planes unless the pattern
  // would have a level too many.
  butterfly_factor factor(bool imaginary, std::int64_t k, std::int64_t count) const {
    butterfly_factor w;
    const std::int64_t parts = d_.arrays() / 2;
    for (std::int64_t i = 0; i < parts; ++i) {
      tile_view numbers = loaded_.slice(1, imaginary ? parts + i : i, 1)
                              .slice(2, k - 1, count)
                              .reshape({count, chunk_.groups})
                              .spread(chunk_.places);
      const bool both = chunk_.items == 1 || count == 1;
      if (chunk_.items > 1) numbers = numbers.repeat(chunk_.items);
      w.numbers[i] = both ? numbers.repeat(2) : numbers.permute({2, 1, 3, 4});
    }
    return w;
  }

  void twiddle() {
    const std::int64_t others = stage_->radix - 1;
    const std::int64_t each = !d_.compensated && stage_->merges() ? others : 1;
    butterfly_value with_re = value(false, each), with_im = value(true, each);
    if (d_.compensated) with_re.lo = row(there_);
    for (std::int64_t k = 1; k <= others; k += each) {
      const butterfly_factor re = factor(false, k, each), im = factor(true, k, each);
      const butterfly_value y = arithmetic_.split(waiting(k, each)), swapped = y.planes_swapped();
      const bool both = re.numbers[0].elements() == y.hi.elements();
      for (int plane = 0; plane < (both ? 1 : 2); ++plane) {
        const auto of = [&](const butterfly_value& v) { return both ? v : v.plane(plane); };
        arithmetic_.multiply(of(with_re), of(y), re);
        arithmetic_.multiply(of(with_im), of(swapped), im);
      }
      const butterfly_value out = output(k, each);
      arithmetic_.add(out.plane(0), with_re.plane(0), with_im.plane(0), true);
      arithmetic_.add(out.plane(1), with_re.plane(1), with_im.plane(1));
    }
  }

  core& nc_;
  const butterfly_design& d_;
  hbm_view table_;
  butterfly_arithmetic arithmetic_;
  tile factors_, low_[2];
  arena here_, there_;

  // State of the current pass and chunk.
  const butterfly_stage* stage_ = nullptr;
  chunk chunk_ = {};
  std::int64_t items_ = 0;
  butterfly_value x_ = {}, y_ = {}, others_ = {};
  tile_view loaded_ = {};
};

}  // namespace

void run_butterfly(core& nc, const butterfly_design& d, const hbm_view& in, const hbm_view& out,
                   const hbm_view& table) {
  tile_pool loaded = nc.sbuf_pool(d.depth, d.partitions, 2 * d.items * d.n),
            others = nc.sbuf_pool(d.depth, d.partitions, 2 * d.items * d.n);
  butterfly_passes passes(nc, d, table);
  for (std::int64_t first = 0, end = 0; first < d.batch; first = end) {
    const std::int64_t left = d.batch - first,
                       items = std::min(d.items, ceil_div(left, d.partitions)),
                       step = nc.machine().sbuf.start_partition_step;
    // Where items do not divide the rest of the batch, the last partitions, from a multiple of
    // `step` on, hold its last items, so that some items are computed twice.
    std::int64_t partitions = std::min<std::int64_t>(d.partitions, ceil_div(left, items));
    if (partitions <= step) partitions = std::min(partitions, left / items);
    end = first + std::min(left, partitions * items);
    const std::int64_t last_partitions =
        end - first < partitions * items ? (partitions - 1) % step + 1 : 0;
    const auto tile_of = [&](tile_pool& pool) {
      return pool.next().partition_range(0, int(partitions)).columns(0, 2 * items * d.n);
    };
    // Calls move(tile, tensor) for the rows of a block.
    const auto for_rows = [&](const tile_view& tile, const hbm_view& tensor, const auto& move) {
      const auto some = [&](std::int64_t partition, std::int64_t count, std::int64_t item) {
        if (count > 0)
          move(tile.partition_range(int(partition), int(count)).reshape({2, items * d.n}),
               tensor.slice(1, item, count * items)
                   .reshape({2, count, items * d.n})
                   .permute({1, 0, 2}));
      };
      some(0, partitions - last_partitions, first);
      some(partitions - last_partitions, last_partitions, end - last_partitions * items);
    };
    const tile_view data = tile_of(loaded), other = tile_of(others);
    for_rows(data, in, [&](const tile_view& tile, const hbm_view& rows) {
      nc.issue(dma_copy{.out = tile, .in = rows});
    });
    const tile_view result = passes.run(data, other, items);
    if (d.scale != 1) nc.issue(activation{.out = result, .in = result, .scale = d.scale});
    for_rows(result, out, [&](const tile_view& tile, const hbm_view& rows) {
      nc.issue(dma_copy{.out = rows, .in = tile});
    });
  }
}

}  // namespace papilio::kernels_detail

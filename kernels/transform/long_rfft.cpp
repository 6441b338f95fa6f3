// Transforms long real lines to their bins: see long_line.hpp for factors and layouts.
//   over a     with points on partitions the data are the stationary operand, so that j_s comes to
//              partitions
//   over b     operands are transposed and multiplied by matrices that include the twiddles w(ab);
//              the vector engine multiplies the results in PSUM by w(n)
//   over s     the matrix is stationary; half of its results are bins, half are conjugates of
//              others, which are copied to their places on the way out of PSUM
//   bound      DMA: a line in and out, its matrices, and its factors, each about as much; half of
//              what a complex transform moves
#include <algorithm>

#include "kernels/transform/long_run.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

class long_forward : public long_run {
 public:
  using long_run::long_run;

  void issue() {
    load_over_a();
    issue_lines({[this](std::int64_t l) { over_a(l); }, [this](std::int64_t l) { over_b(l); },
                 [this](std::int64_t l) { store_bins(l); }});
  }

 private:
  std::int64_t low_most() const {
    return std::min(fitting(g_.points()), std::max<std::int64_t>(1, g_.low() / 2));
  }

  void load(std::int64_t l) {
    if (l >= outer_) return;
    const tile_view x = lines_.next().partition_range(0, int(g_.points()));
    const std::int64_t most = low_most();
    for (std::int64_t f = 0; f < g_.low(); f += most) {
      const std::int64_t count = std::min(most, g_.low() - f) * g_.s;
      nc_.issue(dma_copy{
          .out = x.columns(f * g_.s, count),
          .in = in_.pattern(l * g_.n + f * g_.s, {{g_.points(), g_.low() * g_.s}, {count, 1}})});
    }
    of_line_[std::size_t(l)].loaded = x;
  }

  void over_a(std::int64_t l) {
    const bool ahead = interleaved();
    if (l == 0 || !ahead) load(l);
    if (ahead) load(l + 1);
    const tile_view x = of_line_[std::size_t(l)].loaded;
    const tile_view middle = lines_.next().partition_range(0, int(g_.s));
    const std::int64_t most = low_most();
    for (std::int64_t f = 0; f < g_.low(); f += most) {
      const std::int64_t count = std::min(most, g_.low() - f);
      const tile_view bank = banks_.next().partition_range(0, int(g_.s));
      for (std::int64_t i = 0; i < count; ++i)
        nc_.issue(matmul{.out = bank.columns(place(i, g_.points()), g_.points()),
                         .stationary = x.columns((f + i) * g_.s, g_.s),
                         .moving = over_a_.whole()});
      copy_parts(middle.columns(f * g_.points(), count * g_.points()), bank, g_.points(), count);
    }
    of_line_[std::size_t(l)].middle = middle;
  }

  void over_b(std::int64_t l) {
    const tile_view middle = of_line_[std::size_t(l)].middle;
    const tile_view twiddled = lines_.next().partition_range(0, int(g_.s));
    const std::int64_t groups = g_.groups(), columns = g_.group();
    const std::int64_t most = std::min({fitting(g_.s) / g_.parts(), fitting(columns),
                                        std::max<std::int64_t>(1, (groups + 1) / 2)});
    for (std::int64_t f = 0; f < groups; f += most)
      unit(l, middle, twiddled,
           {.at = f * columns,
            .count = std::min(most, groups - f),
            .columns = columns,
            .rows = g_.rows,
            .first = 2 * f * g_.rows,
            .reals = 2 * g_.rows / g_.parts(),
            .parts = g_.parts()});
    unit(l, middle, twiddled,
         {.at = groups * columns,
          .count = 1,
          .columns = 2 * g_.b,
          .rows = 1,
          .first = g_.unpaired_real(),
          .reals = 1,
          .parts = 1});
    of_line_[std::size_t(l)].twiddled = twiddled;
  }

  // `count` groups of `columns` results, `rows` bins each, from column `at` on. Each has `parts`
  // operands of `reals` results of the stage over a, from result `first` on.
  struct unit_groups {
    std::int64_t at, count, columns, rows, first, reals;
    int parts;
  };

  void unit(std::int64_t l, const tile_view& middle, const tile_view& twiddled,
            const unit_groups& u) {
    const matrix_columns matrix = matrices_over_b(l, u.at, u.count * u.columns);
    const tile_view factors = twiddle_factors(l, u.at, u.count * u.columns);
    const int height = int(u.reals * g_.b);
    const tile_view bank = banks_.next().partition_range(0, height),
                    operand = operands_.next().partition_range(0, height);
    for (std::int64_t i = 0; i < u.count * u.parts; ++i)
      nc_.issue(transpose{
          .out = bank.columns(place(i, g_.s), g_.s),
          .in = middle.pattern((u.first + i * u.reals) * g_.high,
                               {{u.reals, g_.high}, {g_.low(), g_.points()}, {g_.high, 1}})});
    copy_parts(operand, bank, g_.s, u.count * u.parts);
    later([=, this] {
      const tile_view sums = banks_.next().partition_range(0, int(g_.s));
      for (std::int64_t i = 0; i < u.count; ++i)
        for (int part = 0; part < u.parts; ++part)
          nc_.issue(
              matmul{.out = sums.columns(place(i, u.columns), u.columns),
                     .stationary = operand.columns((i * u.parts + part) * g_.s, g_.s),
                     .moving = matrix.of(part, i * u.columns, u.columns).partition_range(0, height),
                     .accumulate = part > 0});
      const planes as_they_lie{0, g_.b * u.rows, {{u.count, u.columns}, {g_.b * u.rows, 1}}};
      planes there = as_they_lie;
      there.at = u.at;
      multiply_by_twiddles(twiddled, there, sums, as_they_lie, factors, as_they_lie);
    });
  }

  void store_bins(std::int64_t l) {
    if (l == 0) load_over_s();
    const tile_view twiddled = of_line_[std::size_t(l)].twiddled;
    const int half = int(g_.half());
    const tile_view last = lasts_.next();
    const tile_view bank = over_s(int(g_.s), 0, int(g_.array_rows), [&](int plane) {
      return twiddled.columns(g_.groups() * g_.group() + plane * g_.b, g_.b);
    });
    evacuate(nc_, last.pattern(0, {{2, g_.b}, {g_.b, 1}}),
             bank.partition_range(0, half).pattern(0, {{2, g_.bank}, {g_.b, 1}}));
    for (std::int64_t i = 0; 2 * i < g_.chunks(); ++i) {
      const std::int64_t j = g_.chunks() - 1 - i;
      const tile_view first = bins_.next().partition_range(0, half),
                      second = i == j ? first : bins_.next().partition_range(0, half);
      chunk(l, i, twiddled, last, first, second);
      if (i < j) chunk(l, j, twiddled, last, second, first);
      store(l, i, first);
      if (i < j) store(l, j, second);
    }
  }

  // Makes the bins of chunk `index`, and those of the mirrored chunk that are conjugates of
  // results.
  void chunk(std::int64_t l, std::int64_t index, const tile_view& twiddled, const tile_view& last,
             const tile_view& own, const tile_view& others) {
    const std::int64_t c = g_.chunk, plane = c * g_.a, pairs = g_.pairs();
    const int half = int(g_.half()), mirror = int(g_.mirror());
    const tile_view bank = over_s(int(g_.s), 0, int(g_.array_rows), [&](int from) {
      return twiddled.pattern((from * g_.b + index * c) * g_.rows,
                              {{c, g_.rows}, {g_.groups(), g_.group()}, {g_.rows, 1}});
    });
    evacuate(nc_, own.pattern(g_.first_row(), {{2, plane}, {c, g_.a}, {pairs, 1}}),
             bank.partition_range(0, half).pattern(0, {{2, g_.bank}, {c, pairs}, {pairs, 1}}));
    evacuate(nc_, others.pattern(plane - 1, {{2, plane}, {c, -g_.a}, {g_.mirrored(), -1}}),
             bank.partition_range(mirror, half)
                 .pattern(pairs - g_.mirrored(), {{2, g_.bank}, {c, pairs}, {g_.mirrored(), 1}}));
    nc_.issue(tensor_copy{.out = own.pattern(g_.unpaired_row(), {{2, plane}, {c, g_.a}}),
                          .in = last.pattern(index * c, {{2, g_.b}, {c, 1}})});
    if (index == 0 && !g_.odd()) store_end(l, twiddled);
  }

  // Stores bin n/2: k_a = k_b = 0 and k_s = s/2, from row 0, which is the unpaired one for odd a.
  void store_end(std::int64_t l, const tile_view& twiddled) {
    const tile_view bank = over_s(int(g_.s), g_.mirror() + g_.half() - 1, 1, [&](int from) {
      return g_.odd_rows() ? twiddled.columns(g_.groups() * g_.group() + from * g_.b, 1)
                           : twiddled.columns(from * g_.b * g_.rows, 1);
    });
    const tile_view end = ends_.next();
    evacuate(nc_, end, bank.pattern(0, {{2, g_.bank}, {1, 1}}));
    const std::int64_t bins = g_.n / 2 + 1;
    for (int plane = 0; plane < 2; ++plane)
      nc_.issue(
          dma_copy{.out = out_.pattern((plane * outer_ + l) * bins + g_.n / 2, {{1, 1}, {1, 1}}),
                   .in = end.columns(plane, 1)});
  }

  void store(std::int64_t l, std::int64_t index, const tile_view& bins) {
    const std::int64_t line = g_.n / 2 + 1, run = g_.chunk * g_.a;
    // Each plane is stored by itself, so that the regions of two stores are disjoint.
    for (int plane = 0; plane < 2; ++plane)
      for (const bin_block& b : blocks_of(index))
        nc_.issue(dma_copy{
            .out = out_.pattern((plane * outer_ + l) * line + index * run + b.first,
                                {{b.rows, g_.a * g_.b}, {b.length, 1}}),
            .in = bins.partition_range(0, int(b.rows)).columns(plane * run + b.first, b.length)});
  }
};

}  // namespace

void run_long_forward(core& nc, const long_line& g, std::int64_t outer, const hbm_view& in,
                      const hbm_view& out, std::span<const hbm_view> tables) {
  long_forward(nc, g, outer, in, out, tables).issue();
}

}  // namespace papilio::kernels_detail

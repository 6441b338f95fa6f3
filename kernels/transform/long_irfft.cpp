// Transforms bins to long real lines: the transpose of long_rfft.cpp; see long_line.hpp.
//   bins       half of the partitions hold bins as they are in HBM, the other half conjugates in
//              the order of the first. Real rows have no conjugates there: their bins count twice,
//              since only the real part of their sum is wanted, and bins 0 and n/2 once
//   over s     the matrix is stationary, then twiddle factors follow; j_s is on partitions
//   over b     operands are transposed and multiplied; row a/2 is added to the first group, as the
//              second real of its pair
//   over a     operands are transposed and the matrix is stationary, so that points are on
//              partitions for their store
//   bound      as for long_rfft.cpp: DMA
#include <algorithm>

#include "kernels/transform/long_run.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

class long_inverse : public long_run {
 public:
  long_inverse(core& nc, const long_line& g, std::int64_t outer, const hbm_view& in,
               const hbm_view& out, std::span<const hbm_view> tables)
      : long_run(nc, g, outer, in, out, tables), end_row_(nc.sbuf(1, g.odd() ? 1 : g.array_rows)) {}

  void issue() {
    load_over_s();
    if (!g_.odd())
      nc_.issue(dma_copy{
          .out = end_row_.whole(),
          .in = tables_[2].slice(0, g_.mirror() + g_.half() - 1, 1).slice(1, 0, g_.array_rows)});
    issue_lines({[this](std::int64_t l) { over_bins(l); }, [this](std::int64_t l) { over_b(l); },
                 [this](std::int64_t l) { store_points(l); }});
  }

 private:
  // A chunk of bins, the chunk of their mirror images, and bin n/2.
  struct bin_pair {
    tile_view first, second, end;
  };

  bin_pair load_pair(std::int64_t l, std::int64_t i) {
    bin_pair pair;
    const std::int64_t j = g_.chunks() - 1 - i;
    if (i == 0 && !g_.odd()) pair.end = end_of(l);
    pair.first = load(l, i);
    pair.second = i == j ? pair.first : load(l, j);
    return pair;
  }

  void over_bins(std::int64_t l) {
    const tile_view twiddled = lines_.next().partition_range(0, int(g_.s)), last = lasts_.next();
    bin_pair next = l == 0 || !interleaved() ? load_pair(l, 0) : ahead_;
    const tile_view lone_end = next.end;
    for (std::int64_t i = 0; 2 * i < g_.chunks(); ++i) {
      const std::int64_t j = g_.chunks() - 1 - i;
      const auto [first, second, end] = next;
      if (2 * (i + 1) < g_.chunks())
        next = load_pair(l, i + 1);
      else if (interleaved() && l + 1 < outer_)
        ahead_ = load_pair(l + 1, 0);
      if (i == 0) bin_zero(first);
      reflect(first, second);
      if (i < j) reflect(second, first);
      chunk(l, i, first, twiddled, last, end);
      if (i < j) chunk(l, j, second, twiddled, last, end);
    }
    const std::int64_t at = g_.groups() * g_.group();
    const tile_view bank = over_s(int(g_.half()), 0, int(g_.s),
                                  [&](int plane) { return last.columns(plane * g_.b, g_.b); });
    if (g_.odd_rows()) add_end(bank, lone_end);
    multiply_by_twiddles(twiddled, {at, g_.b, {{g_.b, 1}}}, bank, {0, g_.bank, {{g_.b, 1}}},
                         twiddle_factors(l, at, 2 * g_.b), {0, g_.b, {{g_.b, 1}}});
    of_line_[std::size_t(l)].twiddled = twiddled;
  }

  tile_view load(std::int64_t l, std::int64_t index) {
    const tile_view bins = bins_.next();
    const std::int64_t line = g_.n / 2 + 1, run = g_.chunk * g_.a;
    // Partitions between the halves are read with coefficients of zero, and bins behind the last
    // one count as zero: neither may hold NaN.
    if (g_.half() < g_.mirror() || g_.odd()) nc_.issue(memset{.out = bins, .on = unit::gpsimd});
    for (const bin_block& b : blocks_of(index))
      nc_.issue(dma_copy{
          .out = bins.partition_range(0, int(b.rows)).pattern(b.first, {{2, run}, {b.length, 1}}),
          .in = in_.pattern(l * line + index * run + b.first,
                            {{b.rows, g_.a * g_.b}, {2, outer_ * line}, {b.length, 1}})});
    return bins;
  }

  // Loads half of the real part of bin n/2, which counts once.
  tile_view end_of(std::int64_t l) {
    const tile_view end = ends_.next();
    const std::int64_t line = g_.n / 2 + 1;
    nc_.issue(dma_copy{.out = end.columns(0, 1),
                       .in = in_.pattern(l * line + g_.n / 2, {{1, 1}, {1, 1}})});
    nc_.issue(tensor_scalar{.out = end.columns(1, 1),
                            .in = end.columns(0, 1),
                            .op0 = alu_op::multiply,
                            .operand0 = 0.5});
    return end;
  }

  // Halves the real part of bin 0, which counts once, and clears its imaginary part.
  void bin_zero(const tile_view& bins) {
    const tile_view first = bins.partition_range(0, 1);
    nc_.issue(tensor_scalar{.out = first.columns(0, 1),
                            .in = first.columns(0, 1),
                            .op0 = alu_op::multiply,
                            .operand0 = 0.5});
    nc_.issue(memset{.out = first.columns(g_.chunk * g_.a, 1)});
  }

  // Fills the second half of a chunk's partitions from the chunk of its mirror images.
  void reflect(const tile_view& bins, const tile_view& from) {
    const int half = int(g_.half()), mirror = int(g_.mirror());
    const std::int64_t c = g_.chunk, plane = c * g_.a, rows = g_.mirrored();
    const tile_view to = bins.partition_range(mirror, half);
    copy_tile(
        nc_, to.pattern(1, {{2, plane}, {c, g_.a}, {rows, 1}}),
        from.partition_range(0, half).pattern(plane - 1, {{2, plane}, {c, -g_.a}, {rows, -1}}),
        unit::scalar);
    if (g_.first_row() == 0)
      nc_.issue(memset{.out = to.pattern(0, {{2, plane}, {c, g_.a}}), .on = unit::gpsimd});
  }

  void chunk(std::int64_t l, std::int64_t index, const tile_view& bins, const tile_view& twiddled,
             const tile_view& last, const tile_view& end) {
    const std::int64_t c = g_.chunk, plane = c * g_.a, run = c * g_.rows;
    const int half = int(g_.half()), all = int(g_.mirror()) + half;
    nc_.issue(tensor_copy{
        .out = last.pattern(index * c, {{2, g_.b}, {c, 1}}),
        .in = bins.partition_range(0, half).pattern(g_.unpaired_row(), {{2, plane}, {c, g_.a}}),
        .on = unit::gpsimd});
    const tile_view bank = over_s(all, 0, int(g_.s), [&](int from) {
      return bins.partition_range(0, all).pattern(
          from * plane + g_.first_row(), {{g_.groups(), g_.rows}, {c, g_.a}, {g_.rows, 1}});
    });
    if (index == 0 && !g_.odd_rows()) add_end(bank, end);
    const std::int64_t all_rows = c * g_.pairs();
    multiply_by_twiddles(twiddled,
                         {index * run, g_.b * g_.rows, {{g_.groups(), g_.group()}, {run, 1}}}, bank,
                         {0, g_.bank, {{g_.groups(), run}, {run, 1}}},
                         twiddle_factors(l, index * 2 * all_rows, 2 * all_rows),
                         {0, all_rows, {{g_.groups(), run}, {run, 1}}});
  }

  // Adds bin n/2 to the sums of row 0, k_b = 0.
  void add_end(const tile_view& bank, const tile_view& end) {
    if (g_.odd()) return;
    nc_.issue(matmul{.out = bank.columns(0, 1),
                     .stationary = end_row_->columns(0, g_.s),
                     .moving = end.columns(1, 1),
                     .accumulate = true});
  }

  void over_b(std::int64_t l) {
    const tile_view twiddled = of_line_[std::size_t(l)].twiddled;
    const tile_view middle = lines_.next().partition_range(0, int(g_.s));
    const std::int64_t groups = g_.groups(), columns = g_.group();
    const std::int64_t most =
        std::min({fitting(g_.s) / g_.parts() - 1, std::max<std::int64_t>(1, fitting(columns) - 1),
                  std::max<std::int64_t>(1, (groups + 1) / 2)});
    for (std::int64_t f = 0; f < groups; f += most)
      unit(l, twiddled, middle, f, std::min(most, groups - f));
    of_line_[std::size_t(l)].middle = middle;
  }

  void unit(std::int64_t l, const tile_view& twiddled, const tile_view& middle, std::int64_t first,
            std::int64_t count) {
    const std::int64_t columns = g_.group(), after = g_.groups() * columns;
    const std::int64_t parts = g_.parts(), operands = count * parts;
    const int height = int(g_.operand()), lone_height = int(2 * g_.b / parts);
    const tile_view bank = banks_.next(), operand = operands_.next();
    const bool with_last = first == 0;
    const matrix_columns matrix = matrices_over_b(l, first * columns, count * columns);
    const matrix_columns lone_matrix =
        with_last ? matrices_over_b(l, after, 2 * g_.b) : matrix_columns{};
    const auto part = [&](const tile_view& of, int rows) { return of.partition_range(0, rows); };
    for (std::int64_t i = 0; i < operands; ++i)
      nc_.issue(transpose{.out = part(bank, height).columns(place(i, g_.s), g_.s),
                          .in = twiddled.columns(first * columns + i * height, height)});
    copy_parts(part(operand, height), part(bank, height), g_.s, operands);
    for (std::int64_t i = 0; with_last && i < parts; ++i) {
      const tile_view lone = part(bank, lone_height).columns(place(operands + i, g_.s), g_.s);
      nc_.issue(
          transpose{.out = lone, .in = twiddled.columns(after + i * lone_height, lone_height)});
      evacuate(nc_, part(operand, lone_height).columns((operands + i) * g_.s, g_.s), lone);
    }
    later([=, this] {
      const tile_view sums = banks_.next().partition_range(0, int(g_.s));
      // Multiplies the operands from `index` on by their matrices.
      const auto product = [&](const tile_view& result, const matrix_columns& with, int rows,
                               std::int64_t index, std::int64_t from, bool accumulate) {
        for (int p = 0; p < parts; ++p)
          nc_.issue(matmul{.out = result,
                           .stationary = part(operand, rows).columns((index + p) * g_.s, g_.s),
                           .moving = part(with.of(p, from, result.elements()), rows),
                           .accumulate = accumulate || p > 0});
      };
      for (std::int64_t i = 0; i < count; ++i) {
        const tile_view result = sums.columns(place(i, columns), columns);
        product(result, matrix, height, i * parts, i * columns, false);
        if (i == 0 && with_last && !g_.odd_rows())
          product(result.columns(g_.b, g_.b), lone_matrix, lone_height, operands, 0, true);
      }
      copy_parts(middle.columns(first * columns, count * columns), sums, columns, count);
      if (!with_last || !g_.odd_rows()) return;
      const tile_view lone = sums.columns(place(count, columns), g_.b);
      product(lone, lone_matrix, lone_height, operands, 0, false);
      evacuate(nc_, middle.columns(after, g_.b), lone);
    });
  }

  void store_points(std::int64_t l) {
    if (l == 0) load_over_a();
    const tile_view middle = of_line_[std::size_t(l)].middle;
    const int points = int(g_.points());
    const tile_view x = lines_.next().partition_range(0, points);
    const std::int64_t most = std::min(fitting(g_.s), std::max<std::int64_t>(1, g_.low() / 2));
    for (std::int64_t f = 0; f < g_.low(); f += most) {
      const std::int64_t count = std::min(most, g_.low() - f);
      const tile_view bank = banks_.next().partition_range(0, points),
                      operand = operands_.next().partition_range(0, points);
      for (std::int64_t i = 0; i < count; ++i)
        nc_.issue(transpose{.out = bank.columns(place(i, g_.s), g_.s),
                            .in = middle.pattern(f + i, {{g_.a, g_.b}, {g_.high, g_.low()}})});
      copy_parts(operand, bank, g_.s, count);
      later([=, this] {
        const tile_view sums = banks_.next().partition_range(0, points);
        const std::int64_t each = g_.bank / g_.s;
        for (std::int64_t i = 0; i < count; i += each) {
          const std::int64_t columns = std::min(each, count - i) * g_.s;
          nc_.issue(matmul{.out = sums.columns(place(i, g_.s), columns),
                           .stationary = over_a_.whole(),
                           .moving = operand.columns(i * g_.s, columns)});
        }
        copy_parts(x.columns(f * g_.s, count * g_.s), sums, g_.s, count);
        nc_.issue(dma_copy{.out = out_.pattern(l * g_.n + f * g_.s,
                                               {{g_.points(), g_.low() * g_.s}, {count * g_.s, 1}}),
                           .in = x.columns(f * g_.s, count * g_.s)});
      });
    }
  }

  bin_pair ahead_;  ///< of the next line
  tile end_row_;    ///< of the matrix over s: of bin n/2, real to real
};

}  // namespace

void run_long_inverse(core& nc, const long_line& g, std::int64_t outer, const hbm_view& in,
                      const hbm_view& out, std::span<const hbm_view> tables) {
  long_inverse(nc, g, outer, in, out, tables).issue();
}

}  // namespace papilio::kernels_detail

// Sweeps between spectra of the real columns of a line and its own.
//   identity   X[k + q i] = sum over r of w(m)^(r i) w(n)^(r k) Y_r[k], i < m and 0 <= k <= q/2:
//              as they are for i <= m/2, and for others the conjugates of the bins
//              (q - k) + q (m - 1 - i); so that half of Y_r make half of X. Where k is 0, such a
//              bin is one that is there as it is, too
//              back, Y_r[k] = w(n)^(-r k) sum over i of w(m)^(-r i) X[k + q i]
//   layout     (chunk of k, r) or (chunk of k, i) on partitions, k in its chunk along: as many
//              chunks as the array takes of either; i that are conjugates from the middle of the
//              partitions on, turned round as they leave PSUM, or before they are multiplied
//   bound      DMA, with the factors w(n), and the vector engine's products with them
#include "kernels/real/column_spectra.hpp"

#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/real/coefficient.hpp"
#include "kernels/table.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using complex = std::complex<double>;
using roots = base_detail::roots_of_unity<double>;

constexpr int spectra_ring = 3;

// (cos | sin) of w(n)^(r k), conjugated for the inverse: rows (chunk, r).
void fill_factors(const columns_geometry& g, const table_writer& table) {
  const roots root{std::size_t(g.n)};
  const std::int64_t length = g.length();
  for (std::int64_t row = 0; row < g.rows(); ++row)
    for (std::int64_t l = 0; l < length; ++l) {
      const std::int64_t k = row / g.m * length + l, r = row % g.m;
      const complex w = root(std::size_t(r * k % g.n));
      table.put(row, l, g.inverse ? std::conj(w) : w, length);
    }
}

// Parts of out = in (real = real, imaginary = real, real = imaginary, imaginary = imaginary) side
// by side: rows (chunk, r) to bins of the line, or back.
void fill_matrices(const columns_geometry& g, const table_writer& table) {
  const roots root{std::size_t(g.m)};
  for (std::int64_t c = 0; c < g.chunks(); ++c)
    for (std::int64_t r = 0; r < g.m; ++r)
      for (std::int64_t i = 0; i < g.m; ++i) {
        const bool conjugate = i >= g.direct();
        const std::int64_t bin =
            conjugate ? g.middle() + c * g.mirrored() + g.m - 1 - i : c * g.direct() + i;
        const std::int64_t column = c * g.m + r;
        const complex w = root(std::size_t(r * i % g.m));
        for (int in = 0; in < 2; ++in)
          for (int out = 0; out < 2; ++out) {
            const double value =
                g.inverse ? coefficient(std::conj(w), conjugate, in, out)
                          : coefficient(w, false, in, out) * (conjugate && out == 1 ? -1 : 1);
            const std::int64_t from = g.inverse ? bin : column, to = g.inverse ? column : bin;
            table.put(from, (2 * in + out) * g.side + to, value * g.scale);
          }
      }
}

class spectra_run {
 public:
  spectra_run(core& nc, const columns_geometry& g, const hbm_view& in, const hbm_view& out,
              std::span<const hbm_view> tables)
      : nc_(nc),
        g_(g),
        columns_(g.inverse ? out : in),
        line_(g.inverse ? in : out),
        factors_table_(tables[1]),
        matrices_(nc.sbuf(int(tables[0].extent(0)), tables[0].extent(1))),
        bins_(nc.sbuf_pool(spectra_ring, int(g.side), 2 * g.bank)),
        conjugates_(nc.sbuf_pool(spectra_ring, int(g.side), 2 * g.bank)),
        spectra_(nc.sbuf_pool(spectra_ring, int(g.side), 2 * g.bank)),
        factors_(nc.sbuf_pool(spectra_ring, int(g.side), 2 * g.bank)),
        turned_(nc.sbuf_pool(spectra_ring, int(g.side), 2 * g.bank)),
        asides_(nc.sbuf_pool(2, int(g.side), 2 * g.bank)),
        banks_(nc.psum_pool(nc.machine().psum.banks / 2, int(g.side), 2 * g.bank)) {
    nc.issue(dma_copy{.out = matrices_.whole(), .in = tables[0]});
  }

  void issue() {
    for (std::int64_t first = 0; first < g_.length(); first += g_.bank) {
      const bin_range bins{first, std::min(g_.bank, g_.length() - first)};
      g_.inverse ? to_columns(bins) : to_line(bins);
    }
    if (!g_.inverse) leave_line();
  }

 private:
  // Bins of each chunk that are on chip together.
  struct bin_range {
    std::int64_t first = 0, width = 0;
  };
  // The same of the first chunks; the last one may end before the others.
  struct block {
    std::int64_t chunks, first, width;
  };
  std::vector<block> blocks(const bin_range& s) const {
    const std::int64_t whole = std::clamp<std::int64_t>(g_.tail() - s.first, 0, s.width);
    std::vector<block> result;
    if (whole > 0) result.push_back({g_.chunks(), s.first, whole});
    if (whole < s.width && g_.chunks() > 1)
      result.push_back({g_.chunks() - 1, s.first + whole, s.width - whole});
    return result;
  }
  bool ends_in(const bin_range& s) const { return g_.tail() < s.first + s.width; }

  // Two planes.
  static tile_view next(tile_pool& pool, std::int64_t rows, const bin_range& s) {
    return pool.next().partition_range(0, int(rows)).columns(0, 2 * s.width);
  }

  void move(const hbm_view& place, const tile_view& tile, bool in) {
    if (in)
      nc_.issue(dma_copy{.out = tile, .in = place});
    else
      nc_.issue(dma_copy{.out = place, .in = tile});
  }

  void move_spectra(const tile_view& tile, const bin_range& s, bool in) {
    for (int plane = 0; plane < 2; ++plane)
      for (const block& b : blocks(s))
        move(columns_.pattern(plane * g_.m * g_.bins() + b.first,
                              {{b.chunks, g_.length()}, {g_.m, g_.bins()}, {b.width, 1}}),
             tile.partition_range(0, int(b.chunks * g_.m))
                 .columns(plane * s.width + b.first - s.first, b.width),
             in);
  }

  void move_bins(const tile_view& tile, const bin_range& s, bool in) {
    for (int plane = 0; plane < 2; ++plane)
      for (const block& b : blocks(s))
        move(line_.pattern(plane * g_.line() + b.first,
                           {{b.chunks, g_.length()}, {g_.direct(), g_.q()}, {b.width, 1}}),
             tile.partition_range(0, int(b.chunks * g_.direct()))
                 .columns(plane * s.width + b.first - s.first, b.width),
             in);
  }

  // Bins q - k, in the order of HBM: k from right to left.
  void move_conjugates(const tile_view& tile, const bin_range& s, bool in) {
    for (int plane = 0; plane < 2; ++plane)
      for (const block& b : blocks(s))
        move(line_.pattern(plane * g_.line() + g_.q() - b.first - b.width + 1,
                           {{b.chunks, -g_.length()}, {g_.mirrored(), g_.q()}, {b.width, 1}}),
             tile.partition_range(0, int(b.chunks * g_.mirrored()))
                 .columns((plane + 1) * s.width - (b.first - s.first) - b.width, b.width),
             in);
  }

  tile_view factors(const bin_range& s) {
    const tile_view tile = next(factors_, g_.rows(), s);
    nc_.issue(
        dma_copy{.out = tile,
                 .in = factors_table_.pattern(
                     s.first, {{g_.rows(), 2 * g_.length()}, {2, g_.length()}, {s.width, 1}})});
    return tile;
  }

  // Of a tile, or of a product.
  static tile_view part(const tile_view& of, int plane) {
    const std::int64_t width = of.elements() / 2;
    return of.dims().size() > 1 ? of.slice(1, plane, 1) : of.columns(plane * width, width);
  }

  // Values times factors, by way of `products` in PSUM, which may be the values.
  void multiply(const tile_view& to, const tile_view& values, const tile_view& products,
                const tile_view& table) {
    const tile_view aside =
        asides_.next().partition_range(0, to.partitions()).columns(0, to.elements());
    const auto op = [&](const tile_view& result, const tile_view& left, const tile_view& right,
                        alu_op how) {
      nc_.issue(tensor_tensor{.out = result, .left = left, .right = right, .op = how});
    };
    op(aside, values, part(table, 1).repeat(2), alu_op::multiply);
    op(products, values, part(table, 0).repeat(2), alu_op::multiply);
    op(part(to, 0), part(products, 0), part(aside, 1), alu_op::subtract);
    op(part(to, 1), part(products, 1), part(aside, 0), alu_op::add);
  }

  // Of both planes, each in a bank.
  tile_view product(const tile_view& data, std::int64_t results) {
    const std::int64_t width = data.elements() / 2;
    const tile_view sums = banks_.next().partition_range(0, int(results)),
                    matrices = matrices_.whole().partition_range(0, data.partitions());
    for (int out = 0; out < 2; ++out)
      for (int in = 0; in < 2; ++in)
        nc_.issue(matmul{.out = sums.columns(out * g_.bank, width),
                         .stationary = matrices.columns((2 * in + out) * g_.side, results),
                         .moving = part(data, in),
                         .accumulate = in > 0});
    return sums.pattern(0, {{2, g_.bank}, {width, 1}});
  }

  // Each plane from right to left.
  static tile_view backwards(const tile_view& tile) {
    const std::int64_t width = tile.elements() / 2;
    return tile.pattern(width - 1, {{2, width}, {width, -1}});
  }

  void to_line(const bin_range& s) {
    const tile_view y = next(spectra_, g_.rows(), s);
    if (ends_in(s)) nc_.issue(memset{.out = y, .on = unit::gpsimd});
    move_spectra(y, s, true);
    const tile_view table = factors(s), turned = next(turned_, g_.rows(), s);
    multiply(turned, y, next(banks_, g_.rows(), s), table);
    // Behind these products: the engine that empties PSUM shares a port with the one that fills it.
    leave_line();
    left_ = product(turned, g_.line_rows());
    left_span_ = s;
  }

  // Bins of the product before.
  void leave_line() {
    if (left_.empty()) return;
    const auto rows = [&](std::int64_t first, std::int64_t count) {
      return left_.partition_range(int(first), int(count * g_.chunks()));
    };
    const tile_view own = next(bins_, g_.chunks() * g_.direct(), left_span_),
                    others = next(conjugates_, g_.chunks() * g_.mirrored(), left_span_);
    evacuate(nc_, backwards(others), rows(g_.middle(), g_.mirrored()));
    evacuate(nc_, own, rows(0, g_.direct()));
    move_conjugates(others, left_span_, false);
    move_bins(own, left_span_, false);
  }

  void to_columns(const bin_range& s) {
    const tile_view x = next(bins_, g_.line_rows(), s),
                    others = next(conjugates_, g_.chunks() * g_.mirrored(), s);
    // Rows between bins and conjugates are read with coefficients of zero.
    if (g_.chunks() * g_.direct() < g_.middle() || ends_in(s))
      nc_.issue(memset{.out = x, .on = unit::gpsimd});
    if (ends_in(s)) nc_.issue(memset{.out = others, .on = unit::gpsimd});
    move_bins(x, s, true);
    move_conjugates(others, s, true);
    if (s.first == 0) nc_.issue(memset{.out = x.partition_range(0, 1).columns(s.width, 1)});
    copy_tile(nc_, x.partition_range(int(g_.middle()), others.partitions()), backwards(others),
              unit::scalar);
    const tile_view table = factors(s), sums = product(x, g_.rows()),
                    y = next(spectra_, g_.rows(), s);
    multiply(y, sums, sums, table);
    move_spectra(y, s, false);
  }

  core& nc_;
  const columns_geometry& g_;
  hbm_view columns_, line_, factors_table_;
  tile matrices_;
  tile_pool bins_, conjugates_, spectra_, factors_, turned_, asides_, banks_;
  tile_view left_;  ///< results that have not left PSUM
  bin_range left_span_;
};

fft_step step_for(const columns_geometry& g) {
  const std::int64_t columns = 2 * g.m * g.bins(), line = 2 * g.line();
  fft_step step{.design = design_of(g),
                .in_elements = g.inverse ? line : columns,
                .out_elements = g.inverse ? columns : line,
                .squared_error = stage_error(double(g.m) / 2) + rounding_squared_error() +
                                 product_squared_error(),
                .in_floor = false};
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t width, auto fill) {
    step.tables.push_back(
        table_of(base_detail::message(g.m, " columns of a line of ", g.n, ", ", name), rows, width,
                 [g, fill](const table_writer& table) { fill(g, table); }));
  };
  add("matrices", g.inverse ? g.line_rows() : g.rows(), 4 * g.side, fill_matrices);
  add("factors", g.rows(), 2 * g.length(), fill_factors);
  step.run = [g](core& nc, const hbm_view& in, const hbm_view& out,
                 std::span<const hbm_view> tables) { spectra_run(nc, g, in, out, tables).issue(); };
  return step;
}

columns_geometry geometry_of(std::int64_t n, std::int64_t m, bool inverse, double scale,
                             const machine_spec& machine) {
  return {n, m, machine.tensor.rows, machine.psum.bank_bytes / 4, inverse, scale};
}

}  // namespace

fft_step columns_to_line_step(std::int64_t n, std::int64_t m, double scale,
                              const machine_spec& machine) {
  return step_for(geometry_of(n, m, false, scale, machine));
}

fft_step line_to_columns_step(std::int64_t n, std::int64_t m, double scale,
                              const machine_spec& machine) {
  return step_for(geometry_of(n, m, true, scale, machine));
}

}  // namespace papilio::kernels_detail

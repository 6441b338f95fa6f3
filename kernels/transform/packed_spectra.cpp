// Converts spectra of complex lines to those of the real lines packed in them, or back.
//   two lines     two-for-one packing: Z = X + i Y of z = x + i y, x and y real, so that with
//                 a = Z[k], b = Z[n - k]
//                   2 X[k] = a + conj b,  2 i Y[k] = a - conj b,  0 <= k <= n/2, Z[n] = Z[0],
//                 and back Z[k] = X[k] + i Y[k], Z[n - k] = conj X[k] + i conj Y[k]
//   neighbours    r2c unpack and pack: z[j] = x[2j] + i x[2j+1] of m points; with a = in[k],
//                 b = in[m - k], S = a + conj b and t = v[k] (a - conj b)
//                   out[k] = h (S + t),  out[m - k] = h conj(S - t),  0 < k <= m/2,
//                 v[k] = -i w(2m)^k, h = 1/2 to x's transform; v[k] = i w(2m)^-k, h = 1 back
//   layout        chunks of lines are on partitions; bins n - k are loaded and stored in the order
//                 of HBM and reversed on chip
//   engines       an operand in PSUM halves the vector engine's time. For neighbours the scalar
//                 engine scales, copies a there and reverses b; sums and half of the products stay
//                 there
//   bound         DMA; for few lines of neighbours, with fourteen sums and products a pair of bins,
//                 the vector engine
#include <algorithm>
#include <complex>
#include <optional>

#include "base/roots_of_unity.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/real_sweeps.hpp"
#include "kernels/transform/regions.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

void fill_factors(const packed_spectra& p, const table_writer& table) {
  const base_detail::roots_of_unity<double> root{std::size_t(p.n)};
  for (std::int64_t k = 1; k <= p.partnered(); ++k) {
    const std::complex<double> w = root(std::size_t(k));
    table.put(0, k - 1, std::complex<double>(0, 1) * (p.inverse ? std::conj(w) : -w),
              p.partnered());
  }
}

class packed_spectra_run {
 public:
  packed_spectra_run(core& nc, const packed_spectra& what, const hbm_view& in, const hbm_view& out,
                     const hbm_view& factors)
      : nc_(nc),
        what_(what),
        in_(in),
        out_(out),
        factors_(factors),
        partitions_(nc.machine().sbuf.partitions),
        chunk_(chunk_of(what, nc.machine())),
        inputs_(nc.sbuf_pool(depth(), int(partitions_), 4 * chunk_)),
        results_(nc.sbuf_pool(depth(), int(partitions_), 4 * chunk_)) {
    if (what.neighbours) products_.emplace(nc, int(partitions_), chunk_);
  }

  void issue() {
    if (what_.neighbours) {
      regions(0, what_.lines);
      for (std::int64_t l = 0; l < what_.lines; l += partitions_)
        ends_of_neighbours(l, int(std::min(partitions_, what_.lines - l)));
      return;
    }
    // The middle one of an odd number of lines is in two pairs, and is stored once.
    const std::int64_t firsts = what_.inverse ? what_.complex_lines() : what_.second();
    two_lines(0, firsts);
    both_ = false;
    two_lines(firsts, what_.complex_lines() - firsts);
  }

 private:
  // Tiles for neighbours: the factors v, b reversed, products with v; in PSUM a, sums, products.
  struct product_pools {
    tile_pool roots, reversed, rotated, parked, sums, products;

    product_pools(core& nc, int partitions, std::int64_t chunk)
        : roots(nc.sbuf_pool(3, partitions, 2 * chunk)),
          reversed(nc.sbuf_pool(2, partitions, 2 * chunk)),
          rotated(nc.sbuf_pool(2, partitions, 4 * chunk)),
          parked(nc.psum_pool(1, partitions, 2 * chunk)),
          sums(nc.psum_pool(1, partitions, 4 * chunk)),
          products(nc.psum_pool(1, partitions, 2 * chunk)) {}
  };

  // Bins in a quarter of a tile, so that two input and two output tiles fit.
  static std::int64_t chunk_of(const packed_spectra& what, const machine_spec& machine) {
    if (what.neighbours) return 512;
    std::int64_t chunk = 2048;
    while (2 * 4 * 8 * chunk > machine.sbuf.bytes_per_partition) chunk /= 2;
    return chunk;
  }
  int depth() const {
    return what_.neighbours || 3 * 4 * 8 * chunk_ <= nc_.machine().sbuf.bytes_per_partition ? 3 : 2;
  }

  // Converts the bins that have a partner, of complex lines [first, first + count), in chunks.
  void regions(std::int64_t first, std::int64_t count) {
    // Few bins are spread over all partitions.
    const std::int64_t spread = (count * what_.partnered() + partitions_ - 1) / partitions_;
    for_regions(
        count, what_.partnered(),
        std::clamp(spread, std::min(chunk_, nc_.machine().thresholds.spread_row_bytes_min / 4),
                   chunk_),
        partitions_, [&](line_region r) {
          r.line += first;
          region(r, 1, true);
        });
  }

  void two_lines(std::int64_t first, std::int64_t count) {
    regions(first, count);
    for (std::int64_t p = 0; p < count; p += partitions_) {
      const line_region r{.line = first + p, .lines = std::min(partitions_, count - p)};
      region(r, 0, false);
      if (what_.n % 2 == 0) region(r, what_.n / 2, false);
    }
  }

  // The plane or line that holds part 0 or 1 of a pair.
  int part(int index) const { return what_.exchanged ? 1 - index : index; }

  tile_view quarter(const tile_view& of, int i, std::int64_t length) const {
    return of.columns(i * chunk_, length);
  }
  // Two quarters, from i on, `step` apart.
  tile_view both(const tile_view& of, int i, int step, std::int64_t n) const {
    return of.pattern(i * chunk_, {{2, step * chunk_}, {n, 1}});
  }
  tile_view backwards(const tile_view& of, int i, std::int64_t n) const {
    return of.pattern(i * chunk_ + n - 1, {{n, -1}});
  }

  // Loads bins from k on of each chunk to a tile's quarters, or stores them: [re, im] of the bins,
  // then [re, im] of their partners in ascending order or, for spectra of two lines, of the other
  // line's bins.
  void move(const tile_view& tile, const line_region& r, std::int64_t base, bool partners,
            bool in) {
    const bool of_lines = in == what_.inverse, has_other_line = of_lines && !what_.neighbours;
    const hbm_view& all = in ? in_ : out_;
    const std::int64_t row = of_lines ? what_.bins() : what_.points(),
                       plane = (of_lines ? what_.lines : what_.complex_lines()) * row,
                       k = base + r.first;
    for (int i = has_other_line && !both_ ? 2 : 0; i < (partners || has_other_line ? 4 : 2); ++i) {
      // Imaginary parts of real bins are not read.
      if (in && has_other_line && !partners && i % 2 == 1) continue;
      std::int64_t at = r.line * row + k, stride = r.length;
      if (has_other_line) {
        at += i % 2 * plane + part(i / 2) * what_.second() * row;
      } else {
        at += part(i % 2) * plane;
        if (i >= 2) {
          at += what_.points() - 2 * k - r.length + 1;
          stride = -stride;
        }
      }
      const hbm_view place = all.pattern(at, {{r.lines, row}, {r.chunks, stride}, {r.length, 1}});
      const tile_view numbers = quarter(tile, i, r.length);
      nc_.issue(in ? dma_copy{.out = numbers, .in = place} : dma_copy{.out = place, .in = numbers});
    }
  }

  void region(const line_region& r, std::int64_t base, bool partners) {
    const tile_view x = inputs_.next().partition_range(0, r.partitions()),
                    y = results_.next().partition_range(0, r.partitions());
    if (what_.neighbours) fetch_factors(r);
    move(x, r, base, partners, true);
    if (what_.neighbours)
      combine_neighbours(x, y, r.length);
    else if (partners)
      what_.inverse ? join(y, x, r.length) : separate(x, y, r.length);
    else
      copy_own(x, y, r.length);
    move(y, r, base, partners, false);
  }

  void op(const tile_view& to, const tile_view& left, alu_op how, const tile_view& right) {
    nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = how});
  }

  // Computes [2 X, 2 Y] from [Z[k], Z[n - k]].
  void separate(const tile_view& z, const tile_view& xy, std::int64_t n) {
    op(quarter(xy, 3, n), backwards(z, 2, n), alu_op::subtract, quarter(z, 0, n));
    op(quarter(xy, 2, n), quarter(z, 1, n), alu_op::add, backwards(z, 3, n));
    if (!both_) return;
    op(quarter(xy, 0, n), quarter(z, 0, n), alu_op::add, backwards(z, 2, n));
    op(quarter(xy, 1, n), quarter(z, 1, n), alu_op::subtract, backwards(z, 3, n));
  }

  void join(const tile_view& z, const tile_view& xy, std::int64_t n) {
    op(quarter(z, 0, n), quarter(xy, 0, n), alu_op::subtract, quarter(xy, 3, n));
    op(backwards(z, 2, n), quarter(xy, 0, n), alu_op::add, quarter(xy, 3, n));
    op(quarter(z, 1, n), quarter(xy, 1, n), alu_op::add, quarter(xy, 2, n));
    op(backwards(z, 3, n), quarter(xy, 2, n), alu_op::subtract, quarter(xy, 1, n));
  }

  // Converts two lines' bins 0 and n/2, which are their own partners and real.
  void copy_own(const tile_view& in, const tile_view& out, std::int64_t n) {
    for (int line = both_ ? 0 : 1; line < 2; ++line) {
      if (what_.inverse) {
        nc_.issue(tensor_copy{.out = quarter(out, line, n), .in = quarter(in, 2 * line, n)});
        continue;
      }
      op(quarter(out, 2 * line, n), quarter(in, line, n), alu_op::add, quarter(in, line, n));
      nc_.issue(memset{.out = quarter(out, 2 * line + 1, n), .value = 0});
    }
  }

  // Loads v for a region's chunks. Regions with the same chunks of other lines follow, and keep
  // them.
  void fetch_factors(const line_region& r) {
    if (r.line > 0) return;
    factors_tile_ = products_->roots.next();
    for (int plane = 0; plane < 2; ++plane)
      nc_.issue(dma_copy{
          .out = quarter(factors_tile_.partition_range(0, r.partitions()), plane, r.length),
          .in = factors_.pattern(plane * what_.partnered() + r.first,
                                 {{r.lines, 0}, {r.chunks, r.length}, {r.length, 1}})});
  }

  // Computes y = [S + t, conj(S - t) reversed] from x = [a, b reversed], with the scale h.
  void combine_neighbours(const tile_view& x, const tile_view& y, std::int64_t n) {
    const int count = x.partitions();
    const tile_view w = factors_tile_.partition_range(0, count),
                    a = products_->parked.next().partition_range(0, count),
                    q = products_->sums.next().partition_range(0, count),
                    p = products_->products.next().partition_range(0, count),
                    b = products_->reversed.next().partition_range(0, count),
                    t = products_->rotated.next().partition_range(0, count);
    const auto scaled = [&](const tile_view& to, const tile_view& from) {
      nc_.issue(tensor_scalar{.out = to,
                              .in = from,
                              .op0 = alu_op::multiply,
                              .operand0 = what_.half(),
                              .on = unit::scalar});
    };
    scaled(both(b, 0, 1, n), x.pattern(2 * chunk_ + n - 1, {{2, chunk_}, {n, -1}}));
    scaled(both(a, 0, 1, n), both(x, 0, 1, n));
    // q = [S, D], S = a + conj b, D = a - conj b
    op(both(q, 0, 3, n), both(a, 0, 1, n), alu_op::add, both(b, 0, 1, n));
    op(both(q, 2, -1, n), both(a, 0, 1, n), alu_op::subtract, both(b, 0, 1, n));
    op(both(p, 0, 1, n), both(q, 2, 1, n), alu_op::multiply, quarter(w, 0, n).repeat(2));
    op(both(t, 0, 1, n), both(q, 2, 1, n), alu_op::multiply, quarter(w, 1, n).repeat(2));
    op(quarter(t, 3, n), quarter(p, 1, n), alu_op::add, quarter(t, 0, n));
    op(quarter(t, 2, n), quarter(p, 0, n), alu_op::subtract, quarter(t, 1, n));
    op(both(y, 0, 1, n), both(q, 0, 1, n), alu_op::add, both(t, 2, 1, n));
    op(backwards(y, 2, n), quarter(q, 0, n), alu_op::subtract, quarter(t, 2, n));
    op(backwards(y, 3, n), quarter(t, 3, n), alu_op::subtract, quarter(q, 1, n));
  }

  // Converts bins 0 and m: the parts of Z[0] to the real bins X[0] and X[m], or back, by a sum and
  // a difference.
  void ends_of_neighbours(std::int64_t line, int lines) {
    const tile_view x = inputs_.next().partition_range(0, lines),
                    y = results_.next().partition_range(0, lines);
    const auto ends = [&](const hbm_view& all, bool of_lines, bool imaginary) {
      const std::int64_t m = what_.points(), row = of_lines ? m + 1 : m, plane = what_.lines * row;
      return all.pattern(line * row + (imaginary ? plane : 0),
                         {{lines, row}, {2, of_lines ? m : plane}, {1, 1}});
    };
    nc_.issue(dma_copy{.out = x.columns(0, 2), .in = ends(in_, what_.inverse, false)});
    for (int i = 0; i < 2; ++i)
      op(x.columns(2 + i, 1), x.columns(0, 1), i == 0 ? alu_op::add : alu_op::subtract,
         x.columns(1, 1));
    nc_.issue(tensor_scalar{.out = y.columns(0, 2),
                            .in = x.columns(2, 2),
                            .op0 = alu_op::multiply,
                            .operand0 = what_.scale});
    nc_.issue(dma_copy{.out = ends(out_, !what_.inverse, false), .in = y.columns(0, 2)});
    if (what_.inverse) return;
    nc_.issue(memset{.out = y.columns(2, 2), .value = 0});
    nc_.issue(dma_copy{.out = ends(out_, true, true), .in = y.columns(2, 2)});
  }

  core& nc_;
  packed_spectra what_;
  hbm_view in_, out_, factors_;
  std::int64_t partitions_, chunk_;
  tile_pool inputs_, results_;
  std::optional<product_pools> products_ = {};
  tile_view factors_tile_ = {};
  bool both_ = true;  ///< the first lines of pairs are stored too
};

}  // namespace

fft_step packed_spectra_step(const packed_spectra& what) {
  fft_step step{.design = design_of(what),
                .in_elements = what.elements(what.inverse),
                .out_elements = what.elements(!what.inverse),
                .squared_error = what.neighbours ? stage_error(1) : rounding_squared_error()};
  const std::int64_t pairs = what.neighbours ? what.partnered() : 0;
  if (pairs > 0)
    step.tables.push_back(
        table_of(base_detail::message("unpacking factors of ", what.n), 2, pairs,
                 [what](const table_writer& table) { fill_factors(what, table); }));
  step.run = [what, pairs](core& nc, const hbm_view& in, const hbm_view& out,
                           std::span<const hbm_view> tables) {
    packed_spectra_run(nc, what, in, out, pairs > 0 ? tables[0].reshape({2 * pairs}) : in).issue();
  };
  return step;
}

}  // namespace papilio::kernels_detail

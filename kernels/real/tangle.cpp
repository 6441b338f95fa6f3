// Between the transform of x and that of z[j] = x[2j] + i x[2j+1], of m points.
//   identity   with S = a + conj b, a = in[k], b = in[m - k], and t = v[k] (a - conj b),
//                out[k] = h (S + t),  out[m - k] = h conj(S - t),  0 < k <= m/2,
//              v[k] = -i w(2m)^k, h = 1/2 to x's transform; v[k] = i w(2m)^-k, h = 1 back
//   layout     chunks of lines on partitions; the bins m - k are read and written in the order of
//              HBM and turned round on chip
//   engines    an operand in PSUM halves the vector engine's time: the scalar engine, which brings
//              the scale, parks a there and turns b round; sums and half of the products stay there
//   bound      the vector engine: fourteen sums and products a pair of bins; DMA for many lines
#include <algorithm>
#include <complex>

#include "base/roots_of_unity.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/real/regions.hpp"
#include "kernels/table.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t tangle_chunk = 512;  // elements of a part of a partition
constexpr int tangle_depth = 3;

struct tangling {
  std::int64_t outer, m;
  bool inverse;
  double scale;

  std::int64_t in_line() const { return inverse ? m + 1 : m; }
  std::int64_t out_line() const { return inverse ? m : m + 1; }
  std::int64_t pairs() const { return m / 2; }
  double half() const { return inverse ? scale : scale / 2; }

  auto fields() const { return std::tie(outer, m, inverse, scale); }
  std::string describe() const {
    return base_detail::message(inverse ? "tangle" : "untangle", " bins k and ", m, " - k, ", outer,
                                " lines");
  }
  tangling without_batch() const { return {0, m, inverse, scale}; }
};

void fill_factors(const tangling& t, const table_writer& table) {
  const base_detail::roots_of_unity<double> root{std::size_t(2 * t.m)};
  for (std::int64_t k = 1; k <= t.pairs(); ++k) {
    const std::complex<double> w = root(std::size_t(k));
    table.put(0, k - 1, std::complex<double>(0, 1) * (t.inverse ? std::conj(w) : -w), t.pairs());
  }
}

class tangle_run {
 public:
  tangle_run(core& nc, const tangling& what, const hbm_view& in, const hbm_view& out,
             const hbm_view& factors)
      : nc_(nc),
        what_(what),
        in_(in),
        out_(out),
        factors_(factors),
        side_(int(nc.machine().sbuf.partitions)),
        inputs_(nc.sbuf_pool(tangle_depth, side_, 4 * tangle_chunk)),
        roots_(nc.sbuf_pool(tangle_depth, side_, 2 * tangle_chunk)),
        turned_(nc.sbuf_pool(2, side_, 2 * tangle_chunk)),
        turns_(nc.sbuf_pool(2, side_, 4 * tangle_chunk)),
        results_(nc.sbuf_pool(tangle_depth, side_, 4 * tangle_chunk)),
        parked_(nc.psum_pool(1, side_, 2 * tangle_chunk)),
        sums_(nc.psum_pool(1, side_, 4 * tangle_chunk)),
        products_(nc.psum_pool(1, side_, 2 * tangle_chunk)) {}

  void issue() {
    // Few bins are spread over all partitions.
    const std::int64_t spread = (what_.outer * what_.pairs() + side_ - 1) / side_;
    for_regions(
        what_.outer, what_.pairs(),
        std::clamp(spread,
                   std::min(tangle_chunk, nc_.machine().thresholds.spread_row_bytes_min / 4),
                   tangle_chunk),
        side_, [&](const line_region& r) { pairs(r); });
    for (std::int64_t l = 0; l < what_.outer; l += side_)
      ends(l, int(std::min<std::int64_t>(side_, what_.outer - l)));
  }

 private:
  // Bins 1 + first ... of each chunk, or their partners m - ..., ascending.
  hbm_view bins(const hbm_view& of, std::int64_t line, const line_region& r, int plane,
                bool partners) const {
    const std::int64_t at = partners ? what_.m - r.first - r.length : 1 + r.first;
    return of.pattern(
        (plane * what_.outer + r.line) * line + at,
        {{r.lines, line}, {r.chunks, partners ? -r.length : r.length}, {r.length, 1}});
  }

  // v of a region's chunks; regions of other lines with the same ones follow each other.
  void fetch_factors(const line_region& r) {
    if (r.line > 0) return;
    factors_tile_ = roots_.next();
    for (int plane = 0; plane < 2; ++plane)
      nc_.issue(
          dma_copy{.out = part(factors_tile_.partition_range(0, r.partitions()), plane, r.length),
                   .in = factors_.pattern(plane * what_.pairs() + r.first,
                                          {{r.lines, 0}, {r.chunks, r.length}, {r.length, 1}})});
  }

  void pairs(const line_region& r) {
    const std::int64_t n = r.length;
    const int count = r.partitions();
    fetch_factors(r);
    const tile_view x = inputs_.next().partition_range(0, count),
                    w = factors_tile_.partition_range(0, count);
    for (int plane = 0; plane < 2; ++plane) {
      nc_.issue(
          dma_copy{.out = part(x, 2 + plane, n), .in = bins(in_, what_.in_line(), r, plane, true)});
      nc_.issue(
          dma_copy{.out = part(x, plane, n), .in = bins(in_, what_.in_line(), r, plane, false)});
    }
    const tile_view y = results_.next().partition_range(0, count);
    combine(x, w, y, n);
    for (int plane = 0; plane < 2; ++plane) {
      nc_.issue(dma_copy{.out = bins(out_, what_.out_line(), r, plane, true),
                         .in = part(y, 2 + plane, n)});
      nc_.issue(
          dma_copy{.out = bins(out_, what_.out_line(), r, plane, false), .in = part(y, plane, n)});
    }
  }

  static tile_view part(const tile_view& of, int i, std::int64_t n) {
    return of.columns(i * tangle_chunk, n);
  }
  // Two parts, from i on, `step` apart.
  static tile_view both(const tile_view& of, int i, int step, std::int64_t n) {
    return of.pattern(i * tangle_chunk, {{2, step * tangle_chunk}, {n, 1}});
  }

  // y = [S + t, conj(S - t) turned round] from x = [a, b turned round] and w = v without its scale.
  void combine(const tile_view& x, const tile_view& w, const tile_view& y, std::int64_t n) {
    const int count = x.partitions();
    const tile_view a = parked_.next().partition_range(0, count),
                    q = sums_.next().partition_range(0, count),
                    p = products_.next().partition_range(0, count),
                    b = turned_.next().partition_range(0, count),
                    t = turns_.next().partition_range(0, count);
    const auto scaled = [&](const tile_view& to, const tile_view& from) {
      nc_.issue(tensor_scalar{.out = to,
                              .in = from,
                              .op0 = alu_op::multiply,
                              .operand0 = what_.half(),
                              .on = unit::scalar});
    };
    scaled(both(b, 0, 1, n), x.pattern(2 * tangle_chunk + n - 1, {{2, tangle_chunk}, {n, -1}}));
    scaled(both(a, 0, 1, n), both(x, 0, 1, n));
    const auto pair = [&](const tile_view& to, const tile_view& left, alu_op op,
                          const tile_view& right) {
      nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = op});
    };
    // q = [S, D], S = a + conj b, D = a - conj b
    pair(both(q, 0, 3, n), both(a, 0, 1, n), alu_op::add, both(b, 0, 1, n));
    pair(both(q, 2, -1, n), both(a, 0, 1, n), alu_op::subtract, both(b, 0, 1, n));
    pair(both(p, 0, 1, n), both(q, 2, 1, n), alu_op::multiply, part(w, 0, n).repeat(2));
    pair(both(t, 0, 1, n), both(q, 2, 1, n), alu_op::multiply, part(w, 1, n).repeat(2));
    pair(part(t, 3, n), part(p, 1, n), alu_op::add, part(t, 0, n));
    pair(part(t, 2, n), part(p, 0, n), alu_op::subtract, part(t, 1, n));
    pair(both(y, 0, 1, n), both(q, 0, 1, n), alu_op::add, both(t, 2, 1, n));
    const auto backwards = [&](int i) { return y.pattern(i * tangle_chunk + n - 1, {{n, -1}}); };
    pair(backwards(2), part(q, 0, n), alu_op::subtract, part(t, 2, n));
    pair(backwards(3), part(t, 3, n), alu_op::subtract, part(q, 1, n));
  }

  // Bins 0 and m: the sum and the difference of the two reals that they are.
  void ends(std::int64_t line, int lines) {
    const tile_view x = inputs_.next().partition_range(0, lines),
                    y = results_.next().partition_range(0, lines);
    const auto element = [&](const hbm_view& of, std::int64_t length, int plane, std::int64_t at) {
      return of.pattern((plane * what_.outer + line) * length + at, {{lines, length}, {1, 1}});
    };
    // Of Z the parts of bin 0, of X the real parts of both.
    const std::int64_t in = what_.in_line(), out = what_.out_line(), m = what_.m;
    nc_.issue(dma_copy{.out = x.columns(0, 1), .in = element(in_, in, 0, 0)});
    nc_.issue(dma_copy{.out = x.columns(1, 1),
                       .in = what_.inverse ? element(in_, in, 0, m) : element(in_, in, 1, 0)});
    for (int i = 0; i < 2; ++i)
      nc_.issue(tensor_tensor{.out = x.columns(2 + i, 1),
                              .left = x.columns(0, 1),
                              .right = x.columns(1, 1),
                              .op = i == 0 ? alu_op::add : alu_op::subtract});
    nc_.issue(tensor_scalar{.out = y.columns(0, 2),
                            .in = x.columns(2, 2),
                            .op0 = alu_op::multiply,
                            .operand0 = what_.scale});
    nc_.issue(dma_copy{.out = element(out_, out, 0, 0), .in = y.columns(0, 1)});
    nc_.issue(dma_copy{.out = what_.inverse ? element(out_, out, 1, 0) : element(out_, out, 0, m),
                       .in = y.columns(1, 1)});
    if (what_.inverse) return;
    nc_.issue(memset{.out = y.columns(2, 1), .value = 0});
    for (const std::int64_t k : {std::int64_t(0), m})
      nc_.issue(dma_copy{.out = element(out_, out, 1, k), .in = y.columns(2, 1)});
  }

  core& nc_;
  tangling what_;
  hbm_view in_, out_, factors_;
  int side_;
  tile_pool inputs_, roots_, turned_, turns_, results_;  // SBUF
  tile_view factors_tile_ = {};
  tile_pool parked_, sums_, products_;  // PSUM
};

fft_step step_for(const tangling& what) {
  fft_step step{.design = design_of(what),
                .in_elements = 2 * what.outer * what.in_line(),
                .out_elements = 2 * what.outer * what.out_line(),
                .squared_error = stage_error(1)};
  if (what.pairs() > 0) {
    step.tables.push_back(
        table_of(base_detail::message("tangle factors of ", 2 * what.m), 2, what.pairs(),
                 [what](const table_writer& table) { fill_factors(what, table); }));
  }
  step.run = [what](core& nc, const hbm_view& in, const hbm_view& out,
                    std::span<const hbm_view> tables) {
    const hbm_view factors = tables.empty() ? in : tables[0].reshape({2 * what.pairs()});
    tangle_run(nc, what, in, out, factors).issue();
  };
  return step;
}

}  // namespace

fft_step untangle_step(std::int64_t outer, std::int64_t m, double scale) {
  return step_for(tangling{outer, m, false, scale});
}

fft_step tangle_step(std::int64_t outer, std::int64_t m, double scale) {
  return step_for(tangling{outer, m, true, scale});
}

}  // namespace papilio::kernels_detail

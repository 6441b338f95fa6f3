// Between the transform of x and that of z[j] = x[2j] + i x[2j+1], of m points.
//   identity   with S = (a + conj b) / 2, a = in[k], b = in[m - k], and t = v[k] (a - conj b),
//                out[k] = S + t,  out[m - k] = conj(S - t),  0 < k <= m/2,
//              v[k] = -i/2 w(2m)^k to x; with S = a + conj b and v[k] = i w(2m)^-k back
//   layout     chunks of lines on partitions; the bins m - k are read and written in the order of
//              HBM and turned round on chip
//   bound      the vector engine: fourteen sums and products a pair of bins; DMA where it has less
#include <complex>

#include "kernels/fft/error_model.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/real/regions.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/roots_of_unity.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t chunk = 512;
constexpr int depth = 2;

struct tangling {
  std::int64_t outer, m;
  bool inverse;
  double scale;

  std::int64_t in_line() const { return inverse ? m + 1 : m; }
  std::int64_t out_line() const { return inverse ? m : m + 1; }
  std::int64_t pairs() const { return m / 2; }
  double half() const { return inverse ? scale : scale / 2; }
};

void fill_factors(const tangling& t, std::span<float> table) {
  const base_detail::roots_of_unity<double> root{std::size_t(2 * t.m)};
  for (std::int64_t k = 1; k <= t.pairs(); ++k) {
    const std::complex<double> w = root(std::size_t(k));
    const std::complex<double> v =
        t.half() * std::complex<double>(0, 1) * (t.inverse ? std::conj(w) : -w);
    table[std::size_t(k - 1)] = static_cast<float>(v.real());
    table[std::size_t(t.pairs() + k - 1)] = static_cast<float>(v.imag());
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
        // [a, b turned round], [sums, products]
        inputs_(nc.sbuf_pool(depth, side_, 4 * chunk)),
        results_(nc.sbuf_pool(depth, side_, 4 * chunk)),
        roots_(nc.sbuf_pool(depth, side_, 2 * chunk)),
        sums_(nc.sbuf_pool(depth, side_, 6 * chunk)) {}

  void issue() {
    for_regions(what_.outer, what_.pairs(), chunk, side_, [&](const line_region& r) { pairs(r); });
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

  void pairs(const line_region& r) {
    const std::int64_t n = r.length;
    const tile_view x = inputs_.next().partition_range(0, r.partitions()),
                    y = results_.next().partition_range(0, r.partitions()),
                    w = roots_.next().partition_range(0, r.partitions()),
                    s = sums_.next().partition_range(0, r.partitions());
    const auto part = [&](const tile_view& of, int i) { return of.columns(i * n, n); };
    const auto turned = [&](const tile_view& of, int i) {
      return of.slice(1, (i + 1) * n - 1, n, -1);
    };
    for (int plane = 0; plane < 2; ++plane) {
      nc_.issue(dma_copy{.out = part(x, plane), .in = bins(in_, what_.in_line(), r, plane, false)});
      nc_.issue(
          dma_copy{.out = part(x, 2 + plane), .in = bins(in_, what_.in_line(), r, plane, true)});
      nc_.issue(dma_copy{.out = part(w, plane),
                         .in = factors_.pattern(plane * what_.pairs() + r.first,
                                                {{r.lines, 0}, {r.chunks, n}, {n, 1}})});
    }
    const tile_view ar = part(x, 0), ai = part(x, 1), br = turned(x, 2), bi = turned(x, 3);
    const auto combine = [&](const tile_view& to, const tile_view& left, alu_op op,
                             const tile_view& right) {
      nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = op});
    };
    combine(part(s, 0), ar, alu_op::add, br);  // a + conj b
    combine(part(s, 1), ai, alu_op::subtract, bi);
    combine(part(s, 2), ar, alu_op::subtract, br);  // a - conj b
    combine(part(s, 3), ai, alu_op::add, bi);
    combine(part(s, 4), part(s, 3), alu_op::multiply, part(w, 1));
    combine(part(s, 5), part(s, 3), alu_op::multiply, part(w, 0));
    combine(part(s, 3), part(s, 2), alu_op::multiply, part(w, 1));
    combine(part(s, 2), part(s, 2), alu_op::multiply, part(w, 0));
    combine(part(s, 4), part(s, 2), alu_op::subtract, part(s, 4));  // t
    combine(part(s, 5), part(s, 3), alu_op::add, part(s, 5));
    const auto blend = [&](const tile_view& to, int plane, alu_op op, bool reversed) {
      nc_.issue(scalar_tensor_tensor{.out = to,
                                     .in = part(s, plane),
                                     .right = part(s, 4 + plane),
                                     .op0 = alu_op::multiply,
                                     .operand0 = what_.half(),
                                     .op1 = op,
                                     .reverse1 = reversed});
    };
    blend(part(y, 0), 0, alu_op::add, false);
    blend(part(y, 1), 1, alu_op::add, false);
    blend(turned(y, 2), 0, alu_op::subtract, false);
    blend(turned(y, 3), 1, alu_op::subtract, true);  // t - S
    for (int plane = 0; plane < 2; ++plane) {
      nc_.issue(
          dma_copy{.out = bins(out_, what_.out_line(), r, plane, true), .in = part(y, 2 + plane)});
      nc_.issue(
          dma_copy{.out = bins(out_, what_.out_line(), r, plane, false), .in = part(y, plane)});
    }
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
  tile_pool inputs_, results_, roots_, sums_;
};

fft_step step_for(const tangling& what) {
  fft_step step{.text = base_detail::message(what.inverse ? "tangle" : "untangle", " bins k and ",
                                             what.m, " - k, ", what.outer, " lines"),
                .in_elements = 2 * what.outer * what.in_line(),
                .out_elements = 2 * what.outer * what.out_line(),
                .squared_error = stage_error(1)};
  if (what.pairs() > 0) {
    kernels::constant_table table;
    table.name = base_detail::message("tangle factors of ", 2 * what.m);
    table.shape.extents = {2, what.pairs()};
    table.fill = [what](std::span<float> out) { fill_factors(what, out); };
    step.tables.push_back(std::move(table));
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
  return step_for({outer, m, false, scale});
}

fft_step tangle_step(std::int64_t outer, std::int64_t m, double scale) {
  return step_for({outer, m, true, scale});
}

}  // namespace papilio::kernels_detail

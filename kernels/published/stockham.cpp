// trnfft's Stockham stages, radix 4 and 8, a launch for each.
//   identity      y[q, l, j] = sum over k of W_r^(q k) W_(r L)^(l k) x[l, k, j], lines as [L, r, M]
//   layout        radix 4: rows (batch, l, j) on partitions, k on the free axis; radix 8: k on
//                 partitions, the 8 x 8 matrix stationary, (batch, l, j) in columns of 512
//   factorisation 4^k, 8^k, or eights and then one or two fours
//   bound         DMA descriptors: of permutes of 4 bytes, of rows of 16 bytes
#include "kernels/published/published.hpp"

#include <algorithm>
#include <array>

#include "base/roots_of_unity.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/host_driver.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;
using namespace published_detail;
using kernels_detail::require;

// The four-point butterfly of a tile's columns: x[q] = sum over k of (-i)^(q k) a[k].
void butterfly_4(core& nc, const tile_view& out_re, const tile_view& out_im, const tile_view& re,
                 const tile_view& im, const tile_view& work) {
  const auto issue = [&](const tile_view& to, const tile_view& a, alu_op op, const tile_view& b) {
    nc.issue(tensor_tensor{.out = to, .left = a, .right = b, .op = op});
  };
  const auto pair = [&](int which) { return work.columns(2 * which, 2); };
  // Columns of work: a0 + a2, a1 + a3, then a0 - a2, a1 - a3; re, then im.
  issue(pair(0), re.columns(0, 2), alu_op::add, re.columns(2, 2));
  issue(pair(1), re.columns(0, 2), alu_op::subtract, re.columns(2, 2));
  issue(pair(2), im.columns(0, 2), alu_op::add, im.columns(2, 2));
  issue(pair(3), im.columns(0, 2), alu_op::subtract, im.columns(2, 2));
  const auto at = [&](int column) { return work.columns(column, 1); };
  const auto result = [&](const tile_view& to, int q, int a, alu_op op, int b) {
    issue(to.columns(q, 1), at(a), op, at(b));
  };
  result(out_re, 0, 0, alu_op::add, 1);
  result(out_re, 2, 0, alu_op::subtract, 1);
  result(out_im, 0, 4, alu_op::add, 5);
  result(out_im, 2, 4, alu_op::subtract, 5);
  result(out_re, 1, 2, alu_op::add, 7);
  result(out_re, 3, 2, alu_op::subtract, 7);
  result(out_im, 1, 6, alu_op::subtract, 3);
  result(out_im, 3, 6, alu_op::add, 3);
}

// y = butterflies of w x, row by row; all [rows, 4].
void radix_4(core& nc, const complex_views& y, const complex_views& x, const complex_views& w) {
  const std::int64_t rows = x.re.extent(0),
                     partitions = std::min<std::int64_t>(rows, nc.machine().sbuf.partitions);
  tile_pool in = nc.sbuf_pool(4, int(partitions), 16), out = nc.sbuf_pool(4, int(partitions), 8),
            scratch = nc.sbuf_pool(2, int(partitions), 32);
  struct block {
    std::int64_t first, rows;
    tile_view in, out;
  };
  const auto part = [](const hbm_view& v, const block& k) { return v.slice(0, k.first, k.rows); };
  const auto four = [](const tile_view& v, int which) { return v.columns(4 * which, 4); };
  pipeline(
      kernels_detail::ceil_div(rows, partitions), 2,
      [&](std::int64_t at) {
        block k{at * partitions, std::min(partitions, rows - at * partitions), {}, {}};
        k.in = in.next().partition_range(0, int(k.rows));
        const hbm_view* const sources[] = {&x.re, &x.im, &w.re, &w.im};
        for (int s = 0; s < 4; ++s)
          nc.issue(dma_copy{.out = four(k.in, s), .in = part(*sources[s], k)});
        return k;
      },
      [&](block k) {
        const tile_view s = scratch.next().partition_range(0, int(k.rows));
        k.out = out.next().partition_range(0, int(k.rows));
        const auto combine = [&](int to, const tile_view& a, int i, alu_op op, int j) {
          nc.issue(
              tensor_tensor{.out = four(s, to), .left = four(a, i), .right = four(a, j), .op = op});
        };
        combine(0, k.in, 0, alu_op::multiply, 2);
        combine(1, k.in, 1, alu_op::multiply, 3);
        combine(2, k.in, 0, alu_op::multiply, 3);
        combine(3, k.in, 1, alu_op::multiply, 2);
        combine(4, s, 0, alu_op::subtract, 1);
        combine(5, s, 2, alu_op::add, 3);
        butterfly_4(nc, four(k.out, 0), four(k.out, 1), four(s, 4), four(s, 5), s.columns(24, 8));
        return k;
      },
      [&](const block& k) {
        nc.issue(dma_copy{.out = part(y.re, k), .in = four(k.out, 0)});
        nc.issue(dma_copy{.out = part(y.im, k), .in = four(k.out, 1)});
      });
}

// y = matrix x; x and y [8, columns].
void radix_8(core& nc, const complex_views& y, const complex_views& x,
             const complex_views& matrix) {
  const auto tile_rows = int(matrix.re.extent(0));
  const std::int64_t columns = x.re.extent(1), width = std::min<std::int64_t>(
                                                   columns, nc.machine().tensor.moving_columns_max);
  const tile w_re = nc.sbuf(tile_rows, tile_rows), w_im = nc.sbuf(tile_rows, tile_rows);
  nc.issue(dma_copy{.out = w_re.whole(), .in = matrix.re});
  nc.issue(dma_copy{.out = w_im.whole(), .in = matrix.im});
  tile_pool in = nc.sbuf_pool(3, tile_rows, 3 * width), out = nc.sbuf_pool(3, tile_rows, 2 * width),
            banks = nc.psum_pool(4, tile_rows, width);
  for (std::int64_t first = 0; first < columns; first += width) {
    const std::int64_t count = std::min(width, columns - first);
    const tile_view tile = in.next(), result = out.next();
    const auto piece = [&](const tile_view& v, int which) {
      return v.columns(which * width, count);
    };
    const tile_view re = piece(tile, 0), im = piece(tile, 1), minus = piece(tile, 2);
    nc.issue(dma_copy{.out = re, .in = x.re.slice(1, first, count)});
    nc.issue(dma_copy{.out = im, .in = x.im.slice(1, first, count)});
    nc.issue(tensor_scalar{.out = minus, .in = im, .op0 = alu_op::multiply, .operand0 = -1});
    const tile_view y_re = banks.next().columns(0, count), y_im = banks.next().columns(0, count);
    nc.issue(engine::matmul{.out = y_re, .stationary = w_re, .moving = re});
    nc.issue(engine::matmul{.out = y_re, .stationary = w_im, .moving = minus, .accumulate = true});
    nc.issue(engine::matmul{.out = y_im, .stationary = w_re, .moving = im});
    nc.issue(engine::matmul{.out = y_im, .stationary = w_im, .moving = re, .accumulate = true});
    evacuate(nc, piece(result, 0), y_re);
    evacuate(nc, piece(result, 1), y_im);
    nc.issue(dma_copy{.out = y.re.slice(1, first, count), .in = piece(result, 0)});
    nc.issue(dma_copy{.out = y.im.slice(1, first, count), .in = piece(result, 1)});
  }
}

// As many rows as there are lanes, if that divides a power of two times the batch.
complex_views flattened(const complex_views& x, std::int64_t elements, std::int64_t partitions) {
  while (elements % partitions != 0) partitions /= 2;
  return {x.re.reshape({partitions, elements / partitions}),
          x.im.reshape({partitions, elements / partitions})};
}

void permute(core& nc, const complex_views& to, const complex_views& from) {
  nc.step("permute");
  nc.issue(dma_copy{.out = to.re, .in = from.re});
  nc.issue(dma_copy{.out = to.im, .in = from.im});
}

void run_stage(core& nc, const kernel_arguments& t, const stockham_stage_problem& s) {
  const std::int64_t rest = s.n / (s.radix * s.combined), rows = s.batch * s.combined * rest,
                     elements = s.batch * s.n;
  const complex_views x{t.in(0).reshape({s.batch, s.combined, s.radix, rest}),
                        t.in(1).reshape({s.batch, s.combined, s.radix, rest})};
  const complex_views y{t.out(0).reshape({s.batch, s.radix, s.combined, rest}),
                        t.out(1).reshape({s.batch, s.radix, s.combined, rest})};
  const auto tensors = [&](std::int64_t a, std::int64_t b) {
    return complex_views{nc.hbm({a, b}), nc.hbm({a, b})};
  };
  nc.state_floor(4.0 * 4 * double(elements), 0);
  if (s.radix == 4) {
    const complex_views a = tensors(rows, 4), b = tensors(rows, 4);
    const auto ordered = [&](const hbm_view& v) {
      return v.reshape({s.batch, s.combined, rest, 4});
    };
    permute(nc, {ordered(a.re), ordered(a.im)},
            {x.re.permute({0, 1, 3, 2}), x.im.permute({0, 1, 3, 2})});
    nc.step("butterfly");
    radix_4(nc, b, a, {t.in(2), t.in(3)});
    const auto back = [&](const hbm_view& v) { return ordered(v).permute({0, 3, 1, 2}); };
    return permute(nc, y, {back(b.re), back(b.im)});
  }
  const complex_views a = tensors(8, rows), twiddled = tensors(8, rows), b = tensors(8, rows);
  const auto ordered = [&](const hbm_view& v) { return v.reshape({8, s.batch, s.combined, rest}); };
  permute(nc, {ordered(a.re), ordered(a.im)},
          {x.re.permute({2, 0, 1, 3}), x.im.permute({2, 0, 1, 3})});
  nc.step("twiddle");
  const std::int64_t partitions = nc.machine().sbuf.partitions;
  multiply_complex(nc, flattened(twiddled, elements, partitions),
                   flattened(a, elements, partitions),
                   flattened({t.in(2), t.in(3)}, elements, partitions));
  nc.step("w8");
  radix_8(nc, b, twiddled, {t.in(4), t.in(5)});
  const auto back = [&](const hbm_view& v) { return ordered(v).permute({1, 0, 2, 3}); };
  permute(nc, y, {back(b.re), back(b.im)});
}

constexpr const char* stockham_name = "published::stockham_fft";

planes lines(view<const float, 3> in, bool conjugate) {
  return filled(std::int64_t(in.extent(1)), std::int64_t(in.extent(2)),
                [&](std::int64_t b, std::int64_t j) {
                  const float im = in(1, std::size_t(b), std::size_t(j));
                  return std::pair{in(0, std::size_t(b), std::size_t(j)), conjugate ? -im : im};
                });
}

// Twiddles in the layout of the stage: rows (batch, l, j) by k, for radix 8 the other way round.
planes twiddles(const stockham_stage_problem& s) {
  const base_detail::roots_of_unity<float> roots{std::size_t(s.radix * s.combined)};
  const std::int64_t rest = s.n / (s.radix * s.combined), rows = s.batch * s.combined * rest;
  const auto value = [&](std::int64_t row, std::int64_t k) {
    const auto w = roots(std::size_t(row / rest % s.combined * k));
    return std::pair{w.real(), w.imag()};
  };
  if (s.radix == 4) return filled(rows, 4, value);
  return filled(8, rows, [&](std::int64_t k, std::int64_t row) { return value(row, k); });
}

planes matrix_8() {
  const base_detail::roots_of_unity<float> roots{8};
  return filled(8, 8, [&](std::int64_t k, std::int64_t q) {
    const auto w = roots(std::size_t(k * q % 8));
    return std::pair{w.real(), w.imag()};
  });
}

published_run transform(device& on, const fft_problem& of, view<const float, 3> in,
                        view<float, 3> out, stockham_plan plan, run_mode mode) {
  require_lines(stockham_name, of);
  const auto batch = std::int64_t(of.extents[0]), n = std::int64_t(of.extents[1]);
  const bool inverse = of.is_inverse();
  const std::vector<int> radices = stockham_radices(n, plan);
  host_driver host(on, mode);
  buffers data = host.upload(batch, n, [&] { return lines(in, inverse); });
  buffers matrix;
  if (std::ranges::find(radices, 8) != radices.end()) matrix = host.upload(8, 8, matrix_8);
  std::int64_t combined = 1;
  for (const int radix : radices) {
    const stockham_stage_problem stage{
        .n = n, .batch = batch, .radix = radix, .combined = combined};
    const sized_kernel what = stockham_stage_kernel(stage, on.machine());
    const auto& table = what.inputs[2].extents;
    std::vector<buffers> inputs{data,
                                host.upload(table[0], table[1], [&] { return twiddles(stage); })};
    if (radix == 8) inputs.push_back(matrix);
    combined *= radix;
    if (combined < n)
      data = host.launch(what, inputs);
    else if (const auto result = host.launch_and_fetch(what, inputs))
      write_lines(*result, out, inverse ? 1 / float(n) : 1.0f, inverse);
  }
  return host.result();
}

}  // namespace

std::vector<int> stockham_radices(std::int64_t n, stockham_plan plan) {
  int power = 0;
  for (std::int64_t rest = n; rest > 1 && rest % 2 == 0; rest /= 2) ++power;
  const bool two = n >= 2 && n == std::int64_t(1) << power;
  const auto of = [](int eights, int fours) {
    std::vector<int> radices(std::size_t(eights), 8);
    radices.insert(radices.end(), std::size_t(fours), 4);
    return radices;
  };
  const auto require_rule = [&](bool holds, const char* rule) {
    require(holds, stockham_name, ": n must be ", rule, ", got ", n);
  };
  switch (plan) {
    case stockham_plan::radix_4:
      require_rule(two && power % 2 == 0, "4^k, k >= 1");
      return of(0, power / 2);
    case stockham_plan::radix_8:
      require_rule(two && power % 3 == 0, "8^k, k >= 1");
      return of(power / 3, 0);
    case stockham_plan::mixed:
      require_rule(two && power >= 2, "2^k, k >= 2");
      break;
  }
  const int fours = power % 3 == 0 ? 0 : power % 3 == 1 ? 2 : 1;
  return of((power - 2 * fours) / 3, fours);
}

sized_kernel stockham_stage_kernel(const stockham_stage_problem& problem, const machine_spec&) {
  const std::string name = "published/stockham_stage";
  require(problem.radix == 4 || problem.radix == 8, name, ": radix must be 4 or 8, got ",
          problem.radix);
  require_at_least(name, "batch", problem.batch, 1);
  require_at_least(name, "combined", problem.combined, 1);
  require_at_least(name, "n", problem.n, 1);
  const std::int64_t made = checked_multiply(std::int64_t(problem.radix), problem.combined,
                                             "published/stockham_stage: size");
  require(problem.n % made == 0, name, ": n must be a multiple of radix * combined = ", made,
          ", got ", problem.n);
  const std::int64_t rows =
      checked_multiply(problem.batch, problem.n, "published/stockham_stage: elements") /
      problem.radix;
  const tensor_shape data{{problem.batch, problem.n}},
      table = problem.radix == 4 ? tensor_shape{{rows, 4}} : tensor_shape{{8, rows}},
      matrix{{8, 8}};
  const kernel_design design =
      kernels_detail::design_of(kernels_detail::published_stockham{problem});
  sized_kernel made_kernel{
      .program = {.name = name,
                  .parameters = design.key(),
                  .body = [problem](core& nc,
                                    const kernel_arguments& t) { run_stage(nc, t, problem); }},
      .inputs = {data, data, table, table},
      .outputs = {data, data},
      .design = design};
  if (problem.radix == 8) made_kernel.inputs.insert(made_kernel.inputs.end(), {matrix, matrix});
  made_kernel.ranges.resize(made_kernel.inputs.size());
  return made_kernel;
}

published_run stockham_fft(device& on, view<const float, 3> in, view<float, 3> out, direction dir,
                           stockham_plan plan) {
  return transform(on, lines_of(stockham_name, in, out, dir), in, out, plan, run_mode::execute);
}

published_run stockham_fft(device& on, const fft_problem& lines, stockham_plan plan) {
  return transform(on, lines, {}, {}, plan, run_mode::dry_run);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_stockham::describe() const {
  return base_detail::message("radix ", of.radix, ": ", of.combined, " x ", of.radix, " points of ",
                              of.n, ", ", of.batch * of.n / of.radix, " butterflies\n");
}

kernels::catalog_entry published_stockham_stage_entry() {
  using r = kernels::published::stockham_stage_problem;
  return settings<r>{
      number_setting("n", &r::n, "1024", "Points of a line"),
      number_setting("batch", &r::batch, "1", "Lines"),
      choice_setting("radix", &r::radix, "Radix of the stage", {{"4", 4}, {"8", 8}}),
      number_setting("combined", &r::combined, "1", "Product of the radices of the stages before")}
      .entry("published/stockham_stage", "a stage of trnfft's Stockham FFT, radix 4 or 8",
             kernels::published::stockham_stage_kernel);
}

}  // namespace papilio::kernels_detail

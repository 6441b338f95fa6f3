// trnfft's radix-2 butterfly, a launch for each stage.
//   identity      stage s: y[j], y[j + m/2] = x[j] +- w[j] x[j + m/2], m = 2^(s+1), in groups of m
//                 points; the host has reversed the bits of the index
//   layout        [batch n/m groups, m]: groups on partitions, one j at a time, an element a load
//   factorisation 2^k, radix 2, one launch for each factor
//   bound         DMA descriptors of 4 bytes; few groups: the vector engine's static cost
#include "kernels/published/published.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

namespace papilio::kernels::published {
namespace {

using namespace engine;
using namespace published_detail;
using kernels_detail::require;

/// Vector instructions on single columns, each with a place of its own in a scratch tile.
class column_arithmetic {
 public:
  column_arithmetic(core& nc, const tile_view& scratch) : nc_(nc), scratch_(scratch) {}

  void into(const tile_view& out, const tile_view& a, alu_op op, const tile_view& b) {
    nc_.issue(tensor_tensor{.out = out, .left = a, .right = b, .op = op});
  }
  tile_view combine(const tile_view& a, alu_op op, const tile_view& b) {
    const tile_view out = place();
    into(out, a, op, b);
    return out;
  }

  /// A number as the sum of two of half the bits (Dekker 1971).
  struct halves {
    tile_view whole, high, low;
  };
  halves split(const tile_view& a) {
    constexpr float splitter = 4097;  // 2^12 + 1: 24 bits into 12 and 12
    const tile_view scaled = place();
    nc_.issue(tensor_scalar{.out = scaled, .in = a, .op0 = alu_op::multiply, .operand0 = splitter});
    const tile_view high = combine(scaled, alu_op::subtract, combine(scaled, alu_op::subtract, a));
    return {a, high, combine(a, alu_op::subtract, high)};
  }

  /// a b = value + error exactly.
  struct product {
    tile_view value, error;
  };
  product multiply(const halves& a, const halves& b) {
    const auto times = [this](const tile_view& x, const tile_view& y) {
      return combine(x, alu_op::multiply, y);
    };
    const tile_view value = times(a.whole, b.whole);
    tile_view error = combine(times(a.high, b.high), alu_op::subtract, value);
    error = combine(error, alu_op::add, times(a.high, b.low));
    error = combine(error, alu_op::add, times(a.low, b.high));
    return {value, combine(error, alu_op::add, times(a.low, b.low))};
  }
  tile_view sum(const product& a, alu_op op, const product& b) {
    return combine(combine(a.value, op, b.value), alu_op::add, combine(a.error, op, b.error));
  }

 private:
  tile_view place() { return scratch_.columns(next_++, 1); }

  core& nc_;
  tile_view scratch_;
  std::int64_t next_ = 0;
};

constexpr std::int64_t scratch_columns = 64;
// Loads of a column step, in this order; its stores are the first four.
enum : int { top_re, top_im, bottom_re, bottom_im, twiddle_re, twiddle_im, loads };
constexpr int stores = 4;

void butterfly(core& nc, const tile_view& in, const tile_view& out, const tile_view& scratch,
               bool compensated) {
  column_arithmetic on(nc, scratch);
  const auto x = [&](int which) { return in.columns(which, 1); };
  tile_view re, im;
  if (compensated) {
    const auto b_re = on.split(x(bottom_re)), b_im = on.split(x(bottom_im)),
               w_re = on.split(x(twiddle_re)), w_im = on.split(x(twiddle_im));
    re = on.sum(on.multiply(b_re, w_re), alu_op::subtract, on.multiply(b_im, w_im));
    im = on.sum(on.multiply(b_re, w_im), alu_op::add, on.multiply(b_im, w_re));
  } else {
    const auto times = [&](int a, int b) { return on.combine(x(a), alu_op::multiply, x(b)); };
    const tile_view rr = times(bottom_re, twiddle_re), ii = times(bottom_im, twiddle_im),
                    ri = times(bottom_re, twiddle_im), ir = times(bottom_im, twiddle_re);
    re = on.combine(rr, alu_op::subtract, ii);
    im = on.combine(ri, alu_op::add, ir);
  }
  on.into(out.columns(top_re, 1), x(top_re), alu_op::add, re);
  on.into(out.columns(top_im, 1), x(top_im), alu_op::add, im);
  on.into(out.columns(bottom_re, 1), x(top_re), alu_op::subtract, re);
  on.into(out.columns(bottom_im, 1), x(top_im), alu_op::subtract, im);
}

void run_stage(core& nc, const kernel_arguments& t, const butterfly_stage_problem& problem) {
  const std::int64_t m = std::int64_t(2) << problem.stage, half = m / 2,
                     groups = problem.batch * (problem.n / m);
  const std::int64_t partitions = std::min<std::int64_t>(groups, nc.machine().sbuf.partitions);
  const auto grouped = [&](const hbm_view& v) { return v.reshape({groups, m}); };
  const std::array<hbm_view, 2> x{grouped(t.in(0)), grouped(t.in(1))},
      y{grouped(t.out(0)), grouped(t.out(1))}, w{t.in(2), t.in(3)};
  // A load of 4 bytes a partition waits for the vector instructions issued before it (see
  // docs/cost_model.md): the further ahead it is issued, the less it waits.
  constexpr int ahead = 4, depth = ahead + 2;
  tile_pool in = nc.sbuf_pool(depth, int(partitions), loads),
            out = nc.sbuf_pool(depth, int(partitions), stores),
            scratch = nc.sbuf_pool(2, int(partitions), scratch_columns);
  struct step {
    std::int64_t first, rows, j;
    tile_view in, out;
  };
  const auto column = [](const hbm_view& v, const step& s, std::int64_t j) {
    return v.slice(0, s.first, s.rows).slice(1, j, 1);
  };
  nc.state_floor(4.0 * 4 * double(problem.n) * double(problem.batch), 0);
  pipeline(
      kernels_detail::ceil_div(groups, partitions) * half, ahead,
      [&](std::int64_t at) {
        step s{at / half * partitions, 0, at % half, {}, {}};
        s.rows = std::min(partitions, groups - s.first);
        s.in = in.next().partition_range(0, int(s.rows));
        const auto load = [&](int which, const hbm_view& from, std::int64_t j) {
          nc.issue(dma_copy{.out = s.in.columns(which, 1), .in = column(from, s, j)});
        };
        for (int p = 0; p < 2; ++p) {
          load(top_re + p, x[std::size_t(p)], s.j);
          load(bottom_re + p, x[std::size_t(p)], s.j + half);
          load(twiddle_re + p, w[std::size_t(p)], s.j);
        }
        return s;
      },
      [&](step s) {
        s.out = out.next().partition_range(0, int(s.rows));
        butterfly(nc, s.in, s.out, scratch.next().partition_range(0, int(s.rows)),
                  problem.compensated);
        return s;
      },
      [&](const step& s) {
        for (int p = 0; p < 2; ++p) {
          const hbm_view& to = y[std::size_t(p)];
          nc.issue(dma_copy{.out = column(to, s, s.j), .in = s.out.columns(top_re + p, 1)});
          nc.issue(
              dma_copy{.out = column(to, s, s.j + half), .in = s.out.columns(bottom_re + p, 1)});
        }
      });
}

constexpr const char* butterfly_name = "published::butterfly_fft";

void require_transform(const std::string& where, std::int64_t n, std::int64_t batch) {
  require(n >= 2 && std::has_single_bit(std::uint64_t(n)), where,
          ": n must be a power of two of at least 2, got ", n);
  require_at_least(where, "batch", batch, 1);
  // The second with the lines that fill up the batch; the first, that their number fits.
  checked_multiply(n, batch, where.c_str());
  checked_multiply(n, butterfly_padded_batch(batch), where.c_str());
}

planes reversed(view<const float, 3> in, std::int64_t rows, int bits) {
  const auto batch = std::int64_t(in.extent(1)), n = std::int64_t(in.extent(2));
  return filled(rows, n, [&](std::int64_t b, std::int64_t j) -> std::pair<float, float> {
    if (b >= batch) return {0.0f, 0.0f};
    std::uint64_t from = 0;
    for (int k = 0; k < bits; ++k) from = from << 1 | (std::uint64_t(j) >> k & 1);
    return {in(0, std::size_t(b), from), in(1, std::size_t(b), from)};
  });
}

// The published system computes its tables anew for every call, and uploads them.
planes stage_twiddles(std::int64_t groups, std::int64_t half, bool inverse) {
  const base_detail::roots_of_unity<float> roots{std::size_t(2 * half)};
  return filled(groups, half, [&](std::int64_t, std::int64_t j) {
    const auto w = roots(std::size_t(j));
    return std::pair{w.real(), inverse ? -w.imag() : w.imag()};
  });
}

published_run transform(device& on, const fft_problem& lines, view<const float, 3> in,
                        view<float, 3> out, bool compensated, run_mode mode) {
  require_lines(butterfly_name, lines);
  const auto batch = std::int64_t(lines.extents[0]), n = std::int64_t(lines.extents[1]);
  const bool inverse = lines.is_inverse();
  require_transform(butterfly_name, n, batch);
  const std::int64_t rows = butterfly_padded_batch(batch);
  const int stages = std::countr_zero(std::uint64_t(n));
  host_driver host(on, mode);
  buffers data = host.upload(rows, n, [&] { return reversed(in, rows, stages); });
  for (int s = 0; s < stages; ++s) {
    const std::int64_t half = std::int64_t(1) << s, groups = rows * (n / (2 * half));
    const buffers twiddles =
        host.upload(groups, half, [&] { return stage_twiddles(groups, half, inverse); });
    const sized_kernel what = butterfly_stage_kernel(
        {.n = n, .batch = rows, .stage = s, .compensated = compensated}, on.machine());
    if (s + 1 < stages)
      data = host.launch(what, {data, twiddles});
    else if (const auto result = host.launch_and_fetch(what, {data, twiddles}))
      write_lines(*result, out, inverse ? 1 / float(n) : 1.0f);
  }
  return host.result();
}

}  // namespace

sized_kernel butterfly_stage_kernel(const butterfly_stage_problem& problem, const machine_spec&) {
  const std::string name = "published/butterfly_stage";
  require_transform(name, problem.n, problem.batch);
  const int stages = std::countr_zero(std::uint64_t(problem.n));
  require(problem.stage >= 0 && problem.stage < stages, name, ": stage must be in [0, ", stages,
          ") for n ", problem.n, ", got ", problem.stage);
  const std::int64_t half = std::int64_t(1) << problem.stage,
                     groups = problem.batch * (problem.n / (2 * half));
  const tensor_shape data{{problem.batch, problem.n}}, table{{groups, half}};
  const kernel_design design =
      kernels_detail::design_of(kernels_detail::published_butterfly{problem});
  return {.program = {.name = name,
                      .parameters = design.key(),
                      .body = [problem](core& nc,
                                        const kernel_arguments& t) { run_stage(nc, t, problem); }},
          .inputs = {data, data, table, table},
          .outputs = {data, data},
          .ranges = {{}, {}, {}, {}},
          .design = design};
}

std::int64_t butterfly_padded_batch(std::int64_t batch) {
  constexpr std::int64_t multiple = 128;
  if (batch >= 1 && std::has_single_bit(std::uint64_t(batch))) return batch;
  return kernels_detail::ceil_div(batch, multiple) * multiple;
}

published_run butterfly_fft(device& on, view<const float, 3> in, view<float, 3> out, direction dir,
                            bool compensated) {
  return transform(on, lines_of(butterfly_name, in, out, dir), in, out, compensated,
                   run_mode::execute);
}

published_run butterfly_fft(device& on, const fft_problem& lines, bool compensated) {
  return transform(on, lines, {}, {}, compensated, run_mode::dry_run);
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_butterfly::describe() const {
  const std::int64_t half = std::int64_t(1) << of.stage;
  return base_detail::message("stage ", of.stage, " of ", std::countr_zero(std::uint64_t(of.n)),
                              ": ", of.batch * (of.n / (2 * half)), " groups on partitions, ", half,
                              " columns of each\n");
}

kernels::catalog_entry published_butterfly_stage_entry() {
  using r = kernels::published::butterfly_stage_problem;
  return settings<r>{
      number_setting("n", &r::n, "1024", "Points of a line, 2^k"),
      number_setting("batch", &r::batch, "1", "Lines"),
      number_setting("stage", &r::stage, "0", "It makes transforms of 2^(stage+1) points", 0),
      choice_setting("arithmetic", &r::compensated, "Whether products keep their rounding errors",
                     {{"native", false}, {"compensated", true}})}
      .entry("published/butterfly_stage",
             "a stage of trnfft's radix-2 FFT, a column of all groups at a time",
             kernels::published::butterfly_stage_kernel);
}

}  // namespace papilio::kernels_detail

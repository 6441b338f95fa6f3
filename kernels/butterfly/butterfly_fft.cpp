// FFT by butterflies on the vector engine.
//   identity   x[q + s (p + m j)] -> y[q + s (r p + k)], n = r m s, pass after pass (Stockham)
//   layout     batch on partitions (some items on each), [plane][item][point] on the free axis
//   factors    one 2, then 3s, 4s, 5s and larger primes: small strides first, the largest last,
//              where there are no twiddle factors. Radix 8 would save 1.5 of 40.5 cycles a point
//              at 1024 and take more and shorter instructions, at 130 cycles each
//   bound      vector engine (and gpsimd, which shares its port): a pass of radix 4 takes 2.5
//              cycles a point for the first level, 2 for the second, 4.5 for the twiddle factors
#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/butterfly/butterfly_passes.hpp"
#include "kernels/butterfly/butterfly_plan.hpp"
#include "kernels/design.hpp"
#include "kernels/entries.hpp"
#include "kernels/fft/precision.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::butterfly_passes;
using kernels_detail::butterfly_plan;

constexpr const char* butterfly_fft_name = "butterfly_fft";

/// The batch in blocks of up to `items` a partition.
class blocks {
 public:
  blocks(core& nc, const butterfly_plan& plan, float scale, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        plan_(plan),
        scale_(scale),
        out_(out),
        in_(in),
        loaded_(nc.sbuf_pool(plan.depth, plan.lanes, 2 * plan.items * plan.n)),
        others_(nc.sbuf_pool(plan.depth, plan.lanes, 2 * plan.items * plan.n)) {}

  void run(butterfly_passes& passes) {
    const std::int64_t batch = in_.extent(1);
    block now = load(0);
    passes.load_table();
    for (std::int64_t done = 0; done < batch;) {
      const std::int64_t next = now.end();
      const bool ahead = plan_.depth > 1 && next < batch;
      block following;
      if (ahead) following = load(next);
      const tile_view other = part(others_.next(), now);
      const tile_view result = passes.run(now.data, other, now.items());
      if (scale_ != 1) nc_.issue(activation{.out = result, .in = result, .scale = scale_});
      store(now, result);
      done = next;
      if (!ahead && next < batch) following = load(next);
      now = following;
    }
  }

 private:
  // Items first + lane * full ... of each partition, and of the first `more` one more, behind all
  // those: partitions are then written from the first one on, whatever the batch.
  struct block {
    std::int64_t first = 0, lanes = 0, full = 0, more = 0;
    tile_view data = {};

    std::int64_t items() const { return full + (more > 0); }
    std::int64_t end() const { return first + lanes * full + more; }
  };

  tile_view part(const tile_view& whole, const block& b) const {
    return whole.partition_range(0, int(b.lanes)).columns(0, 2 * b.items() * plan_.n);
  }

  // Calls move(tile, tensor) for the parts of a block.
  template <class Move>
  void for_parts(const block& b, const tile_view& data, const hbm_view& tensor,
                 const Move& move) const {
    const auto one = [&](std::int64_t lanes, std::int64_t item, std::int64_t items,
                         std::int64_t first) {
      move(data.partition_range(0, int(lanes))
               .reshape({2, b.items(), plan_.n})
               .slice(2, item, items),
           tensor.slice(1, first, lanes * items)
               .reshape({2, lanes, items * plan_.n})
               .permute({1, 0, 2}));
    };
    one(b.lanes, 0, b.full, b.first);
    if (b.more > 0) one(b.more, b.full, 1, b.first + b.lanes * b.full);
  }

  block load(std::int64_t first) {
    const std::int64_t left = in_.extent(1) - first;
    block b{.first = first};
    b.lanes = std::min<std::int64_t>(plan_.lanes, left);
    b.full = std::min(plan_.items, left / b.lanes);
    b.more = b.full < plan_.items ? left % b.lanes : 0;
    b.data = part(loaded_.next(), b);
    // What some partitions lack is computed all the same.
    if (b.more > 0)
      nc_.issue(memset{.out = b.data.reshape({2, b.items(), plan_.n}).slice(2, b.full, 1),
                       .value = 0,
                       .on = unit::gpsimd});
    for_parts(b, b.data, in_, [&](const tile_view& tile, const hbm_view& rows) {
      nc_.issue(dma_copy{.out = tile, .in = rows});
    });
    return b;
  }

  void store(const block& b, const tile_view& result) {
    for_parts(b, result, out_, [&](const tile_view& tile, const hbm_view& rows) {
      nc_.issue(dma_copy{.out = rows, .in = tile});
    });
  }

  core& nc_;
  const butterfly_plan& plan_;
  float scale_;
  hbm_view out_, in_;
  tile_pool loaded_, others_;
};

bool is_compensated(const precision_options& precision) {
  if (precision.mode != precision::native && precision.mode != precision::compensated)
    throw invalid_argument(
        message(butterfly_fft_name, ": precision must be native or compensated"));
  if (precision.target_error != 0)
    throw invalid_argument(message(butterfly_fft_name, ": precision.target_error must be 0, got ",
                                   precision.target_error));
  return precision.mode == precision::compensated;
}

void check_radices(std::int64_t n) {
  std::int64_t too_large = 0;
  kernels_detail::butterfly_radices(n, too_large);
  if (too_large != 0)
    throw invalid_argument(message(butterfly_fft_name, ": n must have prime factors up to 31, got ",
                                   n, " with ", too_large));
}

}  // namespace

sized_kernel butterfly_fft_kernel(const fft_problem& problem, const machine_spec& machine,
                                  const fft_kernel_options& options) {
  const kernels_detail::fft_lines lines =
      kernels_detail::checked_lines(butterfly_fft_name, problem, options);
  const bool compensated = is_compensated(options.precision);
  check_radices(lines.n);
  const butterfly_plan plan =
      kernels_detail::make_butterfly_plan(lines, problem.is_inverse(), compensated, machine);
  if (plan.depth == 0)
    throw resource_error(message(butterfly_fft_name, ": n = ", lines.n,
                                 compensated ? ", compensated," : "", " does not fit into ",
                                 machine.sbuf.bytes_per_partition, " bytes of a partition"));
  const double factor = kernels_detail::scale_of(problem, options);
  const float scale = float(factor);
  sized_kernel sized = kernels_detail::empty_fft(problem);
  sized.program.name = butterfly_fft_name;
  sized.design = kernels_detail::design_of(
      kernels_detail::butterfly_design{.plan = plan, .batch = lines.batch, .scale = scale});
  sized.program.parameters = sized.design.key();
  if (plan.table_size > 0) {
    constant_table& table = sized.tables.emplace_back();
    table.name = "twiddle factors";
    table.shape = {{plan.table_size}, dtype::fp32};
    table.fill = [plan](std::span<float> out) { kernels_detail::fill_butterfly_table(plan, out); };
  }
  sized.program.body = [plan, lines, scale](core& nc, const kernel_arguments& t) {
    const auto as_lines = [&](const hbm_view& v) { return v.reshape({2, lines.batch, lines.n}); };
    const hbm_view table = plan.table_size > 0 ? t.in(1) : hbm_view{};
    nc.state_floor(double(t.in(0).elements() + t.out(0).elements()) * 4, 0);
    kernels_detail::run_butterfly(nc, plan, scale, as_lines(t.in(0)), as_lines(t.out(0)), table);
  };
  sized.expected_error = kernels_detail::butterfly_error(plan, factor);
  sized.machine = machine;
  return sized;
}

bool butterfly_fft_fits(std::int64_t n, const machine_spec& machine, bool compensated) {
  std::int64_t too_large = 0;
  if (n < 1 || n > machine.sbuf.bytes_per_partition) return false;
  kernels_detail::butterfly_radices(n, too_large);
  return too_large == 0 &&
         kernels_detail::make_butterfly_plan({.n = n}, false, compensated, machine).depth > 0;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string butterfly_design::describe() const {
  using base_detail::message;
  std::string text = "passes of radix";
  for (const butterfly_stage& stage : plan.stages) text += message(' ', stage.radix);
  if (plan.stages.empty()) text = "no passes";
  text += message("; ", plan.items, " items on each of ", plan.lanes, " partitions\n");
  if (plan.table_size > 0)
    text += message("twiddle factors: ", plan.table_size, " fp32, ",
                    plan.resident ? "on every partition" : "passing by in pieces", "\n");
  if (plan.compensated) text += "compensated: two-products and two-sums, one rounding at the end\n";
  return text;
}

void run_butterfly(engine::core& nc, const butterfly_plan& plan, float scale,
                   const engine::hbm_view& in, const engine::hbm_view& out,
                   const engine::hbm_view& table) {
  kernels::blocks all(nc, plan, scale, in, out);
  butterfly_passes passes(nc, plan, table);
  all.run(passes);
}

kernels::catalog_entry butterfly_fft_entry() {
  return {.name = "butterfly_fft",
          .summary = "FFT of [2, batch, n] by butterflies on the vector engine",
          .parameters = {{.name = "batch", .preset = "128", .help = "Transforms"},
                         {.name = "n", .preset = "1024", .help = "Points; primes up to 31"},
                         {.name = "compensated",
                          .preset = "no",
                          .help = "Two-products and two-sums",
                          .choices = {"no", "yes"}},
                         {.name = "direction",
                          .preset = "forward",
                          .help = "Sign of the exponent; inverse: scaled by 1/n",
                          .choices = {"forward", "inverse"}}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            fft_problem lines = line_batch(values);
            lines.norm = normalization::backward;
            return kernels::butterfly_fft_kernel(
                lines, machine,
                {.precision = {.mode = values.at("compensated") == "yes" ? precision::compensated
                                                                         : precision::native}});
          }};
}

}  // namespace papilio::kernels_detail

#include "kernels/short_time/long_segments.hpp"

#include <algorithm>
#include <utility>

#include "kernels/designed_kernel.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::sized_kernel;

namespace {

constexpr int pool_depth = 3;

// Samples of a partition that are worked on at a time.
std::int64_t chunk_of(const machine_spec& machine) {
  constexpr std::int64_t most = 2048, tiles = 16;
  return std::min(most, machine.sbuf.bytes_per_partition / 4 / tiles);
}

// Broadcasts samples [at, at + count) of the window to so many partitions.
tile_view window_on(core& nc, tile_pool& pool, const hbm_view& window, int partitions,
                    std::int64_t at, std::int64_t count) {
  const tile_view tile = pool.next().partition_range(0, partitions).columns(0, count);
  nc.issue(dma_copy{.out = tile, .in = window.pattern(at, {{partitions, 0}, {count, 1}})});
  return tile;
}

kernels::constant_table window_table(const std::vector<float>& window) {
  return table_of("window", 1, std::int64_t(window.size()), [window](const table_writer& table) {
    for (std::size_t j = 0; j < window.size(); ++j)
      table.put(0, std::int64_t(j), double(window[j]));
  });
}

struct segments_design {
  segment_rows rows = {};

  auto fields() const { return std::tie(rows); }
  std::string describe() const {
    return base_detail::message(rows.channels, " x ", rows.segments, " windowed segments of ",
                                rows.n, " samples\n");
  }
};

// The kernel that cuts [channels, samples] into windowed segments [channels segments, n].
sized_kernel windowed_segments(const segment_rows& rows, const std::vector<float>& window,
                               const machine_spec& machine) {
  sized_kernel kernel;
  kernel.program.name = "segments";
  kernel.inputs = {{{rows.channels, rows.samples}}};
  kernel.outputs = {{{rows.channels * rows.segments, rows.n}}};
  kernel.tables = {window_table(window)};
  kernel.expected_error = square_root(rounding_squared_error());
  return designed(
      std::move(kernel), segments_design{rows}, machine,
      [](core& nc, const segments_design& d, const kernel_arguments& t) {
        const segment_rows& r = d.rows;
        const int partitions = nc.machine().sbuf.partitions;
        const std::int64_t width = std::min(chunk_of(nc.machine()), r.n), all = r.segments * r.n;
        const std::vector<row_group> groups = lay_out(nc, t.in(0), r);
        tile_pool samples = nc.sbuf_pool(pool_depth, partitions, width),
                  windows = nc.sbuf_pool(2, partitions, width);
        for (std::int64_t at = 0; at < r.n; at += width) {
          const std::int64_t here = std::min(width, r.n - at);
          const tile_view w = window_on(nc, windows, t.in(1), partitions, at, here);
          for (const row_group& g : groups) {
            const tile_view x = samples.next().partition_range(0, g.partitions).columns(0, here);
            load_group(nc, g, r, x, at);
            nc.issue(tensor_tensor{.out = x,
                                   .left = x,
                                   .right = w.partition_range(0, g.partitions),
                                   .op = alu_op::multiply});
            for (const row_piece& p : g.pieces)
              nc.issue(dma_copy{.out = t.out(0)
                                           .reshape({r.channels * all})
                                           .pattern(p.channel * all + p.first_row * r.n + at,
                                                    {{p.channels, all}, {p.rows, r.n}, {here, 1}}),
                                .in = x.partition_range(p.partition, p.partitions())});
          }
        }
      });
}

sized_kernel lines_kernel(std::int64_t lines, const transform_formula& f, std::int64_t n,
                          const array_operands& operands, const machine_spec& machine) {
  return kernels::fft_kernel({.kind = fft_kind::real,
                              .dir = f.transposed ? direction::inverse : direction::forward,
                              .type = real_type::single_precision,
                              .norm = normalization::none,
                              .extents = {std::size_t(lines), std::size_t(n)},
                              .axes = {1}},
                             machine, {.scale = f.scale, .precision = mode_of(operands)});
}

// Magnitudes or decibel of powers, as finish_numbers makes them.
real_term numbers_of(const short_time_design& d, real_term power) {
  if (d.output == spectrum_form::magnitude) return combine(alu_op::power, power, 0.5F);
  if (d.output != spectrum_form::decibel) return power;
  return float(decibels_per_neper) *
         apply(activation_function::log, combine(alu_op::power, maximum(power, d.floor), 0.5F));
}

sized_kernel numbers_of_bins(std::int64_t rows, const short_time_design& d, bool are_powers,
                             const machine_spec& machine) {
  formula f;
  const auto z = f.input<2>(one_for::element);
  const real_term power = square(z.re) + square(z.im);
  f.output(are_powers ? power : numbers_of(d, power));
  return pointwise_kernel("numbers", rows, d.formula.bins(), f.program(),
                          square_root(5 * rounding_squared_error()), machine);
}

sized_kernel decibels_of_bands(std::int64_t rows, const short_time_design& d,
                               const machine_spec& machine) {
  formula f;
  f.output(numbers_of(d, f.input(one_for::element)));
  return pointwise_kernel("numbers", rows, d.mels, f.program(),
                          square_root(3 * rounding_squared_error()), machine);
}

sized_kernel bands(std::int64_t rows, const short_time_design& d, const std::vector<float>& mel,
                   const machine_spec& machine) {
  const std::int64_t bins = d.formula.bins(), mels = d.mels;
  return with_table(operations_detail::chosen(gemm_problem{.m = std::size_t(rows),
                                                           .k = std::size_t(bins),
                                                           .n = std::size_t(mels),
                                                           .type = real_type::single_precision},
                                              mode_of(d.operands), machine)
                        .kernel,
                    "mel", [=](std::span<float> table) {
                      for (std::int64_t k = 0; k < bins; ++k)
                        for (std::int64_t m = 0; m < mels; ++m)
                          table[std::size_t(k * mels + m)] = mel[std::size_t(m * bins + k)];
                    });
}

}  // namespace

void require_room_of_segments(const char* name, double segments, std::int64_t n,
                              const machine_spec& machine) {
  // HBM holds the segments and their spectra.
  const double bytes = segments * 4 * (double(n) + double(n + 2));
  if (bytes > double(machine.hbm.usable_bytes_per_core))
    throw resource_error(base_detail::message(
        name, ": n_fft = ", n, " does not fit on chip, and the segments and their spectra take ",
        std::int64_t(std::min(bytes, 0x1p62)), " bytes of HBM, a core has ",
        machine.hbm.usable_bytes_per_core));
}

sized_kernel long_short_time_kernel(const short_time_design& d, const short_time_values& values,
                                    const machine_spec& machine) {
  const segment_rows& r = d.rows;
  const std::int64_t rows = r.channels * r.segments, bins = d.formula.bins();
  require_room_of_segments("stft", double(r.channels) * double(r.segments), r.n, machine);
  tensor_shape out{{r.channels, r.segments, d.width()}};
  if (d.planar()) out.extents.insert(out.extents.begin(), 2);
  sized_kernel lines = lines_kernel(rows, d.formula, r.n, d.operands, machine);
  stage_list list("stft");
  const stage_tensor in = list.input({{r.channels, r.samples}}), to = list.output(out),
                     segments = list.between(rows * r.n);
  list.add("segments", windowed_segments(r, values.window, machine), {in}, {segments});
  const bool is_weighted = values.end_weight != 1;
  stage_tensor spectra = d.planar() && !is_weighted ? to : list.between(2 * rows * bins);
  list.add("transform", std::move(lines), {segments}, {spectra});
  if (is_weighted) {
    const stage_tensor from =
        std::exchange(spectra, d.planar() ? to : list.between(2 * rows * bins));
    list.add("weights",
             weighted_bins({.outer = rows, .n = r.n, .real = true}, float(values.end_weight), 1,
                           machine),
             {from}, {spectra});
  }
  if (d.planar()) return list.kernel(machine);
  const bool has_bands = d.mels > 0, has_decibels = d.output == spectrum_form::decibel;
  const stage_tensor numbers = has_bands ? list.between(rows * bins) : to;
  list.add("numbers", numbers_of_bins(rows, d, has_bands, machine), {spectra}, {numbers});
  if (!has_bands) return list.kernel(machine);
  const stage_tensor sums = has_decibels ? list.between(rows * d.mels) : to;
  list.add("bands", bands(rows, d, values.mel, machine), {numbers}, {sums});
  if (has_decibels) list.add("decibels", decibels_of_bands(rows, d, machine), {sums}, {to});
  return list.kernel(machine);
}

namespace {

struct overlap_design {
  stretches result = {};
  std::int64_t channels = 1, given = 1, begin = 0;

  auto fields() const { return std::tie(result, channels, given, begin); }
  std::string describe() const {
    return base_detail::message(result.count, " segments overlap each stretch of ", result.width(),
                                " samples\n");
  }
};

class overlap_adder {
 public:
  overlap_adder(core& nc, const overlap_design& d, const kernel_arguments& t)
      : nc_(nc),
        d_(d),
        r_(d.result),
        t_(t),
        partitions_(nc.machine().sbuf.partitions),
        chunk_(chunk_of(nc.machine())),
        sums_(nc.sbuf_pool(pool_depth, partitions_, chunk_)),
        parts_(nc.sbuf_pool(pool_depth, partitions_, chunk_)),
        factors_(nc.sbuf_pool(pool_depth, partitions_, chunk_)) {}

  void run() {
    const stretch_groups groups(r_);
    for (std::int64_t i = 0; i < groups.count(); ++i) {
      // Stretches whose segments all exist are summed together, others one by one.
      const stretch_group all = groups[i];
      stretch_group some = all;
      for (std::int64_t l = 0; l < all.count; l += some.count) {
        some.first = all.first + l;
        some.count = r_.is_interior(some.first)
                         ? std::min(all.count - l, r_.interior_end() - some.first)
                         : 1;
        some.weights = all.weights > 0 ? all.weights + l : 0;
        for (std::int64_t c = 0; c < d_.channels; ++c)
          for (std::int64_t at = 0; at < some.width; at += chunk_)
            add(some, c, at, std::min(chunk_, some.width - at));
      }
    }
  }

 private:
  // Sums samples [at, at + count) of each stretch of a group.
  void add(const stretch_group& group, std::int64_t channel, std::int64_t at, std::int64_t count) {
    const int rows = int(group.count);
    const tile_view sum = sums_.next().partition_range(0, rows).columns(0, count);
    nc_.issue(memset{.out = sum, .on = unit::gpsimd});
    for (std::int64_t b = r_.first; b <= r_.last(); ++b) {
      const std::int64_t segment = r_.quotient + group.first * r_.hops - b,
                         j = b * r_.hop + r_.rest + at, from = std::max<std::int64_t>(0, -j),
                         width = std::min(count, r_.n - j) - from;
      if (segment < 0 || segment >= r_.segments || width <= 0) continue;
      const tile_view y = parts_.next().partition_range(0, rows).columns(0, width);
      const std::int64_t row = channel * d_.given + d_.begin + segment;
      nc_.issue(dma_copy{
          .out = y,
          .in = t_.in(0)
                    .reshape({t_.in(0).elements()})
                    .pattern(row * r_.n + j + from, {{rows, r_.hops * r_.n}, {width, 1}})});
      nc_.issue(tensor_tensor{.out = y,
                              .left = y,
                              .right = window_on(nc_, factors_, t_.in(1), rows, j + from, width),
                              .op = alu_op::multiply});
      const tile_view part = sum.columns(from, width);
      nc_.issue(tensor_tensor{.out = part, .left = part, .right = y});
    }
    if (r_.is_weighted) {
      const tile_view weights = factors_.next().partition_range(0, rows).columns(0, count);
      // All stretches of the interior share one row of weights.
      nc_.issue(dma_copy{
          .out = weights,
          .in = t_.in(2).pattern(group.weights * r_.width() + at,
                                 {{rows, group.weights > 0 ? r_.width() : 0}, {count, 1}})});
      nc_.issue(tensor_tensor{.out = sum, .left = sum, .right = weights, .op = alu_op::multiply});
    }
    nc_.issue(dma_copy{.out = t_.out(0)
                                  .reshape({t_.out(0).elements()})
                                  .pattern(channel * r_.samples + group.first * r_.width() + at,
                                           {{rows, r_.width()}, {count, 1}}),
                       .in = sum});
  }

  core& nc_;
  const overlap_design& d_;
  const stretches& r_;
  const kernel_arguments& t_;
  const int partitions_;
  const std::int64_t chunk_;
  tile_pool sums_, parts_, factors_;
};

sized_kernel overlap_add(const inverse_short_time_design& d, const std::vector<float>& window,
                         const machine_spec& machine) {
  const stretches& r = d.result;
  sized_kernel kernel;
  kernel.program.name = "overlap-add";
  kernel.inputs = {{{d.channels * d.given, r.n}}};
  kernel.outputs = {{{d.channels, r.samples}}};
  kernel.tables = {window_table(window)};
  if (r.is_weighted)
    kernel.tables.push_back(
        table_of("1 / sum of w^2", stretch_groups(r).weight_rows(), r.width(),
                 [r, window](const table_writer& table) { fill_weights(table, r, window); }));
  kernel.expected_error = square_root(double(r.count + 1) * rounding_squared_error());
  return designed(std::move(kernel), overlap_design{r, d.channels, d.given, d.begin}, machine,
                  [](core& nc, const overlap_design& design, const kernel_arguments& t) {
                    overlap_adder(nc, design, t).run();
                  });
}

}  // namespace

sized_kernel long_inverse_kernel(const inverse_short_time_design& d,
                                 const inverse_short_time_values& values,
                                 const machine_spec& machine) {
  const std::int64_t rows = d.channels * d.given, n = d.result.n, bins = n / 2 + 1;
  require_room_of_segments("istft", double(d.channels) * double(d.given), n, machine);
  sized_kernel lines = lines_kernel(rows, d.formula, n, d.operands, machine);
  stage_list list("istft");
  stage_tensor spectra = list.input({{2, d.channels, d.given, bins}});
  const stage_tensor out = list.output({{d.channels, d.result.samples}}),
                     points = list.between(rows * n);
  if (values.ends != 1 || values.others != 1) {
    const stage_tensor from = std::exchange(spectra, list.between(2 * rows * bins));
    list.add("weights",
             weighted_bins({.outer = rows, .n = n, .real = true}, float(values.ends),
                           float(values.others), machine),
             {from}, {spectra});
  }
  list.add("transform", std::move(lines), {spectra}, {points});
  list.add("overlap-add", overlap_add(d, values.window, machine), {points}, {out});
  return list.kernel(machine);
}

}  // namespace papilio::kernels_detail

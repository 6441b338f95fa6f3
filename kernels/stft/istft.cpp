// Inverse short-time Fourier transform by overlap-add, in one launch.
//   identity   x[h hop + i] = sum over b of w[j] y[s](j) / sum of w^2, j = b hop + rest + i,
//              segment s = quotient + h - b; the window and 1 / n in the last stage's matrices
//   layout     stretches of one or several hops on lanes; see istft_inverse.cpp
//   adjoint    the same without 1 / n, sums of squares and the bins' mirror images
//   bound      tensor engine; the last stage has at least 64 columns a product, so that hops of
//              less than 64 samples times r1 / 128 leave it partly idle
#include "papilio/kernels/stft.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/entries.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/stft/istft_inverse.hpp"
#include "kernels/stft/istft_streamed.hpp"
#include "kernels/transposer.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::istft_design;
using kernels_detail::overlap;
using kernels_detail::table_of;

constexpr std::size_t most_samples = std::size_t{1} << 48;
constexpr std::int64_t most_hops = 8;  // of a stretch

void validate(const istft_problem& s, const precision_options& precision) {
  for (const auto& [name, value] :
       {std::pair("channels", s.channels), std::pair("segments", s.segments),
        std::pair("samples", s.samples), std::pair("n_fft", s.n_fft), std::pair("hop", s.hop)})
    if (value < 1)
      throw invalid_argument(message("istft: ", name, " must be at least 1, got ", value));
  s.require_valid("istft");
  kernels_detail::require_finite("istft: window", s.window);
  if (std::max({s.samples, s.first, s.n_fft, s.hop, s.segments}) > most_samples ||
      s.segments > most_samples / s.hop)
    throw resource_error(message("istft: samples, first, n_fft and segments x hop must be at most ",
                                 most_samples, ", got ", s.samples, ", ", s.first, ", ", s.n_fft,
                                 " and ", s.segments, " x ", s.hop));
  if (const std::string why = operations_detail::refusal_of(s, precision); !why.empty())
    throw invalid_argument(message("istft: ", why));
}

// Every sample of a stretch, up to `width`; the first that is not covered, or -1.
std::int64_t uncovered(const istft_design& d, const std::vector<float>& window, double least,
                       std::int64_t stretch, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i)
    if (!(kernels_detail::sum_of_squares(d, window, stretch, i) > least))
      return stretch * d.parts.stretch() + i;
  return -1;
}

void require_covered(const istft_design& d, const std::vector<float>& window, std::int64_t first) {
  double largest = 0;
  for (const float w : window) largest = std::max(largest, double(w) * double(w));
  const std::int64_t stretch = d.parts.stretch();
  for (std::int64_t h = 0; h * stretch < d.samples; ++h) {
    const std::int64_t width = std::min(stretch, d.samples - h * stretch);
    const std::int64_t sample = uncovered(d, window, 1e-10 * largest, h, width);
    if (sample >= 0)
      throw invalid_argument(message("istft: sample ", first + sample,
                                     " is not covered: its sum of squared window weights is at "
                                     "most 1e-10 of the largest, ",
                                     largest));
    // One stretch of the interior is as good as all.
    if (d.interior(h) && width == stretch) h = std::max(h, d.interior_end() - 1);
  }
}

// Samples of the segments before the result's first.
std::int64_t lead_of(const istft_problem& s) {
  return std::int64_t((s.centre ? s.n_fft / 2 : 0) + s.first);
}

// Stretches of so many hops: as many at a time as the segments that they need fill partitions.
void take_stretches(istft_design& d, std::int64_t hops, const machine_spec& machine) {
  const std::int64_t side = machine.sbuf.partitions;
  overlap& p = d.parts;
  p.hops = hops;
  p.first = 1 - hops - (p.rest > 0 ? 1 : 0);
  p.count = (d.factors.n - 1 - p.rest) / p.hop + 1 - p.first;
  const std::int64_t most =
      p.count <= side * hops / 2 + 1 ? (side * hops - p.count) / hops + 1 : side;
  d.lanes = std::min(most, std::max<std::int64_t>(1, d.whole_stretches()));
  d.columns = p.segments(d.lanes);
}

// A product takes the time of 64 columns if it has fewer. Stretches of several hops have more, and
// hardly more parts: as many hops as need the least time, where there are enough stretches for all
// lanes and they fit on chip.
void widen(istft_design& d, const machine_spec& machine) {
  if (d.factors.direct) return;
  const auto cycles = [&](std::int64_t hops) {
    istft_design wide = d;
    take_stretches(wide, hops, machine);
    return double(wide.parts.count) / double(hops) *
           std::max(machine.tensor.min_initiation_cycles, double(wide.part_columns()));
  };
  std::int64_t best = 1;
  for (std::int64_t hops = 2; hops <= most_hops; ++hops)
    if (cycles(hops) < cycles(best)) best = hops;
  for (; best > 1; --best) {
    istft_design wide = d;
    take_stretches(wide, best, machine);
    if (wide.whole_stretches() < machine.sbuf.partitions) continue;
    kernels_detail::fit_on_chip(wide, machine);
    if (!wide.streamed && wide.pipelined(machine.sbuf.partitions)) return void(d = wide);
  }
}

// Of a chunk of segments.
void share_transposes(istft_design& d, const machine_spec& machine) {
  const kernels_detail::stft_factors& f = d.factors;
  const tensor_engine_spec& tensor = machine.tensor;
  const std::int64_t side = machine.sbuf.partitions;
  if (f.direct || !d.operands.is_fp32() || !d.pipelined(side) || d.depth < 2 ||
      d.channels * d.segments < side * machine.thresholds.shared_transpose_segments_min)
    return;
  const double last = double(f.groups() * d.parts.count) *
                      std::max(tensor.min_initiation_cycles, double(d.part_columns())) /
                      double(d.parts.hops);
  const double array = (double((f.units() + f.groups()) * side * tensor.fp32_transpose_passes) +
                        (double(f.units() * f.unit_points()) + last) * tensor.fp32_passes) /
                       tensor.clock_hz;
  const double sums = double(d.parts.hop) * machine.vector.tensor_tensor_cycles_per_element /
                      machine.vector.clock_hz;
  d.by_vector = kernels_detail::transposes_by_vector(
      machine, std::vector<pattern_dim>{{f.r1, f.r2}, {f.side_by_side, 1}}, array, sums,
      f.groups());
}

istft_design divided(const istft_problem& s, const kernels_detail::array_operands& operands,
                     const machine_spec& machine) {
  const auto n = std::int64_t(s.n_fft), step = std::int64_t(s.hop);
  std::int64_t lead = lead_of(s);
  istft_design d{.operands = operands,
                 .channels = std::int64_t(s.channels),
                 .samples = std::int64_t(s.samples),
                 .given = std::int64_t(s.segments),
                 .segments = std::int64_t(s.segments),
                 .adjoint = s.adjoint};
  d.factors.n = n;
  if (step > n && !s.adjoint) {
    // Only samples of one segment can all be covered.
    d.begin = std::min(lead / step, d.given - 1);
    d.segments = 1;
    lead -= d.begin * step;
  }
  const std::int64_t hop = s.adjoint ? step : std::min(step, n);
  d.parts = {.hop = hop, .quotient = lead / hop, .rest = lead % hop};
  if (hop <= n)  // else a group's part of a stretch may be longer than a bank
    d.factors = kernels_detail::choose_factors(n, std::gcd(hop, d.parts.rest), false, operands, hop,
                                               machine);
  take_stretches(d, 1, machine);
  return d;
}

std::vector<constant_table> tables_of(const kernels_detail::windowed<istft_design>& design) {
  const istft_design& d = design.body;
  const std::vector<float>& window = design.window;
  const kernels_detail::stft_factors& f = d.factors;
  // Where the transform has halved them, the inverse doubles them.
  const double ends = !design.halved_ends ? 1 : d.adjoint ? 0.5 : 2;
  std::vector<constant_table> tables;
  if (f.direct) {
    tables.push_back(table_of(
        "inverse dft", f.n, d.parts.count * d.parts.stretch(),
        [d, window, ends](const auto& table) { fill_inverse_direct(table, d, window, ends); },
        d.operands));
  } else {
    tables.push_back(table_of(
        "first stage", f.unit_points(), f.units() * f.unit_points(),
        [d, ends](const auto& table) { fill_inverse_first(table, d, ends); }, d.operands));
    tables.push_back(table_of(
        "last stage", f.group_points(), f.groups() * d.parts.count * d.part_columns(),
        [d, window](const auto& table) { fill_inverse_last(table, d, window); }, d.operands));
  }
  tables.push_back(table_of(d.adjoint ? "ones" : "1 / sum of w^2",
                            kernels_detail::stretch_groups(d).weight_rows(), d.parts.stretch(),
                            [d, window](const auto& table) { fill_weights(table, d, window); }));
  return tables;
}

sized_kernel istft_in_mode(const istft_problem& s, const precision_options& precision,
                           const machine_spec& machine) {
  const auto channels = std::int64_t(s.channels), segments = std::int64_t(s.segments),
             samples = std::int64_t(s.samples), lead = lead_of(s);
  const std::int64_t reach = (segments - 1) * std::int64_t(s.hop) + std::int64_t(s.n_fft) - lead;
  if (samples > reach && !s.adjoint)
    throw shape_error(message("istft: ", s.segments, " segments reach ",
                              std::max<std::int64_t>(0, reach), " samples from first = ", s.first,
                              ", asked for ", s.samples));
  istft_design d = divided(s, kernels_detail::operands_of(precision), machine);
  kernels_detail::fit_on_chip(d, machine);
  widen(d, machine);
  share_transposes(d, machine);
  kernels_detail::windowed<istft_design> design{
      .body = d,
      .window = s.window.empty() ? std::vector<float>(s.n_fft, 1.0F) : s.window,
      .halved_ends = s.halved_ends};
  if (!s.adjoint) require_covered(d, design.window, std::int64_t(s.first));
  const tensor_shape in{{2, channels, segments, std::int64_t(s.bins())}, dtype::fp32};
  const tensor_shape out{{channels, samples}, dtype::fp32};
  std::vector<constant_table> tables = tables_of(design);
  return kernels_detail::windowed_kernel<kernels_detail::istft_inverse,
                                         kernels_detail::istft_streamed>(
      "istft", std::move(design), in, out, std::move(tables), machine);
}

}  // namespace

sized_kernel istft_kernel(const istft_problem& s, const machine_spec& machine,
                          const precision_options& precision) {
  validate(s, precision);
  return operations_detail::in_product_mode(
             "istft", precision,
             [&](const precision_options& mode) { return istft_in_mode(s, mode, machine); },
             machine)
      .kernel;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string istft_design::describe() const {
  return base_detail::message(
      "precision: ", kernels_detail::describe(mode_of(operands)), "\n", factors.describe(), "\n",
      parts.count, " segments overlap each stretch of ", parts.stretch(), " samples, ", lanes,
      " stretches at a time",
      streamed ? "\nsegments do not fit on chip: bins and matrix pass by in pieces\n" : "\n");
}

istft_design istft_design::without_batch() const {
  istft_design one = *this;
  one.channels = one.samples = one.given = one.segments = 0;
  return one;
}

void fit_on_chip(istft_design& d, const engine::machine_spec& machine) {
  const stft_factors& f = d.factors;
  const std::int64_t side = machine.sbuf.partitions, hop = d.parts.stretch();
  const std::int64_t room = machine.sbuf.bytes_per_partition / 4 - 64;
  const std::int64_t bank = machine.psum.bank_bytes / 4;
  const auto kept = [&](std::int64_t columns) { return d.operands.words(columns); };
  const auto needed = [&] {
    std::int64_t once = 2 * hop, shared = f.n;
    std::int64_t pools = kept((f.direct ? f.tiles(side) : f.groups()) * d.columns) + hop;
    if (d.operands.parts > 2) once += 2 * bank_ring::remainder_columns(machine);
    if (f.direct) {
      // Longer segments do not fit anyway; their squares may not fit 64 bits.
      const std::int64_t tiles = std::min(f.tiles(side), room + 1);
      once += d.resident ? kept(tiles * std::min(d.parts.count * hop, room + 1)) : 4 * kept(bank);
    } else {
      once += kept(f.units() * f.unit_points() + f.groups() * d.parts.count * d.part_columns());
      shared = std::max(f.n, f.units() * side);
      if (d.depth == 0 && !d.operands.is_fp32()) once += kept(f.units() * side);
    }
    if (d.depth == 0) return once + pools + d.shared_tiles() * shared;
    const std::int64_t chunks = d.pipelined(side) ? d.chunks(side) : 1;
    pools += chunks * (f.direct ? f.n : 2 * f.n + kept(f.units() * side));
    return d.depth * pools + once;
  };
  for (const bool resident : {true, false})
    for (const int depth : {2, 1, 0}) {
      d.depth = depth, d.resident = resident || !f.direct;
      if (needed() <= room) return;
    }
  const double matrix =
      double(d.operands.bytes()) * double(f.n) * double(d.parts.count) * double(hop);
  const std::int64_t pools = 6 * bank + 6 * kept(bank) + 2 * kept(bank / side * d.columns);
  if (matrix > double(machine.hbm.usable_bytes_per_core) || pools > room)
    throw resource_error(base_detail::message(
        "istft: n_fft = ", f.n, " with hop = ", hop, " needs ", 4 * pools,
        " bytes a partition and a matrix of ", std::int64_t(std::min(matrix, 0x1p62)),
        " bytes, there are ", machine.sbuf.bytes_per_partition, " and ",
        machine.hbm.usable_bytes_per_core));
  d.streamed = true;
  d.factors = {.n = f.n};
}

namespace {

istft_problem named_istft(const kernels::parameter_values& values,
                          const engine::machine_spec& machine) {
  using namespace kernels;
  istft_problem s{.channels = size_of(values, "channels"),
                  .samples = size_of(values, "samples"),
                  .n_fft = size_of(values, "n_fft"),
                  .hop = size_of(values, "hop"),
                  .adjoint = values.at("form") == "adjoint"};
  s.segments = s.samples / s.hop + 1;
  istft_kernel(s, machine);  // sizes are refused before a window of them is made
  s.window = hann(std::int64_t(s.n_fft));
  return s;
}

}  // namespace

kernels::catalog_entry istft_entry() {
  using namespace kernels;
  return {.name = "istft",
          .summary = "Inverse or adjoint STFT by overlap-add, centred, Hann window",
          .parameters =
              joined({{.name = "samples", .preset = "16000", .help = "Samples of each channel"},
                      {.name = "n_fft", .preset = "512", .help = "Points of a segment"},
                      {.name = "hop", .preset = "256", .help = "Samples between segments"},
                      {.name = "channels", .preset = "1", .help = "Signals"},
                      {.name = "form",
                       .preset = "inverse",
                       .help = "Inverse of stft, or its adjoint",
                       .choices = {"inverse", "adjoint"}}},
                     product_precision_parameters()),
          .size =
              [](const parameter_values& values, const engine::machine_spec& machine) {
                return istft_kernel(named_istft(values, machine), machine,
                                    precision_in(values, "istft"));
              },
          .measure = [](const parameter_values& values,
                        const engine::machine_spec& machine) -> std::optional<measured_error> {
            const precision_options precision = precision_in(values, "istft");
            if (precision.target_error == 0) return std::nullopt;
            return measure_error(named_istft(values, machine), machine, precision);
          }};
}

}  // namespace papilio::kernels_detail

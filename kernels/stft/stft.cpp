// Short-time Fourier transform in one launch.
//   identity   X[s, k] = sum over j of w[j] x[first(s) + j] W^(j k), n = r1 r2: a real transform
//              over j1 with w in its matrices, twiddles in those of the one over j2
//   layout     a lane holds a run of segments that follow one another, as one row of the signal;
//              the segments are views of it
//   bound      tensor engine, 2 n / 128 products of 128 columns in 4 passes and as many transposes
//              for 128 segments; the port of PSUM next, 4 n columns
#include "papilio/kernels/stft.hpp"

#include <algorithm>
#include <utility>

#include "kernels/entries.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "kernels/operations/operations.hpp"
#include "kernels/stft/stft_streamed.hpp"
#include "kernels/transposer.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/frequency_axis.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::stft_design;
using kernels_detail::stft_factors;
using kernels_detail::table_of;

void validate(const stft_problem& s, const precision_options& precision) {
  for (const auto& [name, value] :
       {std::pair("channels", s.channels), std::pair("samples", s.samples),
        std::pair("n_fft", s.n_fft), std::pair("hop", s.hop)}) {
    if (value < 1)
      throw invalid_argument(message("stft: ", name, " must be at least 1, got ", value));
    kernels_detail::require_most(name, value, std::size_t{1} << 48);
  }
  s.require_valid("stft");
  kernels_detail::require_finite("stft: window", s.window);
  if (s.result == spectrum_form::decibel && !(s.floor >= 0x1p-126F && s.floor <= 0x1p126F))
    throw invalid_argument(message("stft: floor must be 2^-126 ... 2^126, got ", s.floor));
  if (s.segments() == 0)
    throw shape_error(message("stft: samples must be at least n_fft = ", s.n_fft,
                              " for one segment without centring, got ", s.samples));
  kernels_detail::require_most("segments", s.segments(), std::size_t{1} << 48);
  if (const std::string why = operations_detail::refusal_of(s, precision); !why.empty())
    throw invalid_argument(message("stft: ", why));
}

std::vector<constant_table> tables_of(const kernels_detail::windowed<stft_design>& design) {
  const stft_factors& f = design.body.factors;
  const kernels_detail::array_operands& operands = design.body.operands;
  const std::vector<float>& window = design.window;
  const double ends = design.halved_ends ? 0.5 : 1;
  std::vector<constant_table> tables;
  if (f.direct) {
    tables.push_back(table_of(
        "dft", f.n, f.n,
        [f, window, ends](const auto& table) { fill_direct(table, f, window, ends); }, operands));
  } else {
    tables.push_back(table_of(
        "first stage", f.group_points(), design.body.turns() * f.groups() * f.group_points(),
        [f, window, fresh = design.body.fresh](const auto& table) {
          fill_first(table, f, window, fresh);
        },
        operands));
    tables.push_back(table_of(
        "second stage", f.product_points(), f.products() * f.product_points(),
        [f, ends](const auto& table) { fill_second(table, f, ends); }, operands));
  }
  if (!design.mel.empty())
    tables.push_back(table_of(
        "mel", f.bins(), design.body.mels,
        [mel = design.mel, bins = f.bins()](const auto& table) {
          for (std::size_t i = 0; i < mel.size(); ++i)
            table.put(std::int64_t(i) % bins, std::int64_t(i) / bins, mel[i]);
        },
        operands));
  return tables;
}

sized_kernel stft_in_mode(const stft_problem& s, const precision_options& precision,
                          const machine_spec& machine) {
  const kernels_detail::array_operands operands = kernels_detail::operands_of(precision);
  const auto channels = std::int64_t(s.channels), samples = std::int64_t(s.samples),
             n = std::int64_t(s.n_fft), segments = std::int64_t(s.segments());
  stft_design d{.factors = kernels_detail::choose_factors(n, 0, true, operands, n, machine),
                .rows = {.channels = channels,
                         .samples = samples,
                         .n = n,
                         .hop = std::int64_t(s.hop),
                         .lead = s.centre ? n / 2 : 0,
                         .segments = segments,
                         .padding = s.padding},
                .operands = operands,
                .output = s.result,
                .floor = s.floor,
                .mels = std::int64_t(s.bands())};
  kernels_detail::reuse_points(d, machine);
  kernels_detail::share_transposes(d, machine);
  kernels_detail::fit_on_chip(d, machine);
  const tensor_shape in{{channels, samples}, dtype::fp32};
  tensor_shape out{{channels, segments, d.width()}, dtype::fp32};
  if (d.planar()) out.extents.insert(out.extents.begin(), 2);
  kernels_detail::windowed<stft_design> design{
      .body = d,
      .window = s.window.empty() ? std::vector<float>(s.n_fft, 1.0F) : s.window,
      .mel = s.mel,
      .halved_ends = s.halved_ends};
  std::vector<constant_table> tables = tables_of(design);
  return kernels_detail::windowed_kernel<kernels_detail::stft_forward,
                                         kernels_detail::stft_streamed>(
      "stft", std::move(design), in, out, std::move(tables), machine);
}

}  // namespace

sized_kernel stft_kernel(const stft_problem& s, const machine_spec& machine,
                         const precision_options& precision) {
  validate(s, precision);
  if (s.adjoint) return kernels_detail::istft_adjoint(s, machine, precision);
  return operations_detail::in_product_mode(
             "stft", precision,
             [&](const precision_options& mode) { return stft_in_mode(s, mode, machine); }, machine)
      .kernel;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string stft_design::describe() const {
  return base_detail::message(
      "precision: ", kernels_detail::describe(mode_of(operands)), "\n", factors.describe(), "\n",
      rows.segments, " segments, ", rows.run, " to a lane, ", rows.row_samples(), " samples a row",
      streamed ? "\nsegments do not fit on chip: points, matrix and bins pass by in pieces\n"
               : "\n");
}

stft_design stft_design::without_batch() const {
  stft_design one = *this;
  one.rows.channels = one.rows.samples = one.rows.segments = 0;
  return one;
}

void reuse_points(stft_design& d, const engine::machine_spec& machine) {
  const stft_factors& f = d.factors;
  const std::int64_t lanes = machine.sbuf.partitions, quarter = machine.vector.transpose_block;
  // Products in one pass are bound by PSUM's port, through which the points would go in smaller parts.
  if (f.direct || !d.operands.is_fp32() || d.rows.hop % f.r2 != 0 ||
      d.rows.channels * d.rows.segments < lanes * machine.thresholds.shared_transpose_segments_min)
    return;
  const std::int64_t fresh = d.rows.hop / f.r2 * f.side_by_side, all = f.group_points();
  // Engines begin at every 32nd partition.
  if (fresh % quarter == 0 && fresh < all && all % fresh == 0 && f.groups() % (all / fresh) == 0)
    d.fresh = fresh;
}

void share_transposes(stft_design& d, const engine::machine_spec& machine) {
  const stft_factors& f = d.factors;
  const engine::vector_engine_spec& vector = machine.vector;
  const std::int64_t lanes = machine.sbuf.partitions;
  const std::int64_t items = (d.rows.channels * d.rows.segments + lanes - 1) / lanes;
  // Products in one pass are bound by PSUM's port, not by the array; parts are made there.
  if (!d.operands.is_fp32() || f.direct || items < machine.thresholds.shared_transpose_segments_min)
    return;
  const double passes = machine.tensor.fp32_passes, side = machine.tensor.rows;
  const double transposed = side * machine.tensor.fp32_transpose_passes;
  const double new_points = d.fresh > 0 ? (1 + 3.0 / double(d.turns())) / 4 : 1;  // of rows of four
  const double array =
      (double(f.groups() * f.group_points() + f.products() * f.product_points()) * passes +
       (double(f.groups()) * new_points + double(f.products())) * transposed) /
      machine.tensor.clock_hz;
  const double each_bin = d.planar() ? 2 * vector.tensor_copy_cycles_per_element
                                     : vector.tensor_tensor_cycles_per_element +
                                           vector.tensor_scalar_cycles_per_element;
  const double bins = (double(f.bins()) * each_bin + 7 * vector.static_cycles) / vector.clock_hz;
  const std::int64_t width = 2 * f.side_by_side * f.together;
  d.by_vector = transposes_by_vector(
      machine, std::vector<engine::pattern_dim>{{f.groups(), f.group_points()}, {width, 1}}, array,
      bins, f.products());
}

void fit_on_chip(stft_design& d, const engine::machine_spec& machine) {
  const stft_factors& f = d.factors;
  const std::int64_t side = machine.sbuf.partitions, bins = f.bins();
  const std::int64_t room = machine.sbuf.bytes_per_partition / 4 - 64;
  const std::int64_t bank = machine.psum.bank_bytes / 4;
  const auto kept = [&](std::int64_t columns) { return d.operands.words(columns); };
  const auto needed = [&] {
    const std::int64_t out = (d.planar() ? 2 : 1) * d.rows.run * d.width();
    std::int64_t once = d.mels > 0 ? kept((bins + side - 1) / side * d.mels) : 0;
    if (d.operands.parts > 2) once += 2 * bank_ring::remainder_columns(machine);
    if (!f.direct)
      once += kept(d.turns() * f.groups() * f.group_points() + f.products() * f.product_points());
    // Longer segments do not fit anyway; their squares may not fit 64 bits.
    const std::int64_t n = std::min(f.n, room + 1), tiles = std::min(f.tiles(side), room + 1);
    if (f.direct) once += d.resident ? kept(tiles * n) : 4 * kept(bank);
    if (d.depth == 0)
      return once + out + d.shared_tiles() * d.widest(side) +
             (d.operands.is_fp32() ? 0 : kept(d.widest_operand(side)));
    std::int64_t pools = d.rows.row_samples() + f.n + out;
    pools += f.direct ? kept(f.tiles(side) * side)
                      : f.n + kept(f.groups() * side) + kept(f.products() * side);
    if (d.mels > 0) pools += bins + kept((bins + side - 1) / side * side);
    if (d.by_vector > 0) once += f.products() * side;  // one tile more of transposed data
    return d.depth * pools + once;
  };
  const auto fits = [&] {
    // Of an access on chip: levels and strides have 16 bits.
    const std::int64_t widest = d.rows.run * d.width();
    return needed() <= room && widest < machine.access.stride_max;
  };
  const std::int64_t total = d.rows.channels * d.rows.segments;
  const std::int64_t longest =
      std::min({d.rows.segments, std::max<std::int64_t>(1, (total + side - 1) / side),
                machine.thresholds.stft_row_segments_max});
  // A matrix that streams past every 128 segments costs more than anything else here.
  if (d.fresh > 0) {
    d.depth = 2;
    for (d.rows.run = longest; d.rows.run > 1; --d.rows.run)
      if (fits()) return;
    d.fresh = 0;
  }
  for (const bool resident : {true, false})
    for (const int depth : {2, 1, 0})
      for (d.rows.run = depth == 0 ? 1 : longest; d.rows.run >= 1; --d.rows.run) {
        d.depth = depth, d.resident = resident || !f.direct;
        if (fits()) return;
      }
  const double bytes = double(d.operands.bytes()) * double(f.n) * double(f.n);
  if (bytes > double(machine.hbm.usable_bytes_per_core))
    throw resource_error(base_detail::message(
        "stft: n_fft = ", f.n, " needs a matrix of ", std::int64_t(std::min(bytes, 0x1p62)),
        " bytes, a core has ", machine.hbm.usable_bytes_per_core));
  d.rows.run = 1;
  d.streamed = true;
  d.factors = {.n = f.n};
}

void require_most(const char* name, std::size_t value, std::size_t most) {
  if (value > most)
    throw resource_error(
        base_detail::message("stft: ", name, " must be at most ", most, ", got ", value));
}

namespace {

// Triangles that rise and fall between neighbours of evenly spaced mels, up to 8 kHz.
std::vector<float> mel_triangles(std::size_t mels, std::size_t bins) {
  std::vector<float> weights;
  const double highest = 8000, step = hz_to_mel(highest, mel_scale::htk) / double(mels + 1);
  const auto edge = [&](std::size_t m) { return mel_to_hz(step * double(m), mel_scale::htk); };
  for (std::size_t m = 0; m < mels; ++m)
    for (std::size_t k = 0; k < bins; ++k) {
      const double hz = highest * double(k) / double(std::max<std::size_t>(1, bins - 1));
      const double rise = (hz - edge(m)) / (edge(m + 1) - edge(m));
      const double fall = (edge(m + 2) - hz) / (edge(m + 2) - edge(m + 1));
      weights.push_back(float(std::max(0.0, std::min(rise, fall))));
    }
  return weights;
}

stft_problem named_stft(const kernels::parameter_values& values,
                        const engine::machine_spec& machine) {
  using namespace kernels;
  const auto place = [&](const char* name, const std::vector<std::string>& names) {
    return std::ranges::find(names, values.find(name)->second) - names.begin();
  };
  stft_problem s{.channels = size_of(values, "channels"),
                 .samples = size_of(values, "samples"),
                 .n_fft = size_of(values, "n_fft"),
                 .hop = size_of(values, "hop")};
  const auto padding = place("padding", {"zero", "reflect", "edge", "none"});
  s.centre = padding != 3;
  if (s.centre) s.padding = edge_padding(padding);
  // Sizes are refused before windows and bands of them are made.
  s.result = spectrum_form::power;
  stft_kernel(s, machine);
  s.result = spectrum_form(place("output", {"complex", "magnitude", "power", "mel", "db"}));
  s.window = hann(std::int64_t(s.n_fft));
  const std::size_t mels = size_of(values, "mels");
  require_most("mels", mels, 1 << 16);
  s.mel = mel_triangles(mels, s.bins());
  return s;
}

}  // namespace

kernels::catalog_entry stft_entry() {
  using namespace kernels;
  return {.name = "stft",
          .summary = "Short-time Fourier transform of real signals, Hann window, in one launch",
          .parameters =
              joined({{.name = "samples", .preset = "16000", .help = "Samples of each channel"},
                      {.name = "n_fft", .preset = "512", .help = "Points of a segment"},
                      {.name = "hop", .preset = "256", .help = "Samples between segments"},
                      {.name = "channels", .preset = "1", .help = "Signals"},
                      {.name = "output",
                       .preset = "magnitude",
                       .help = "Result for each bin, or for each mel band",
                       .choices = {"complex", "magnitude", "power", "mel", "db"}},
                      {.name = "mels",
                       .preset = "0",
                       .help = "Bands of mel and db, as at 16 kHz; 0: bins",
                       .least = 0},
                      {.name = "padding",
                       .preset = "zero",
                       .help = "Beyond the ends of a centred signal; none: not centred",
                       .choices = {"zero", "reflect", "edge", "none"}}},
                     product_precision_parameters()),
          .size =
              [](const parameter_values& values, const engine::machine_spec& machine) {
                return stft_kernel(named_stft(values, machine), machine,
                                   precision_in(values, "stft"));
              },
          .measure = [](const parameter_values& values,
                        const engine::machine_spec& machine) -> std::optional<measured_error> {
            const precision_options precision = precision_in(values, "stft");
            if (precision.target_error == 0) return std::nullopt;
            return measure_error(named_stft(values, machine), machine, precision);
          }};
}

}  // namespace papilio::kernels_detail

// Short-time Fourier transform in one launch.
//   identity   X[s, k] = sum over j of w[j] x[first(s) + j] W^(j k), the window in the first matrix
//   layout     a partition holds a row of the signal, a run of consecutive segments, which are
//              views of the row: shared samples are loaded once
//   output     bins are stored as planes, or squared and added on their way out of PSUM to powers;
//              mel bands are one more product; magnitudes and decibel are made in place
//   bound      the tensor engine
#include "kernels/short_time/short_time.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/precision_choice.hpp"
#include "kernels/short_time/long_segments.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using base_detail::message;

namespace {

class segment_ports final : public transform_ports {
 public:
  segment_ports(core& nc, const short_time_design& design, const kernel_arguments& t)
      : nc_(nc),
        d_(design),
        out_(t.out(0)),
        groups_(lay_out(nc, t.in(0), design.rows)),
        partitions_(nc.machine().sbuf.partitions),
        planes_(design.planar() ? 2 : 1),
        entry_(nc.sbuf_pool(design.depths.entry, int(partitions_), design.rows.row_samples(),
                            kept_type(design.operands, nc.machine()))),
        exit_(nc.sbuf_pool(design.depths.exit, int(partitions_),
                           planes_ * design.rows.run * design.width())) {}

  std::int64_t items() const override { return std::ssize(groups_) * d_.rows.run; }
  std::int64_t batch(std::int64_t item) const override { return group_of(item).partitions; }
  void prepare(std::int64_t item) override {
    load(std::min(std::ssize(groups_), item / d_.rows.run + d_.depths.entry));
  }
  tile_place source(std::int64_t item) override {
    load(item / d_.rows.run + 1);
    const std::int64_t position = item % d_.rows.run;
    return {rows_[std::size_t(item / d_.rows.run)], position * d_.rows.hop, position};
  }
  tile_place target(std::int64_t item, std::int64_t) override {
    if (item % d_.rows.run == 0) outputs_.push_back(exit_.next());
    return {outputs_.back(), item % d_.rows.run * d_.width()};
  }
  // Powers are finished a segment later, since the engines that do it work in order and would wait
  // for this segment's products.
  void finish(std::int64_t item, std::int64_t) override {
    if (d_.planar()) return store(item);
    const int behind = d_.depths.exit > 2 ? 1 : 0;
    if (item >= behind) finish_numbers_of(item - behind);
    if (behind > 0 && item + 1 == items()) finish_numbers_of(item);
  }

 private:
  const row_group& group_of(std::int64_t item) const {
    return groups_[std::size_t(item / d_.rows.run)];
  }
  void load(std::ptrdiff_t end) {
    for (std::ptrdiff_t g = std::ssize(rows_); g < end; ++g) {
      rows_.push_back(entry_.next());
      load_group(nc_, groups_[std::size_t(g)], d_.rows,
                 rows_.back().partition_range(0, groups_[std::size_t(g)].partitions));
    }
  }
  tile_view output_of(std::int64_t item) const {
    return outputs_[std::size_t(item / d_.rows.run)].partition_range(0, int(batch(item)));
  }
  void finish_numbers_of(std::int64_t item) {
    finish_numbers(nc_, d_, output_of(item).columns(item % d_.rows.run * d_.width(), d_.width()));
    store(item);
  }
  void store(std::int64_t item) {
    if (item % d_.rows.run + 1 < d_.rows.run) return;
    const std::int64_t width = d_.width(), run = d_.rows.run, all = d_.rows.segments * width;
    const tile_view out = output_of(item).reshape({planes_, run * width});
    for (const row_piece& p : group_of(item).pieces)
      for (int plane = 0; plane < planes_; ++plane)
        nc_.issue(
            dma_copy{.out = out_.pattern(
                         (plane * d_.rows.channels + p.channel) * all + p.first_row * run * width,
                         {{p.channels, all}, {p.rows, run * width}, {p.segments * width, 1}}),
                     .in = out.partition_range(p.partition, p.partitions())
                               .slice(1, plane, 1)
                               .slice(2, 0, p.segments * width)});
  }

  core& nc_;
  const short_time_design& d_;
  hbm_view out_;
  std::vector<row_group> groups_;
  std::int64_t partitions_;
  int planes_;
  tile_pool entry_, exit_;
  std::vector<tile_view> rows_ = {}, outputs_ = {};
};

transform_formula formula_of(const short_time_design& d, const short_time_values& values) {
  transform_formula f = d.formula;
  f.point_factors.assign(values.window.begin(), values.window.end());
  if (values.end_weight == 1) return f;
  f.bin_factors.assign(std::size_t(f.bins()), 1.0);
  f.bin_factors.front() = values.end_weight;
  if (f.n() % 2 == 0) f.bin_factors.back() = values.end_weight;
  return f;
}

std::vector<transform_stage> stages_of(const short_time_design& d, const short_time_values& values,
                                       const machine_spec& machine) {
  std::vector<transform_stage> stages =
      stages_of(formula_of(d, values),
                stage_options{.points = {},
                              .bins = {.plane = d.rows.run * d.formula.bins()},
                              .squared = !d.planar(),
                              .wide = d.wide,
                              .shift = d.shares_points ? d.rows.hop : 0,
                              .operands = d.operands},
                machine);
  if (d.mels > 0)
    stages.push_back(
        product_stage("mel", d.formula.bins(), d.mels, values.mel, d.operands, machine));
  return stages;
}

// Chooses the buffer depths and the segments of a row; false if none fit.
bool fit(short_time_design& d, const std::vector<transform_stage>& stages,
         const machine_spec& machine) {
  const std::int64_t partitions = machine.sbuf.partitions,
                     room = machine.sbuf.bytes_per_partition / 4 - 64;
  const std::int64_t total = d.rows.channels * d.rows.segments;
  const std::int64_t longest =
      std::min({d.rows.segments, std::max<std::int64_t>(1, (total + partitions - 1) / partitions),
                machine.thresholds.stft_row_segments_max});
  const auto fits = [&](const run_depths& depths, std::int64_t run) {
    d.depths = depths;
    d.rows.run = run;
    const std::int64_t out = (d.planar() ? 2 : 1) * run * d.width();
    return run_words({.stages = stages, .operands = d.operands, .depths = depths}, machine) +
                   depths.entry * kept_words(d.rows.row_samples(), d.operands, machine) +
                   depths.exit * out <=
               room &&
           std::max(out, d.rows.row_samples()) < machine.access.stride_max;
  };
  // Where segments share points, long rows matter more than deep buffers.
  if (d.shares_points) {
    for (std::int64_t run = longest; run > 1; --run)
      for (const run_depths& depths : depths_tried())
        if (depths.entry == 2 && depths.middle == 2 && fits(depths, run)) return true;
    return false;
  }
  for (const run_depths& depths : depths_tried())
    for (std::int64_t run = longest; run >= 1; --run)
      if (fits(depths, run)) return true;
  d.rows.run = 1;
  return false;
}

// Sharing points changes the order of terms in sums. It needs so many segments that a part of a
// signal divided among cores rarely has them: such parts keep the bits of the whole.
std::int64_t sharing_segments_min(const machine_spec& machine) {
  return 8 * machine.sbuf.partitions * machine.thresholds.shared_transpose_segments_min;
}

kernels::repetition repeats_of(const short_time_design& d, const machine_spec& machine) {
  const std::int64_t together = d.rows.run * machine.sbuf.partitions;
  return {.unit = "segments",
          .count = d.rows.channels * d.rows.segments,
          .least = d.shares_points ? std::max(together, sharing_segments_min(machine)) : together};
}

kernels::sized_kernel kernel_of(const short_time_design& d, const short_time_values& values,
                                const machine_spec& machine) {
  const tensor_shape in{{d.rows.channels, d.rows.samples}, dtype::fp32};
  tensor_shape out{{d.rows.channels, d.rows.segments, d.width()}, dtype::fp32};
  if (d.planar()) out.extents.insert(out.extents.begin(), 2);
  const double bytes = double(in.bytes()) + double(out.bytes());
  kernels::sized_kernel kernel{.program = {.name = "stft", .parameters = design_of(d).key()},
                               .inputs = {in},
                               .outputs = {out},
                               .ranges = {kernels::input_range{}},
                               .machine = machine,
                               .repeats = repeats_of(d, machine)};
  const auto stages =
      std::make_shared<const std::vector<transform_stage>>(stages_of(d, values, machine));
  for (const transform_stage& s : *stages) kernel.tables.push_back(s.table);
  kernel.expected_error = square_root(squared_error_of(*stages, d.operands, true, machine));
  kernel.program.body = [d, stages, bytes](core& nc, const kernel_arguments& t) {
    nc.state_floor(bytes, 0);
    segment_ports ports(nc, d, t);
    std::vector<hbm_view> tables;
    for (std::size_t i = 0; i < stages->size(); ++i) tables.push_back(t.in(1 + i));
    run_stages(nc, {.stages = *stages, .operands = d.operands, .depths = d.depths}, ports, tables);
  };
  return kernel;
}

// The layout of so many segments of one signal that is not centred.
segment_rows of_segments(const short_time_design& d, std::int64_t segments) {
  segment_rows rows = d.rows;
  rows.channels = 1;
  rows.lead = 0;
  rows.segments = segments;
  rows.samples = (segments - 1) * rows.hop + rows.n;
  return rows;
}

// The time of a segment, from a dry run of a few blocks.
double seconds_of(const short_time_design& d, const short_time_values& values,
                  const machine_spec& machine) {
  constexpr std::int64_t blocks_max = 4;
  short_time_design few = d;
  few.rows = of_segments(d, std::min(d.rows.channels * d.rows.segments,
                                     blocks_max * machine.sbuf.partitions * d.rows.run));
  kernels::sized_kernel kernel = kernel_of(few, values, machine);
  kernel.design = design_of(few);
  return modelled_seconds(kernel, machine) / double(few.rows.segments);
}

// Whether a segment, its numbers between two stages and its bins fit SBUF together.
bool may_fit(std::int64_t n, const machine_spec& machine) {
  return n <= machine.sbuf.bytes_per_partition / (3 * 4);
}

// The design that dry runs find fastest among those with the lowest estimates; `is_long` where none
// fits.
short_time_design choose(const short_time_design& problem, const short_time_values& values,
                         const machine_spec& machine) {
  const std::int64_t n = problem.rows.n;
  std::vector<std::pair<double, short_time_design>> all;
  const std::int64_t words = machine.sbuf.bytes_per_partition / 4;
  std::vector<std::vector<std::int64_t>> cuts;
  if (may_fit(n, machine)) cuts = cuts_of(n, machine.tensor.rows);
  // A direct DFT matrix that fills the chip by itself is not made.
  if (cuts.empty() && n <= words && n * n <= words * machine.tensor.rows) cuts.push_back({n});
  for (const std::vector<std::int64_t>& radices : cuts)
    for (const bool wide : {false, true}) {
      if (wide && radices.size() == 1) continue;
      short_time_design d = problem;
      d.formula.radices = radices;
      d.wide = wide;
      // Digits are compared for one number of segments, so that the bits of a segment do not depend
      // on how many others there are.
      d.rows = of_segments(d, 4 * machine.sbuf.partitions);
      const std::vector<transform_stage> stages = stages_of(d, values, machine);
      if (fit(d, stages, machine))
        all.emplace_back(block_seconds(stages, d.operands, machine), std::move(d));
    }
  if (all.empty()) {
    short_time_design d = problem;
    d.formula.radices = {n};
    d.is_long = true;
    return d;
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  if (all.size() > designs_compared_max) all.resize(designs_compared_max);
  const auto time = [&](const auto& one) {
    return std::optional(price{seconds_of(one.second, values, machine)});
  };
  auto best = all.size() > 1 ? cheapest(all, time).best : all.front();
  best.second.rows = problem.rows;
  fit(best.second, stages_of(best.second, values, machine), machine);
  all = {best};
  const std::int64_t segments = problem.rows.channels * problem.rows.segments;
  if (problem.operands.is_fp32() && problem.rows.hop < n &&
      segments >= sharing_segments_min(machine)) {
    short_time_design d = best.second;
    d.shares_points = true;
    const std::vector<transform_stage> stages = stages_of(d, values, machine);
    if (stages.front().renewed > 0 && fit(d, stages, machine) && d.rows.run > 1)
      all.emplace_back(best.first, std::move(d));
  }
  for (std::size_t i = 0, designs = all.size(); i < designs; ++i)
    for (const std::int64_t turn : vector_turns_compared) {
      all.push_back(all[i]);
      all.back().second.depths.vector_turn = turn;
    }
  return cheapest(all, time).best.second;
}

}  // namespace

std::string short_time_design::describe() const {
  return message(
      "precision: ", kernels_detail::describe(mode_of(operands)), "\n", "windowed real lines of ",
      formula.describe(), "\n", rows.segments, " segments, ", rows.run, " to a partition, ",
      rows.row_samples(), " samples a row", shares_points ? ", their transposes shared" : "",
      is_long ? "\nsegments do not fit on chip: windowed in HBM, they are lines of rfft\n" : "\n");
}

short_time_design short_time_design::without_batch() const {
  short_time_design one = *this;
  one.rows.channels = one.rows.samples = one.rows.segments = 0;
  return one;
}

// The vector engine computes roots, since the scalar engine's are not valid for the smallest
// powers. For decibel the root keeps the logarithm's argument in its range.
void finish_numbers(core& nc, const short_time_design& d, const tile_view& out) {
  if (d.output == spectrum_form::magnitude)
    nc.issue(tensor_scalar{.out = out, .in = out, .op0 = alu_op::power, .operand0 = 0.5});
  if (d.output != spectrum_form::decibel) return;
  nc.issue(tensor_scalar{.out = out,
                         .in = out,
                         .op0 = alu_op::maximum,
                         .operand0 = d.floor,
                         .op1 = alu_op::power,
                         .operand1 = 0.5});
  nc.issue(activation{.out = out, .in = out, .function = activation_function::log});
  nc.issue(activation{.out = out, .in = out, .scale = float(decibels_per_neper)});
}

kernels::sized_kernel short_time_kernel(const stft_problem& s, const array_operands& operands,
                                        const machine_spec& machine) {
  const auto n = std::int64_t(s.n_fft);
  if (!may_fit(n, machine))
    require_room_of_segments("stft", double(s.channels) * double(s.segments()), n, machine);
  short_time_values values{
      .window = s.window.empty() ? std::vector<float>(s.n_fft, 1.0F) : s.window,
      .mel = s.mel,
      .end_weight = s.halved_ends ? 0.5 : 1.0};
  const short_time_design d = choose({.formula = {.real = true},
                                      .rows = {.channels = std::int64_t(s.channels),
                                               .samples = std::int64_t(s.samples),
                                               .n = n,
                                               .hop = std::int64_t(s.hop),
                                               .lead = s.centre ? n / 2 : 0,
                                               .segments = std::int64_t(s.segments()),
                                               .padding = s.padding},
                                      .operands = operands,
                                      .output = s.result,
                                      .floor = s.floor,
                                      .mels = std::int64_t(s.bands())},
                                     values, machine);
  kernels::sized_kernel kernel =
      d.is_long ? long_short_time_kernel(d, values, machine) : kernel_of(d, values, machine);
  kernel.design = design_of(windowed<short_time_design>{
      .body = d, .window = values.window, .mel = values.mel, .halved_ends = s.halved_ends});
  return kernel;
}

}  // namespace papilio::kernels_detail

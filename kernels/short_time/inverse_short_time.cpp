// Inverse short-time Fourier transform by overlap-add, in one launch.
//   identity   x[h width + i] = sum over b of w[j] y[s](j) / sum of w^2, j = b hop + rest + i,
//              segment s = quotient + h hops - b; the window and 1 / n are in the last stage's
//              matrices
//   layout     partitions hold segments, then results: stretches of one or several hops. Each
//              segment that overlaps stretch h adds its product with its own part of the last
//              matrix to that stretch's sum: overlap-add is accumulation in PSUM
//   output     sums are multiplied by 1 / (sum of w^2) on their way out of PSUM
//   bound      the tensor engine. A product of fewer than 64 columns takes the time of 64, so that
//              stretches of several hops, which have more columns and hardly more segments, are
//              faster
#include "kernels/short_time/inverse_short_time.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/precision_choice.hpp"
#include "kernels/short_time/long_segments.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/table.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using base_detail::message;

namespace {

constexpr std::int64_t blocks_compared = 4;      // groups of stretches in a dry run
constexpr std::int64_t direct_points_max = 512;  // of a direct DFT matrix, where n has digits too

// Loads a channel's segments to partitions, run after run, and stores its stretches.
class stretch_ports final : public transform_ports {
 public:
  stretch_ports(core& nc, const inverse_short_time_design& design, const kernel_arguments& t)
      : nc_(nc),
        d_(design),
        args_(t),
        groups_(design.result),
        partitions_(nc.machine().sbuf.partitions),
        line_(design.formula.n()),
        runs_(ceil_div(design.columns(), partitions_)),
        entry_(nc.sbuf_pool(design.depths.entry, int(partitions_), runs_ * line_,
                            kept_type(design.operands, nc.machine()))),
        exit_(nc.sbuf_pool(design.depths.exit, int(partitions_), design.result.width())) {
    if (!d_.result.is_weighted) return;
    other_weights_ = nc.sbuf_pool(d_.depths.exit, int(partitions_), d_.result.width());
    weights_ = nc.sbuf(int(d_.result.batch), d_.result.width());
    nc.issue(dma_copy{.out = weights_.whole(),
                      .in = table().pattern(0, {{d_.result.batch, 0}, {d_.result.width(), 1}})});
  }

  std::int64_t items() const override { return d_.channels * groups_.count(); }
  std::int64_t batch(std::int64_t item) const override {
    const zero_lines beyond = zeros(item);
    return needed(item) - beyond.before - beyond.behind;
  }
  std::int64_t sums(std::int64_t item) const override { return group_of(item).count; }
  // Segments before the first and behind the last are zero. At least one segment is loaded, which
  // is cleared where it does not exist.
  zero_lines zeros(std::int64_t item) const override {
    const std::int64_t first = first_segment(item), all = needed(item),
                       before = std::clamp<std::int64_t>(-first, 0, all - 1);
    return {before,
            std::clamp<std::int64_t>(first + all - d_.result.segments, 0, all - 1 - before)};
  }
  void prepare(std::int64_t item) override { load(std::min(items(), item + d_.depths.entry)); }
  tile_place source(std::int64_t item) override {
    load(item + 1);
    return {.tile = sources_[std::size_t(item)], .run_step = line_};
  }
  tile_place target(std::int64_t item, std::int64_t) override {
    const stretch_group g = group_of(item);
    targets_.push_back(exit_.next().partition_range(0, int(g.count)));
    if (!d_.result.is_weighted) return {targets_.back()};
    current_ = weights_->partition_range(0, int(g.count));
    if (g.weights > 0) {
      current_ = other_weights_->next().partition_range(0, int(g.count));
      nc_.issue(dma_copy{.out = current_, .in = table().slice(0, g.weights, g.count)});
    }
    return {targets_.back()};
  }
  tile_view weights(std::int64_t) override { return current_; }
  void finish(std::int64_t item, std::int64_t) override {
    const stretch_group g = group_of(item);
    const std::int64_t width = d_.result.width();
    nc_.issue(
        dma_copy{.out = args_.out(0).pattern(channel_of(item) * d_.result.samples + g.first * width,
                                             {{g.count, width}, {g.width, 1}}),
                 .in = targets_[std::size_t(item)].columns(0, g.width)});
  }

 private:
  hbm_view table() const { return args_.in(args_.inputs() - 1); }
  std::int64_t channel_of(std::int64_t item) const { return item / groups_.count(); }
  stretch_group group_of(std::int64_t item) const { return groups_[item % groups_.count()]; }
  std::int64_t needed(std::int64_t item) const {
    return d_.result.segments_of(group_of(item).count);
  }
  std::int64_t first_segment(std::int64_t item) const {
    return d_.result.first_segment(group_of(item).first);
  }

  void load(std::int64_t end) {
    for (; loaded_ < end; ++loaded_) {
      sources_.push_back(entry_.next());
      const std::int64_t first = first_segment(loaded_) + zeros(loaded_).before,
                         all = batch(loaded_);
      for (std::int64_t at = 0; at < all; at += partitions_)
        load_run(sources_.back()
                     .partition_range(0, int(std::min(partitions_, all - at)))
                     .columns(at / partitions_ * line_, line_),
                 first + at);
    }
  }

  // Loads the real parts of all bins, then the imaginary parts of those that are not real.
  void load_run(const tile_view& to, std::int64_t first) {
    if (first < 0 || first >= d_.result.segments) return void(nc_.issue(memset{.out = to}));
    const std::int64_t all = d_.formula.bins(), batch = to.partitions();
    const auto load_plane = [&](std::int64_t plane, std::int64_t bin, const tile_view& part) {
      const std::int64_t row =
          (plane * d_.channels + channel_of(loaded_)) * d_.given + d_.begin + first;
      nc_.issue(dma_copy{
          .out = part,
          .in = args_.in(0).pattern(row * all + bin, {{batch, all}, {part.elements(), 1}})});
    };
    load_plane(0, 0, to.columns(0, all));
    if (line_ > all) load_plane(1, 1, to.columns(all, line_ - all));
  }

  core& nc_;
  const inverse_short_time_design& d_;
  const kernel_arguments& args_;
  const stretch_groups groups_;
  std::int64_t partitions_, line_, runs_;
  tile_pool entry_, exit_;
  std::optional<tile_pool> other_weights_ = {};
  tile weights_ = {};
  tile_view current_ = {};
  std::int64_t loaded_ = 0;
  std::vector<tile_view> sources_ = {}, targets_ = {};
};

// The most hops of a stretch: the segments of a group are transposed into one bank.
std::int64_t hops_most(const machine_spec& machine) {
  return machine.psum.bank_bytes / 4 / machine.sbuf.partitions;
}

transform_formula formula_of(const inverse_short_time_design& d,
                             const inverse_short_time_values& values) {
  transform_formula f = d.formula;
  f.point_factors.assign(values.window.begin(), values.window.end());
  if (values.ends == 1 && values.others == 1) return f;
  f.bin_factors.assign(std::size_t(f.bins()), values.others);
  f.bin_factors.front() = values.ends;
  if (f.n() % 2 == 0) f.bin_factors.back() = values.ends;
  return f;
}

std::vector<transform_stage> stages_of(const inverse_short_time_design& d,
                                       const inverse_short_time_values& values,
                                       const machine_spec& machine) {
  return stages_of(formula_of(d, values),
                   stage_options{.bins = {.plane = d.formula.bins() - 1},
                                 .wide = d.wide,
                                 .batch = d.columns(),
                                 .overlap = d.result.overlap(),
                                 .operands = d.operands},
                   machine);
}

// Chooses the buffer depths; false if none fits SBUF.
bool fit(inverse_short_time_design& d, const std::vector<transform_stage>& stages,
         const machine_spec& machine) {
  const std::int64_t room = machine.sbuf.bytes_per_partition / 4 - 64, width = d.result.width(),
                     line = ceil_div(d.columns(), machine.sbuf.partitions) * d.formula.n();
  if (std::max(line, width) >= machine.access.stride_max) return false;
  for (const run_depths& depths : depths_tried()) {
    d.depths = depths;
    const run_layout layout{
        .stages = stages, .batch = d.columns(), .operands = d.operands, .depths = depths};
    const std::int64_t weights = d.result.is_weighted ? (1 + depths.exit) * width : 0;
    if (run_words(layout, machine) + depths.entry * kept_words(line, d.operands, machine) +
            depths.exit * width + weights <=
        room)
      return true;
  }
  return false;
}

kernels::sized_kernel kernel_of(const inverse_short_time_design& d,
                                const inverse_short_time_values& values,
                                const machine_spec& machine) {
  const stretches& r = d.result;
  const tensor_shape in{{2, d.channels, d.given, d.formula.bins()}, dtype::fp32},
      out{{d.channels, r.samples}, dtype::fp32};
  const double bytes = double(in.bytes()) + double(out.bytes());
  kernels::sized_kernel kernel{
      .program = {.name = "istft", .parameters = design_of(d).key()},
      .inputs = {in},
      .outputs = {out},
      .ranges = {kernels::input_range{}},
      .machine = machine,
      .repeats = {.unit = "segments", .count = d.channels * r.segments, .least = r.batch * r.hops}};
  const auto add_weights = [&] {
    if (r.is_weighted)
      kernel.tables.push_back(
          table_of("1 / sum of w^2", stretch_groups(r).weight_rows(), r.width(),
                   [r, window = values.window](const auto& t) { fill_weights(t, r, window); }));
  };
  const auto stages =
      std::make_shared<const std::vector<transform_stage>>(stages_of(d, values, machine));
  for (const transform_stage& s : *stages) kernel.tables.push_back(s.table);
  kernel.expected_error = square_root(squared_error_of(*stages, d.operands, true, machine));
  add_weights();
  kernel.program.body = [d, stages, bytes](core& nc, const kernel_arguments& t) {
    nc.state_floor(bytes, 0);
    stretch_ports ports(nc, d, t);
    std::vector<hbm_view> tables;
    for (std::size_t i = 0; i < stages->size(); ++i) tables.push_back(t.in(1 + i));
    run_stages(
        nc, {.stages = *stages, .batch = d.columns(), .operands = d.operands, .depths = d.depths},
        ports, tables);
  };
  return kernel;
}

// The design for one signal of so many stretches, all of whose segments exist.
inverse_short_time_design interior_of(inverse_short_time_design d, std::int64_t some,
                                      const machine_spec& machine) {
  d.channels = 1;
  d.begin = 0;
  d.result.samples = some * d.result.width();
  take_stretches(d.result, d.result.hops, machine);
  d.result.quotient = d.result.last();
  d.given = d.result.segments = d.result.segments_of(some);
  return d;
}

double seconds_of_stretches(std::int64_t some, const inverse_short_time_design& d,
                            const inverse_short_time_values& values, const machine_spec& machine) {
  const inverse_short_time_design few = interior_of(d, some, machine);
  kernels::sized_kernel kernel = kernel_of(few, values, machine);
  kernel.design = design_of(few);
  return modelled_seconds(kernel, machine);
}

// The time of a sample, from a dry run of a few groups; of many groups, from their second half.
double seconds_of(const inverse_short_time_design& d, const inverse_short_time_values& values,
                  const machine_spec& machine) {
  const std::int64_t partitions = machine.sbuf.partitions,
                     there = std::max<std::int64_t>(1, d.channels * d.result.whole()),
                     some = std::min(
                         there, blocks_compared * hops_most(machine) / d.result.hops * partitions),
                     before = some >= 4 * partitions ? some / 2 : 0;
  const double all = seconds_of_stretches(some, d, values, machine);
  return (before > 0 ? all - seconds_of_stretches(before, d, values, machine) : all) /
         double((some - before) * d.result.width());
}

// Digits for segments of which bins, numbers between two stages and points fit SBUF together.
std::vector<std::vector<std::int64_t>> cuts_for(const stretches& r, const machine_spec& machine) {
  const std::int64_t words = machine.sbuf.bytes_per_partition / 4;
  std::vector<std::vector<std::int64_t>> cuts;
  if (r.n <= words / 3) cuts = cuts_of(r.n, machine.tensor.rows);
  // The product of all digits but the first must divide the hop.
  std::erase_if(cuts, [&](const auto& radices) { return r.hop % (r.n / radices[0]) != 0; });
  // A direct DFT matrix that fills the chip by itself is not made.
  const bool may_be_direct =
      cuts.empty() || (r.n > machine.tensor.rows && r.n <= direct_points_max);
  if (may_be_direct && r.n <= words && r.n * r.width() * r.count <= words * machine.tensor.rows)
    cuts.push_back({r.n});
  return cuts;
}

using candidate = std::pair<double, inverse_short_time_design>;

// Candidate designs: digits and hops of a stretch, for one number of stretches, so that the bits of
// a sample do not depend on how many others there are.
std::vector<candidate> candidates(const inverse_short_time_design& problem,
                                  const inverse_short_time_values& values,
                                  const machine_spec& machine) {
  const std::int64_t partitions = machine.sbuf.partitions, most = hops_most(machine);
  std::vector<candidate> all;
  for (const std::vector<std::int64_t>& radices : cuts_for(problem.result, machine))
    for (const bool wide : {false, true})
      for (std::int64_t hops = 1; hops <= most; ++hops) {
        if (radices.size() == 1 && wide) continue;
        inverse_short_time_design d = problem;
        d.formula.radices = radices;
        d.wide = wide;
        d.result.hops = hops;
        d = interior_of(d, blocks_compared * most / hops * partitions, machine);
        const std::vector<transform_stage> stages = stages_of(d, values, machine);
        if (fit(d, stages, machine))
          all.emplace_back(
              block_seconds(stages, d.operands, machine, ceil_div(d.columns(), partitions)) /
                  double(d.result.batch * d.result.width()),
              std::move(d));
      }
  std::ranges::stable_sort(all, {}, &candidate::first);
  return all;
}

// The design for the problem's own number of stretches. These have several hops only where they
// fill the partitions.
std::optional<inverse_short_time_design> placed(const inverse_short_time_design& from,
                                                const inverse_short_time_design& problem,
                                                std::int64_t hops,
                                                const inverse_short_time_values& values,
                                                const machine_spec& machine) {
  inverse_short_time_design d = problem;
  d.formula.radices = from.formula.radices;
  d.wide = from.wide;
  take_stretches(d.result, hops, machine);
  if (hops > 1 && d.result.whole() < machine.sbuf.partitions) return std::nullopt;
  if (!fit(d, stages_of(d, values, machine), machine)) return std::nullopt;
  return d;
}

inverse_short_time_design long_one(inverse_short_time_design d, const machine_spec& machine) {
  d.formula.radices = {d.result.n};
  d.is_long = true;
  take_stretches(d.result, 1, machine);
  return d;
}

inverse_short_time_design choose(const inverse_short_time_design& problem,
                                 const inverse_short_time_values& values,
                                 const machine_spec& machine) {
  std::vector<candidate> all = candidates(problem, values, machine);
  if (all.empty()) return long_one(problem, machine);
  if (all.size() > designs_compared_max) all.resize(designs_compared_max);
  const auto time = [&](const candidate& one) {
    return std::optional(price{seconds_of(one.second, values, machine)});
  };
  const inverse_short_time_design best =
      all.size() > 1 ? cheapest(all, time).best.second : all.front().second;
  all.clear();
  // Stretches of fewer hops take less room.
  for (std::int64_t hops = best.result.hops; all.empty() && hops >= 1; --hops)
    if (auto d = placed(best, problem, hops, values, machine)) all.emplace_back(0, *std::move(d));
  for (const std::int64_t turn : vector_turns_compared) {
    all.push_back(all.front());
    all.back().second.depths.vector_turn = turn;
  }
  return cheapest(all, time).best.second;
}

}  // namespace

void require_room(const inverse_short_time_design& d, const machine_spec& machine) {
  if (cuts_for(d.result, machine).empty())
    require_room_of_segments("istft", double(d.channels) * double(d.given), d.result.n, machine);
}

std::string inverse_short_time_design::describe() const {
  return message(
      "precision: ", kernels_detail::describe(mode_of(operands)), "\n", "windowed real lines of ",
      formula.describe(), ", transposed\n", result.count, " segments overlap each stretch of ",
      result.width(), " samples, ", result.batch, " stretches at a time",
      is_long ? "\nsegments do not fit on chip: they are lines of irfft, added up from HBM\n"
              : "\n");
}

inverse_short_time_design inverse_short_time_design::without_batch() const {
  inverse_short_time_design one = *this;
  one.channels = one.given = one.result.samples = one.result.segments = 0;
  return one;
}

kernels::sized_kernel inverse_short_time_kernel(const inverse_short_time_design& problem,
                                                const inverse_short_time_values& values,
                                                bool halved_ends, const machine_spec& machine) {
  const inverse_short_time_design d = choose(problem, values, machine);
  kernels::sized_kernel kernel =
      d.is_long ? long_inverse_kernel(d, values, machine) : kernel_of(d, values, machine);
  kernel.design = design_of(windowed<inverse_short_time_design>{
      .body = d, .window = values.window, .halved_ends = halved_ends});
  return kernel;
}

}  // namespace papilio::kernels_detail

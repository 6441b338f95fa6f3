// Transforms lines on partitions, from HBM to HBM: see lines.hpp.
//   layout        a partition holds one line, or several short ones, so that DMA rows are long.
//                 Where these do not divide the batch, the last block overlaps the one before
//   designs       all factorisations of n into few digits are estimated; dry runs of some blocks
//                 find the fastest of the best
//   bound         the tensor engine, with the engines that empty PSUM close behind; of one stage
//                 DMA
#include "kernels/transform/lines.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/transform/cuts.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

// Places behind a line's numbers for the imaginary parts of bins 0 and n/2, which are no numbers of
// a cosine transform.
constexpr std::int64_t spare_places = 2;

// A design with its stages and the columns of its tiles.
struct compiled_lines {
  lines_design design = {};
  std::vector<transform_stage> stages = {};
  std::int64_t in_columns = 0, out_columns = 0;
};

// Loads and stores blocks of all partitions, with `together` lines [n, inner] on each.
class hbm_lines final : public transform_ports {
 public:
  hbm_lines(core& nc, const compiled_lines& what, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        d_(what.design),
        in_(in),
        out_(out),
        block_(nc.machine().sbuf.partitions),
        partitions_(ceil_div(d_.outer, d_.together)),
        entry_(nc.sbuf_pool(d_.depths.entry, int(block_), what.in_columns,
                            kept_type(d_.operands, nc.machine()))),
        exit_(nc.sbuf_pool(d_.depths.exit, int(block_), what.out_columns)) {}

  std::int64_t items() const override { return ceil_div(partitions_, block_); }
  std::int64_t batch(std::int64_t item) const override {
    return std::min(block_, partitions_ - item * block_);
  }
  void prepare(std::int64_t item) override { load(std::min(items(), item + d_.depths.entry)); }
  tile_place source(std::int64_t item) override {
    load(item + 1);
    return {sources_[std::size_t(item)]};
  }
  tile_place target(std::int64_t, std::int64_t) override {
    targets_.push_back(exit_.next());
    return {targets_.back()};
  }
  void finish(std::int64_t item, std::int64_t) override {
    move(item, false, targets_[std::size_t(item)]);
  }

 private:
  void load(std::int64_t end) {
    for (; loaded_ < end; ++loaded_) {
      sources_.push_back(entry_.next());
      move(loaded_, true, sources_.back());
    }
  }

  // The layout of one end: its planes, the numbers of a line in the tile, those of them that are in
  // HBM, and the distance of the planes.
  struct plane_form {
    int planes = 1;
    std::int64_t line = 1, some = 1, plane = 0;
  };
  plane_form form_of(bool is_load) const {
    const bool bins = is_load == d_.formula.transposed;
    if (d_.trigonometric) {
      const std::int64_t n = d_.formula.n();
      return {.planes = 1, .line = n + (is_load || !bins ? 0 : spare_places), .some = n};
    }
    plane_form s{.planes = bins || !d_.formula.real ? 2 : 1,
                 .line = (bins ? d_.formula.bins() : d_.formula.n()) * d_.inner};
    const std::int64_t some = is_load ? d_.in_some : d_.out_some;
    s.some = some > 0 ? some : s.line;
    s.plane = is_load && d_.in_plane >= 0 ? d_.in_plane : d_.outer * s.some;
    return s;
  }

  // The last item may begin with lines of the one before: these are loaded, computed and stored
  // again, with the same results.
  std::int64_t first_line(std::int64_t item) const {
    return std::min(item * block_ * d_.together, d_.outer - batch(item) * d_.together);
  }

  void move(std::int64_t item, bool is_load, const tile_view& tile) {
    const plane_form s = form_of(is_load);
    const std::int64_t row = d_.together * s.line, count = batch(item);
    const std::vector<pattern_dim> levels =
        s.some == s.line ? std::vector<pattern_dim>{{row, 1}}
                         : std::vector<pattern_dim>{{d_.together, s.line}, {s.some, 1}};
    if (is_load && s.some < s.line)
      nc_.issue(memset{
          .out = tile.pattern(s.some, {{s.planes * d_.together, s.line}, {s.line - s.some, 1}}),
          .on = unit::gpsimd});
    for (int plane = 0; plane < s.planes; ++plane) {
      const std::int64_t at = plane * s.plane + first_line(item) * s.some;
      const tile_view here = tile.partition_range(0, int(count)).pattern(plane * row, levels);
      const hbm_view there =
          (is_load ? in_ : out_)
              .pattern(at, {{count, d_.together * s.some}, {d_.together * s.some, 1}});
      nc_.issue(is_load ? dma_copy{.out = here, .in = there} : dma_copy{.out = there, .in = here});
    }
  }

  core& nc_;
  const lines_design& d_;
  hbm_view in_, out_;
  std::int64_t block_, partitions_;
  tile_pool entry_, exit_;
  std::int64_t loaded_ = 0;
  std::vector<tile_view> sources_ = {}, targets_ = {};
};

// Compiles a cosine transform by Makhoul's identity: the real transform of the even points in order
// and then the odd ones in reverse, with bin k times w(4n)^k. A sine transform has every other
// point negated, and its numbers in reverse.
compiled_lines compiled_trigonometric(compiled_lines c, const machine_spec& machine) {
  const lines_design& d = c.design;
  const std::int64_t n = d.formula.n(), rows = d.together;
  const bool is_sine = d.trigonometric.of == trigonometric_lines::kind::sine,
             leaves = !d.formula.transposed;
  const std::int64_t line = n + (leaves ? spare_places : 0);
  stage_options options{
      .lines = rows, .points = {.line = n}, .bins = {.line = line}, .operands = d.operands};
  transform_formula f = d.formula;
  f.cosine = true;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t at = 2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1;
    options.points.places.push_back(at);
    if (is_sine) f.point_factors.emplace_back(at % 2 == 0 ? 1 : -1);
  }
  const auto place = [&](std::int64_t number) { return is_sine ? n - 1 - number : number; };
  const base_detail::roots_of_unity<double> root{std::size_t(4 * n)};
  for (std::int64_t k = 0; k < f.bins(); ++k) {
    const double factor = 2 * (k == 0 ? d.trigonometric.end_factor : 1);
    const std::complex<double> w = factor * root(std::size_t(k));
    f.bin_factors.push_back(w);
    options.bins.places.push_back(place(k));
    options.bins.imaginary_places.push_back(k == 0 ? n : 2 * k == n ? n + 1 : place(n - k));
  }
  c.in_columns = rows * n;
  c.out_columns = rows * line;
  c.stages = stages_of(f, options, machine);
  return c;
}

compiled_lines compiled(lines_design design, const machine_spec& machine) {
  compiled_lines c{.design = std::move(design)};
  const lines_design& d = c.design;
  const std::int64_t n = d.formula.n(), bins = d.formula.bins(), rows = d.together * d.inner;
  if (d.trigonometric) return compiled_trigonometric(std::move(c), machine);
  const stage_options options{
      .lines = rows,
      .points = {.plane = rows * n, .line = n * d.inner, .beside = d.inner},
      .bins = {.plane = rows * bins, .line = bins * d.inner, .beside = d.inner},
      .wide = d.wide,
      .operands = d.operands};
  c.in_columns = rows * (d.formula.transposed ? 2 * bins : d.formula.real ? n : 2 * n);
  c.out_columns = rows * (d.formula.transposed ? d.formula.real ? n : 2 * n : 2 * bins);
  transform_formula f = d.formula;
  // Chirps are conjugated here where the matrices are transposed, which conjugate diagonals again.
  const auto factors = [n](const chirp_factors& chirp, bool transposed, double scale) {
    std::vector<std::complex<double>> values = chirp.values();
    values.resize(std::size_t(n));
    for (std::complex<double>& v : values) v = scale * (transposed ? std::conj(v) : v);
    return values;
  };
  if (d.point_chirp) f.point_factors = factors(d.point_chirp, f.transposed, 1);
  if (d.bin_chirp) f.bin_factors = factors(d.bin_chirp, f.transposed, 1);
  if (!d.result_chirp) {
    c.stages = stages_of(f, options, machine);
    return c;
  }
  const transform_formula back{.radices = f.radices,
                               .transposed = true,
                               .point_factors = factors(d.result_chirp, true, f.scale)};
  c.stages = round_trip_stages(f, back, options, machine);
  return c;
}

// Chooses the buffer depths; false if a block does not fit SBUF.
bool fit(compiled_lines& c, const machine_spec& machine) {
  for (const run_depths& depths : depths_tried()) {
    c.design.depths = depths;
    if (run_words({.stages = c.stages, .operands = c.design.operands, .depths = depths}, machine) +
            depths.entry * kept_words(c.in_columns, c.design.operands, machine) +
            depths.exit * c.out_columns <=
        machine.sbuf.bytes_per_partition / 4 - 64)
      return std::max(c.in_columns, c.out_columns) < machine.access.stride_max;
  }
  return false;
}

fft_step step_of(compiled_lines compiled, const machine_spec& machine) {
  const auto shared = std::make_shared<const compiled_lines>(std::move(compiled));
  const lines_design& d = shared->design;
  const std::int64_t lines = d.outer * d.inner;
  const std::int64_t points = d.formula.n() * (d.formula.real ? 1 : 2), bins = 2 * d.formula.bins();
  const auto elements = [&](std::int64_t some, std::int64_t all) {
    return lines * (d.trigonometric ? d.formula.n() : some > 0 ? 2 * some : all);
  };
  fft_step step{.design = design_of(d),
                .in_elements = elements(d.in_some, d.formula.transposed ? bins : points),
                .out_elements = elements(d.out_some, d.formula.transposed ? points : bins)};
  if (d.in_plane >= 0) step.in_elements = d.in_plane + lines * d.in_some;
  step.squared_error = squared_error_of(shared->stages, d.operands, false, machine);
  for (const transform_stage& s : shared->stages) step.tables.push_back(s.table);
  step.lines = lines;
  step.lines_together = d.together * d.inner * machine.sbuf.partitions;
  step.run = [shared](core& nc, const hbm_view& in, const hbm_view& out,
                      std::span<const hbm_view> tables) {
    hbm_lines ports(nc, *shared, in, out);
    run_stages(nc,
               {.stages = shared->stages,
                .operands = shared->design.operands,
                .depths = shared->design.depths},
               ports, tables);
  };
  return step;
}

// Estimates the seconds of the tensor engine, and of the load of tables.
double seconds_of(const compiled_lines& c, const machine_spec& machine) {
  const lines_design& d = c.design;
  const std::int64_t blocks = ceil_div(ceil_div(d.outer, d.together), machine.sbuf.partitions);
  return double(blocks) * block_seconds(c.stages, d.operands, machine) +
         double(table_words(c.stages, d.operands) * machine.tensor.rows * 4) /
             (machine.dma.bytes_per_ns * machine.dma.engines * 1e9);
}

// Numbers of lines for a partition that make DMA rows long and give all partitions some lines: the
// most, and the largest that divides the batch.
std::vector<std::int64_t> together_of(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t row = p.bins() * p.inner,
                     long_enough = ceil_div(machine.dma.good_row_bytes / 4, row);
  const std::int64_t most =
      std::clamp<std::int64_t>(p.outer / machine.sbuf.partitions, 1, long_enough);
  std::vector<std::int64_t> counts{most};
  for (std::int64_t t = most; t > 1; --t)
    if (p.outer % t == 0) {
      if (t != most) counts.push_back(t);
      break;
    }
  return counts;
}

// Designs that fit, in the order of their estimated time.
std::vector<compiled_lines> candidates_of(const lines_problem& p,
                                          const std::vector<std::vector<std::int64_t>>& cuts,
                                          std::initializer_list<bool> widths,
                                          const machine_spec& machine) {
  std::vector<std::pair<double, compiled_lines>> all;
  // A line's points, its numbers between two stages and its results are in SBUF at the same time.
  if (3 * p.n * p.inner > machine.sbuf.bytes_per_partition / 4 ||
      p.n * p.inner > (p.real ? 2 : 1) * one_sweep_points(p.operands, machine))
    return {};
  for (const std::int64_t together : together_of(p, machine))
    for (const std::vector<std::int64_t>& radices : cuts)
      for (const bool wide : widths) {
        if (wide && radices.size() == 1 && widths.size() > 1) continue;
        if (p.result_chirp && (wide || radices.size() == 1)) continue;
        compiled_lines c = compiled({.formula = {.radices = radices,
                                                 .real = p.real,
                                                 .transposed = p.inverse,
                                                 .scale = p.scale,
                                                 .point_factors = p.point_factors,
                                                 .bin_factors = p.bin_factors},
                                     .outer = p.outer,
                                     .inner = p.inner,
                                     .together = together,
                                     .wide = wide,
                                     .operands = p.operands,
                                     .point_chirp = p.point_chirp,
                                     .bin_chirp = p.bin_chirp,
                                     .result_chirp = p.result_chirp,
                                     .trigonometric = p.trigonometric,
                                     .in_some = p.in_some,
                                     .out_some = p.out_some,
                                     .in_plane = p.in_plane},
                                    machine);
        if (!fit(c, machine)) continue;
        const double seconds = seconds_of(c, machine);
        all.emplace_back(seconds, std::move(c));
      }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<compiled_lines> best;
  for (auto& [seconds, c] : all) best.push_back(std::move(c));
  return best;
}

compiled_lines fastest(const std::vector<compiled_lines>& all, const machine_spec& machine) {
  if (all.size() == 1) return all.front();
  return cheapest(all,
                  [&](const compiled_lines& c) {
                    return std::optional(price{modelled_seconds({{step_of(c, machine)}}, machine)});
                  })
      .best;
}

// Number of blocks in a dry run that compares designs.
constexpr std::int64_t compared_blocks = 8;

std::optional<fft_step> fastest_step(const lines_problem& p,
                                     const std::vector<std::vector<std::int64_t>>& cuts,
                                     const machine_spec& machine) {
  // Digits are those of the whole, so that the bits of a line do not depend on how a batch is
  // divided.
  lines_problem whole = p;
  whole.outer = std::max(p.outer, p.whole);
  std::vector<compiled_lines> all = candidates_of(whole, cuts, {false, true}, machine);
  if (all.empty()) return {};
  if (all.size() > designs_compared_max) all.resize(designs_compared_max);
  const auto few = [&](compiled_lines& c) {
    c.design.outer =
        std::min(c.design.outer, compared_blocks * machine.sbuf.partitions * c.design.together);
    if (c.design.in_plane > 0) c.design.in_plane = -1;
  };
  std::ranges::for_each(all, few);
  const lines_design chosen = fastest(all, machine).design;
  all = candidates_of(p, {chosen.formula.radices}, {chosen.wide}, machine);
  for (std::size_t i = 0, designs = all.size(); i < designs; ++i)
    for (const std::int64_t turn : vector_turns_compared) {
      all.push_back(all[i]);
      all.back().design.depths.vector_turn = turn;
    }
  std::ranges::for_each(all, few);
  compiled_lines best = fastest(all, machine);
  best.design.outer = p.outer;
  best.design.in_plane = p.in_plane;
  return step_of(std::move(best), machine);
}

}  // namespace

std::string lines_design::describe() const {
  const char* const kind = trigonometric.of == trigonometric_lines::kind::cosine
                               ? "cosine transforms of "
                           : trigonometric ? "sine transforms of "
                           : formula.real  ? "real lines of "
                                           : "lines of ";
  return base_detail::message(kind, formula.describe(), formula.transposed ? ", inverse" : "",
                              result_chirp ? ", there and back, " : ", ", together * inner,
                              " to a partition, ", outer * inner, " lines",
                              operands.is_fp32()
                                  ? std::string()
                                  : base_detail::message(", operands in ", operands.parts,
                                                         " parts of ", to_string(operands.type)));
}

lines_design lines_design::without_batch() const {
  lines_design one = *this;
  one.outer = 0;
  return one;
}

bool has_cut(std::int64_t n, const machine_spec& machine) {
  return !cuts_of(n, machine.tensor.rows).empty();
}

std::optional<fft_step> lines_step(const lines_problem& problem, const machine_spec& machine) {
  return fastest_step(problem, accurate_cuts_of(problem.n, problem.real, machine), machine);
}

std::optional<fft_step> direct_lines_step(const lines_problem& problem,
                                          const machine_spec& machine) {
  return fastest_step(problem, {{problem.n}}, machine);
}

}  // namespace papilio::kernels_detail

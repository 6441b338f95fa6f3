#include "kernels/transform/sweep.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/design.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/patterns.hpp"
#include "kernels/transform/sweep_places.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

struct compiled_sweep {
  transform_sweep sweep = {};
  std::vector<transform_stage> stages = {};
  std::int64_t slot_columns = 0;
  bool in_place = false;

  run_layout layout() const {
    return {.stages = stages,
            .batch = sweep.block_lines,
            .loads_points = sweep.in.on_partitions,
            .stores_points = sweep.out.on_partitions,
            .in_place = in_place,
            .operands = sweep.operands,
            .depths = sweep.depths};
  }
};

// A block of lines: its row of earlier sweeps, its offsets in HBM, its lines.
struct sweep_block {
  std::int64_t row = 0, in = 0, out = 0, first = 0, lines = 0;
};

class sweep_ports final : public transform_ports {
 public:
  sweep_ports(core& nc, const compiled_sweep& what, const hbm_view& in, const hbm_view& out)
      : nc_(nc),
        s_(what.sweep),
        first_(what.stages.front()),
        slot_columns_(what.slot_columns),
        in_(in),
        out_(out),
        partitions_(nc.machine().sbuf.partitions),
        per_loop_(ceil_div(s_.lines, s_.block_lines)) {
    for (int i = 0; i < s_.depths.entry; ++i) {
      entry_.push_back(
          nc.sbuf(int(partitions_), entry_columns(what), kept_type(s_.operands, nc.machine())));
      clear_gaps(entry_.back());
    }
    for (const sweep_loop& loop : s_.loops) loops_ *= loop.extent;
    if (!s_.out.on_partitions)
      exit_ = nc.sbuf_pool(s_.depths.exit, int(partitions_), s_.out_planes() * s_.out_numbers());
    // In place, a buffer is free only after the second stage has read the first one's results.
    ahead_ = s_.depths.entry - (what.in_place ? s_.depths.middle - 1 : 0);
  }

  static std::int64_t entry_columns(const compiled_sweep& what) {
    const transform_sweep& s = what.sweep;
    return s.in.on_partitions ? what.stages[0].slots * what.slot_columns
                              : s.in_planes() * s.in_numbers();
  }

  std::int64_t items() const override { return loops_ * per_loop_; }
  std::int64_t batch(std::int64_t item) const override { return block(item).lines; }
  std::int64_t row(std::int64_t item) const override { return block(item).row; }
  std::int64_t first_line(std::int64_t item) const override { return block(item).first; }
  std::int64_t slot_columns() const override { return slot_columns_; }
  void prepare(std::int64_t item) override { load(std::min(items(), item + ahead_)); }
  tile_place source(std::int64_t item) override {
    load(item + 1);
    return {sources_[std::size_t(item)]};
  }
  tile_place target(std::int64_t, std::int64_t) override {
    targets_.push_back(exit_->next());
    return {targets_.back()};
  }
  void finish(std::int64_t item, std::int64_t run) override {
    const sweep_block b = block(item);
    const std::int64_t lines = std::min(partitions_, b.lines - run * partitions_);
    const tile_view& tile = targets_[std::size_t(finished_++)];
    move_lines(tile.partition_range(0, int(lines)), s_.out, !s_.formula.transposed, s_.out_planes(),
               b.out + run * partitions_ * s_.out.line, false);
  }
  void store(std::int64_t item, const product_unit& unit, const tile_view& results) override {
    const sweep_block b = block(item);
    for (const point_move& m : unit.stores) move_points(m, b, results, b.lines, false);
  }

 private:
  sweep_block block(std::int64_t item) const {
    sweep_block b{.first = item % per_loop_ * s_.block_lines};
    b.lines = std::min(s_.block_lines, s_.lines - b.first);
    std::int64_t left = item / per_loop_;
    for (std::size_t i = s_.loops.size(); i-- > 0; left /= s_.loops[i].extent) {
      const sweep_loop& loop = s_.loops[i];
      const std::int64_t at = left % loop.extent;
      b.in += at * loop.in;
      b.out += at * loop.out;
      if (loop.is_row) b.row = at;
    }
    b.in += b.first * s_.in.line;
    b.out += b.first * s_.out.line;
    return b;
  }

  void load(std::int64_t end) {
    for (; loaded_ < end; ++loaded_) {
      const sweep_block b = block(loaded_);
      sources_.push_back(entry_[std::size_t(loaded_ % s_.depths.entry)]);
      if (!s_.in.on_partitions) {
        sources_.back() = sources_.back().partition_range(0, int(b.lines));
        move_lines(sources_.back(), s_.in, s_.formula.transposed, s_.in_planes(), b.in, true);
        continue;
      }
      for (const product_unit& u : first_.units)
        for (const point_move& m : u.loads) move_points(m, b, sources_.back(), slot_columns_, true);
      clear_ends(sources_.back(), b);
    }
  }

  void clear_gaps(const tile_view& tile) {
    const int step = nc_.machine().sbuf.start_partition_step;
    for (const slot_gap& g : first_.gaps)
      for (int at = int(g.partition) / step * step; at < g.partition + g.rows; at += step)
        nc_.issue(memset{
            .out = tile.partition_range(at, step).columns(g.slot * slot_columns_, slot_columns_)});
  }

  // Clears imaginary parts of real bins: of line 0, or of all lines of row 0.
  void clear_ends(const tile_view& tile, const sweep_block& b) {
    const bool of_rows = s_.rows() != nullptr;
    if ((of_rows ? b.row : b.first) > 0) return;
    const std::int64_t lines = of_rows ? b.lines : 1, run = std::min(partitions_, b.lines);
    for (const slot_row& r : first_.cleared) {
      const tile_view column =
          tile.partition_range(0, int(r.rows))
              .columns(r.slot * slot_columns_ + (r.mirrored && !of_rows ? run - 1 : 0), lines);
      nc_.issue(affine_select{
          .out = column,
          .in = column,
          .pattern = {.base = -r.partition, .partition_step = 1, .levels = {{{lines, 0}}}},
          .compare = alu_op::not_equal});
    }
  }

  void move_lines(const tile_view& tile, const sweep_end& end, bool bins, int planes,
                  std::int64_t at, bool is_load) {
    const std::vector<pattern_dim> lines{{tile.partitions(), end.line}, {planes, end.plane}};
    const auto move = [&](std::int64_t place, std::vector<pattern_dim> levels,
                          const tile_view& here) {
      levels.insert(levels.begin(), lines.begin(), lines.end());
      const hbm_view there = (is_load ? in_ : out_).pattern(at + place, levels);
      nc_.issue(is_load ? dma_copy{.out = here, .in = there} : dma_copy{.out = there, .in = here});
    };
    const std::vector<packed_axis> axes = packed(s_, end, bins);
    if (end.part > 0) {
      const std::int64_t numbers = axes[0].extent, parts = numbers / end.part,
                         whole = parts * end.part;
      const tile_view all = tile.reshape({planes, numbers});
      if (parts > 0) move(0, {{parts, end.part_step}, {end.part, 1}}, all.slice(2, 0, whole));
      if (numbers > whole)
        move(parts * end.part_step, {{numbers - whole, 1}}, all.slice(2, whole, numbers - whole));
      return;
    }
    std::vector<pattern_dim> levels;
    for (const packed_axis& axis : axes) {
      if (!levels.empty() && levels.back().stride == axis.extent * axis.hbm)
        levels.back() = {levels.back().extent * axis.extent, axis.hbm};
      else
        levels.push_back({axis.extent, axis.hbm});
    }
    move(0, std::move(levels), tile);
  }

  // The lines of mirrored numbers are reversed on chip: within each run as they are read, within
  // the block before they are stored. Lines beyond the middle are stored with the block of their
  // mirror images.
  void move_points(const point_move& m, const sweep_block& b, const tile_view& tile,
                   std::int64_t width, bool is_load) {
    if (!m.mirrored) return move_rows(m, b, tile, width, {.lines = b.lines}, is_load);
    if (const sweep_loop* rows = s_.rows()) {
      // The middle row is its own mirror image.
      if (!is_load && 2 * b.row == s_.formula.rows_before) return;
      point_move at_row = m;
      at_row.offset -= 2 * b.row * (is_load ? rows->in : rows->out);
      at_row.mirrored = false;
      return move_rows(at_row, b, tile, width, {.lines = b.lines}, is_load);
    }
    if (!is_load) {
      const std::int64_t lines = std::min(b.lines, (s_.out.axes[0] + 1) / 2 - b.first);
      if (lines > 0)
        move_rows(m, b, tile, width, {.column = b.lines - lines, .lines = lines}, false);
      return;
    }
    const std::int64_t runs = b.lines / partitions_, rest = b.lines % partitions_;
    if (runs > 0) move_rows(m, b, tile, width, {.lines = partitions_, .runs = runs}, true);
    if (rest > 0)
      move_rows(m, b, tile, width,
                {.first = runs * partitions_, .column = runs * partitions_, .lines = rest}, true);
  }

  // Lines [first, first + lines) of a block, and further runs of as many, from a column on.
  struct line_range {
    std::int64_t first = 0, column = 0, lines = 1, runs = 1;
  };

  void move_rows(const point_move& m, const sweep_block& b, const tile_view& tile,
                 std::int64_t width, const line_range& range, bool is_load) {
    const std::int64_t line = (is_load ? s_.in : s_.out).line, lines = range.lines;
    std::int64_t count = 1, rows = 1;
    for (const pattern_dim& d : m.slots) count *= d.extent;
    for (const pattern_dim& d : m.levels) rows *= d.extent;
    std::vector<pattern_dim> dims = m.levels;
    dims.insert(dims.end(), m.slots.begin(), m.slots.end());
    if (range.runs > 1) dims.push_back({range.runs, (m.mirrored ? -lines : lines) * line});
    dims.push_back({lines, line});
    std::int64_t at = m.offset + (is_load ? b.in : b.out) + range.first * line;
    // A block's offset counts its first line.
    if (m.mirrored) at -= (2 * (b.first + range.first) + lines - 1) * line;
    const tile_view here = tile.partition_range(int(m.partition), int(rows))
                               .pattern(m.slot * width + range.column,
                                        {{count, m.slot_step * width}, {lines * range.runs, 1}});
    const hbm_view there = (is_load ? in_ : out_).pattern(at, merged(std::move(dims)));
    nc_.issue(is_load ? dma_copy{.out = here, .in = there} : dma_copy{.out = there, .in = here});
  }

  core& nc_;
  const transform_sweep& s_;
  const transform_stage& first_;
  std::int64_t slot_columns_;
  hbm_view in_, out_;
  std::int64_t partitions_, per_loop_, loops_ = 1, ahead_ = 1;
  std::vector<tile> entry_ = {};
  std::optional<tile_pool> exit_;
  std::int64_t loaded_ = 0, finished_ = 0;
  std::vector<tile_view> sources_ = {}, targets_ = {};
};

// Lines of a block: as few blocks as with `most` lines each, but of equal size in whole runs of
// `partitions` lines, since short DMA rows take as long as longer ones.
std::int64_t even_block(std::int64_t lines, std::int64_t most, std::int64_t partitions) {
  const std::int64_t blocks = ceil_div(lines, most), each = ceil_div(lines, blocks);
  return std::min(lines, ceil_div(each, partitions) * partitions);
}

compiled_sweep compiled(transform_sweep sweep, const machine_spec& machine) {
  compiled_sweep c{.sweep = std::move(sweep)};
  const transform_sweep& s = c.sweep;
  const std::int64_t partitions = machine.sbuf.partitions;
  const bool inverse = s.formula.transposed;
  // Rows of real lines that are their own mirror images have fewer numbers than others, so that
  // patterns would differ: real lines are not transformed in place.
  c.in_place = s.in.on_partitions && s.formula.stages() > 1 && !s.formula.real;
  c.slot_columns = c.in_place ? ceil_div(s.block_lines, partitions) * partitions : s.block_lines;
  c.stages = stages_of(s.formula,
                       {.points = layout_of(s, inverse ? s.out : s.in, false),
                        .bins = layout_of(s, inverse ? s.in : s.out, true),
                        .loads_points = s.in.on_partitions,
                        .stores_points = s.out.on_partitions,
                        .batch = s.block_lines,
                        .slot_columns = c.in_place ? c.slot_columns : 0,
                        .factored = s.twiddle_order > 0,
                        .operands = s.operands},
                       machine);
  return c;
}

// Chooses the depths; false if a block does not fit.
bool fits(compiled_sweep& c, const machine_spec& machine) {
  const transform_sweep& s = c.sweep;
  for (const run_depths& depths :
       {run_depths{4, 2, 4}, run_depths{3, 2, 3}, run_depths{3, 2, 2}, run_depths{2, 2, 2},
        run_depths{2, 1, 2}, run_depths{2, 1, 1}, run_depths{1, 1, 1}}) {
    if (c.in_place && depths.entry < depths.middle) continue;
    c.sweep.depths = depths;
    const std::int64_t out =
        s.out.on_partitions ? 0 : depths.exit * s.out_planes() * s.out_numbers();
    const std::int64_t in =
        depths.entry * kept_words(sweep_ports::entry_columns(c), s.operands, machine);
    if (run_words(c.layout(), machine) + in + out <= machine.sbuf.bytes_per_partition / 4 - 64)
      return sweep_ports::entry_columns(c) < machine.access.stride_max;
  }
  return false;
}

// Twiddle factors [line, column] in the order of all units' results in PSUM: cosines for real
// parts, sines for imaginary ones.
kernels::constant_table factor_table(const compiled_sweep& c) {
  const transform_sweep& s = c.sweep;
  const transform_stage& stage = c.stages.back();
  const std::int64_t columns = std::ssize(stage.numbers);
  return {
      .name = base_detail::message("twiddle factors of ", s.twiddle_order),
      .shape = {{s.lines, columns}},
      .fill = [first = s.twiddle_first, lines = s.lines, order = s.twiddle_order,
               numbers = stage.numbers,
               is_inverse = s.formula.conjugated || s.formula.transposed](std::span<float> out) {
        const base_detail::roots_of_unity<double> root{std::size_t(order)};
        std::size_t at = 0;
        for (std::int64_t line = first; line < first + lines; ++line)
          for (const stage_number& n : numbers) {
            const std::complex<double> w = root(std::size_t(line * n.number % order));
            out[at++] = float(n.plane == 0 ? w.real() : is_inverse ? -w.imag() : w.imag());
          }
      }};
}

}  // namespace

std::string transform_sweep::describe() const {
  const auto word = [](const sweep_end& end) { return end.on_partitions ? "points" : "lanes"; };
  std::int64_t count = 1;
  for (const sweep_loop& loop : loops) count *= loop.extent;
  return base_detail::message(formula.real ? "real lines of " : "lines of ", formula.describe(),
                              formula.transposed || formula.conjugated ? ", inverse" : "", ", ",
                              word(in), " to ", word(out), " on partitions, blocks of ",
                              block_lines, " lanes, ", lines, count > 1 ? " x " : "",
                              count > 1 ? std::to_string(count) : std::string(), " lanes");
}

const sweep_loop* transform_sweep::rows() const {
  const auto found = std::ranges::find(loops, true, &sweep_loop::is_row);
  return found == loops.end() ? nullptr : &*found;
}

transform_sweep transform_sweep::without_batch() const {
  transform_sweep one = *this;
  one.in.plane = one.out.plane = 0;
  if (!in.on_partitions && !out.on_partitions) one.lines = 0;
  for (sweep_loop& loop : one.loops)
    if (!loop.is_row) loop.extent = 0;
  return one;
}

std::optional<fft_step> step_of(const sweep_problem& problem, std::vector<std::int64_t> radices,
                                const machine_spec& machine) {
  const std::int64_t array_rows = machine.tensor.rows;
  transform_sweep sweep = problem.sweep;
  sweep.formula.radices = std::move(radices);
  const bool by_points = sweep.in.on_partitions || sweep.out.on_partitions;
  for (std::int64_t widest = by_points ? product_columns_max(machine) : array_rows;
       widest >= array_rows; widest -= array_rows) {
    if (widest > array_rows && widest - array_rows >= sweep.lines) continue;
    sweep.block_lines = even_block(sweep.lines, widest, array_rows);
    compiled_sweep c = compiled(sweep, machine);
    if (sweep.twiddle_order > 0 &&
        std::ranges::any_of(c.stages.back().units, &product_unit::is_continued))
      return {};
    if (!fits(c, machine)) continue;
    const auto shared = std::make_shared<const compiled_sweep>(std::move(c));
    fft_step step{.design = design_of(shared->sweep),
                  .in_elements = problem.in_elements,
                  .out_elements = problem.out_elements};
    step.squared_error = squared_error_of(shared->stages, sweep.operands, false, machine);
    if (sweep.twiddle_order > 0) step.squared_error += product_squared_error();
    for (const transform_stage& s : shared->stages) step.tables.push_back(s.table);
    if (sweep.twiddle_order > 0) step.tables.push_back(factor_table(*shared));
    step.run = [shared](core& nc, const hbm_view& in, const hbm_view& out,
                        std::span<const hbm_view> tables) {
      sweep_ports ports(nc, *shared, in, out);
      run_stages(nc, shared->layout(), ports, tables);
    };
    return step;
  }
  return {};
}

}  // namespace papilio::kernels_detail

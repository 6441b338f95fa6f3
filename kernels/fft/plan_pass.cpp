// Completes a pass: the stages' columns and matrices, and the blocks that fit SBUF.
#include <algorithm>

#include "kernels/fft/block.hpp"
#include "kernels/fft/units.hpp"
#include "kernels/transposer.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr std::int64_t value_bytes = 4;  // of what no array multiplies: fp32

// K from outside the pass, of each axis, for every value of the outer indices.
std::vector<std::vector<std::int64_t>> outer_sums(const fft_pass& pass) {
  int axes = 1;
  for (const fft_digit& d : pass.digits) axes = std::max(axes, d.axis + 1);
  std::vector<std::vector<std::int64_t>> all{std::vector<std::int64_t>(std::size_t(axes), 0)};
  for (const outer_level& l : pass.outer) {
    if (l.axis < 0) continue;
    std::vector<std::vector<std::int64_t>> next;
    for (std::int64_t i = 0; i < l.extent; ++i)
      for (std::vector<std::int64_t> sums : all) {
        sums[std::size_t(l.axis)] += (l.first + i) * l.weight;
        next.push_back(std::move(sums));
      }
    all = std::move(next);
  }
  return all;
}

// The first of so many transposes of a stage that the vector engine takes as long for it as the
// array for all others and their products, and one more; 0 where they do not lie in blocks.
std::int64_t vector_turn(const fft_pass& pass, const fft_stage& s, const machine_spec& machine) {
  const std::vector<pattern_dim> levels = s.transposed_levels();
  if (!is_in_blocks(machine, levels)) return 0;
  const double array = double(s.reals() * machine.tensor.fp32_passes +
                              pass.side * machine.tensor.fp32_transpose_passes) /
                       machine.tensor.clock_hz;
  return 2 + std::int64_t(block_transpose_seconds(machine, pass.side, levels) / array);
}

// Whether the vector engine has nothing else to do, and blocks are so many that the chain's length
// does not count.
bool can_share_transposes(const fft_pass& pass, const machine_spec& machine) {
  return pass.entry == orientation::rows && pass.operands.type == dtype::fp32 &&
         pass.twiddle_order == 0 && twin_columns(pass) == 0 &&
         machine.psum.scalar_shares_vector_port &&
         (pass.lanes + pass.side - 1) / pass.side * pass.outer_count() >=
             machine.thresholds.shared_transpose_segments_min;
}

void plan_stages(fft_pass& pass, const machine_spec& machine) {
  const std::int64_t rows = machine.tensor.rows;
  int count = 0;
  for (const fft_digit& d : pass.digits) count = std::max(count, d.stage + 1);
  const auto outers = outer_sums(pass);
  // How many there are decides what the first leaves behind.
  pass.stages.assign(std::size_t(count), {});
  for (int s = 0; s < count; ++s) {
    const stage_input in =
        s == 0 ? entry_input(pass) : after_first(pass, pass.stages[0], pass.lane_tile, rows);
    const bool last = s + 1 == count && pass.exit == orientation::rows;
    const bool apart = (s == 0 && pass.entry == orientation::columns && pass.interleaved_input()) ||
                       (s + 1 == count && pass.interleaved_output());
    fft_stage& stage = pass.stages[std::size_t(s)];
    const folded_end end = pass.inverse ? folded_end::input : folded_end::output;
    const bool folded = pass.spectrum_rows > 0 && s == (pass.inverse ? 0 : count - 1);
    stage = plan_stage(pass.digits, s, in, rows, apart,
                       last ? exit_strides(pass) : std::vector<std::int64_t>{},
                       folded ? end : folded_end::none);
    if (s == 0 && pass.in_factors) stage.in_index = pass.in.digits;
    if (s + 1 == count && pass.out_factors) stage.out_index = pass.out.digits;
    number_variants(pass.digits, stage, outers);
  }
}

// How many outer values' matrices are loaded together, in rows that DMA is fast for; 0 where a pass
// cannot do so.
std::int64_t streamable(const fft_pass& pass, const machine_spec& machine) {
  if (pass.stages.size() != 1) return 0;
  const fft_stage& s = pass.stages[0];
  const std::int64_t count = std::int64_t(s.variants.size());
  if (s.group_count() != 1 || count != std::int64_t(outer_sums(pass).size())) return 0;
  const std::int64_t each =
      s.matrix_columns() * pass.operands.parts * std::int64_t(size_bytes(pass.operands.type));
  return std::clamp<std::int64_t>(machine.thresholds.streamed_matrix_bytes / each, 1, count);
}

// Bytes of a partition that a planned pass takes: the tiles of pass_run, each from a multiple of
// the memory's alignment on. Rings that a pass has no use for are one tile of one element.
std::int64_t taken(const fft_pass& pass, const machine_spec& machine) {
  const std::int64_t alignment = machine.sbuf.alignment_bytes,
                     operand_bytes = std::int64_t(size_bytes(pass.operands.type)),
                     parts = pass.operands.parts, line = line_columns(pass),
                     unit = unit_columns(pass);
  const auto ring = [&](bool wanted, int depth, std::int64_t columns, std::int64_t each) {
    const std::int64_t bytes = (wanted ? columns : 1) * each;
    return (wanted ? depth : 1) * ((bytes + alignment - 1) / alignment * alignment);
  };
  const bool from_columns = pass.entry == orientation::columns,
             to_columns = pass.exit == orientation::columns;
  const std::int64_t entry =
      from_columns
          ? column_tile_of(pass, pass.stages[0], pass.lane_tile, machine.tensor.rows).columns
          : line;
  std::int64_t bytes = ring(true, pass.entry_depth, entry, value_bytes);
  bytes += ring(!from_columns && pass.stages.size() > 1, pass.middle_depth, line, value_bytes);
  bytes += to_columns ? ring(true, exit_ring, unit, value_bytes)
                      : ring(true, pass.exit_depth, line, value_bytes);
  bytes += ring(true, int(pass.units_ahead()) + 1, unit * parts, operand_bytes);
  bytes += ring(parts > 1, remainder_ring, unit, value_bytes);
  bytes += ring(pass.twiddle_order > 0, factor_ring, unit, value_bytes);
  bytes += ring(pass.twiddle_order > 0, twiddle_ring, unit, value_bytes);
  bytes += ring(twin_columns(pass) > 0, twin_ring, twin_columns(pass), value_bytes);
  for (const fft_stage& s : pass.stages)
    bytes += ring(pass.streamed == 0, 1,
                  parts * std::int64_t(s.variants.size()) * s.matrix_columns(), operand_bytes);
  bytes += ring(pass.streamed > 0, matrix_ring,
                parts * pass.streamed * pass.stages[0].matrix_columns(), operand_bytes);
  return bytes;
}

}  // namespace

std::int64_t twin_columns(const fft_pass& pass) {
  const std::int64_t points =
      std::max(pass.in_lines > 0 ? pass.in_points : 0, pass.out_bins ? pass.out_points : 0);
  return points > 0 ? 4 * (points / 2 + 1) : 0;
}

std::int64_t unit_columns(const fft_pass& pass) { return pass.bank * unit_banks; }

std::int64_t groups_of_unit(const fft_pass& pass, const fft_stage& s, std::int64_t width,
                            bool to_columns) {
  const std::int64_t pieces = s.planes_apart ? 2 : 1;
  const std::int64_t transposes = unit_banks * (pass.bank / width) / pieces;
  const std::int64_t each = pass.bank / s.reals();
  const std::int64_t results = to_columns              ? transposes
                               : pass.bank % s.reals() ? each
                                                       : each * unit_banks;
  return std::max<std::int64_t>(1, std::min(transposes, results));
}

std::vector<group_box> boxes_of(const fft_stage& s, std::int64_t most) {
  // Whole fast levels, then a part of the next one.
  std::int64_t whole = 1;
  std::size_t at = s.groups.size();
  while (at > 0 && whole * s.groups[at - 1].extent <= most) whole *= s.groups[--at].extent;
  const std::int64_t count = s.group_count();
  if (at == 0) return {{0, count, s.groups}};
  std::vector<group_box> result;
  const std::int64_t extent = s.groups[at - 1].extent,
                     part = std::max<std::int64_t>(1, most / whole);
  for (std::int64_t first = 0; first < count; first += extent * whole)
    for (std::int64_t i = 0; i < extent; i += part) {
      group_box box{first + i * whole, std::min(part, extent - i) * whole, {}};
      digit_level partial = s.groups[at - 1];
      partial.extent = std::min(part, extent - i);
      box.levels.push_back(partial);
      box.levels.insert(box.levels.end(), s.groups.begin() + std::ptrdiff_t(at), s.groups.end());
      result.push_back(std::move(box));
    }
  return result;
}

std::vector<group_box> exit_boxes(const fft_pass& pass) {
  return boxes_of(pass.stages.back(), groups_of_unit(pass, pass.stages.back(),
                                                     std::min(pass.side, pass.lane_tile), false));
}

std::int64_t fft_pass::points() const {
  std::int64_t n = 1;
  for (const fft_digit& d : digits) n *= d.radix;
  return n;
}

std::int64_t fft_pass::outer_count() const {
  std::int64_t n = 1;
  for (const outer_level& l : outer) n *= l.extent;
  return n;
}

namespace {

// Lanes of a block, of which there are no more than of blocks of `most`, as equal as whole runs of
// `side` lanes are: short rows take DMA as long as longer ones.
std::int64_t even_tile(std::int64_t lanes, std::int64_t most, std::int64_t side) {
  const std::int64_t blocks = (lanes + most - 1) / most, each = (lanes + blocks - 1) / blocks;
  return std::min(lanes, (each + side - 1) / side * side);
}

// 0 if the pass is complete, else the least bytes of a partition that a block would take.
std::int64_t lacking(fft_pass& pass, const machine_spec& machine) {
  const std::int64_t side = pass.side = machine.tensor.rows;
  pass.bank = machine.psum.bank_bytes / value_bytes;
  const std::int64_t widest =
      pass.entry == orientation::rows
          ? side
          : std::min<std::int64_t>(machine.tensor.moving_columns_max, machine.psum.bank_bytes / 4);
  struct depths {
    bool interleaved;
    int entry, middle, exit;
  };
  std::int64_t least = 0;
  const auto fits = [&](std::int64_t streamed) {
    pass.streamed = streamed;
    const int stages = int(pass.stages.size());
    const bool columns = pass.entry == orientation::columns;
    for (const depths& d :
         {depths{true, columns ? stages + 1 : 2, stages, 2}, depths{false, 2, 1, 2},
          depths{false, 2, 1, 1}, depths{false, 1, 1, 2}, depths{false, 1, 1, 1}}) {
      pass.interleaved = d.interleaved && stages > 1;
      pass.entry_depth = d.entry;
      pass.middle_depth = d.middle;
      pass.exit_depth = d.exit;
      least = taken(pass, machine);
      if (least <= machine.sbuf.bytes_per_partition) return true;
    }
    return false;
  };
  for (std::int64_t lanes = widest; lanes >= side; lanes -= side) {
    if (lanes > side && lanes - side >= pass.lanes) continue;
    pass.lane_tile = even_tile(pass.lanes, lanes, side);
    plan_stages(pass, machine);
    const auto fits_streamed = [&] {
      const std::int64_t streamed = streamable(pass, machine);
      return streamed > 0 && fits(streamed);
    };
    pass.shares_transposes = can_share_transposes(pass, machine);
    if (pass.shares_transposes && fits(0)) {
      for (fft_stage& s : pass.stages) s.vector_turn = vector_turn(pass, s, machine);
      return 0;
    }
    pass.shares_transposes = false;
    if (fits(0) || fits_streamed()) return 0;
  }
  return least;
}

}  // namespace

void plan_pass(fft_pass& pass, const machine_spec& machine) {
  if (const std::int64_t bytes = lacking(pass, machine))
    throw resource_error(base_detail::message(
        pass.name, ": a block of ", pass.points(), " points takes ", bytes,
        " bytes of a partition of SBUF, which has ", machine.sbuf.bytes_per_partition));
}

std::vector<fft_pass> planned_passes(const fft_pass& pass, const machine_spec& machine) {
  fft_pass whole = pass;
  const auto with_matrices = std::ranges::find_if(
      whole.outer, [](const outer_level& l) { return l.axis >= 0 && l.extent > 1; });
  if (with_matrices == whole.outer.end()) {
    plan_pass(whole, machine);
    return {std::move(whole)};
  }
  if (lacking(whole, machine) == 0) return {std::move(whole)};
  const std::int64_t half = with_matrices->extent / 2;
  fft_pass rest = pass;
  outer_level& later = rest.outer[std::size_t(with_matrices - whole.outer.begin())];
  later.first += half;
  later.extent -= half;
  rest.joins_previous = true;
  with_matrices->extent = half;
  std::vector<fft_pass> passes = planned_passes(whole, machine);
  for (fft_pass& p : planned_passes(rest, machine)) passes.push_back(std::move(p));
  return passes;
}

std::vector<kernels::constant_table> tables_of(const fft_pass& pass) {
  std::vector<kernels::constant_table> tables;
  for (std::size_t s = 0; s < pass.stages.size(); ++s) {
    const fft_stage& stage = pass.stages[s];
    const std::int64_t rows = stage.matrix_rows(),
                       columns = std::int64_t(stage.variants.size()) * stage.matrix_columns();
    const double scale = s + 1 == pass.stages.size() ? pass.scale : 1;
    const array_operands operands = pass.operands;
    tables.push_back(
        {.name = base_detail::message(pass.name, " stage ", s + 1),
         .shape = {{rows, operands.parts * columns}, operands.type},
         .fill = [digits = pass.digits, stage, inverse = pass.inverse, scale, operands, rows,
                  columns, in_factors = pass.in_factors,
                  out_factors = pass.out_factors](std::span<float> out) {
           std::vector<float> whole(std::size_t(rows * columns));
           fill_matrices(digits, stage, inverse, scale,
                         stage.in_index.empty() ? element_factors{} : in_factors.values(),
                         stage.out_index.empty() ? element_factors{} : out_factors.values(), whole);
           for (std::int64_t r = 0; r < rows; ++r)
             for (std::int64_t c = 0; c < columns; ++c) {
               float rest = whole[std::size_t(r * columns + c)];
               for (int part = 0; part < operands.parts; ++part) {
                 const float head = round_to(operands.type, rest);
                 out[std::size_t((r * operands.parts + part) * columns + c)] = head;
                 rest -= head;
               }
             }
         }});
  }
  if (pass.twiddle_order > 0) tables.push_back(twiddle_table(pass));
  return tables;
}

std::string describe(const fft_pass& pass) {
  const auto word = [](orientation o) { return o == orientation::rows ? "rows" : "columns"; };
  std::string text = base_detail::message(pass.name, ": ", word(pass.entry), " -> ",
                                          word(pass.exit), ", stages of ");
  for (std::size_t s = 0; s < pass.stages.size(); ++s) {
    const std::size_t matrices = pass.stages[s].variants.size();
    text += base_detail::message(s ? ", " : "", pass.stages[s].points, " points (", matrices,
                                 matrices == 1 ? " matrix" : " matrices",
                                 pass.streamed > 0 ? ", streamed)" : ")");
  }
  return text + base_detail::message(
                    ", blocks of ", pass.lane_tile, pass.lane_tile == 1 ? " lane, " : " lanes, ",
                    pass.lanes, pass.lanes == 1 ? " lane" : " lanes",
                    pass.outer_count() > 1 ? " x " : "",
                    pass.outer_count() > 1 ? std::to_string(pass.outer_count()) : std::string());
}

fft_pass fft_pass::without_batch() const {
  fft_pass one = *this;
  for (hbm_place* place : {&one.in, &one.out})
    if (place->plane > 1) place->plane = 0;
  if (entry == orientation::rows && exit == orientation::rows) one.lanes = 0;
  for (outer_level& level : one.outer)
    if (level.axis < 0) level.extent = 0;
  one.offset = one.in_lines = one.out_lines = 0;
  return one;
}

}  // namespace papilio::kernels_detail

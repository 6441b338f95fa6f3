// Completes a pass: the stages' columns and matrices, and the blocks that fit SBUF.
#include <algorithm>

#include "kernels/fft/block.hpp"
#include "kernels/fft/units.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/rounding.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr std::int64_t value_bytes = 4;         // of what no array multiplies: fp32
constexpr std::int64_t streamed_bytes = 16384;  // of a partition, of matrices loaded together

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
        sums[std::size_t(l.axis)] += i * l.weight;
        next.push_back(std::move(sums));
      }
    all = std::move(next);
  }
  return all;
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
    const bool apart = s == 0 && pass.entry == orientation::columns && pass.interleaved_input();
    fft_stage& stage = pass.stages[std::size_t(s)];
    stage = plan_stage(pass.digits, s, in, rows, apart,
                       last ? exit_strides(pass) : std::vector<std::int64_t>{});
    if (s == 0 && pass.in_factors) stage.in_index = pass.in.digits;
    if (s + 1 == count && pass.out_factors) stage.out_index = pass.out.digits;
    number_variants(pass.digits, stage, outers);
  }
}

// How many outer values' matrices are loaded together, in rows that DMA is fast for; 0 where a pass
// cannot do so.
std::int64_t streamable(const fft_pass& pass) {
  if (pass.stages.size() != 1) return 0;
  const fft_stage& s = pass.stages[0];
  const std::int64_t count = std::int64_t(s.variants.size());
  if (s.group_count() != 1 || count != std::int64_t(outer_sums(pass).size())) return 0;
  const std::int64_t each =
      s.matrix_columns() * pass.operands.parts * std::int64_t(size_bytes(pass.operands.type));
  return std::clamp<std::int64_t>(streamed_bytes / each, 1, count);
}

// Bytes of a partition that a planned pass takes, in tiles as they are given out.
std::int64_t taken(const fft_pass& pass, const machine_spec& machine) {
  const bool from_columns = pass.entry == orientation::columns,
             to_columns = pass.exit == orientation::columns;
  const std::int64_t align = machine.sbuf.alignment_bytes;
  const auto tiles = [&](std::int64_t count, std::int64_t columns, std::int64_t bytes) {
    return count * ((columns * bytes + align - 1) / align * align);
  };
  const std::int64_t line = line_columns(pass), unit = unit_columns(machine),
                     operand_bytes = std::int64_t(size_bytes(pass.operands.type)),
                     parts = pass.operands.parts;
  const std::int64_t entry =
      from_columns
          ? column_tile_of(pass, pass.stages[0], pass.lane_tile, machine.tensor.rows).columns
          : line;
  std::int64_t bytes = tiles(pass.entry_depth, entry, value_bytes);
  if (!from_columns && pass.stages.size() > 1) bytes += tiles(pass.middle_depth, line, value_bytes);
  bytes +=
      to_columns ? tiles(exit_ring, unit, value_bytes) : tiles(pass.exit_depth, line, value_bytes);
  bytes += tiles(operand_ring, unit * parts, operand_bytes);
  if (parts > 1) bytes += tiles(remainder_ring, unit, value_bytes);
  if (pass.twiddle_order > 0)
    bytes += tiles(factor_ring, line, value_bytes) + tiles(twiddle_ring, unit, value_bytes);
  for (const fft_stage& s : pass.stages) {
    const std::int64_t each = parts * s.matrix_columns();
    bytes += pass.streamed > 0 ? tiles(matrix_ring, pass.streamed * each, operand_bytes)
                               : tiles(1, std::int64_t(s.variants.size()) * each, operand_bytes);
  }
  // A tile of one element for each pool that is not needed.
  return bytes + 5 * align;
}

}  // namespace

std::int64_t unit_columns(const machine_spec& machine) {
  return machine.psum.bank_bytes / value_bytes * unit_banks;
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

void plan_pass(fft_pass& pass, const machine_spec& machine) {
  const std::int64_t side = machine.tensor.rows;
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
    pass.lane_tile = std::min(lanes, pass.lanes);
    plan_stages(pass, machine);
    if (fits(0)) return;
    const std::int64_t streamed = streamable(pass);
    if (streamed > 0 && fits(streamed)) return;
  }
  throw resource_error(base_detail::message(
      pass.name, ": a block of ", pass.points(), " points takes ", least,
      " bytes of a partition of SBUF, which has ", machine.sbuf.bytes_per_partition));
}

std::vector<kernels::constant_table> tables_of(const fft_pass& pass) {
  std::vector<kernels::constant_table> tables;
  for (std::size_t s = 0; s < pass.stages.size(); ++s) {
    const fft_stage& stage = pass.stages[s];
    const std::int64_t rows = stage.matrix_rows(),
                       columns = std::int64_t(stage.variants.size()) * stage.matrix_columns();
    const double scale = s + 1 == pass.stages.size() ? pass.scale : 1;
    const array_operands operands = pass.operands;
    tables.push_back({.name = base_detail::message(pass.name, " stage ", s + 1),
                      .shape = {{rows, operands.parts * columns}, operands.type},
                      .fill = [digits = pass.digits, stage, inverse = pass.inverse, scale, operands,
                               rows, columns, in_factors = pass.in_factors,
                               out_factors = pass.out_factors](std::span<float> out) {
                        std::vector<float> whole(std::size_t(rows * columns));
                        fill_matrices(digits, stage, inverse, scale,
                                      stage.in_index.empty() ? element_factors{} : in_factors(),
                                      stage.out_index.empty() ? element_factors{} : out_factors(),
                                      whole);
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
  for (std::size_t s = 0; s < pass.stages.size(); ++s)
    text += base_detail::message(s ? ", " : "", pass.stages[s].points, " points (",
                                 pass.stages[s].variants.size(),
                                 pass.streamed > 0 ? " matrices, streamed)" : " matrices)");
  return text + base_detail::message(
                    ", blocks of ", pass.lane_tile, " lanes, ", pass.lanes, " lanes",
                    pass.outer_count() > 1 ? " x " : "",
                    pass.outer_count() > 1 ? std::to_string(pass.outer_count()) : std::string());
}

}  // namespace papilio::kernels_detail

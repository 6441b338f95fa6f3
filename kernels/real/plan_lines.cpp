// What a line_program takes, how deep its tiles are, and its step.
#include <algorithm>
#include <initializer_list>

#include "kernels/fft/error_model.hpp"
#include "kernels/real/column_access.hpp"
#include "kernels/real/line_factors.hpp"
#include "kernels/real/line_rings.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

std::int64_t line_piece::rows() const {
  std::int64_t n = 1;
  for (const pattern_dim& d : dims) n *= d.extent;
  return n;
}

std::int64_t groups_of_unit(std::int64_t pieces, std::int64_t columns,
                            const machine_spec& machine) {
  const std::int64_t bank = bank_columns(machine), side = machine.tensor.rows;
  const std::int64_t transposes = unit_banks * (bank / side) / pieces, each = bank / columns;
  // Results follow each other without a gap: within one bank where they do not fill it.
  return std::max<std::int64_t>(1, std::min(transposes, bank % columns ? each : each * unit_banks));
}

bool plan_lines(line_program& program, const machine_spec& machine) {
  const std::int64_t unit = bank_columns(machine) * unit_banks;
  std::int64_t fixed = operand_ring * unit, middles = 0;
  for (std::size_t s = 0; s < program.stages.size(); ++s) {
    fixed += program.stages[s].table_columns;
    if (s + 1 < program.stages.size()) middles += program.stages[s].out_columns;
  }
  if (staged(program)) fixed += staging_ring * unit;
  if (with_factors(program)) fixed += factors_columns(program);
  struct depths {
    int entry, middle, exit;
  };
  const auto fits = [&](const depths& d) {
    program.entry_depth = d.entry;
    program.middle_depth = d.middle;
    program.exit_depth = d.exit;
    const std::int64_t entry = program.columns ? access_columns(program, machine.tensor.rows)
                                               : d.entry * program.in_columns;
    const std::int64_t columns =
        fixed + entry + d.middle * middles + d.exit * program.stages.back().out_columns;
    return columns <= machine.sbuf.bytes_per_partition / 4 - 64;
  };
  const std::initializer_list<depths> choices{{4, 2, 4}, {3, 2, 3}, {2, 2, 3}, {2, 2, 2},
                                              {2, 1, 2}, {1, 1, 2}, {1, 1, 1}};
  if (!program.columns) return std::ranges::any_of(choices, fits);
  // Long rows of DMA come first.
  const std::int64_t side = machine.tensor.rows;
  for (const std::int64_t blocks : {4, 3, 2, 1}) {
    program.columns->width = blocks * side;
    if (blocks > 1 && (blocks - 1) * side >= program.columns->inner) continue;
    for (const int stores : {2, 1}) {
      program.columns->stores = stores;
      if (std::ranges::any_of(std::span(choices).subspan(2), fits)) return true;
    }
  }
  return false;
}

line_program line_program::without_batch() const {
  line_program one = *this;
  one.name.clear();
  one.lines = lines.without_batch();
  one.lanes = 0;
  for (std::vector<line_move>* moves : {&one.loads, &one.stores})
    for (line_move& move : *moves) move.offset = 0;
  if (one.columns) one.columns->outer = 0;
  return one;
}

namespace {

// Tables and instructions are made of the same program.
fft_step step_of(line_program planned, std::int64_t in_elements, std::int64_t out_elements) {
  const auto shared = std::make_shared<const line_program>(std::move(planned));
  const line_program& program = *shared;
  fft_step step{
      .design = design_of(program), .in_elements = in_elements, .out_elements = out_elements};
  step.squared_error = 0;
  for (std::size_t s = 0; s < program.stages.size(); ++s) {
    const line_stage& stage = program.stages[s];
    step.squared_error += stage_error(double(stage.points));
    step.tables.push_back(table_of(std::shared_ptr<const line_stage>(shared, &stage),
                                   base_detail::message(program.name, " stage ", s + 1)));
  }
  if (with_factors(program)) {
    step.tables.push_back(line_factors_table(program));
    step.squared_error += product_squared_error();
  }
  step.run = [shared](core& nc, const hbm_view& in, const hbm_view& out,
                      std::span<const hbm_view> tables) {
    run_lines(nc, *shared, in, out, tables);
  };
  return step;
}

}  // namespace

void append_programs(fft_recipe& recipe, std::vector<line_program> programs,
                     std::int64_t in_elements, std::int64_t out_elements) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    recipe.steps.push_back(step_of(std::move(programs[i]), in_elements, out_elements));
    recipe.steps.back().joins_previous = i > 0;
  }
}

}  // namespace papilio::kernels_detail

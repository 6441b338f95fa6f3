#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/contraction/panel.hpp"

// Permutations through the tensor engine: rows come in as they lie, and leave as columns.
namespace papilio::kernels_detail {

struct move_step_design {
  panel_design panel;  ///< of the operand; what is fastest there is on its partitions
  std::vector<block_loop> loops;

  std::string describe(const contraction_step& step) const;
  auto fields() const { return std::tie(panel, loops); }
};

/// Empty where there is nothing to transpose: sums, conjugates, one axis that is the fastest on
/// both sides.
std::vector<move_step_design> move_designs(const contraction_step& step,
                                           const engine::machine_spec& machine);
double effort_of(const contraction_step& step, const move_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_moves(engine::core& nc, const contraction_step& step, const move_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail

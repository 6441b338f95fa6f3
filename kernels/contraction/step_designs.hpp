#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/product/design.hpp"

// How a step is done: as products on the tensor engine; as permutations through it; on the vector
// engine, which has also diagonals, sums and products of few terms.
namespace papilio::kernels_detail {

/// How a step is done lane by lane: some axes on partitions, the others along them.
struct lane_step_design {
  axis_lanes lanes;
  bool lanes_summed = false;      ///< the lanes are of summed axes, and are added up at the end
  std::vector<int> kept, summed;  ///< all axes of the result, and all others
  std::vector<block_loop> loops;  ///< those of summed axes last
  /// What is in the output stays, and the result is added to it. Not where lanes are summed.
  bool adds_to_output = false;

  std::string describe(const contraction_step& step) const;
  auto fields() const { return std::tie(lanes, lanes_summed, kept, summed, loops, adds_to_output); }
};

std::vector<lane_step_design> lane_designs(const contraction_step& step,
                                           const engine::machine_spec& machine);
/// Whether its tiles, of so many words of a partition in all, have room and are short enough.
bool has_room(const contraction_step& step, const lane_step_design& design,
              const engine::machine_spec& machine, std::int64_t words);
double effort_of(const contraction_step& step, const lane_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_lanes(engine::core& nc, const contraction_step& step, const lane_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

/// A design with more and more of its loops in a block: as much as fits, then parts of that.
template <class Design>
std::vector<Design> grown(const contraction_step& step, const Design& design,
                          const engine::machine_spec& machine) {
  std::vector<Design> designs;
  const std::int64_t words = machine.sbuf.bytes_per_partition / 4;
  for (const std::int64_t share : {1, 4, 16}) {
    Design d = design;
    if (!has_room(step, d, machine, words)) continue;
    grow(step, d.loops, machine, [&] { return has_room(step, d, machine, words / share); });
    designs.push_back(std::move(d));
  }
  return designs;
}

struct move_step_design {
  panel_design panel;  ///< of the operand; what is fastest there is on its partitions
  std::vector<block_loop> loops;
  std::int64_t depth = 2;  ///< blocks under way

  std::string describe(const contraction_step& step) const;
  auto fields() const { return std::tie(panel, loops, depth); }
};

/// Empty where there is nothing to transpose: sums, conjugates, one axis that is the fastest on
/// both sides.
std::vector<move_step_design> move_designs(const contraction_step& step,
                                           const engine::machine_spec& machine);
bool has_room(const contraction_step& step, const move_step_design& design,
              const engine::machine_spec& machine, std::int64_t words);
double effort_of(const contraction_step& step, const move_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_moves(engine::core& nc, const contraction_step& step, const move_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail

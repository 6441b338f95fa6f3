#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/contraction/blocks.hpp"

// Steps on the vector engine: permutations, diagonals, sums, and products of few terms.
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
std::int64_t room_of(const contraction_step& step, const lane_step_design& design);
/// Of the largest tile.
std::int64_t widest_of(const contraction_step& step, const lane_step_design& design);
double effort_of(const contraction_step& step, const lane_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_lanes(engine::core& nc, const contraction_step& step, const lane_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/product/design.hpp"

// Designs of a step besides products on the tensor engine (product/design.hpp): permutations
// through the tensor engine; and diagonals, sums and products of few terms on the vector engine.
namespace papilio::kernels_detail {

/// A step on the vector engine: some axes lie on partitions, the others along them.
struct vector_step_design {
  axis_partitions partitions;
  bool are_partitions_summed = false;  ///< partitions have summed axes, and are added up at the end
  std::vector<int> kept, summed;       ///< all axes of the result, and all others
  std::vector<block_loop> loops;       ///< those of summed axes last
  /// The result is added to the elements that the output has; not with `are_partitions_summed`.
  bool adds_to_output = false;

  std::string describe(const contraction_step& step) const;
  auto fields() const {
    return std::tie(partitions, are_partitions_summed, kept, summed, loops, adds_to_output);
  }
};

std::vector<vector_step_design> vector_designs(const contraction_step& step,
                                               const engine::machine_spec& machine);
/// Whether its tiles fit in so many words of a partition, and none is longer than a tile may be.
bool has_room(const contraction_step& step, const vector_step_design& design,
              const engine::machine_spec& machine, std::int64_t words);
double effort_of(const contraction_step& step, const vector_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_on_vector(engine::core& nc, const contraction_step& step, const vector_step_design& design,
                   const step_tensors& tensors,
                   std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

/// The design with blocks that fill SBUF, a quarter and a sixteenth of it: large blocks have long
/// rows, small ones begin sooner.
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

/// A permutation through the tensor engine.
struct move_step_design {
  panel_design panel;  ///< the operand, its fastest axis on partitions once transposed
  std::vector<block_loop> loops;
  std::int64_t depth = 2;  ///< blocks in flight

  std::string describe(const contraction_step& step) const;
  auto fields() const { return std::tie(panel, loops, depth); }
};

/// Designs of a step as a permutation; empty for sums, products and conjugates, and where the
/// operand and the result have the same fastest axis, so that nothing is transposed.
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

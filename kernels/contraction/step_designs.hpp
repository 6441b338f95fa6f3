#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/contraction/blocks.hpp"
#include "kernels/contraction/panel.hpp"

// How a step is done: as products on the tensor engine; as permutations through it; on the vector
// engine, which has also diagonals, sums and products of few terms.
namespace papilio::kernels_detail {

/// How the products of a step are made. The operand `rows` is stationary and its axes are the
/// partitions of the result, the other one moves past.
struct product_step_design {
  side rows = side::left;
  axis_lanes m, n, k;  ///< rows, columns of a bank, summed
  std::vector<int> batch, m_axes, n_axes, k_axes;
  panel_design stationary, moving;
  std::vector<block_loop> loops;  ///< the slowest first; those of summed axes last
  bool is_early = true;           ///< the next block's panels before this one's products
  bool conjugates = false;        ///< the result is the conjugate of what is summed
  std::int64_t banks = 1;         ///< of PSUM, for a sum

  side columns() const { return rows == side::left ? side::right : side::left; }
  std::string describe(const contraction_step& step) const;
  auto fields() const {
    return std::tie(rows, m, n, k, batch, m_axes, n_axes, k_axes, stationary, moving, loops,
                    is_early, conjugates, banks);
  }
};

/// The designs that there are to choose from; empty where the step is no product: with one operand,
/// or with axes that are summed in one operand alone. `given`: the operand that lies in SBUF, if one
/// does, and how; axes of the step are then not joined.
std::vector<product_step_design> product_designs(const contraction_step& step,
                                                 const engine::machine_spec& machine,
                                                 const panel_design* given = nullptr);

/// Whether the result is made in one block, that could stay; and how it would lie.
bool makes_one_block(const contraction_step& step, const product_step_design& design);
chip_layout layout_of(const contraction_step& step, const product_step_design& design);

/// Elements of a partition that a tile of each kind takes.
struct product_tile_sizes {
  std::int64_t stationary = 1, moving = 1, stationary_raw = 1, moving_raw = 1, result = 1;

  std::int64_t largest() const {
    return std::max({stationary, moving, stationary_raw, moving_raw, result});
  }
  std::int64_t sum() const { return stationary + moving + stationary_raw + moving_raw + result; }
};
product_tile_sizes sizes_of(const contraction_step& step, const product_step_design& design);
/// Those of all tiles that the design has of each kind.
std::int64_t room_of(const product_step_design& design, const product_tile_sizes& sizes);

/// Blocks that a result is summed in; instructions of one, roughly.
double blocks_of_a_result(const product_step_design& design);
double effort_of(const contraction_step& step, const product_step_design& design);

/// What a run reads and leaves in SBUF.
struct product_chips {
  engine::tile_view given = {};   ///< the operand that the design has there
  engine::tile_view result = {};  ///< where the result stays; empty: it goes to HBM
};

/// The first `blocks` blocks: all, unless it is to be priced.
void run_products(engine::core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors,
                  std::int64_t blocks = std::numeric_limits<std::int64_t>::max(),
                  const product_chips& chips = {});

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
/// Elements of a partition that the design takes from SBUF: of the largest tile, and of all.
struct lane_room {
  std::int64_t widest, all;
};
lane_room room_of(const contraction_step& step, const lane_step_design& design);
double effort_of(const contraction_step& step, const lane_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_lanes(engine::core& nc, const contraction_step& step, const lane_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

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
/// A design with more and more of its loops in a block: as much as fits, then parts of that.
std::vector<move_step_design> grown_moves(const contraction_step& step,
                                          const move_step_design& design,
                                          const engine::machine_spec& machine);
double effort_of(const contraction_step& step, const move_step_design& design);

/// The first `blocks` blocks: all, unless it is to be priced.
void run_moves(engine::core& nc, const contraction_step& step, const move_step_design& design,
               const step_tensors& tensors,
               std::int64_t blocks = std::numeric_limits<std::int64_t>::max());

}  // namespace papilio::kernels_detail

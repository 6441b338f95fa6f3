#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/contraction/panel.hpp"

// Steps as products on the tensor engine.
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
/// or with axes that are summed in one operand alone.
std::vector<product_step_design> product_designs(const contraction_step& step,
                                                 const engine::machine_spec& machine);

/// The same for a step of which an operand lies in SBUF; axes of the step are not joined.
std::vector<product_step_design> product_designs_of(const contraction_step& step, side given,
                                                    const chip_layout& lies,
                                                    const engine::machine_spec& machine);

/// Whether the result is made in one block, that could stay; and how it would lie.
bool makes_one_block(const contraction_step& step, const product_step_design& design);
chip_layout layout_of(const contraction_step& step, const product_step_design& design);

/// Elements of a partition that the design takes from SBUF, of one tile of everything, and of one
/// of results.
std::int64_t room_of(const contraction_step& step, const product_step_design& design);
std::int64_t single_room_of(const contraction_step& step, const product_step_design& design);
std::int64_t result_words(const contraction_step& step, const product_step_design& design);

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

}  // namespace papilio::kernels_detail

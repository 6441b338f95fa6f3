#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "kernels/product/blocks.hpp"
#include "kernels/product/panel.hpp"

// Products on the tensor engine as loops over blocks, with a panel of each operand and an epilogue.
// Steps of contractions, gemm and its family, and MP2 are made of them; run.cpp has the identity.
namespace papilio::kernels_detail {

/// The design of a step's products. The operand `rows` is stationary, and its axes are on the
/// partitions of the result; the other operand moves.
struct product_step_design {
  operand_role rows = operand_role::left;
  axis_partitions m, n, k;  ///< rows on partitions, columns of a bank, summed
  std::vector<int> batch, m_axes, n_axes, k_axes;
  panel_design stationary, moving;
  std::vector<block_loop> loops;  ///< outermost first; loops over summed axes last
  bool conjugates = false;        ///< the result is the conjugate of the sums
  std::int64_t banks = 1;         ///< PSUM banks of a sum
  bool shares = false;            ///< one panel is both operands, which are one matrix
  /// k tiles of the moving operand that are loaded at a time, while products run; blocks then have
  /// one bank's columns. 0: the operand is loaded block by block.
  std::int64_t stream = 0;

  operand_role columns() const {
    return rows == operand_role::left ? operand_role::right : operand_role::left;
  }
  std::string describe(const contraction_step& step) const;
  auto fields() const {
    return std::tie(rows, m, n, k, batch, m_axes, n_axes, k_axes, stationary, moving, loops,
                    conjugates, banks, shares, stream);
  }
};

/// Whether products sum two k tiles at a time: fp8 of real numbers, on machines that multiply such
/// double rows.
bool has_double_rows(const contraction_step& step, const engine::machine_spec& machine);

/// The candidate designs; empty where the step is no product: it has one operand, or axes that are
/// summed in one operand alone. `given`: the operand that lies in SBUF, if one does, and its
/// layout; axes of the step are then not joined.
std::vector<product_step_design> product_designs(const contraction_step& step,
                                                 const engine::machine_spec& machine,
                                                 const panel_design* given = nullptr);

/// Whether the result is made in one block, so that it could stay in SBUF; and its layout there.
bool makes_one_block(const contraction_step& step, const product_step_design& design);
chip_layout layout_of(const contraction_step& step, const product_step_design& design);

/// The design with the left operand stationary, nothing transposed, and the smallest blocks. These
/// rows and summed axes lie on partitions, as many as fit, the first ones first; `summed` may also
/// be the layout of a left operand in SBUF. Nothing if that is no layout that products can read.
std::optional<product_step_design> plain_product(
    const contraction_step& step, const std::vector<int>& rows,
    const std::variant<std::vector<int>, chip_layout>& summed, const engine::machine_spec& machine);

/// Tiles of a run in SBUF: an operand that it reads there, and a result that it leaves there.
struct on_chip_values {
  engine::tile_view given = {};   ///< the operand that the design has there
  engine::tile_view result = {};  ///< where the result stays; empty: it goes to HBM
  int parts = 1;                  ///< numbers whose sum an element of the result is kept as
  int axis = -1;                  ///< the axis of which tiles have one value, `at`; -1: none
  std::int64_t at = 0;
};

/// A range of the blocks that are made (made_blocks).
struct block_span {
  std::int64_t first = 0, count = std::numeric_limits<std::int64_t>::max();
};
/// Runs the products; some blocks only to estimate the time.
void run_products(engine::core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, const on_chip_values& on_chip = {},
                  const block_span& blocks = {});

}  // namespace papilio::kernels_detail

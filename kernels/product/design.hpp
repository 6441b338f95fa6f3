#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "kernels/product/blocks.hpp"
#include "kernels/product/panel.hpp"

// Products on the tensor engine as loops over blocks of labels, each operand with its life and its
// reader, and an epilogue: what a step of a contraction, gemm and its family are.
namespace papilio::kernels_detail {

/// How the products of a step are made. The operand `rows` is stationary and its axes are the
/// partitions of the result, the other one moves past.
struct product_step_design {
  side rows = side::left;
  axis_lanes m, n, k;  ///< rows, columns of a bank, summed
  std::vector<int> batch, m_axes, n_axes, k_axes;
  panel_design stationary, moving;
  std::vector<block_loop> loops;  ///< the slowest first; those of summed axes last
  bool conjugates = false;        ///< the result is the conjugate of what is summed
  std::int64_t banks = 1;         ///< of PSUM, for a sum
  bool shares = false;            ///< one panel is both operands, which are one matrix
  /// k tiles of the moving operand that come at a time, while products run: then of one bank's
  /// columns for as many rows as a block has. 0: it comes in blocks.
  std::int64_t stream = 0;

  side columns() const { return rows == side::left ? side::right : side::left; }
  std::string describe(const contraction_step& step) const;
  auto fields() const {
    return std::tie(rows, m, n, k, batch, m_axes, n_axes, k_axes, stationary, moving, loops,
                    conjugates, banks, shares, stream);
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

/// The left operand stationary, both as they lie; blocks are the smallest. On partitions are these
/// rows and summed axes, the first ones first, or what is summed as it lies in SBUF.
product_step_design plain_product(const contraction_step& step, const std::vector<int>& rows,
                                  const std::variant<std::vector<int>, chip_layout>& summed,
                                  const engine::machine_spec& machine);

/// Tiles that a run reads and leaves in SBUF.
struct product_chips {
  engine::tile_view given = {};   ///< the operand that the design has there
  engine::tile_view result = {};  ///< where the result stays; empty: it goes to HBM
  int parts = 1;                  ///< of its type, which an element of the result is kept in
  int axis = -1;                  ///< of which they have one value; -1: they have all of all axes
  std::int64_t at = 0;
};

/// Blocks of those that are made.
struct block_span {
  std::int64_t first = 0, count = std::numeric_limits<std::int64_t>::max();
};
/// All blocks, unless it is to be priced.
void run_products(engine::core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, const product_chips& chips = {},
                  const block_span& blocks = {});

}  // namespace papilio::kernels_detail

#pragma once

#include <cstddef>

#include "contract/gemm_nest.hpp"
#include "contract/step_axes.hpp"
#include "contract/strided_nest.hpp"

namespace papilio::contract_detail {

/// A gapless array in scratch that stands for an operand or for the result.
struct step_copy {
  std::size_t size = 0;    ///< elements; 0: none
  strided_nest nest = {};  ///< operand to copy, summing what only this operand has; copy to result
  bool must_sum = false;
};

/// Way in which a step is computed: operands are copied where that pays, then come loops or
/// products of matrices, then the result is copied to its place.
struct pair_lowering {
  step_copy left = {}, right = {}, out = {};
  bool is_loops = true;
  gemm_nest products = {};
  strided_nest loops = {};  ///< for alpha = 0 too, which is no product
  double cost = 0;
};

/// The cheapest. No extent of the result may be 0. `copies`: only those products of matrices for
/// which the left operand (1), the right one (2) and the result (4) are copied, where there are
/// any: so that tests reach each.
inline constexpr int any_copies = -1;
pair_lowering lower(const step_groups& groups, int copies = any_copies);

}  // namespace papilio::contract_detail

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decompose/leading_subspace.hpp"
#include "papilio/decompose/tensor_train.hpp"

namespace papilio::decompose_detail {

/// A bound for each inner bond, where there are none the rank that a bond can have.
/// invalid_argument for a 0, shape_error for a number that is neither 1 nor order - 1.
std::vector<std::size_t> bond_bounds(const char* function, std::span<const std::size_t> max_ranks,
                                     std::size_t order);

/// Shares what may be cut off among the bonds: what one does not need is left to those after it.
/// Where ranks have taken more than there was, they alone decide from there on.
struct bond_budget {
  double left = -1;       ///< as of budget_of
  std::size_t bonds = 0;  ///< that are still to be cut
  double tail = 0;        ///< what was cut off

  truncation take(std::size_t max_rank, bool exact_tail);
  void spent(double squared_tail);
};

}  // namespace papilio::decompose_detail

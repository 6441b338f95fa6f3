#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decompose/leading_subspace.hpp"
#include "papilio/decompose/tensor_train.hpp"

namespace papilio::decompose_detail {

/// Returns a bound for each inner bond; without given bounds it is the rank that a bond can have.
/// Throws invalid_argument for a 0, shape_error for a number of bounds that is neither 1 nor order
/// - 1.
std::vector<std::size_t> bond_bounds(const char* function, std::span<const std::size_t> max_ranks,
                                     std::size_t order);

/// Views an array of rank 3 as a matrix, with its first two axes together, or its last two.
template <class T>
view<const T, 2> rows_joined(const array<T, 3>& core) {
  return {core.data(), {core.extent(0) * core.extent(1), core.extent(2)}};
}
template <class T>
view<const T, 2> columns_joined(const array<T, 3>& core) {
  return {core.data(), {core.extent(0), core.extent(1) * core.extent(2)}};
}

/// Copies the elements of a matrix, row by row, to a core of these extents.
template <class T>
array<T, 3> as_core(view<const T, 2> m, const extents_type<3>& extents) {
  array<T, 3> core(extents, uninitialized);
  T* to = core.data();
  for (std::size_t i = 0; i < m.extent(0); ++i)
    for (std::size_t j = 0; j < m.extent(1); ++j) *to++ = m(i, j);
  return core;
}

/// Squares that may be cut off, shared among the bonds: what one does not need is left to those
/// after it. Once bounds of ranks have cut off more than there was, they alone decide.
struct bond_budget {
  double left = -1;       ///< squares, at first those of budget_of
  std::size_t bonds = 0;  ///< bonds that are still to be cut
  double tail = 0;        ///< squares that were cut off

  truncation take(std::size_t max_rank, bool exact_tail);
  void spent(double squared_tail);
};

}  // namespace papilio::decompose_detail

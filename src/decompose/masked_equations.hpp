#pragma once

#include <cstddef>
#include <span>

#include "decompose/prepared_operand.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// The normal equations of a mode's rows where elements are missing: each row i has its own
///   V_i = sum of k k^T, b_i = sum of x k,
/// over the elements that are there of slice i, k the row of the Khatri-Rao product that belongs to
/// each. For all rows at once these are products of the unfolded mask with the squares of the rows
/// k, [columns, rank (rank + 1) / 2], and of the unfolding with k, both in double and in chunks.
template <class T>
class masked_equations {
 public:
  /// `x` must outlive it.
  masked_equations(const prepared_operand<T>& x, std::size_t rank, int threads);

  /// `factors` are [rank, extent] by mode.
  void form(std::size_t mode, std::span<const array<T, 2>> factors);

  /// V of a row, [rank, rank], into `v`.
  void matrix(std::size_t row, double* v) const;
  /// b of a row, [rank].
  const double* right(std::size_t row) const { return right_.data() + row * rank_; }

 private:
  const prepared_operand<T>& x_;
  std::size_t rank_;
  int threads_;
  array<double, 2> squares_, right_;  // [extent, rank (rank + 1) / 2], [extent, rank]
};

}  // namespace papilio::decompose_detail

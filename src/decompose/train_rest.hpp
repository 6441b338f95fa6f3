#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decompose/mode_array.hpp"

namespace papilio::decompose_detail {

template <class T>
struct bond_cut {
  array<T, 2> left;  ///< [bond before * extent, rank], orthonormal columns
  double squared_tail = 0;
};

/// What is left of an array while its train is made: [bond, extent, others...], of which each cut
/// takes the first two axes.
///
/// The singular vectors are those of the shorter side of that unfolding A. With left ones U the
/// rest goes on as U^T A. With right ones V, A V = Q R by the host: Q is what is cut off, and R V^T
/// goes on, the little that is left; on an accelerator it goes up again.
template <class T>
class train_rest {
 public:
  /// `x` [extents] as mode_array's.
  train_rest(runner& on, const T* x, std::span<const std::size_t> extents);

  bond_cut<T> cut(const truncation& keep);
  /// The elements, row-major.
  array<T, 1> values();

 private:
  bond_cut<T> cut_left(const truncation& keep);
  bond_cut<T> cut_right(const truncation& keep);

  runner& on_;
  std::vector<std::size_t> extents_;
  std::size_t mode_ = 0, rows_, columns_;  // of the unfolding to be cut
  std::optional<mode_array<T>> array_;     // else it is carry_ [rank, columns]
  array<T, 2> carry_;
};

}  // namespace papilio::decompose_detail

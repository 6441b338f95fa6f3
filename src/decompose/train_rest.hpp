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

/// Rest of an array while its train is made: [bond, extent, others...], of which each cut takes the
/// first two axes.
///
/// Let A be that unfolding. Singular vectors are those of its shorter side. With left ones U the
/// rest becomes U^T A. With right ones V the host computes A V = Q R: Q is cut off, and the small R
/// V^T becomes the rest, which goes up to an accelerator again.
template <class T>
class train_rest {
 public:
  /// Takes `x` [extents] as mode_array does.
  train_rest(runner& on, const T* x, std::span<const std::size_t> extents);

  bond_cut<T> cut(const truncation& keep);
  /// Returns the elements of the rest, row-major.
  array<T, 1> values();

 private:
  bond_cut<T> cut_left(const truncation& keep);
  bond_cut<T> cut_right(const truncation& keep);

  runner& on_;
  std::vector<std::size_t> extents_;
  std::size_t mode_ = 0, rows_, columns_;  // of the unfolding to be cut
  std::optional<mode_array<T>> array_;     // none: the rest is carry_ [rank, columns]
  array<T, 2> carry_;
};

}  // namespace papilio::decompose_detail

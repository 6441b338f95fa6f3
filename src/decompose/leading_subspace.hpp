#pragma once

#include <cstddef>

#include "decompose/mode_split.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// How much of an unfolding is to be kept: as many directions as it takes for the squares of what
/// is left to be at most `budget`, but at least one and at most `max_rank`.
struct truncation {
  std::size_t max_rank = 1;
  double budget = -1;  ///< below 0: max_rank decides alone
  /// What is cut off must itself be right, relative to the whole, though it be far below.
  bool exact_tail = false;
  /// Singular vectors also where nothing may be cut off.
  bool whole_basis = false;
};

template <class T>
struct subspace {
  array<T, 2> vectors;      ///< [extent, rank], orthonormal columns, largest elements positive
  double squared_tail = 0;  ///< of the singular values that are cut off
  bool is_identity = false;

  std::size_t rank() const { return vectors.extent(1); }
};

/// The leading left singular vectors of the unfolding of a row-major array: those of its Gram
/// matrix in double where these are reliable, else by QR of chunks and an SVD in double. Everything
/// (the identity) without a computation where nothing may be cut off.
template <class T>
subspace<T> leading_subspace(const T* x, const mode_split& split, const truncation& keep,
                             int threads);

}  // namespace papilio::decompose_detail

#pragma once

#include <cstddef>
#include <optional>

#include "decompose/mode_split.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// How much of an unfolding is to be kept: as many directions as it takes for the squares of what
/// is left to be at most `budget`, but at least one and at most `max_rank`. Without a budget it is
/// max_rank of them, or the extent if that is less, also where the unfolding has fewer columns.
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

/// Whether nothing may be cut off and no vectors are asked for.
bool keeps_everything(const truncation& keep, std::size_t extent);
/// The identity.
template <class T>
subspace<T> everything(std::size_t extent);

/// What is wrong in a Gram matrix, of its largest eigenvalue: an eigenvalue, and sums of them.
struct gram_errors {
  double eigenvalue = 0, sum = 0;
};
/// The leading eigenvectors of a Gram matrix (its lower triangle), rounded to T; none where they
/// are not reliable: where the errors could be seen in the result, beside what is cut off, the
/// budget, and rounding to T.
template <class T>
std::optional<subspace<T>> leading_subspace_of(const array<double, 2>& gram, const truncation& keep,
                                               const gram_errors& errors);

/// The leading left singular vectors of the unfolding of a row-major array: those of its Gram
/// matrix in double where these are reliable, else by QR of chunks and an SVD in double. Everything
/// (the identity) without a computation where nothing may be cut off.
template <class T>
subspace<T> leading_subspace(const T* x, const mode_split& split, const truncation& keep,
                             int threads);

}  // namespace papilio::decompose_detail

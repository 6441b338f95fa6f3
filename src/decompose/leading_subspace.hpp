#pragma once

#include <cstddef>
#include <optional>

#include "decompose/mode_split.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// Number of directions of an unfolding to be kept: as many as it takes for the squares of what is
/// left to be at most `budget`, but at least one and at most `max_rank`. Without a budget it is
/// max_rank of them, or the extent if that is less, also where the unfolding has fewer columns.
struct truncation {
  std::size_t max_rank = 1;
  double budget = -1;  ///< below 0: max_rank decides alone
  /// Whether squared_tail must be accurate itself, also where it is far below the whole.
  bool exact_tail = false;
  /// Whether singular vectors are wanted even where nothing may be cut off.
  bool whole_basis = false;
};

template <class T>
struct subspace {
  array<T, 2> vectors;      ///< [extent, rank], orthonormal columns, largest elements positive
  double squared_tail = 0;  ///< squared sum of the singular values that are cut off
  bool is_identity = false;

  std::size_t rank() const { return vectors.extent(1); }
};

/// Whether nothing may be cut off and no vectors are asked for.
bool keeps_everything(const truncation& keep, std::size_t extent);
/// Returns the identity as a subspace.
template <class T>
subspace<T> everything(std::size_t extent);

/// Errors of a Gram matrix relative to its largest eigenvalue: of one eigenvalue, and of sums of
/// them.
struct gram_errors {
  double eigenvalue = 0, sum = 0;
};
/// Returns the leading eigenvectors of a Gram matrix (its lower triangle), rounded to T; none if
/// they are not reliable, that is, if the errors could be seen in the result beside what is cut
/// off, the budget, and rounding to T.
template <class T>
std::optional<subspace<T>> leading_subspace_of(const array<double, 2>& gram, const truncation& keep,
                                               const gram_errors& errors);

/// Returns the leading left singular vectors of the unfolding of a row-major array: those of its
/// Gram matrix in double where these are reliable, else by QR of chunks and an SVD in double. Where
/// nothing may be cut off it is the identity, without a computation.
template <class T>
subspace<T> leading_subspace(const T* x, const mode_split& split, const truncation& keep,
                             int threads);

}  // namespace papilio::decompose_detail

#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"

namespace papilio::chem_detail {

/// Integrals (mn|P), full or the rows m >= n of a symmetric matrix.
template <class T>
class atomic_integrals {
 public:
  explicit atomic_integrals(view<const T, 3> full) : full_(full) {}
  atomic_integrals(view<const T, 2> triangle, std::size_t nbf)
      : triangle_(triangle), nbf_(nbf), is_triangle_(true) {}

  std::size_t nbf() const { return is_triangle_ ? nbf_ : full_.extent(0); }
  std::size_t auxiliaries() const { return is_triangle_ ? triangle_.extent(1) : full_.extent(2); }

  /// Returns all integrals as [naux, nbf, nbf]: a view of full ones; a triangle is unpacked into
  /// `memory`.
  view<const T, 3> auxiliary_first(array<T, 3>& memory) const;

  /// Returns the elements of scratch that `slice` may need.
  std::size_t scratch_elements(std::size_t functions) const;

  /// Returns (mn|P) of one n (or, unless `second_is_fixed`, of one m) as a matrix [nbf, functions]
  /// of the other index and the auxiliary functions from `first` on. It is copied to `scratch`
  /// where BLAS cannot express the strides.
  view<const T, 2> slice(bool second_is_fixed, std::size_t index, std::size_t first,
                         std::size_t functions, T* scratch) const;

 private:
  view<const T, 3> full_;
  view<const T, 2> triangle_;
  std::size_t nbf_ = 0;
  bool is_triangle_ = false;
};

}  // namespace papilio::chem_detail

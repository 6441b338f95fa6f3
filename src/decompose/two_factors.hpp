#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::decompose_detail {

/// A row-major array as a product of two matrices: the first modes are rows of `left` [rows, rank],
/// the others columns of `right` [rank, columns].
template <class T>
struct two_factors {
  array<T, 2> left, right;
};

template <class T>
tensor<T> multiplied(const two_factors<T>& model, std::span<const std::size_t> extents,
                     int threads);

/// Squared norm of x - factor model, in double, without the model as a whole: in blocks, whose sums
/// are added in order. Elements where `mask` (if there is one) is false do not count.
template <class T>
double squared_residual(const T* x, const bool* mask, double factor,
                        const two_factors<double>& model, int threads);

/// `m` with elements of To.
template <class To, class From>
array<To, 2> converted(view<const From, 2> m) {
  array<To, 2> result(m.extents(), uninitialized);
  To* to = result.data();
  for (std::size_t i = 0; i < m.extent(0); ++i)
    for (std::size_t j = 0; j < m.extent(1); ++j) *to++ = static_cast<To>(m(i, j));
  return result;
}

/// Relative error of a square: of zeros the root of the residual itself.
double root_of_ratio(double squared_residual, double squared_norm);

/// Below this the norm of what is cut off is not told from rounding, and the residual is computed.
constexpr double least_cheap_error = 1e-4;

}  // namespace papilio::decompose_detail

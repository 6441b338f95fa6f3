#pragma once

#include <cstddef>
#include <vector>

#include "decompose/mode_array.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/decompose/cp.hpp"

namespace papilio::decompose_detail {

/// Factors while they are iterated: transposed, [rank, extent], rows of length 1. A component that
/// vanished has weight 0, and keeps its direction.
template <class T>
struct cp_factors {
  std::vector<array<T, 2>> rows;
  std::vector<double> weights;
};

/// Throws shape_error or invalid_argument if the warm start does not fit x.
template <class T>
void check_warm_start(const char* function, const cp_model<T>& warm,
                      std::span<const std::size_t> extents, std::size_t rank);

/// Returns the leading left singular vectors of a mode's unfolding, `rank` of them if there are as
/// many.
template <class T>
subspace<T> starting_vectors(mode_array<T>& x, std::size_t mode, std::size_t rank);

/// Returns the factors that the iteration begins with, as options say; `values` are x.
template <class T>
cp_factors<T> starting_factors(const prepared_operand<T>& x, mode_array<T>& values,
                               std::size_t rank, const cp_options<T>& options);

/// Splits rows of `values` [rank, extent] into rows of length 1 and weights; a row of zeros leaves
/// the factor as it is.
template <class T>
void normalize(const double* values, array<T, 2>& rows, std::vector<double>& weights);

}  // namespace papilio::decompose_detail

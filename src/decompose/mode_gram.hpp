#pragma once

#include <cstddef>

#include "decompose/mode_split.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// Columns [first, first + count) of the unfolding of a row-major array, in double. As rows,
/// [extent, count], or where nothing is right of the mode transposed, [count, extent]: as they lie.
template <class T>
void unfold(const T* x, const mode_split& split, std::size_t first, std::size_t count, double* out);

/// Product of the unfolding with its transpose [extent, extent], of elements and sums in double;
/// the lower triangle. O(size extent). The sums are cut by the shape alone.
template <class T>
array<double, 2> mode_gram(const T* x, const mode_split& split, int threads);

}  // namespace papilio::decompose_detail

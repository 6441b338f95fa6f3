#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decompose/two_factors.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// The Khatri-Rao product of factors [extent, rank], transposed: of each rank the outer product of
/// the columns, [rank, product of the extents], the last factor's index fastest. Of none: ones.
template <class S, class T>
array<S, 2> khatri_rao(std::span<const view<const T, 2>> factors, std::size_t rank);

/// A CP model as a product of two matrices of about the same size, computed in S.
template <class S, class T>
two_factors<S> split_cp(std::span<const view<const T, 2>> factors, std::span<const T> weights);

template <class T>
std::vector<view<const T, 2>> views_of(std::span<const array<T, 2>> factors) {
  return {factors.begin(), factors.end()};
}

}  // namespace papilio::decompose_detail

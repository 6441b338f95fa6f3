#pragma once

#include "decompose/two_factors.hpp"
#include "papilio/decompose/tensor_train.hpp"

namespace papilio::decompose_detail {

/// shape_error unless there are cores, their bonds fit, and the outer ones are 1.
template <class T>
void check_train(const char* function, const tensor_train<T>& train);

/// The first core, and the product of the others; computed in S.
template <class S, class T>
two_factors<S> split_train(const tensor_train<T>& train, int threads);

/// An array of rank 3 as a matrix: its first two axes together, or its last two.
template <class T>
view<const T, 2> rows_joined(const array<T, 3>& core) {
  return {core.data(), {core.extent(0) * core.extent(1), core.extent(2)}};
}
template <class T>
view<const T, 2> columns_joined(const array<T, 3>& core) {
  return {core.data(), {core.extent(0), core.extent(1) * core.extent(2)}};
}

/// The same elements with other extents.
template <class T>
array<T, 3> as_core(view<const T, 2> m, const extents_type<3>& extents) {
  array<T, 3> core(extents, uninitialized);
  T* to = core.data();
  for (std::size_t i = 0; i < m.extent(0); ++i)
    for (std::size_t j = 0; j < m.extent(1); ++j) *to++ = m(i, j);
  return core;
}

}  // namespace papilio::decompose_detail

#pragma once

#include <cstddef>

namespace papilio::decompose_detail {

/// Sum of a[i] b[i], in double. Eight sums side by side: the order is fixed, and vectors take it.
template <class A, class B>
double dot(const A* a, const B* b, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t j = 0; j < 8; ++j)
      sums[j] += static_cast<double>(a[i + j]) * static_cast<double>(b[i + j]);
  for (std::size_t j = 0; i < n; ++i, ++j)
    sums[j] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// to[i] += factor from[i].
template <class A, class B>
void add_scaled(A factor, const B* from, A* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += factor * static_cast<A>(from[i]);
}

}  // namespace papilio::decompose_detail

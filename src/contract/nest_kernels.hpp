#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "contract/element_math.hpp"

// The innermost loops of a strided_nest, for vectors of the compiler.
namespace papilio::contract_detail {

/// Part of an operand along the innermost loop.
template <class T>
struct strided_run {
  const T* data = nullptr;
  std::ptrdiff_t step = 0;
};

/// sums[i] = left[i] right[i], or += ; without a right operand left[i].
template <bool HasRight, bool Conjugate, bool Adds, class T>
void row_products(T* sums, std::size_t count, strided_run<T> left, strided_run<T> right) {
  const T *x = left.data, *y = right.data;
  const auto put = [&](std::size_t i, T value) { sums[i] = Adds ? sums[i] + value : value; };
  if constexpr (!HasRight) {
    if (left.step == 1)
      for (std::size_t i = 0; i < count; ++i) put(i, x[i]);
    else
      for (std::size_t i = 0; i < count; ++i, x += left.step) put(i, *x);
  } else if (left.step == 1 && right.step == 1) {
    for (std::size_t i = 0; i < count; ++i) put(i, product_of<Conjugate>(x[i], y[i]));
  } else if (left.step == 1 && right.step == 0) {
    const T factor = *y;
    for (std::size_t i = 0; i < count; ++i) put(i, product_of<Conjugate>(x[i], factor));
  } else if (left.step == 0 && right.step == 1) {
    const T factor = *x;
    for (std::size_t i = 0; i < count; ++i) put(i, product_of<Conjugate>(factor, y[i]));
  } else {
    for (std::size_t i = 0; i < count; ++i, x += left.step, y += right.step)
      put(i, product_of<Conjugate>(*x, *y));
  }
}

/// Sums of many terms by parts, so that the error grows with the number of parts of a part only.
template <class T>
class cascade {
 public:
  void add(T x) {
    levels_[0] += x;
    if (++count_ % length != 0) return;
    carry(0);
    if (count_ % (length * length) == 0) carry(1);
  }
  T total() const { return (levels_[0] + levels_[1]) + levels_[2]; }

  static constexpr std::size_t length = 64;

 private:
  void carry(std::size_t level) {
    levels_[level + 1] += levels_[level];
    levels_[level] = T(0);
  }
  std::array<T, 3> levels_{};
  std::size_t count_ = 0;
};

/// The sum of left[i] right[i], of at most some thousand terms.
template <bool HasRight, bool Conjugate, class T>
T run_sum(std::size_t count, strided_run<T> left, strided_run<T> right) {
  constexpr std::size_t lanes = 16;
  std::array<T, lanes> sums{};
  const T *x = left.data, *y = right.data;
  const bool is_dense = left.step == 1 && (!HasRight || right.step == 1);
  std::size_t i = 0;
  for (; is_dense && i + lanes <= count; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      if constexpr (HasRight)
        sums[l] += product_of<Conjugate>(x[i + l], y[i + l]);
      else
        sums[l] += x[i + l];
    }
  x += static_cast<std::ptrdiff_t>(i) * left.step;
  y += HasRight ? static_cast<std::ptrdiff_t>(i) * right.step : 0;
  for (; i < count; ++i, x += left.step) {
    if constexpr (HasRight) {
      sums[i % lanes] += product_of<Conjugate>(*x, *y);
      y += right.step;
    } else {
      sums[i % lanes] += *x;
    }
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

}  // namespace papilio::contract_detail

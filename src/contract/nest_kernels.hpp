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

/// Steps of an operand along the row for which `add_four_rows` has a loop.
template <bool HasRight>
constexpr bool has_four_rows(std::ptrdiff_t left, std::ptrdiff_t right) {
  if (!HasRight) return left == 1;
  return (left == 1 || left == 0) && (right == 1 || right == 0) && left + right > 0;
}

/// row_products with Adds of four lines, one after the other, that lie `left_line` and `right_line`
/// apart: the same bits, with a quarter of the loads and stores of sums.
template <bool HasRight, bool Conjugate, class T>
void add_four_rows(T* sums, std::size_t count, strided_run<T> left, std::ptrdiff_t left_line,
                   strided_run<T> right, std::ptrdiff_t right_line) {
  const std::array<const T*, 4> x{left.data, left.data + left_line, left.data + 2 * left_line,
                                  left.data + 3 * left_line};
  const auto add = [&](const auto& term) {
    for (std::size_t i = 0; i < count; ++i)
      sums[i] = (((sums[i] + term(0, i)) + term(1, i)) + term(2, i)) + term(3, i);
  };
  if constexpr (!HasRight) {
    add([&](std::size_t line, std::size_t i) { return x[line][i]; });
  } else {
    const std::array<const T*, 4> y{right.data, right.data + right_line,
                                    right.data + 2 * right_line, right.data + 3 * right_line};
    if (left.step == 1 && right.step == 1) {
      add([&](std::size_t line, std::size_t i) {
        return product_of<Conjugate>(x[line][i], y[line][i]);
      });
    } else if (left.step == 1) {
      const std::array<T, 4> factors{*y[0], *y[1], *y[2], *y[3]};
      add([&](std::size_t line, std::size_t i) {
        return product_of<Conjugate>(x[line][i], factors[line]);
      });
    } else {
      const std::array<T, 4> factors{*x[0], *x[1], *x[2], *x[3]};
      add([&](std::size_t line, std::size_t i) {
        return product_of<Conjugate>(factors[line], y[line][i]);
      });
    }
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

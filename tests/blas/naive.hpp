#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "support/oracle.hpp"

// Naive linear algebra in long double, and the bounds that rounding allows.
namespace papilio::test {

template <class T>
using real_of = decltype(std::real(T()));
template <class T>
inline constexpr double epsilon_of =
    static_cast<double>(std::numeric_limits<real_of<T>>::epsilon());

template <class T>
exact exact_of(T x) {
  return {static_cast<long double>(std::real(x)), static_cast<long double>(std::imag(x))};
}

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

template <class T>
class random_source {
 public:
  explicit random_source(unsigned seed) : generator_(seed) {}
  T operator()() {
    const real_of<T> re = normal_(generator_);
    if constexpr (std::is_floating_point_v<T>)
      return re;
    else
      return {re, normal_(generator_)};
  }

 private:
  std::mt19937 generator_;
  std::normal_distribution<real_of<T>> normal_;
};

template <class T>
T not_a_number() {
  constexpr auto nan = std::numeric_limits<real_of<T>>::quiet_NaN();
  if constexpr (std::is_floating_point_v<T>)
    return nan;
  else
    return {nan, nan};
}

/// A matrix in memory that is otherwise poisoned, laid out as asked.
struct layout {
  std::ptrdiff_t row_stride = 0, column_stride = 0;  // 0 for both: row-major
};
enum class form {
  rows,
  columns,
  padded_rows,
  padded_columns,
  spread,
  reversed_rows,
  reversed_both
};
inline constexpr form all_forms[] = {form::rows,           form::columns, form::padded_rows,
                                     form::padded_columns, form::spread,  form::reversed_rows,
                                     form::reversed_both};

template <class T>
class stored_matrix {
 public:
  stored_matrix(std::size_t rows, std::size_t columns, form how)
      : memory_(6 * (rows + 2) * (columns + 2), not_a_number<T>()) {
    const auto r = static_cast<std::ptrdiff_t>(rows), c = static_cast<std::ptrdiff_t>(columns);
    T* const p = memory_.data();
    switch (how) {
      case form::rows:
        view_ = {p, {rows, columns}, {c, 1}};
        break;
      case form::columns:
        view_ = {p, {rows, columns}, {1, r}};
        break;
      case form::padded_rows:
        view_ = {p + 1, {rows, columns}, {c + 2, 1}};
        break;
      case form::padded_columns:
        view_ = {p + 1, {rows, columns}, {1, r + 1}};
        break;
      case form::spread:
        view_ = {p, {rows, columns}, {3 * (c + 1), 2}};
        break;
      case form::reversed_rows:
        view_ = {p + r * c, {rows, columns}, {-c, 1}};
        break;
      case form::reversed_both:
        view_ = {p + r * c + r, {rows, columns}, {-1, -r}};
        break;
    }
  }
  stored_matrix(std::size_t rows, std::size_t columns, form how, random_source<T>& random)
      : stored_matrix(rows, columns, how) {
    fill([&](std::size_t, std::size_t) { return random(); });
  }
  template <class Value>
  void fill(const Value& value) {
    for (std::size_t i = 0; i < view_.extent(0); ++i)
      for (std::size_t j = 0; j < view_.extent(1); ++j) view_(i, j) = value(i, j);
  }
  papilio::view<T, 2> view() { return view_; }
  papilio::view<const T, 2> view() const { return view_; }
  const std::vector<T>& memory() const { return memory_; }
  /// Whether nothing but the elements has been written.
  bool is_clean() const {
    std::size_t numbers = 0;
    for (const T& x : memory_) numbers += std::isnan(std::real(x)) ? 0 : 1;
    return numbers == view_.size();
  }

 private:
  std::vector<T> memory_;
  papilio::view<T, 2> view_;
};

template <class T>
exact element(view<const T, 2> m, matrix_op op, std::size_t i, std::size_t j) {
  const bool transposed = op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
  const exact x = exact_of(transposed ? m(j, i) : m(i, j));
  const bool conjugated = op == matrix_op::conjugate || op == matrix_op::conjugate_transpose;
  return conjugated ? std::conj(x) : x;
}

/// Expected and magnitude: |got - expected| <= factor epsilon magnitude is what k roundings allow.
struct bounded {
  exact value = 0;
  long double magnitude = 0;
};

template <class T>
bounded product_element(T alpha, view<const T, 2> a, matrix_op op_a, view<const T, 2> b,
                        matrix_op op_b, std::size_t k, std::size_t i, std::size_t j) {
  bounded sum;
  for (std::size_t p = 0; p < k; ++p) {
    const exact x = element(a, op_a, i, p), y = element(b, op_b, p, j);
    // By hand: the library's product looks for infinities.
    sum.value +=
        exact(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
    sum.magnitude +=
        (std::fabs(x.real()) + std::fabs(x.imag())) * (std::fabs(y.real()) + std::fabs(y.imag()));
  }
  sum.value *= exact_of(alpha);
  sum.magnitude *= std::abs(exact_of(alpha));
  return sum;
}

/// Of a sum of `terms` products: the bound of Higham, Accuracy and Stability, (3.5), with a few
/// roundings more for alpha, beta and the products of complex numbers.
template <class T>
bool is_within(T got, const bounded& expected, std::size_t terms) {
  const double bound = (static_cast<double>(terms) + 8) * 2 * epsilon_of<T> *
                       static_cast<double>(expected.magnitude);
  return static_cast<double>(std::abs(exact_of(got) - expected.value)) <= bound;
}

}  // namespace papilio::test

#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/view.hpp"

namespace papilio {
namespace transform_detail {

/// Real type in which elements V are transformed: their own, and double for integers and bool.
template <class V>
struct element {};
template <class V>
  requires std::is_arithmetic_v<V>
struct element<V> {
  using real = std::conditional_t<std::is_floating_point_v<V>, V, double>;
  static constexpr bool is_complex = false;
};
template <class T>
  requires std::is_floating_point_v<T>
struct element<std::complex<T>> {
  using real = T;
  static constexpr bool is_complex = true;
};

template <class T, std::size_t Rank>
view<const std::remove_const_t<T>, Rank> as_view(const view<T, Rank>& x) {
  return x;
}
template <class T, std::size_t Rank>
view<const T, Rank> as_view(const array<T, Rank>& x) {
  return x.view();
}
template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range>
auto as_view(const Range& x) {
  return view<const std::ranges::range_value_t<Range>, 1>(std::ranges::data(x),
                                                          {std::ranges::size(x)});
}

template <class X>
using view_of = decltype(as_view(std::declval<const X&>()));
template <class X>
using value_of = typename view_of<X>::value_type;
template <class X>
using real_of = typename element<value_of<X>>::real;
template <class X>
inline constexpr std::size_t rank_of = view_of<X>::rank;

}  // namespace transform_detail

/// What the transforms take: `view`, `array`, or a contiguous range of one dimension (span, vector,
/// std::array, C array) of numbers: float, double, long double, complex of these, integers or bool.
/// Elements may be const. Integers and bool are transformed in double, as numpy does.
template <class X>
concept array_like = requires(const X& x) {
  transform_detail::as_view(x);
  typename transform_detail::element<transform_detail::value_of<X>>::real;
};

template <class X>
concept real_array_like =
    array_like<X> && !transform_detail::element<transform_detail::value_of<X>>::is_complex;

template <class X>
concept complex_array_like =
    array_like<X> && transform_detail::element<transform_detail::value_of<X>>::is_complex;

}  // namespace papilio

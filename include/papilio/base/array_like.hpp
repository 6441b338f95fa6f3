#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

// Array types that functions accept: arrays and views of any rank, contiguous ranges of rank 1, and
// other libraries' views.
namespace papilio {

/// Strided mdspan type: std::mdspan, Kokkos::mdspan or any type with their members.
template <class M>
concept mdspan_like = requires(const M& m) {
  typename M::extents_type;
  typename M::element_type;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.extent(0) } -> std::convertible_to<std::size_t>;
  { m.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
  { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
};

namespace base_detail {

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

template <class Element, class M>
auto view_of_mdspan(const M& m) {
  extents_type<M::rank()> extents;
  strides_type<M::rank()> strides;
  for (std::size_t axis = 0; axis < M::rank(); ++axis) {
    extents[axis] = static_cast<std::size_t>(m.extent(axis));
    strides[axis] = static_cast<std::ptrdiff_t>(m.stride(axis));
  }
  return view<Element, M::rank()>(m.data_handle(), extents, strides);
}
template <mdspan_like M>
auto as_view(const M& m) {
  return view_of_mdspan<const std::remove_const_t<typename M::element_type>>(m);
}

template <class T, std::size_t Rank>
  requires(!std::is_const_v<T>)
view<T, Rank> as_writable_view(const view<T, Rank>& x) {
  return x;
}
template <class T, std::size_t Rank>
view<T, Rank> as_writable_view(array<T, Rank>& x) {
  return x.view();
}
template <std::ranges::contiguous_range Range>
  requires(std::ranges::sized_range<Range> &&
           !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
auto as_writable_view(Range&& x) {
  return view<std::ranges::range_value_t<Range>, 1>(std::ranges::data(x), {std::ranges::size(x)});
}
template <mdspan_like M>
  requires(!std::is_const_v<typename M::element_type>)
auto as_writable_view(const M& m) {
  return view_of_mdspan<typename M::element_type>(m);
}

template <class X>
using value_of = typename decltype(as_view(std::declval<const X&>()))::value_type;
template <class X>
inline constexpr std::size_t rank_of = decltype(as_view(std::declval<const X&>()))::rank;

template <class X>
inline constexpr bool is_view = false;
template <class T, std::size_t Rank>
inline constexpr bool is_view<view<T, Rank>> = true;

/// View of x, repeated along leading axes that it lacks to this rank and these extents.
template <std::size_t Rank, class T, std::size_t Least>
view<T, Rank> repeated(const view<T, Least>& x, const extents_type<Rank>& extents) {
  extents_type<Rank> whole = extents;
  strides_type<Rank> strides{};
  for (std::size_t axis = 0; axis < Least; ++axis) {
    whole[Rank - Least + axis] = x.extent(axis);
    strides[Rank - Least + axis] = x.strides()[axis];
  }
  return view<T, Rank>(x.data(), whole, strides);
}

/// View of contiguous elements as rows of `length`. Throws shape_error unless they are whole rows.
template <class T>
view<T, 2> rows_of(const char* function, const char* operand, const view<T, 1>& x,
                   std::size_t length) {
  if (x.extent(0) % length != 0)
    throw shape_error(message(function, ": ", operand, " must hold whole rows of ", length,
                              " elements, got ", x.extent(0)));
  return view<T, 2>(x.data(), {x.extent(0) / length, length});
}

}  // namespace base_detail

/// Readable array: a view, array, contiguous range or mdspan that an operand can be read from.
template <class X>
concept readable_array = requires(const X& x) { base_detail::as_view(x); };

/// Flat array: a vector, span or other contiguous range of rank 1.
template <class X>
concept flat_array =
    readable_array<X> && std::ranges::contiguous_range<X> && base_detail::rank_of<X> == 1;

/// Writable array: a view, array, contiguous range or mdspan that a result can be written to.
template <class X>
concept writable_array = requires(X&& x) { base_detail::as_writable_view(std::forward<X>(x)); };

/// Writable array whose view has the type View.
template <class X, class View>
concept writable_array_of = requires(X&& x) {
  { base_detail::as_writable_view(std::forward<X>(x)) } -> std::same_as<View>;
};

}  // namespace papilio

#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/view.hpp"
#include "papilio/transform/arguments.hpp"
#include "papilio/transform/array_like.hpp"
#include "papilio/transform/options.hpp"

namespace papilio {

/// Not given: all axes. Negative ones count from the end; one that is named twice is shifted twice.
struct shift_options {
  index_list axes = {};
};

namespace transform_detail {

/// The index to which element 0 goes along each axis; `half(extent)` at each naming.
template <std::size_t Rank, class Half>
extents_type<Rank> shifts(const char* function, const extents_type<Rank>& extents,
                          const index_list& axes, const Half& half) {
  extents_type<Rank> shift{};
  const auto add = [&](std::size_t axis) {
    if (extents[axis] != 0) shift[axis] = (shift[axis] + half(extents[axis])) % extents[axis];
  };
  if (!axes.is_given())
    for (std::size_t axis = 0; axis < Rank; ++axis) add(axis);
  for (std::ptrdiff_t axis : axes.values()) add(checked_axis(function, axis, Rank));
  return shift;
}

template <class V, std::size_t Rank>
void roll(view<const V, Rank> x, view<V, Rank> out, const std::size_t* shift) {
  const std::size_t n = x.extent(0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t to = i < n - shift[0] ? i + shift[0] : i - (n - shift[0]);
    if constexpr (Rank == 1)
      out[to] = x[i];
    else
      roll<V, Rank - 1>(x[i], out[to], shift + 1);
  }
}

template <class V, std::size_t Rank, class Half>
array<V, Rank> shifted(const char* function, view<const V, Rank> x, const index_list& axes,
                       const Half& half) {
  const extents_type<Rank> shift = shifts<Rank>(function, x.extents(), axes, half);
  array<V, Rank> out(x.extents());
  roll<V, Rank>(x, out.view(), shift.data());
  return out;
}

}  // namespace transform_detail

/// numpy.fft.fftshift: bin 0 to the middle (index n/2) along each of options.axes, cyclically.
/// Elements keep their type. invalid_argument: an axis that x does not have.
template <array_like X>
auto fftshift(const X& x, const shift_options& options = {}) {
  return transform_detail::shifted("fftshift", transform_detail::as_view(x), options.axes,
                                   [](std::size_t n) { return n / 2; });
}

/// numpy.fft.ifftshift: undoes fftshift, for odd extents too.
template <array_like X>
auto ifftshift(const X& x, const shift_options& options = {}) {
  return transform_detail::shifted("ifftshift", transform_detail::as_view(x), options.axes,
                                   [](std::size_t n) { return n - n / 2; });
}

}  // namespace papilio

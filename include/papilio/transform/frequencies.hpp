#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
namespace transform_detail {

/// Returns n as a length. Throws invalid_argument unless n >= 1 and d is not 0.
PAPILIO_API std::size_t checked_frequencies(const char* function, std::ptrdiff_t n, double d);

}  // namespace transform_detail

/// Returns the frequency of each bin of a transform of length n of samples d apart, in cycles per
/// unit of d: 0, 1, ... (n - 1)/2, -n/2, ... -1, over n d, as numpy.fft.fftfreq.
/// Throws invalid_argument if n is below 1 or d is 0.
template <std::floating_point T = double>
array<T, 1> fftfreq(std::ptrdiff_t n, double d = 1) {
  const std::size_t count = transform_detail::checked_frequencies("fftfreq", n, d);
  array<T, 1> frequencies(count);
  const double length = static_cast<double>(n) * d;
  for (std::size_t k = 0; k < count; ++k) {
    const auto index = static_cast<double>(k);
    const double turns = k < count - count / 2 ? index : index - static_cast<double>(n);
    frequencies[k] = static_cast<T>(turns / length);
  }
  return frequencies;
}

/// Returns the frequencies 0, 1, ... n/2, over n d, of the n/2 + 1 bins of a half spectrum, as
/// numpy.fft.rfftfreq. Throws as fftfreq.
template <std::floating_point T = double>
array<T, 1> rfftfreq(std::ptrdiff_t n, double d = 1) {
  const std::size_t count = transform_detail::checked_frequencies("rfftfreq", n, d);
  array<T, 1> frequencies(count / 2 + 1);
  const double length = static_cast<double>(n) * d;
  for (std::size_t k = 0; k < frequencies.size(); ++k)
    frequencies[k] = static_cast<T>(static_cast<double>(k) / length);
  return frequencies;
}

/// Returns the least length >= target that papilio transforms by short passes alone, 2^a 3^b 5^c
/// 7^d or that times 11 or 13. With `real` the length is even (or 1) and half of it is such a
/// length, because a real transform of even length runs at half length. As scipy.fft.next_fast_len,
/// for papilio's fast lengths: pad to it where any greater length will do.
/// Throws invalid_argument if target is below 1; resource_error if there is no such number.
PAPILIO_API std::size_t next_fast_len(std::ptrdiff_t target, bool real = false);

/// Options of fftshift. Axes not given: all. Negative ones count from the end; one that is named
/// twice is shifted twice.
struct shift_options {
  index_list axes = {};
};

namespace transform_detail {

/// Index to which element 0 goes along each axis; `half(extent)` for each time it is named.
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

/// Moves bin 0 to the middle (index n/2) along each of options.axes, cyclically, as
/// numpy.fft.fftshift. Elements keep their type.
/// Throws invalid_argument for an axis that x does not have.
template <array_like X>
auto fftshift(const X& x, const shift_options& options = {}) {
  return transform_detail::shifted("fftshift", transform_detail::as_view(x), options.axes,
                                   [](std::size_t n) { return n / 2; });
}

/// Undoes fftshift, for odd extents too, as numpy.fft.ifftshift. Throws as fftshift.
template <array_like X>
auto ifftshift(const X& x, const shift_options& options = {}) {
  return transform_detail::shifted("ifftshift", transform_detail::as_view(x), options.axes,
                                   [](std::size_t n) { return n - n / 2; });
}

// Device arrays: a copy (arrangement_problem), one launch.
template <device_element T, std::size_t Rank>
device_array<T, Rank> fftshift(const device_array<T, Rank>& x, const shift_options& options = {}) {
  return device_array<T, Rank>(
      transform_detail::shift_on_device("fftshift", x.tensor("fftshift"), options.axes, false));
}
template <device_element T, std::size_t Rank>
device_array<T, Rank> ifftshift(const device_array<T, Rank>& x, const shift_options& options = {}) {
  return device_array<T, Rank>(
      transform_detail::shift_on_device("ifftshift", x.tensor("ifftshift"), options.axes, true));
}

}  // namespace papilio

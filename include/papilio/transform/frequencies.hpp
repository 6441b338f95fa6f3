#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

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

/// Options of a chirp z-transform, as scipy.signal.czt has them.
struct czt_options {
  /// Number of points; not given: the extent of the axis.
  std::optional<std::ptrdiff_t> m = {};
  /// Ratio w of neighbouring points, finite and not 0; not given: exp(-2 pi i / m), exactly.
  std::optional<std::complex<double>> w = {};
  /// First point, finite and not 0.
  std::complex<double> a = 1;
  /// Instead of w: points on the unit circle, so many turns apart, w = exp(-2 pi i step_turns). Finite.
  std::optional<long double> step_turns = {};
  /// Instead of a: the first point, exp(2 pi i first_turns). Finite.
  std::optional<long double> first_turns = {};
  std::ptrdiff_t axis = -1;
  effort plan_effort = effort::estimate;
  execution on = {};
};

namespace transform_detail {

/// Factors of one chirp transform: of the n inputs, of the convolution (its filter, in time, of
/// length padded), and of the m outputs.
template <class T>
struct czt_factors {
  array<std::complex<T>, 1> in, filter, out;
};

/// Computes them. Throws invalid_argument if n or m is below 1, w or a is 0 or not finite, or
/// anything is given twice.
template <class T>
PAPILIO_API czt_factors<T> make_czt_factors(const char* function, std::size_t n,
                                            const czt_options& options);

/// Chirp z-transform of an array on an accelerator.
PAPILIO_API shared_tensor czt_on_device(const device_call& c, const shared_tensor& x,
                                        const czt_options& options);

/// Multiplies the first factors.size() elements of x along the axis by the factor of their index.
template <class T, std::size_t Rank>
void multiply_along(view<const std::complex<T>, Rank> x, std::size_t axis,
                    std::span<const std::complex<T>> factors, view<std::complex<T>, Rank> out) {
  using C = std::complex<T>;
  const auto times = [](const C& v, const C& f) -> C {
    return {v.real() * f.real() - v.imag() * f.imag(), v.real() * f.imag() + v.imag() * f.real()};
  };
  const std::size_t count = axis == 0 ? factors.size() : x.extent(0);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Rank == 1) {
      out[i] = times(x[i], factors[i]);
    } else if (axis == 0) {
      assign_each<C, C, Rank - 1>(x[i], out[i], [&](const C& v) { return times(v, factors[i]); });
    } else {
      multiply_along<T, Rank - 1>(x[i], axis - 1, factors, out[i]);
    }
  }
}

}  // namespace transform_detail

/// Computes the chirp z-transform X[k] = sum_j x[j] z_k^-j at the m points z_k = a w^-k of a
/// spiral, along one axis, as scipy.signal.czt. By default it is the DFT of x at m points; with
/// step_turns = d and first_turns = f it is the spectrum from f on in steps of d cycles a sample.
///
/// O((n + m) log(n + m)) a line by a cyclic convolution (Bluestein). Angles of the default w are
/// reduced in integers, and k^2 / 2 times step_turns is reduced to a part of a turn in long double.
/// The angle of a given w has its rounding, which counts k^2 / 2 times in point k. If |w| is not 1, factors of |w|^(k^2 / 2) are used, which
/// may overflow for long transforms. Under policy::device x is copied up once and the result copied
/// back once. Rabiner, L.R., Schafer, R.W., Rader, C.M. (1969), Bell Syst. Tech. J. 48, 1249.
///
/// Throws invalid_argument if m or n is below 1, x lacks the axis, w or a is 0 or not finite, turns
/// are not finite, or both w and step_turns, or both an a and first_turns, are given.
template <array_like X>
auto czt(const X& x, const czt_options& options = {}) {
  using namespace transform_detail;
  using T = real_of<X>;
  using C = std::complex<T>;
  constexpr std::size_t Rank = rank_of<X>;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("czt", options.axis, Rank);
  const std::size_t n = in.extent(axis);
  const czt_factors<T> factors = make_czt_factors<T>("czt", n, options);
  const std::size_t m = factors.out.size(), padded = factors.filter.size();
  const execution on = decided(options.on);
  if (options.on.where != policy::host) {
    array<C, Rank> result(with_extent(in.extents(), axis, m));
    const bool is_done =
        ran_on_device_arrays({"czt", options.plan_effort, options.on}, in, result.view(),
                             [&](const device_call& c, std::span<const shared_tensor> t) {
                               return czt_on_device(c, t[0], options);
                             });
    if (is_done) return result;
  }
  const call c{"czt", options.plan_effort, on};

  array<C, 1> filter = factors.filter;
  const auto form = [](direction dir) {
    return transform_form{fft_kind::complex, dir, normalization::backward};
  };
  run_line<C, C, 1>(c, form(direction::forward), padded, 0, std::as_const(filter).view(),
                    filter.view());
  // Everything is done in the memory of the padded convolution.
  const fitted<C, Rank> converted(in, in.extents());
  array<C, Rank> work(with_extent(in.extents(), axis, padded));
  multiply_along<T, Rank>(converted.view(), axis, factors.in.flat(), work.view());
  const auto transform = [&](direction dir) {
    run_line<C, C, Rank>(c, form(dir), padded, axis, std::as_const(work).view(), work.view());
  };
  transform(direction::forward);
  multiply_along<T, Rank>(std::as_const(work).view(), axis, std::as_const(filter).flat(),
                          work.view());
  transform(direction::inverse);
  array<C, Rank> out(with_extent(in.extents(), axis, m));
  multiply_along<T, Rank>(std::as_const(work).view(), axis, factors.out.flat(), out.view());
  return out;
}

// Device arrays: seven launches. The three tables of factors, each as large as the padded array,
// are kept on the accelerator.
template <device_element T, std::size_t Rank>
device_array<std::complex<float>, Rank> czt(const device_array<T, Rank>& x,
                                            const czt_options& options = {}) {
  return device_array<std::complex<float>, Rank>(transform_detail::czt_on_device(
      {"czt", options.plan_effort, options.on}, x.tensor("czt"), options));
}

}  // namespace papilio

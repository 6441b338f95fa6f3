#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
namespace transform_detail {

// Real input goes through the real transform; the other half of its spectrum is the mirror image.
template <class V, std::size_t Rank>
void complex_line(const char* function, direction dir, view<const V, Rank> x,
                  view<std::complex<typename element<V>::real>, Rank> out,
                  const line_options& options) {
  using T = typename element<V>::real;
  const std::size_t axis = checked_axis(function, options.axis, Rank);
  const std::size_t n = checked_length(function, options.n, x.extent(axis));
  const extents_type<Rank> extents = with_extent(x.extents(), axis, n);
  require_out(function, out, extents);
  const call c{function, options.plan_effort, options.on};
  const fft_scaling scaling = scaling_of(options.norm, dir);
  const bool inverse = dir == direction::inverse;
  if constexpr (element<V>::is_complex) {
    const fitted<std::complex<T>, Rank> in(x, extents);
    run_line(c, inverse ? fft_kind::complex_inverse : fft_kind::complex_forward, scaling, n, axis,
             in.view(), out);
  } else {
    const fitted<T, Rank> in(x, extents);
    run_line(c, fft_kind::real_forward, scaling, n, axis, in.view(), out.slice(axis, 0, n / 2 + 1));
    if (!out.empty())
      complete_hermitian<T>(untyped_view<void>(out), axis, inverse, options.on.threads);
  }
}

template <class V, std::size_t Rank>
auto new_complex_line(const char* function, direction dir, view<const V, Rank> x,
                      const line_options& options) {
  const std::size_t axis = checked_axis(function, options.axis, Rank);
  const std::size_t n = checked_length(function, options.n, x.extent(axis));
  array<std::complex<typename element<V>::real>, Rank> out(with_extent(x.extents(), axis, n));
  complex_line<V, Rank>(function, dir, x, out.view(), options);
  return out;
}

}  // namespace transform_detail

/// numpy.fft.fft: X[k] = sum_j x[j] exp(-2 pi i j k / n) along one axis, times the factor that
/// options.norm gives to the forward direction. The result has extent n along the axis and the
/// others of x. O(n log n) a line, the lines over options.on.threads, a single complex one too
/// where its recipe can be shared (fft_plan::execute_parallel). invalid_argument: n below 1 (given,
/// or the extent of the axis), an axis that x does not have, what options.on asks for and cannot be
/// had. resource_error: memory.
template <array_like X>
auto fft(const X& x, const line_options& options = {}) {
  return transform_detail::new_complex_line("fft", direction::forward, transform_detail::as_view(x),
                                            options);
}

/// numpy.fft.ifft: the same with +2 pi i and the inverse direction's factor, 1/n by default.
template <array_like X>
auto ifft(const X& x, const line_options& options = {}) {
  return transform_detail::new_complex_line("ifft", direction::inverse,
                                            transform_detail::as_view(x), options);
}

/// fft and ifft into memory that is there: `out` has the result's extents (else shape_error), any
/// strides under which no two elements share an address, and may be x or overlap it.
template <array_like X>
void fft_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const line_options& options = {}) {
  transform_detail::complex_line("fft_into", direction::forward, transform_detail::as_view(x), out,
                                 options);
}
template <array_like X>
void ifft_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const line_options& options = {}) {
  transform_detail::complex_line("ifft_into", direction::inverse, transform_detail::as_view(x), out,
                                 options);
}

namespace transform_detail {

template <class V, std::size_t Rank>
void real_forward_line(const char* function, view<const V, Rank> x,
                       view<std::complex<typename element<V>::real>, Rank> out,
                       const line_options& options) {
  const std::size_t axis = checked_axis(function, options.axis, Rank);
  const std::size_t n = checked_length(function, options.n, x.extent(axis));
  require_out(function, out, with_extent(x.extents(), axis, n / 2 + 1));
  const fitted<typename element<V>::real, Rank> in(x, with_extent(x.extents(), axis, n));
  run_line({function, options.plan_effort, options.on}, fft_kind::real_forward,
           scaling_of(options.norm, direction::forward), n, axis, in.view(), out);
}

template <class V, std::size_t Rank>
void real_inverse_line(const char* function, view<const V, Rank> x,
                       view<typename element<V>::real, Rank> out, const line_options& options) {
  using T = typename element<V>::real;
  const std::size_t axis = checked_axis(function, options.axis, Rank);
  const std::size_t n = checked_real_length(function, options.n, x.extent(axis));
  require_out(function, out, with_extent(x.extents(), axis, n));
  const fitted<std::complex<T>, Rank> in(x, with_extent(x.extents(), axis, n / 2 + 1));
  run_line({function, options.plan_effort, options.on}, fft_kind::real_inverse,
           scaling_of(options.norm, direction::inverse), n, axis, in.view(), out);
}

}  // namespace transform_detail

/// numpy.fft.rfft: n reals to the half spectrum of n/2 + 1 bins along one axis; sign, factor and
/// errors as fft. Complex input does not compile.
template <real_array_like X>
auto rfft(const X& x, const line_options& options = {}) {
  using namespace transform_detail;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("rfft", options.axis, rank_of<X>);
  const std::size_t n = checked_length("rfft", options.n, in.extent(axis));
  array<std::complex<real_of<X>>, rank_of<X>> out(with_extent(in.extents(), axis, n / 2 + 1));
  real_forward_line("rfft", in, out.view(), options);
  return out;
}

/// numpy.fft.irfft: the n reals whose half spectrum x is. n defaults to 2 (m - 1) for m bins; bins
/// are cut, or zeros put after them, to n/2 + 1. The imaginary parts of bin 0 and, for even n, of
/// bin n/2 do not enter. Factor 1/n by default. Errors as fft; one bin alone needs n.
template <array_like X>
auto irfft(const X& x, const line_options& options = {}) {
  using namespace transform_detail;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("irfft", options.axis, rank_of<X>);
  const std::size_t n = checked_real_length("irfft", options.n, in.extent(axis));
  array<real_of<X>, rank_of<X>> out(with_extent(in.extents(), axis, n));
  real_inverse_line("irfft", in, out.view(), options);
  return out;
}

/// rfft and irfft into memory that is there; `out` as in fft_into.
template <real_array_like X>
void rfft_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const line_options& options = {}) {
  transform_detail::real_forward_line("rfft_into", transform_detail::as_view(x), out, options);
}
template <array_like X>
void irfft_into(const X& x,
                const view<transform_detail::real_of<X>, transform_detail::rank_of<X>>& out,
                const line_options& options = {}) {
  transform_detail::real_inverse_line("irfft_into", transform_detail::as_view(x), out, options);
}

namespace transform_detail {

template <class V, std::size_t Rank>
void hermitian_forward(const char* function, view<const V, Rank> x,
                       view<typename element<V>::real, Rank> out, line_options options) {
  using C = std::complex<typename element<V>::real>;
  array<C, Rank> conjugate(x.extents());
  assign_each<V, C, Rank>(x, conjugate.view(),
                          [](const V& v) { return std::conj(converted<C>(v)); });
  options.norm = swapped(options.norm);
  real_inverse_line<C, Rank>(function, std::as_const(conjugate).view(), out, options);
}

template <class V, std::size_t Rank>
void hermitian_inverse(const char* function, view<const V, Rank> x,
                       view<std::complex<typename element<V>::real>, Rank> out,
                       line_options options) {
  using C = std::complex<typename element<V>::real>;
  options.norm = swapped(options.norm);
  real_forward_line(function, x, out, options);
  assign_each<C, C, Rank>(out, out, [](const C& v) { return std::conj(v); });
}

}  // namespace transform_detail

/// numpy.fft.hfft: the real spectrum, of length n, of a signal with x[-j] = conj(x[j]) of which the
/// first n/2 + 1 values are given. n defaults to 2 (m - 1) for m values, which are cut or padded
/// with zeros. Factor 1 by default. Errors as irfft.
template <array_like X>
auto hfft(const X& x, const line_options& options = {}) {
  using namespace transform_detail;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("hfft", options.axis, rank_of<X>);
  const std::size_t n = checked_real_length("hfft", options.n, in.extent(axis));
  array<real_of<X>, rank_of<X>> out(with_extent(in.extents(), axis, n));
  hermitian_forward("hfft", in, out.view(), options);
  return out;
}

/// numpy.fft.ihfft: the inverse of hfft, n reals to n/2 + 1 values; factor 1/n by default. Complex
/// input does not compile.
template <real_array_like X>
auto ihfft(const X& x, const line_options& options = {}) {
  using namespace transform_detail;
  const auto in = as_view(x);
  const std::size_t axis = checked_axis("ihfft", options.axis, rank_of<X>);
  const std::size_t n = checked_length("ihfft", options.n, in.extent(axis));
  array<std::complex<real_of<X>>, rank_of<X>> out(with_extent(in.extents(), axis, n / 2 + 1));
  hermitian_inverse("ihfft", in, out.view(), options);
  return out;
}

/// hfft and ihfft into memory that is there; `out` as in fft_into.
template <array_like X>
void hfft_into(const X& x,
               const view<transform_detail::real_of<X>, transform_detail::rank_of<X>>& out,
               const line_options& options = {}) {
  transform_detail::hermitian_forward("hfft_into", transform_detail::as_view(x), out, options);
}
template <real_array_like X>
void ihfft_into(
    const X& x,
    const view<std::complex<transform_detail::real_of<X>>, transform_detail::rank_of<X>>& out,
    const line_options& options = {}) {
  transform_detail::hermitian_inverse("ihfft_into", transform_detail::as_view(x), out, options);
}

}  // namespace papilio

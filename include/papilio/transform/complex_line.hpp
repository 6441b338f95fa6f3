#pragma once

#include <complex>
#include <cstddef>

#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
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

}  // namespace papilio

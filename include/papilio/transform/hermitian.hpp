#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/real_line.hpp"

namespace papilio {
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

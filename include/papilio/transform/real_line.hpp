#pragma once

#include <complex>
#include <cstddef>

#include "papilio/transform/array_like.hpp"
#include "papilio/transform/fitted.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
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

}  // namespace papilio

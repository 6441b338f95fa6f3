#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "papilio/transform/device_run.hpp"
#include "papilio/transform/options.hpp"
#include "papilio/transform/run.hpp"

namespace papilio {
namespace transform_detail {

/// Throws shape_error unless a gradient has the length of the transform's result along the axis.
PAPILIO_API void require_gradient(const char* function, std::size_t expected, std::size_t got);

/// Transform along one axis of x; axis and length are checked here only.
template <class V, std::size_t Rank>
class line_call {
 public:
  using T = typename element<V>::real;
  using C = std::complex<T>;

  line_call(const char* function, view<const V, Rank> x, const line_options& options,
            bool from_bins = false)
      : call_{function, options.plan_effort, options.on},
        norm_(options.norm),
        x_(x),
        axis_(checked_axis(function, options.axis, Rank)),
        n_(from_bins ? checked_real_length(function, options.n, x.extent(axis_))
                     : checked_length(function, options.n, x.extent(axis_))) {}

  /// Arrays for the results, of extent n or n/2 + 1 along the axis.
  array<C, Rank> complex_points() const { return array<C, Rank>(points()); }
  array<C, Rank> complex_bins() const { return array<C, Rank>(bins()); }
  array<T, Rank> real_points() const { return array<T, Rank>(points()); }

  /// Throws shape_error unless x, a gradient, has n/2 + 1 or n elements along the axis.
  void require_gradient_bins() const {
    require_gradient(call_.function, n_ / 2 + 1, x_.extent(axis_));
  }
  void require_gradient_points() const { require_gradient(call_.function, n_, x_.extent(axis_)); }

  /// Throws shape_error unless `out` has these extents.
  void require_complex_points(const view<C, Rank>& out) const {
    require_out(call_.function, out, points());
  }
  void require_complex_bins(const view<C, Rank>& out) const {
    require_out(call_.function, out, bins());
  }
  void require_real_points(const view<T, Rank>& out) const {
    require_out(call_.function, out, points());
  }

  // Real input goes through the real transform; the other half of its spectrum is the mirror image.
  void complex(direction dir, const view<C, Rank>& out) const {
    if constexpr (element<V>::is_complex) {
      const fitted<C, Rank> in(x_, points());
      run_line(call_, {fft_kind::complex, dir, norm_}, n_, axis_, in.view(), out);
    } else {
      const bool inverse = dir == direction::inverse;
      const normalization norm = inverse ? swapped(norm_) : norm_;
      const fitted<T, Rank> in(x_, points());
      run_line(call_, {fft_kind::real, direction::forward, norm}, n_, axis_, in.view(),
               out.slice(axis_, 0, n_ / 2 + 1));
      if (!out.empty())
        complete_hermitian<T>(untyped_view<void>(out), axis_, inverse, call_.on.threads);
    }
  }

  // Computes rfft, or the adjoint of irfft.
  void real_forward(const view<C, Rank>& out, bool adjoint = false) const {
    const fitted<T, Rank> in(x_, points());
    run_line(call_, {fft_kind::real, direction::forward, norm_, 0, adjoint}, n_, axis_, in.view(),
             out);
  }
  void real_inverse(const view<T, Rank>& out, bool adjoint = false) const {
    const fitted<C, Rank> in(x_, bins());
    run_line(call_, {fft_kind::real, direction::inverse, norm_, 0, adjoint}, n_, axis_, in.view(),
             out);
  }

  // hfft is irfft of the conjugate, ihfft the conjugate of rfft, each with the other's factor.
  void hermitian_forward(const view<T, Rank>& out) const {
    array<C, Rank> conjugate(x_.extents());
    assign_each<V, C, Rank>(x_, conjugate.view(),
                            [](const V& v) { return std::conj(converted<C>(v)); });
    const fitted<C, Rank> in(std::as_const(conjugate).view(), bins());
    run_line(call_, {fft_kind::real, direction::inverse, swapped(norm_)}, n_, axis_, in.view(),
             out);
  }
  void hermitian_inverse(const view<C, Rank>& out) const {
    const fitted<T, Rank> in(x_, points());
    run_line(call_, {fft_kind::real, direction::forward, swapped(norm_)}, n_, axis_, in.view(),
             out);
    assign_each<C, C, Rank>(out, out, [](const C& v) { return std::conj(v); });
  }

 private:
  extents_type<Rank> points() const { return with_extent(x_.extents(), axis_, n_); }
  extents_type<Rank> bins() const { return with_extent(x_.extents(), axis_, n_ / 2 + 1); }

  call call_;
  normalization norm_;
  view<const V, Rank> x_;
  std::size_t axis_, n_;
};

/// Transform along one axis of a device array, to a device array.
template <class T, std::size_t Rank>
class device_line_call {
 public:
  using real = device_array<float, Rank>;
  using bins = device_array<std::complex<float>, Rank>;

  device_line_call(const char* function, const device_array<T, Rank>& x,
                   const line_options& options)
      : function_(function), x_(x.tensor(function)), options_(options) {}

  void require_gradient_bins() const {
    const std::size_t got = extent();
    require_gradient(function_, checked_real_length(function_, options_.n, got) / 2 + 1, got);
  }
  void require_gradient_points() const {
    require_gradient(function_, checked_length(function_, options_.n, extent()), extent());
  }

  bins complex_points() const { return {}; }
  bins complex_bins() const { return {}; }
  real real_points() const { return {}; }

  void complex(direction dir, bins& out) const {
    out = bins(complex_line_on_device(function_, dir, x_, options_));
  }
  void real_forward(bins& out, bool adjoint = false) const {
    out = bins(real_line_on_device(function_, direction::forward, x_, options_, adjoint));
  }
  void real_inverse(real& out, bool adjoint = false) const {
    out = real(real_line_on_device(function_, direction::inverse, x_, options_, adjoint));
  }
  void hermitian_forward(real& out) const {
    out = real(hermitian_line_on_device(function_, direction::forward, x_, options_));
  }
  void hermitian_inverse(bins& out) const {
    out = bins(hermitian_line_on_device(function_, direction::inverse, x_, options_));
  }

 private:
  std::size_t extent() const {
    return x_->shape().extents[checked_axis(function_, options_.axis, Rank)];
  }

  const char* function_;
  const shared_tensor& x_;
  const line_options& options_;
};

template <array_like X>
auto line_of(const char* function, const X& x, const line_options& options,
             bool from_bins = false) {
  return line_call(function, as_view(x), options, from_bins);
}
template <class T, std::size_t Rank>
auto line_of(const char* function, const device_array<T, Rank>& x, const line_options& options,
             bool /*from_bins*/ = false) {
  return device_line_call<T, Rank>(function, x, options);
}

template <class X>
using complex_view = view<std::complex<real_of<X>>, rank_of<X>>;
template <class X>
using real_view = view<real_of<X>, rank_of<X>>;
template <class Out, class X>
concept complex_output = writable_array_of<Out, complex_view<X>>;
template <class Out, class X>
concept real_output = writable_array_of<Out, real_view<X>>;

}  // namespace transform_detail

/// Computes the DFT X[k] = sum_j x[j] exp(-2 pi i j k / n) along one axis, times the factor that
/// options.norm gives to the forward direction (default 1), as numpy.fft.fft. The result has extent
/// n along the axis (default: the last) and the others of x. O(n log n) a line; options.on.threads
/// threads share the lines, or a single complex one if its recipe allows
/// (fft_plan::execute_parallel). A device array has its result on the same device, by one launch,
/// and another if x is cut, padded, made complex or conjugated.
///
/// Throws invalid_argument if n (given, or the extent of the axis) is below 1, x does not have the
/// axis, or options.on asks for what cannot be had; resource_error if memory cannot be allocated.
template <transformable X>
auto fft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("fft", x, options);
  auto out = call.complex_points();
  call.complex(direction::forward, out);
  return out;
}

/// Computes the inverse DFT x[j] = sum_k X[k] exp(+2 pi i j k / n), times the factor of the inverse
/// direction (default 1/n), as numpy.fft.ifft. All else is as in fft.
template <transformable X>
auto ifft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("ifft", x, options);
  auto out = call.complex_points();
  call.complex(direction::inverse, out);
  return out;
}

/// Compute fft and ifft into existing memory: `out` has the result's extents, any strides under
/// which no two elements share an address, and may be x or overlap it.
/// Throws as fft, and shape_error for other extents or strides.
template <array_like X, transform_detail::complex_output<X> Out>
void fft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("fft", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::forward, to);
}
template <array_like X, transform_detail::complex_output<X> Out>
void ifft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("ifft", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_points(to);
  call.complex(direction::inverse, to);
}

/// Computes the half spectrum of n/2 + 1 bins of n reals along one axis, as numpy.fft.rfft; sign,
/// factor and errors as in fft. Complex input does not compile.
template <real_transformable X>
auto rfft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("rfft", x, options);
  auto out = call.complex_bins();
  call.real_forward(out);
  return out;
}

/// Computes the n reals whose half spectrum is x along one axis, as numpy.fft.irfft, with factor
/// 1/n by default. n defaults to 2 (m - 1) for m bins; bins are cut, or zeros put after them, to
/// n/2 + 1. The imaginary parts of bin 0 and, for even n, of bin n/2 are ignored.
/// Throws as fft; one bin alone needs n.
template <transformable X>
auto irfft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("irfft", x, options, true);
  auto out = call.real_points();
  call.real_inverse(out);
  return out;
}

/// Compute rfft and irfft into existing memory; `out` as in fft.
template <real_array_like X, transform_detail::complex_output<X> Out>
void rfft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("rfft", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_bins(to);
  call.real_forward(to);
}
template <array_like X, transform_detail::real_output<X> Out>
void irfft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("irfft", x, options, true);
  const auto to = base_detail::as_writable_view(out);
  call.require_real_points(to);
  call.real_inverse(to);
}

/// Compute the gradient of a real loss L by x from that by fft(x, options), or ifft, rfft, irfft,
/// with a complex gradient dL/dRe + i dL/dIm as in torch.autograd: the adjoint transform, which is
/// the opposite one with the factor of this, and for real transforms with each bin once.
/// - options are those of the forward call. x has extent n along the axis; the gradient of an x
///   that was cut or padded is this, padded or cut.
/// - rfft_vjp of m bins has 2 (m - 1) reals unless n says otherwise.
///
/// A change dx of x changes fft(x) by fft(dx), since it is linear: that is the other derivative.
/// Throws as the transforms, and shape_error for a gradient of another length than n makes.
template <transformable G>
auto fft_vjp(const G& gradient, line_options options = {}) {
  options.norm = transform_detail::swapped(options.norm);
  return ifft(gradient, options);
}
template <transformable G>
auto ifft_vjp(const G& gradient, line_options options = {}) {
  options.norm = transform_detail::swapped(options.norm);
  return fft(gradient, options);
}
template <transformable G>
auto rfft_vjp(const G& gradient, const line_options& options = {}) {
  const auto call = transform_detail::line_of("rfft_vjp", gradient, options, true);
  call.require_gradient_bins();
  auto out = call.real_points();
  call.real_inverse(out, true);
  return out;
}
template <real_transformable G>
auto irfft_vjp(const G& gradient, const line_options& options = {}) {
  const auto call = transform_detail::line_of("irfft_vjp", gradient, options);
  call.require_gradient_points();
  auto out = call.complex_bins();
  call.real_forward(out, true);
  return out;
}

/// Computes the real spectrum, of length n, of a signal with x[-j] = conj(x[j]) of which the first
/// n/2 + 1 values are given, as numpy.fft.hfft, with factor 1 by default. n defaults to 2 (m - 1)
/// for m values, which are cut or padded with zeros. Throws as irfft.
template <transformable X>
auto hfft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("hfft", x, options, true);
  auto out = call.real_points();
  call.hermitian_forward(out);
  return out;
}

/// Computes the inverse of hfft, n reals to n/2 + 1 values, as numpy.fft.ihfft, with factor 1/n by
/// default. Complex input does not compile. Throws as fft.
template <real_transformable X>
auto ihfft(const X& x, const line_options& options = {}) {
  const auto call = transform_detail::line_of("ihfft", x, options);
  auto out = call.complex_bins();
  call.hermitian_inverse(out);
  return out;
}

/// Compute hfft and ihfft into existing memory; `out` as in fft.
template <array_like X, transform_detail::real_output<X> Out>
void hfft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("hfft", x, options, true);
  const auto to = base_detail::as_writable_view(out);
  call.require_real_points(to);
  call.hermitian_forward(to);
}
template <real_array_like X, transform_detail::complex_output<X> Out>
void ihfft(const X& x, Out&& out, const line_options& options = {}) {
  const auto call = transform_detail::line_of("ihfft", x, options);
  const auto to = base_detail::as_writable_view(out);
  call.require_complex_bins(to);
  call.hermitian_inverse(to);
}

}  // namespace papilio

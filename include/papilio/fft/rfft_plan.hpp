#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/options.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {

/// Discrete Fourier transform of n >= 1 reals to the n/2 + 1 bins of half a spectrum, and back.
///
/// - forward: X[k] = sum_j x[j] exp(-2 pi i j k / n), k = 0 ... n/2 (integer division), times the
///   factor of the normalization.
/// - inverse: n reals from n/2 + 1 bins; the imaginary parts of bin 0 and, for even n, of bin n/2
///   are ignored, as in numpy.fft.irfft. inverse(forward(x)) = x except under `none`.
///
/// T is float, double, or long double (computed one element at a time: slow). A plan is immutable,
/// cheap to copy, and safe to execute from many threads at once. Even n costs a complex transform
/// of n/2 and the r2c unpacking, odd n a complex one of n. Operands may have any alignment. The
/// input is never written unless it is the output: `in` and `out` may begin at the same address
/// (then the longer of the two is the memory that is used).
template <class T>
class PAPILIO_API rfft_plan {
  static_assert(std::is_floating_point_v<T>, "T is float, double or long double");

 public:
  using value_type = T;

  /// Plans both directions. Throws invalid_argument if n is 0; resource_error for lack of memory.
  explicit rfft_plan(std::size_t n, fft_options options = {});

  std::size_t size() const;
  /// Number of bins of the half spectrum, n/2 + 1.
  std::size_t bins() const;
  /// Scratch size, in complex elements, with which forward and inverse allocate nothing.
  std::size_t scratch_size() const;
  const recipe& design() const;
  /// Plans the adjoints of both directions. With the factors c of the forward and d of the inverse
  /// transform of this plan, the inverse of the result is the adjoint of this forward,
  ///   x[j] = c Re sum_k g[k] exp(2 pi i j k / n), k = 0 ... n/2, every bin once,
  /// and the forward of the result is the adjoint of this inverse,
  ///   X[k] = d w[k] sum_j g[j] exp(-2 pi i j k / n), w = 1 at bin 0 and, for even n, at bin n/2,
  /// w = 2 at the others. They take gradients to gradients as fft_plan::adjoint does: for X =
  /// forward(x), dL/dx = adjoint().inverse(dL/dX). The adjoint of the result is this plan.
  rfft_plan adjoint() const;

  /// Transforms n reals to n/2 + 1 bins. Scratch must not overlap the operands; without scratch,
  /// small n uses the stack and large n allocates.
  /// Throws shape_error unless in holds n reals and out n/2 + 1 bins, or if scratch is given and
  /// short; invalid_argument if the operands overlap and do not begin at the same address.
  void forward(std::span<const T> in, std::span<std::complex<T>> out,
               std::span<std::complex<T>> scratch = {}) const;

  /// Transforms n/2 + 1 bins to n reals; scratch, aliasing and errors as in forward.
  void inverse(std::span<const std::complex<T>> in, std::span<T> out,
               std::span<std::complex<T>> scratch = {}) const;

  /// Transforms w[j] x[j] to its bins X[k], their magnitudes |X[k]|, or their powers |X[k]|^2, for
  /// spectra of windowed segments. |X| is the root of |X|^2 and overflows with it. If n is even and
  /// n/2 has a codelet or Stockham passes that fill the registers, the window is applied by the
  /// first pass and the magnitude by the last, else in passes of their own. `scratch` holds
  /// spectrum_scratch_size() complex elements (empty: allocated).
  /// Throws shape_error unless in and window hold n and out n/2 + 1, or if scratch is given and
  /// short; invalid_argument if out overlaps in or window.
  void forward_windowed(std::span<const T> in, std::span<const T> window,
                        std::span<std::complex<T>> out,
                        std::span<std::complex<T>> scratch = {}) const;
  void forward_magnitude(std::span<const T> in, std::span<const T> window, std::span<T> out,
                         std::span<std::complex<T>> scratch = {}) const;
  void forward_power(std::span<const T> in, std::span<const T> window, std::span<T> out,
                     std::span<std::complex<T>> scratch = {}) const;
  /// Scratch size, in complex elements, with which these three allocate nothing.
  std::size_t spectrum_scratch_size() const;

  /// Transforms rows of [batch, n] to rows of [batch, n/2 + 1], or back: forward_axis and
  /// inverse_axis along axis 1.
  void forward_batch(view<const T, 2> in, view<std::complex<T>, 2> out, int threads = 1) const;
  void inverse_batch(view<const std::complex<T>, 2> in, view<T, 2> out, int threads = 1) const;
  /// Transforms vectors or spans that hold whole rows one after the other, else shape_error.
  template <flat_array In, flat_array Out>
  void forward_batch(const In& in, Out&& out, int threads = 1) const {
    const char* const function = "rfft_plan::forward_batch";
    forward_batch(
        base_detail::rows_of(function, "in", base_detail::as_view(in), size()),
        base_detail::rows_of(function, "out", base_detail::as_writable_view(out), size() / 2 + 1),
        threads);
  }
  template <flat_array In, flat_array Out>
  void inverse_batch(const In& in, Out&& out, int threads = 1) const {
    const char* const function = "rfft_plan::inverse_batch";
    inverse_batch(base_detail::rows_of(function, "in", base_detail::as_view(in), size() / 2 + 1),
                  base_detail::rows_of(function, "out", base_detail::as_writable_view(out), size()),
                  threads);
  }

  /// Transforms every line along `axis` of an array of any rank, of n reals and n/2 + 1 bins; the
  /// other extents are equal. Operands whose memory overlaps are copied first. Strides, threads,
  /// rank and errors are those of fft_plan::execute_axis.
  template <std::size_t Rank>
  void forward_axis(std::type_identity_t<view<const T, Rank>> in, view<std::complex<T>, Rank> out,
                    std::size_t axis, int threads = 1) const {
    forward_lines(base_detail::any_rank(in), base_detail::any_rank(out), axis, threads);
  }
  template <std::size_t Rank>
  void inverse_axis(std::type_identity_t<view<const std::complex<T>, Rank>> in, view<T, Rank> out,
                    std::size_t axis, int threads = 1) const {
    inverse_lines(base_detail::any_rank(in), base_detail::any_rank(out), axis, threads);
  }

 private:
  friend struct fft_detail::plan_access;
  template <class Out>
  void spectrum(const char* function, std::span<const T> in, std::span<const T> window,
                spectrum_form form, std::span<Out> out, std::span<std::complex<T>> scratch) const;
  struct state;
  explicit rfft_plan(std::shared_ptr<const state> built) : state_(std::move(built)) {}
  void forward_lines(base_detail::strided<const T> in, base_detail::strided<std::complex<T>> out,
                     std::size_t axis, int threads) const;
  void inverse_lines(base_detail::strided<const std::complex<T>> in, base_detail::strided<T> out,
                     std::size_t axis, int threads) const;
  std::shared_ptr<const state> state_;
};

extern template class rfft_plan<float>;
extern template class rfft_plan<double>;
extern template class rfft_plan<long double>;

}  // namespace papilio

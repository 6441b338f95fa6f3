#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/window.hpp"

namespace papilio {

/// Trend subtracted from each segment before the window: none, its mean, or its least-squares line.
enum class detrending { none, constant, linear };

/// Scaling of a power spectrum. density: V^2/Hz, 1 / (rate sum w^2), so that the sum over the bins
/// times rate / n_fft is the signal's mean square; spectrum: V^2, 1 / (sum w)^2, so that a sine of
/// amplitude A at a bin's centre is A^2 / 2 (one-sided).
enum class psd_scaling { density, spectrum };

/// Average of each bin over the segments. median: divided by the median's bias for exponentially
/// distributed powers, so that white noise gives what the mean gives; bursts hardly change it.
enum class psd_average { mean, median };

/// Options of Welch's method.
struct welch_options {
  double rate_hz = 1;                       ///< sample rate, positive and finite
  std::size_t segment_length = 256;         ///< samples, 1 ... n_fft
  std::optional<std::size_t> overlap = {};  ///< samples, below segment_length; none: half of it
  std::size_t n_fft = 0;  ///< segment_length ... 2^24, zeros after the segment; 0: segment_length
  window_spec window = window_kind::hann;  ///< periodic
  detrending detrend = detrending::constant;
  psd_scaling scaling = psd_scaling::density;
  psd_average average = psd_average::mean;
  bool one_sided = true;  ///< bins 0 ... n_fft / 2, all but 0 Hz and the Nyquist frequency doubled
};

namespace signal_detail {
/// Line that is subtracted from a segment: mean + slope (j - middle) from its sample j.
struct trend {
  double mean = 0, slope = 0;
};

/// Spectrum of a segment without its trend, in units of 2^exponent.
template <class T>
struct segment_spectrum {
  std::span<const std::complex<T>> bins;  ///< n_fft / 2 + 1
  int exponent = 0;
  trend removed;  ///< in the samples' unit
};

/// Segments of one channel that arrives in blocks of any size, and their spectra
///   X[k] = sum_j w[j] (x[j] - trend[j]) exp(-2 pi i j k / n_fft).
/// T is float or double.
template <class T>
class PAPILIO_API welch_segments {
 public:
  /// Plans the segments of options that are resolved. Throws invalid_argument as welch_stream.
  explicit welch_segments(const welch_options& options);

  /// Looks at the samples that take() is given next.
  void expect(std::span<const T> samples);
  /// Moves samples from the front into the segment; whether it is whole.
  bool take(std::span<const T>& samples);
  /// Computes the spectrum of the whole segment, which is valid until the next; the next one begins.
  segment_spectrum<T> analyse();

  std::uint64_t segments() const { return segments_; }
  std::uint64_t received() const { return received_; }
  /// Discards the samples, keeps the plan.
  void reset();

 private:
  trend transform(int exponent);

  std::size_t overlap_;
  detrending detrend_;
  rfft_plan<T> transform_;
  array<T, 1> window_;
  T bound_;  // samples beyond may overflow
  std::uint64_t segments_ = 0, received_ = 0, large_until_ = 0;
  std::size_t filled_ = 0;
  array<T, 1> line_, windowed_;
  array<std::complex<T>, 1> spectrum_, scratch_;
};

extern template class welch_segments<float>;
extern template class welch_segments<double>;
}  // namespace signal_detail

/// Power spectral density by Welch's method of a signal that arrives in blocks of any size; the
/// numbers of scipy.signal.welch.
///   P[k] = average over the segments of |sum_j w[j] (x[j] - trend[j]) exp(-2 pi i j k / n_fft)|^2,
/// scaled, and doubled where one-sided. Only whole segments count.
///
/// Sums are kept in double, in the order of the segments: the result does not depend on how the
/// signal is cut. Memory: a segment and a spectrum; the median keeps every segment's spectrum. T is
/// float or double. Not thread-safe. push allocates nothing, except with the median.
///
/// Welch, P. (1967), IEEE Trans. AU-15, 70; Allen, B. et al. (2012), Phys. Rev. D 85, 122006
/// (median).
template <class T>
class PAPILIO_API welch_stream {
 public:
  /// Plans an estimate. Throws invalid_argument naming the option unless rate_hz is positive and
  /// finite, segment_length at least 1 and at most n_fft, n_fft at most 2^24, overlap below
  /// segment_length, the window's parameter in its range, and the weights not all so small that
  /// their squares vanish in T.
  explicit welch_stream(const welch_options& options = {});

  /// Options with overlap and n_fft resolved.
  const welch_options& options() const { return options_; }
  std::size_t bins() const;
  /// Frequency of a bin in Hz, k rate / n_fft; two-sided as in numpy.fft.fftfreq.
  double frequency_hz(std::size_t bin) const;
  std::uint64_t segments() const { return analysis_.segments(); }

  /// Takes the next samples, any number of them.
  void push(std::span<const T> samples);

  /// Computes the average over the segments so far, to bins() values. More may be pushed.
  /// Throws shape_error unless out holds bins() values, invalid_argument if no segment is complete.
  void result(std::span<T> out) const;
  array<T, 1> result() const;
  /// This is result() in double, which holds the powers of all samples: of floats below 1e-19 or
  /// beyond 1e19 no float does.
  array<double, 1> result_in_double() const;

  /// Sums over the segments of what was subtracted: of the means and their squares, and of the
  /// squares of how far lines rise from the middle of a segment to its end.
  struct trend_sums {
    double mean = 0, mean_square = 0, rise_square = 0;
  };
  const trend_sums& trends() const { return trends_; }

  /// Discards the samples, keeps the plan.
  void reset();

 private:
  void add(const signal_detail::segment_spectrum<T>& segment);
  template <class Out>
  void place_result(Out* out) const;
  std::size_t half_bins() const { return options_.n_fft / 2 + 1; }

  welch_options options_;
  signal_detail::welch_segments<T> analysis_;
  double scale_;
  array<double, 1> sum_;
  std::vector<T> powers_;      // [segments, half_bins()], for the median
  std::vector<double> units_;  // that the powers of each segment are in
  trend_sums trends_;
};

extern template class welch_stream<float>;
extern template class welch_stream<double>;

/// Computes the power spectral density of a whole signal, [bins], or of each row of [signals,
/// samples], [signals, bins], on `threads` threads (0: every core), on which the result does not
/// depend.
/// Throws as welch_stream, and invalid_argument if the signal is shorter than a segment (scipy
/// would shorten the segment).
template <class T>
PAPILIO_API array<T, 1> welch(std::span<const T> signal, const welch_options& options = {});
template <class T>
PAPILIO_API array<T, 2> welch(view<const T, 2> signals, const welch_options& options = {},
                              int threads = 1);

/// Computes the same densities in double, as welch_stream::result_in_double.
template <class T>
PAPILIO_API array<double, 2> welch_in_double(view<const T, 2> signals,
                                             const welch_options& options = {}, int threads = 1);

/// Compute the density on the side that `on` chooses; the overloads above are the host's, whatever
/// PAPILIO_POLICY says. An accelerator computes in float, in one dispatch: powers, then their sums.
/// It has no kernel with detrending (the default), medians, or an n_fft above segment_length: under
/// automatic these and double are the host's. Automatic compares both steps there with the powers
/// on the host, which sums them without another pass.
/// Throws also device_error for these and double under policy::device.
template <class T>
PAPILIO_API array<T, 1> welch(std::span<const T> signal, const welch_options& options,
                              const execution& on);
template <class T>
PAPILIO_API array<T, 2> welch(view<const T, 2> signals, const welch_options& options,
                              const execution& on);

/// Computes the density of a vector, or of any array of one signal or of rows of signals.
template <readable_array X, class... On>
  requires(std::floating_point<base_detail::value_of<X>> && base_detail::rank_of<X> <= 2)
auto welch(const X& signal, const welch_options& options = {}, const On&... on) {
  using T = base_detail::value_of<X>;
  if constexpr (flat_array<X>)
    return welch<T>(std::span<const T>(std::ranges::data(signal), std::ranges::size(signal)),
                    options, on...);
  else
    return welch<T>(base_detail::as_view(signal), options, on...);
}

/// Options of a periodogram.
struct periodogram_options {
  double rate_hz = 1;     ///< sample rate, positive and finite
  std::size_t n_fft = 0;  ///< length of the signal ... 2^24, zeros after it; 0: that length
  window_spec window = window_kind::rectangular;
  detrending detrend = detrending::constant;
  psd_scaling scaling = psd_scaling::density;
  bool one_sided = true;
};

/// Computes the power spectral density with the whole signal as the only segment of Welch's method;
/// the numbers of scipy.signal.periodogram.
/// Throws as welch_stream, and invalid_argument for no samples and for an n_fft below the signal's
/// length (where scipy cuts the signal).
template <class T>
PAPILIO_API array<T, 1> periodogram(std::span<const T> signal,
                                    const periodogram_options& options = {});
/// Computes the periodogram on the side that `on` chooses, as welch.
template <class T>
PAPILIO_API array<T, 1> periodogram(std::span<const T> signal, const periodogram_options& options,
                                    const execution& on);

/// Compute the periodograms of each row of [signals, samples], [signals, bins], as welch.
template <class T>
PAPILIO_API array<T, 2> periodogram(view<const T, 2> signals,
                                    const periodogram_options& options = {}, int threads = 1);
template <class T>
PAPILIO_API array<T, 2> periodogram(view<const T, 2> signals, const periodogram_options& options,
                                    const execution& on);

/// Computes the periodogram of a vector, or of any array of one signal or of rows of signals.
template <readable_array X, class... On>
  requires(std::floating_point<base_detail::value_of<X>> && base_detail::rank_of<X> <= 2)
auto periodogram(const X& signal, const periodogram_options& options = {}, const On&... on) {
  using T = base_detail::value_of<X>;
  if constexpr (flat_array<X>)
    return periodogram<T>(std::span<const T>(std::ranges::data(signal), std::ranges::size(signal)),
                          options, on...);
  else
    return periodogram<T>(base_detail::as_view(signal), options, on...);
}

}  // namespace papilio

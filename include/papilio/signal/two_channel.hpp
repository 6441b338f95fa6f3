#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/welch.hpp"

namespace papilio {

/// Estimator of the transfer function H = Y / X from averages over segments.
/// - h1: Sxy / Sxx; noise added to y averages out, noise added to x makes H smaller
/// - h2: Syy / Syx; noise added to x averages out, noise added to y makes H larger
/// - hv: their geometric mean, Sxy / |Sxy| sqrt(Syy / Sxx), for noise in both
enum class transfer_estimator { h1, h2, hv };

/// Cross-spectrum by Welch's method of two signals that arrive together in blocks of any size, and
/// what follows from it; the numbers of scipy.signal.csd and coherence.
///   Sxy[k] = average over the segments of conj(X[k]) Y[k],
/// with segments, X and Y, scaling and one-sided doubling as in welch_stream. A y that is later
/// than x has the phase -2 pi f delay. Two-sided bins k and n_fft - k are conjugates.
///
/// Sums are kept in double, in the order of the segments: the result does not depend on how the
/// signals are cut. Memory: two segments and four spectra; the median keeps every segment's
/// spectrum. NaN in a segment of x or y makes all bins NaN that it counts in, as in scipy. T is
/// float or double; results are in double. Not thread-safe. push allocates only with the median.
///
/// Bendat, J., Piersol, A. (2010), Random Data, 4th ed., chapters 6 and 9.
template <class T>
class PAPILIO_API cross_spectrum_stream {
 public:
  /// Plans an estimate. Throws invalid_argument as welch_stream.
  explicit cross_spectrum_stream(const welch_options& options = {});

  /// Options with overlap and n_fft resolved.
  const welch_options& options() const { return options_; }
  std::size_t bins() const;
  /// Frequency of a bin in Hz, as welch_stream::frequency_hz.
  double frequency_hz(std::size_t bin) const;
  std::uint64_t segments() const { return x_.segments(); }

  /// Takes the next samples of both, any number of them. Throws shape_error for different numbers.
  void push(std::span<const T> x, std::span<const T> y);

  /// Computes Sxy, [bins()]. The median is that of real and imaginary parts, each divided by the
  /// bias of welch_stream. Throws invalid_argument if no segment is complete.
  array<std::complex<double>, 1> cross_spectrum() const;

  /// Compute Sxx and Syy, [bins()], as welch_stream does. These and all below throw
  /// invalid_argument if no segment is complete and, as they are ratios of means or parts of such,
  /// under psd_average::median.
  array<double, 1> x_power() const;
  array<double, 1> y_power() const;
  /// Computes the magnitude-squared coherence |Sxy|^2 / (Sxx Syy), [bins()], 0 ... 1: how much of
  /// the power of y follows linearly from x. One segment always has 1, and n segments of unrelated
  /// noise have 1 / n in the mean. NaN where x or y has no power.
  array<double, 1> coherence() const;
  /// Computes the transfer function, [bins()]. NaN or infinite where the denominator is 0.
  array<std::complex<double>, 1> transfer_function(
      transfer_estimator estimator = transfer_estimator::h1) const;

  /// Discards the samples, keeps the plan.
  void reset();

 private:
  std::size_t half_bins() const { return options_.n_fft / 2 + 1; }
  void require(bool mean) const;
  double mean_scale() const;
  template <class Function>
  auto placed(bool is_power, const Function& value) const;

  welch_options options_;
  signal_detail::welch_segments<T> x_, y_;
  double scale_;
  array<double, 1> xx_, yy_;
  array<std::complex<double>, 1> xy_;
  std::vector<std::complex<T>> products_;  // [segments, half_bins()], for the median
  std::vector<double> units_;              // that the products of each segment are in
};

extern template class cross_spectrum_stream<float>;
extern template class cross_spectrum_stream<double>;

/// Compute cross-spectrum, coherence and transfer function of two whole signals, [bins]: one push.
/// Throw as cross_spectrum_stream, also for signals shorter than a segment (scipy would shorten the
/// segment and pad the shorter signal).
template <class T>
PAPILIO_API array<std::complex<double>, 1> csd(std::span<const T> x, std::span<const T> y,
                                               const welch_options& options = {});
template <class T>
PAPILIO_API array<double, 1> coherence(std::span<const T> x, std::span<const T> y,
                                       const welch_options& options = {});
template <class T>
PAPILIO_API array<std::complex<double>, 1> transfer_function(
    std::span<const T> x, std::span<const T> y, const welch_options& options = {},
    transfer_estimator estimator = transfer_estimator::h1);

/// Compute them of vectors and arrays.
template <flat_array X, flat_array Y>
auto csd(const X& x, const Y& y, const welch_options& options = {}) {
  using T = base_detail::value_of<X>;
  return csd<T>(std::span<const T>(x), std::span<const T>(y), options);
}
template <flat_array X, flat_array Y>
auto coherence(const X& x, const Y& y, const welch_options& options = {}) {
  using T = base_detail::value_of<X>;
  return coherence<T>(std::span<const T>(x), std::span<const T>(y), options);
}
template <flat_array X, flat_array Y>
auto transfer_function(const X& x, const Y& y, const welch_options& options = {},
                       transfer_estimator estimator = transfer_estimator::h1) {
  using T = base_detail::value_of<X>;
  return transfer_function<T>(std::span<const T>(x), std::span<const T>(y), options, estimator);
}

/// Computes the phase of each value in radians, -pi ... pi; `unwrapped`: with multiples of 2 pi
/// added so that no step is beyond pi, as numpy.unwrap. NaN stays NaN, and the next number
/// continues the one before.
PAPILIO_API array<double, 1> phase(std::span<const std::complex<double>> response,
                                   bool unwrapped = false);

/// Computes the group delay -d phase / d omega in seconds at each of bins that are bin_hz apart:
/// the mean of both steps of the phase beside a bin, at the ends the one there is; numpy.gradient
/// of the unwrapped phase. Delays below 1 / (2 bin_hz) are unambiguous. One bin has 0.
/// Throws invalid_argument unless bin_hz is positive and finite.
PAPILIO_API array<double, 1> group_delay_seconds(std::span<const std::complex<double>> response,
                                                 double bin_hz);

/// Weighting of the cross-spectrum by which a delay is found.
/// - none: the cross-correlation itself, least disturbed by noise
/// - phat: Sxy / |Sxy|, a sharp peak whatever the signal's colour, under echoes too; bins 120 dB
///   below the strongest have weight 0
enum class delay_weighting { none, phat };

/// Options of find_delay.
struct delay_options {
  delay_weighting weighting = delay_weighting::none;
  std::size_t max_delay = 0;  ///< samples of either sign that are searched; 0: all there are
};

struct delay_estimate {
  double samples = 0;  ///< y is so much later than x; negative: earlier
  /// Correlation there, -1 ... 1 (phat: of white signals); negative: y has the other polarity.
  double correlation = 0;
};

/// Returns the options under which a cross_spectrum_stream sees all delays below a segment:
/// rectangular segments side by side, with zeros of at least their length behind and without their
/// means. There are as few as hold all `samples` in segments of at most `longest`.
/// Throws invalid_argument unless samples is at least 1 and longest 1 ... 2^23.
PAPILIO_API welch_options delay_segments(std::size_t samples, std::size_t longest = 1 << 20);

/// Finds the delay of y: the largest magnitude of the correlation, the inverse transform of Sxy.
/// Between samples it is the maximum of the band-limited function that goes through the
/// correlation, found by Newton's method from the parabola through three samples. A delay of d
/// samples is seen by the part 1 - |d| / segment_length of a segment, with delay_segments().
/// Throws invalid_argument if a signal has no power or is not finite, for a max_delay above half
/// of n_fft, under psd_average::median, and without a segment.
///
/// Knapp, C., Carter, G. (1976), IEEE Trans. ASSP-24, 320.
template <class T>
PAPILIO_API delay_estimate find_delay(const cross_spectrum_stream<T>& spectra,
                                      const delay_options& options = {});
/// Finds the delay of whole signals, in delay_segments(): of up to 2^20 samples all delays there
/// are, of longer ones those below 2^19.
/// Throws also shape_error for different lengths and for none.
template <class T>
PAPILIO_API delay_estimate find_delay(std::span<const T> x, std::span<const T> y,
                                      const delay_options& options = {});

/// Finds the delay of vectors and arrays.
template <flat_array X, flat_array Y>
delay_estimate find_delay(const X& x, const Y& y, const delay_options& options = {}) {
  using T = base_detail::value_of<X>;
  return find_delay<T>(std::span<const T>(x), std::span<const T>(y), options);
}

/// Exponential sine sweep x(t) = sin(2 pi low L (exp(t / L) - 1)), L = seconds / ln(high / low),
/// whose frequency rises from low_hz at the first sample to high_hz behind the last, with equal
/// time in each octave.
struct sweep_options {
  double rate_hz = 48000;               ///< positive and finite
  double low_hz = 20, high_hz = 20000;  ///< ascending, above 0, at most rate_hz / 2
  std::size_t samples = 480000;         ///< 2 ... 2^23
  std::size_t fade_in = 0,
              fade_out = 0;  ///< samples of half a Hann window; together at most `samples`
};

/// Computes the sweep, [samples], -1 ... 1: scipy.signal.chirp(method="logarithmic", phi=-90),
/// faded. These throw invalid_argument naming the option that is out of its range.
///
/// Farina, A. (2000), AES Convention 108, paper 5093.
PAPILIO_API array<double, 1> exponential_sweep(const sweep_options& options);

/// Computes the sweep's inverse filter, [samples]: the sweep backwards with an amplitude that falls
/// by exp(-t / L), scaled so that the convolution of both is an impulse of gain 1 between low_hz
/// and high_hz at sample samples - 1.
PAPILIO_API array<double, 1> inverse_sweep(const sweep_options& options);

/// Returns the number of samples, L rate_hz ln(order), by which the response of the harmonic of
/// that order stands before the linear one in an impulse response. Throws also for order 0.
PAPILIO_API double harmonic_lead(const sweep_options& options, std::size_t order);

struct measured_impulse {
  array<double, 1> samples;
  std::size_t origin = 0;  ///< index of time 0; before it stand the harmonics of a sweep
};

/// Computes the impulse response from an excitation and its recording, by division of spectra,
///   H = conj(X) Y / (|X|^2 + regularization max |X|^2).
/// It has recorded + excitation - 1 samples, the origin at excitation - 1. The regularization loses
/// that part of the gain where |X|^2 is largest, and keeps noise out where the excitation has no
/// power. Lengths may differ: silence behind a sweep needs no copy in the recording.
/// Throws invalid_argument for empty, not finite or together more than 2^24 samples, a silent
/// excitation, and a regularization that is not positive and finite.
template <class T>
PAPILIO_API measured_impulse impulse_response(std::span<const T> recorded,
                                              std::span<const T> excitation,
                                              double regularization = 1e-6);
template <flat_array X, flat_array Y>
measured_impulse impulse_response(const X& recorded, const Y& excitation,
                                  double regularization = 1e-6) {
  using T = base_detail::value_of<X>;
  return impulse_response<T>(std::span<const T>(recorded), std::span<const T>(excitation),
                             regularization);
}

}  // namespace papilio

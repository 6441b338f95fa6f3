#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/fft/dct_plan.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

// Features of segments, by the definitions and defaults of librosa.feature. Those of a spectrum
// take magnitudes [segments, bins] of a half spectrum, bin k at k bin_hz (the rate / n_fft), with
// any strides, and return one number a segment. T is float or double; sums are kept in double.
// O(segments * bins). NaN among the magnitudes makes NaN. All are safe to call from many threads.
// Throws invalid_argument if bin_hz is not finite and positive, or there are no bins.

/// Computes the centroid sum_k f[k] S[k] / sum_k S[k], in Hz; 0 for silence.
template <class T>
PAPILIO_API array<T, 1> spectral_centroid(view<const T, 2> magnitude, double bin_hz);

/// Computes the bandwidth (sum_k |f[k] - centroid|^p S[k] / sum_k S[k])^(1/p) in Hz (silence: 0).
/// Throws also invalid_argument unless p is finite and above 0.
template <class T>
PAPILIO_API array<T, 1> spectral_bandwidth(view<const T, 2> magnitude, double bin_hz, double p = 2);

/// Computes the rolloff frequency, in Hz, of the first bin up to which the sum of the magnitudes
/// reaches `share` of the whole; 0 for silence.
/// Throws also invalid_argument unless 0 < share < 1.
template <class T>
PAPILIO_API array<T, 1> spectral_rolloff(view<const T, 2> magnitude, double bin_hz,
                                         double share = 0.85);

/// Computes the flatness, the geometric over the arithmetic mean of max(floor, S[k]^2): 1 for a
/// flat spectrum and for silence, near 0 for a tone.
/// Throws also invalid_argument unless floor is finite and positive.
template <class T>
PAPILIO_API array<T, 1> spectral_flatness(view<const T, 2> magnitude, double floor = 1e-10);

/// Computes the RMS of a segment's windowed samples, by Parseval's theorem from magnitudes that are
/// unscaled (sum_j w[j] x[j] exp(...)): (2 sum_k S[k]^2 - S[0]^2 - S[n_fft/2]^2)^(1/2) / n_fft, the
/// last term if n_fft is even.
/// Throws shape_error unless there are n_fft / 2 + 1 bins.
template <class T>
PAPILIO_API array<T, 1> spectral_rms(view<const T, 2> magnitude, std::size_t n_fft);

// The spectral features under a policy. Accelerators have no kernels for them: device is a
// device_error, automatic the host, on one thread.

template <class T>
array<T, 1> spectral_centroid(view<const T, 2> magnitude, double bin_hz, const execution& on) {
  signal_detail::require_host("spectral_centroid", "spectral_centroid", "it has no kernel", on);
  return spectral_centroid(magnitude, bin_hz);
}
template <class T>
array<T, 1> spectral_bandwidth(view<const T, 2> magnitude, double bin_hz, double p,
                               const execution& on) {
  signal_detail::require_host("spectral_bandwidth", "spectral_bandwidth", "it has no kernel", on);
  return spectral_bandwidth(magnitude, bin_hz, p);
}
template <class T>
array<T, 1> spectral_rolloff(view<const T, 2> magnitude, double bin_hz, double share,
                             const execution& on) {
  signal_detail::require_host("spectral_rolloff", "spectral_rolloff", "it has no kernel", on);
  return spectral_rolloff(magnitude, bin_hz, share);
}
template <class T>
array<T, 1> spectral_flatness(view<const T, 2> magnitude, double floor, const execution& on) {
  signal_detail::require_host("spectral_flatness", "spectral_flatness", "it has no kernel", on);
  return spectral_flatness(magnitude, floor);
}
template <class T>
array<T, 1> spectral_rms(view<const T, 2> magnitude, std::size_t n_fft, const execution& on) {
  signal_detail::require_host("spectral_rms", "spectral_rms", "it has no kernel", on);
  return spectral_rms(magnitude, n_fft);
}

/// Returns the RMS of samples, sqrt(sum x^2 / n); 0 for no samples.
template <class T>
PAPILIO_API double rms(std::span<const T> samples);

/// Returns the number of sign changes between neighbouring samples / number of samples; 0 for no
/// samples. Samples of magnitude `threshold` or less, and both zeros, count as positive.
/// Throws invalid_argument if threshold is negative or NaN.
template <class T>
PAPILIO_API double zero_crossing_rate(std::span<const T> samples, double threshold = 1e-10);

/// Segments of a signal in time: segment s begins at sample s * hop (minus length / 2 if centred),
/// as in stft_options with n_fft = length. Length and hop are in samples, at least 1.
struct segment_options {
  std::size_t length = 2048, hop = 512;
  bool centre = true;
};

/// Returns the number of segments: 1 + (samples + 2 (length / 2) - length) / hop if centred, else
/// 1 + (samples - length) / hop; 0 if there are no samples or too few for one.
/// Throws invalid_argument if length or hop is 0.
PAPILIO_API std::uint64_t segment_count(std::uint64_t samples, const segment_options& options);

/// Computes rms() or zero_crossing_rate() of each segment of a signal. Outside the signal are zeros
/// for rms, the first and the last sample for the crossings, as in librosa.
/// Throws as segment_count and zero_crossing_rate.
template <class T>
PAPILIO_API array<T, 1> segment_rms(std::span<const T> signal, const segment_options& options = {});
template <class T>
PAPILIO_API array<T, 1> segment_zero_crossing_rate(std::span<const T> signal,
                                                   const segment_options& options = {},
                                                   double threshold = 1e-10);

/// Peak of a spectrum.
struct spectral_peak {
  double frequency_hz;
  double power;  ///< |X|^2, in the units of the spectrum
};

/// Finds the strongest local maxima of a half spectrum |X|^2 of n_fft/2 + 1 powers, all on one
/// scale on which a sine of amplitude 1 is 1 at a bin's centre; strongest first, at most `count`.
/// O(bins log bins + bins * count).
///
/// Frequency and power between bins are those of the lone tone whose transform under the window of
/// `stft` has the ratio of the two highest bins.
/// - Bins 0 and n_fft/2 are reported as they are, a constant of 1 as 1.
/// - A maximum within a main lobe's width of a stronger one is taken as a part of it and left out,
///   as is one within `separation_hz`.
/// - So is anything more than `range_db` below the strongest: 120 dB is below a bit of 16-bit sound
///   and above the rounding of a float transform.
/// - Where n_fft is longer than the window, so are maxima that the side lobes of stronger ones
///   explain, at twice their power.
///
/// Under Hann a lone tone at least 4 bins from 0 and from n_fft/2 is found within 0.001 bins and
/// 0.01 dB (n_fft of 64 or more). Under the rectangular window the image at negative frequency
/// leaks in: 0.15 bins and 0.15 dB in that band at n_fft 64, less with length and distance. Under
/// the other windows: 0.01 bins and 0.02 dB where the main lobe is clear of the image.
///
/// Throws shape_error unless power has n_fft/2 + 1 elements; invalid_argument as stft_plan, or if
/// rate_hz is not positive and finite, or separation_hz or range_db negative or NaN.
PAPILIO_API std::vector<spectral_peak> find_peaks(std::span<const double> power,
                                                  const stft_options& stft, double rate_hz,
                                                  std::size_t count, double separation_hz = 0,
                                                  double range_db = 120);

/// Options of mel-frequency cepstral coefficients.
struct mfcc_options {
  std::size_t coefficients = 20;  ///< 1 ... bands
  decibel_options decibel = {};   ///< levels of the bands' powers
  double lifter = 0;  ///< L > 0: coefficient i times 1 + (L/2) sin(pi (i+1) / L); 0: as they are
};

/// Mel-frequency cepstral coefficients: the first coefficients of the orthonormal DCT-II of the
/// bands' levels in dB, as librosa.feature.mfcc(S=...) and torchaudio.transforms.MFCC. T is float
/// or double. Immutable and safe to use from many threads at once.
///
/// Davis, S., Mermelstein, P. (1980), IEEE Trans. ASSP-28, 357.
template <class T>
class PAPILIO_API mfcc_plan {
 public:
  /// Plans the coefficients of so many bands. Throws invalid_argument unless coefficients is 1 ...
  /// bands and lifter finite and at least 0.
  explicit mfcc_plan(std::size_t bands, const mfcc_options& options = {});

  std::size_t bands() const { return transform_.size(); }
  std::size_t coefficients() const { return options_.coefficients; }

  /// Computes the coefficients [segments, coefficients] of powers of a mel_filterbank, [segments,
  /// bands], with any strides with which an axis of out steps over the whole of the other. The
  /// result does not depend on `threads`. O(bands log bands) a segment.
  /// Throws shape_error if the extents or the strides of out do not fit, invalid_argument if out
  /// overlaps mel or for bad decibel options.
  void execute(view<const T, 2> mel, view<T, 2> out, int threads = 1) const;
  array<T, 2> execute(view<const T, 2> mel, int threads = 1) const;

  /// Computes the coefficients under a policy. Accelerators have no kernel: device is a
  /// device_error, automatic the host.
  void execute(view<const T, 2> mel, view<T, 2> out, const execution& on) const {
    signal_detail::require_host("mfcc_plan", "mfcc", "it has no kernel of cepstra", on);
    execute(mel, out, on.threads);
  }
  array<T, 2> execute(view<const T, 2> mel, const execution& on) const {
    signal_detail::require_host("mfcc_plan", "mfcc", "it has no kernel of cepstra", on);
    return execute(mel, on.threads);
  }

 private:
  mfcc_options options_;
  dct_plan<T> transform_;
  array<T, 1> lift_;
};

extern template class mfcc_plan<float>;
extern template class mfcc_plan<double>;

/// Settings of everything between samples and coefficients: of an stft_plan's execute_power, a
/// mel_filterbank and an mfcc_plan.
struct mfcc_settings {
  stft_options stft = {};
  mel_options mel = {};
  mfcc_options mfcc = {};
};

/// Returns the settings of librosa.feature.mfcc(y, sr): n_fft 2048, hop 512, Hann, zeros at the
/// ends; 128 Slaney bands of unit area; 80 dB below the highest; 20 coefficients.
PAPILIO_API mfcc_settings librosa_mfcc();

/// Returns the settings of torchaudio.transforms.MFCC(sample_rate): n_fft 400, hop 200, Hann,
/// mirrored at the ends; 128 HTK bands of unit height; 80 dB below the highest; 40 coefficients.
PAPILIO_API mfcc_settings torchaudio_mfcc();

}  // namespace papilio

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/signal/host_only.hpp"

namespace papilio {

// Numbers that describe a segment, by the definitions and defaults of librosa.feature. Those of a
// spectrum take magnitudes [segments, bins] of a half spectrum, bin k at k bin_hz (the rate /
// n_fft), and give one number a segment. T is float or double; sums are kept in double. Any
// strides. O(segments * bins). NaN among the magnitudes makes NaN. invalid_argument for a bin_hz
// that is not finite and positive, or for no bins. All are safe to call from many threads at once.

/// sum_k f[k] S[k] / sum_k S[k], in Hz; 0 for silence.
template <class T>
PAPILIO_API array<T, 1> spectral_centroid(view<const T, 2> magnitude, double bin_hz);

/// (sum_k |f[k] - centroid|^p S[k] / sum_k S[k])^(1/p), in Hz; 0 for silence. invalid_argument
/// unless p is finite and above 0.
template <class T>
PAPILIO_API array<T, 1> spectral_bandwidth(view<const T, 2> magnitude, double bin_hz, double p = 2);

/// The frequency, in Hz, of the first bin up to which the sum of the magnitudes reaches `share` of
/// the whole; 0 for silence. invalid_argument unless 0 < share < 1.
template <class T>
PAPILIO_API array<T, 1> spectral_rolloff(view<const T, 2> magnitude, double bin_hz,
                                         double share = 0.85);

/// Geometric over arithmetic mean of max(floor, S[k]^2): 1 for a flat spectrum and for silence,
/// near 0 for a tone. invalid_argument unless floor is finite and positive.
template <class T>
PAPILIO_API array<T, 1> spectral_flatness(view<const T, 2> magnitude, double floor = 1e-10);

/// Root of the mean square of a segment's windowed samples, by Parseval's theorem from magnitudes
/// that are unscaled (sum_j w[j] x[j] exp(...)): (2 sum_k S[k]^2 - S[0]^2 - S[n_fft/2]^2)^(1/2) /
/// n_fft, the last term where n_fft is even. shape_error unless there are n_fft / 2 + 1 bins.
template <class T>
PAPILIO_API array<T, 1> spectral_rms(view<const T, 2> magnitude, std::size_t n_fft);

// The same under a policy. Accelerators have no kernels of these: device is a device_error,
// automatic the host, on one thread.

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

/// Root of the mean square of samples; 0 of none.
template <class T>
PAPILIO_API double rms(std::span<const T> samples);

/// Changes of sign from one sample to the next / number of samples; 0 of none. Samples of magnitude
/// `threshold` or less, and both zeros, count as positive. invalid_argument if threshold is
/// negative or NaN.
template <class T>
PAPILIO_API double zero_crossing_rate(std::span<const T> samples, double threshold = 1e-10);

/// Segments of a signal in time: segment s begins at sample s * hop (minus length / 2 where
/// centred), as stft_options with n_fft = length.
struct segment_options {
  std::size_t length = 2048, hop = 512;
  bool centre = true;
};

/// 1 + (samples + 2 (length / 2) - length) / hop where centred, else 1 + (samples - length) / hop;
/// 0 where there are no samples or too few for one. invalid_argument if length or hop is 0.
PAPILIO_API std::uint64_t segment_count(std::uint64_t samples, const segment_options& options);

/// rms() and zero_crossing_rate() of each segment of a signal. Outside the signal stand zeros for
/// rms, the first and the last sample for the crossings, as in librosa.
template <class T>
PAPILIO_API array<T, 1> segment_rms(std::span<const T> signal, const segment_options& options = {});
template <class T>
PAPILIO_API array<T, 1> segment_zero_crossing_rate(std::span<const T> signal,
                                                   const segment_options& options = {},
                                                   double threshold = 1e-10);

}  // namespace papilio

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// Noise power of each bin, |X|^2 in the scaling of the spectra that are added: of an excerpt that
/// holds nothing else (mean), or of the whole sound (from_quantile). T is float or double. Memory:
/// 5 KB a bin, whatever the number of segments. Not thread-safe; nothing is allocated by add.
template <class T>
class PAPILIO_API noise_profile {
 public:
  /// Makes an empty profile. Throws invalid_argument if bins is 0.
  explicit noise_profile(std::size_t bins);

  std::size_t bins() const { return sum_.size(); }
  std::uint64_t segments() const { return segments_; }

  /// Adds one segment. Bins of 0 (digital silence), NaN and infinity are not counted.
  /// Throws shape_error unless the segment holds bins() values.
  void add(std::span<const std::complex<T>> segment);

  /// Mean power of each bin over the segments; 0 if none was counted.
  array<T, 1> mean() const;

  /// Mean power of the noise, estimated as the q-quantile of the bin's powers / -ln(1 - q): the
  /// powers of Gaussian noise are exponentially distributed, and a bin is taken to hold nothing
  /// louder in the share q of the segments. If the sound is louder than the noise in the share p of
  /// the segments, the estimate is ln(1 - q / (1 - p)) / ln(1 - q) times too high. The quantile
  /// comes from a histogram and is within 0.6 dB between -240 and +240 dB, beyond which powers are
  /// taken as the nearer end. Idea: Martin, R. (2001), IEEE Trans. Speech Audio Proc. 9, 504.
  /// Throws invalid_argument unless 0 < q < 1.
  array<T, 1> from_quantile(double q = 0.2) const;

 private:
  std::uint64_t segments_ = 0;
  array<double, 1> sum_;
  array<std::uint32_t, 2> histogram_;  // [bins, buckets]
};

extern template class noise_profile<float>;
extern template class noise_profile<double>;

/// Options of a spectral gate. A cell is one bin of one segment.
struct spectral_gate_options {
  double threshold_db = 6;         ///< level above the profile from which a cell is open, finite
  double reduction_db = 24;        ///< reduction of closed cells, at least 0
  std::size_t smoothing_bins = 3;  ///< bins to either side over which the gain is averaged; 0: none
  std::size_t smoothing_segments =
      2;  ///< segments to either side over which the gain is averaged; 0: none
};

/// Spectral gate that reduces the cells of a short-time spectrum that are not above the noise.
///   open[s, k]  = 1 where |X[s, k]|^2 >= 10^(threshold / 10) noise[k], else 0 (0 for NaN)
///   m           = open averaged over bins k +- smoothing_bins and segments s +- smoothing_segments
///                 with triangular weights 1 - |d| / (half width + 1), over the cells that exist
///   gain[s, k]  = 10^(-reduction / 20 (1 - min(1, 2 m))):  0 dB where half of the neighbourhood is
///                 open, -reduction where none of it is
///   Y           = gain X
/// A lone cell of noise that crosses the threshold is thus still reduced, and tones and onsets pass
/// unchanged. Of cells of the noise floor exp(-10^(threshold / 10)) cross it: 2 % at 6 dB.
///
/// Segments are pushed one by one and returned smoothing_segments later; the result does not depend
/// on how they are passed. Memory: 3 smoothing_segments + 2 segments, allocated by the constructor
/// alone. Not thread-safe: use one gate for each channel. T is float or double.
template <class T>
class PAPILIO_API spectral_gate {
 public:
  /// Makes a gate for the noise power of each bin, as a noise_profile gives it.
  /// Throws invalid_argument if it holds no bins or a value that is negative or not finite,
  /// threshold_db is not finite, reduction_db not finite and at least 0, or a half width over 2^16.
  explicit spectral_gate(std::span<const T> noise_power, const spectral_gate_options& options = {});

  std::size_t bins() const { return threshold_.size(); }
  std::size_t latency_segments() const { return options_.smoothing_segments; }

  /// Takes the next segment, and returns true if `out` now holds the next one done; `out` is not
  /// written otherwise. out may be the segment.
  /// Throws shape_error unless both hold bins() values.
  bool push(std::span<const std::complex<T>> segment, std::span<std::complex<T>> out);

  /// Writes, after the last segment, the next one still inside to `out` and returns true; returns
  /// false if there is none, and the gate is as new. Throws as push.
  bool finish(std::span<std::complex<T>> out);

 private:
  void open_cells(std::span<const std::complex<T>> segment, std::span<T> opening);
  void emit(std::span<std::complex<T>> out);

  spectral_gate_options options_;
  array<T, 1> threshold_, time_weights_, bin_weights_, open_;
  array<T, 2> openings_;               // averaged over frequency; [2 smoothing_segments + 1, bins]
  array<std::complex<T>, 2> waiting_;  // [smoothing_segments + 1, bins]
  std::uint64_t received_ = 0, sent_ = 0;
};

extern template class spectral_gate<float>;
extern template class spectral_gate<double>;

/// Applies the gate to whole spectra, [segments, bins] to the same shape, with the bits of the
/// class; out may be spectra. Any strides.
/// Throws shape_error if the extents differ from each other or from noise_power, invalid_argument
/// as the class, or if out overlaps spectra otherwise.
template <class T>
PAPILIO_API void apply_spectral_gate(std::type_identity_t<view<const std::complex<T>, 2>> spectra,
                                     std::type_identity_t<std::span<const T>> noise_power,
                                     view<std::complex<T>, 2> out,
                                     const spectral_gate_options& options = {});

}  // namespace papilio

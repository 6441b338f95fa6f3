#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

/// The power of the noise in each bin, |X|^2 in the scaling of the spectra that are added: of an
/// excerpt that holds nothing else (mean), or of the whole sound (from_quantile). T is float or
/// double. Memory: 5 KB a bin, whatever the number of segments. Not thread-safe; nothing is
/// allocated by add.
template <class T>
class PAPILIO_API noise_profile {
 public:
  /// invalid_argument if bins is 0.
  explicit noise_profile(std::size_t bins);

  std::size_t bins() const { return sum_.size(); }
  std::uint64_t segments() const { return segments_; }

  /// shape_error unless the segment holds bins() values. Cells of 0 (digital silence),
  /// NaN and infinity count for nothing.
  void add(std::span<const std::complex<T>> segment);

  /// Mean power of each bin over the segments; 0 where none counted.
  array<T, 1> mean() const;

  /// Mean power of the noise if it is Gaussian and a bin holds nothing louder in the share q of the
  /// segments: the q-quantile of the bin's powers / -ln(1 - q), since the powers of Gaussian noise
  /// are exponentially distributed. The quantile is read from a histogram and within 0.6 dB between
  /// -240 and +240 dB, beyond which powers are taken as the nearer. Where the sound is louder than
  /// the noise in the share p of the segments it comes out ln(1 - q / (1 - p)) / ln(1 - q) too
  /// high. Martin, R. (2001), IEEE Trans. Speech Audio Proc. 9, 504 has the idea.
  /// invalid_argument unless 0 < q < 1.
  array<T, 1> from_quantile(double q = 0.2) const;

 private:
  std::uint64_t segments_ = 0;
  array<double, 1> sum_;
  array<std::uint32_t, 2> histogram_;  // [bins, buckets]
};

extern template class noise_profile<float>;
extern template class noise_profile<double>;

struct spectral_gate_options {
  double threshold_db = 6;         ///< above the profile, from which a cell is open
  double reduction_db = 24;        ///< of what is closed, at least 0
  std::size_t smoothing_bins = 3;  ///< bins to either side over which the gain is averaged; 0: none
  std::size_t smoothing_segments =
      2;  ///< segments to either side over which the gain is averaged; 0: none
};

/// Spectral gate: turns down the cells of a short-time spectrum that do not stand above the noise.
///   open[s, k]  = 1 where |X[s, k]|^2 >= 10^(threshold / 10) noise[k], else 0 (0 for NaN)
///   m           = open averaged over bins k +- smoothing_bins and segments s +- smoothing_segments
///                 with triangular weights 1 - |d| / (half width + 1), over the cells that exist
///   gain[s, k]  = 10^(-reduction / 20 (1 - min(1, 2 m))):  0 dB where half of the neighbourhood is
///                 open, -reduction where none of it is
///   Y           = gain X
/// so that a lone cell of noise that crosses the threshold stays down, and tones and onsets come
/// through whole. The noise floor's cells that cross it are exp(-10^(threshold / 10)) of all: 2 %
/// at 6 dB.
///
/// Segments go in one by one and come out smoothing_segments later; how they are handed over
/// changes no bit. Memory: 3 smoothing_segments + 2 segments, allocated by the constructor alone.
/// Not thread-safe: one gate for each channel. T is float or double.
template <class T>
class PAPILIO_API spectral_gate {
 public:
  /// `noise_power` as a noise_profile gives it. invalid_argument if it holds no bins or a value
  /// that is negative or not finite, threshold_db is not finite, reduction_db is not finite and at
  /// least 0, or a half width exceeds 2^16.
  explicit spectral_gate(std::span<const T> noise_power, const spectral_gate_options& options = {});

  std::size_t bins() const { return threshold_.size(); }
  std::size_t latency_segments() const { return options_.smoothing_segments; }

  /// Takes the next segment; true if `out` now holds the next one done. out may be the segment; it
  /// is not written where false. shape_error unless both hold bins() values.
  bool push(std::span<const std::complex<T>> segment, std::span<std::complex<T>> out);

  /// After the last segment, until it returns false: those still inside, one a call. Then the gate
  /// is as new.
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

/// The gate over whole spectra, [segments, bins] to the same shape, bit-equal to the class; out may
/// be spectra. Any strides. shape_error if the extents differ from each other or from noise_power,
/// invalid_argument as the class, or if out overlaps spectra otherwise.
template <class T>
PAPILIO_API void apply_spectral_gate(std::type_identity_t<view<const std::complex<T>, 2>> spectra,
                                     std::type_identity_t<std::span<const T>> noise_power,
                                     view<std::complex<T>, 2> out,
                                     const spectral_gate_options& options = {});

}  // namespace papilio

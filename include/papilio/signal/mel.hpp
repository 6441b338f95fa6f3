#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio {

template <class T>
class auditory_filterbank;

/// Scaling of mel filters. slaney: each triangle's area over frequency is 1 (its height 2 / its
/// width in Hz); none: each triangle's height is 1.
enum class mel_norm { slaney, none };

/// Options of a mel filterbank.
struct mel_options {
  std::size_t bands = 128;  ///< 1 ... 2^20
  mel_scale scale = mel_scale::slaney;
  mel_norm norm = mel_norm::slaney;
  double fmin_hz = 0;  ///< lower edge of the lowest band, at least 0
  std::optional<double> fmax_hz =
      {};  ///< upper edge of the highest band, at most rate_hz / 2; none: rate_hz / 2
};

/// Mel filterbank of triangular filters, equally spaced in mel: with bands + 2 edges from fmin_hz
/// to fmax_hz, filter b rises from edge b to edge b + 1 and falls to edge b + 2, linearly in Hz,
/// and is sampled at the n_fft / 2 + 1 bins k rate_hz / n_fft. With the defaults these are the
/// weights of librosa.filters.mel, with htk and none those of torchaudio.functional.melscale_fbanks
/// (of an even rate).
///
/// T is float or double; the weights are computed in double and rounded. Immutable and safe to use
/// from many threads at once.
template <class T>
class PAPILIO_API mel_filterbank {
 public:
  /// Computes the weights. Throws invalid_argument naming the argument unless rate_hz is positive
  /// and finite, n_fft 1 ... 2^24, bands 1 ... 2^20, 0 <= fmin_hz < fmax_hz <= rate_hz / 2, and
  /// every weight finite in T.
  mel_filterbank(double rate_hz, std::size_t n_fft, const mel_options& options = {});

  std::size_t bands() const { return filters_.size(); }
  std::size_t bins() const { return bins_; }
  /// Edges of the bands in Hz, bands() + 2 of them; edge b + 1 is the centre of band b.
  std::span<const double> edges_hz() const { return edges_hz_; }

  /// Weights of one band, at the bins first_bin(b), first_bin(b) + 1, ...
  std::span<const T> weights(std::size_t band) const;
  std::size_t first_bin(std::size_t band) const { return filters_[band].first_bin; }
  /// Weights of all bands as a full matrix, [bands, bins].
  array<T, 2> dense() const;

  /// Returns the adjoint, the transposed weights: its apply takes gradients with respect to bands,
  /// [segments, bands], to those with respect to powers, [segments, bins]. What is said of a band
  /// here is said of a bin there, save edges_hz().
  mel_filterbank adjoint() const;

  /// Bands, ascending, so narrow that they contain no bin and are 0 for every signal.
  std::span<const std::size_t> empty_bands() const { return empty_; }

  /// Computes out[s, b] = sum_k weight[b, k] power[s, k], [segments, bins] to [segments, bands],
  /// with any strides with which an axis of out steps over the whole of the other. The result does
  /// not depend on `threads`; two operations for each weight that is not 0.
  /// Throws shape_error for other extents or strides, invalid_argument if out overlaps power.
  void apply(view<const T, 2> power, view<T, 2> out, int threads = 1) const;
  array<T, 2> apply(view<const T, 2> power, int threads = 1) const;

  /// Computes the bands on the side that `on` chooses; the overloads above are the host's, whatever
  /// PAPILIO_POLICY says. An accelerator multiplies by dense(), in float; automatic is the host,
  /// which leaves out weights of 0. spectrogram() computes bands in the launch of the powers.
  void apply(view<const T, 2> power, view<T, 2> out, const execution& on) const;
  array<T, 2> apply(view<const T, 2> power, const execution& on) const;

  /// Copies the weights to an accelerator as apply takes them there, [bins, bands], in one upload.
  /// Throws invalid_argument inside capture().
  device_array<float, 2> weights_on(accelerator& on) const
    requires std::same_as<T, float>;
  /// Computes the bands of a device array of powers [..., bins] with the weights of weights_on, to
  /// a device array [..., bands].
  /// Throws shape_error for other extents, invalid_argument for operands on two accelerators.
  template <std::size_t Rank>
    requires(std::same_as<T, float> && Rank >= 1)
  device_array<float, Rank> apply(const device_array<float, Rank>& power,
                                  const device_array<float, 2>& weights,
                                  const execution& on = {}) const {
    constexpr const char* function = "mel_filterbank::apply";
    return device_array<float, Rank>(
        bands_on_device(power.tensor(function), weights.tensor(function), on));
  }

 private:
  struct filter {
    std::size_t first_bin, first_weight, count;
  };
  // Successive bands of the same bins, computed side by side.
  struct group {
    filter bins;
    std::size_t first_band, bands;
  };
  friend class auditory_filterbank<T>;
  mel_filterbank() = default;
  // Other bands than mel's: weights [bands, bins], of which those before the first and after the
  // last that is not 0 are left out.
  mel_filterbank(std::vector<double> edges_hz, view<const T, 2> weights);
  void group_bands();
  shared_tensor bands_on_device(const shared_tensor& power, const shared_tensor& weights,
                                const execution& on) const;

  std::size_t bins_ = 0;
  std::vector<double> edges_hz_;
  std::vector<filter> filters_;
  std::vector<T> weights_;
  std::vector<group> groups_;
  std::vector<T> group_weights_;  // of groups of more than one band: [piece of bands, bin, band]
  std::vector<std::size_t> empty_;
};

extern template class mel_filterbank<float>;
extern template class mel_filterbank<double>;

/// Returns the level 10 log10(power / reference) in dB, at least `floor_db` (default: -infinity,
/// which is the level of a power of 0). NaN stays NaN.
/// Throws invalid_argument unless reference is finite and positive.
PAPILIO_API double power_to_db(double power, double reference = 1.0);
PAPILIO_API double power_to_db(double power, double reference, double floor_db);

/// Converts powers that a float need not hold to levels, which it does: those of the floats that the
/// powers round to, where these are normal.
/// Throws also shape_error if the lengths differ.
PAPILIO_API void power_to_db(std::span<const double> power, std::span<float> out, double reference,
                             double floor_db);

/// Converts every element of a span, in float or double; out may be power.
/// Throws also shape_error if the lengths differ.
template <class T>
PAPILIO_API void power_to_db(std::span<const T> power, std::span<T> out, double reference,
                             double floor_db);

/// Quantity that levels are computed from.
enum class decibel_of { power, amplitude };

/// Options of to_decibel.
struct decibel_options {
  decibel_of quantity = decibel_of::power;
  std::optional<double> reference =
      1.0;  ///< above 0, in the quantity's units; none: the largest value
  std::optional<double> floor =
      {};  ///< smaller values are taken as it; none: 1e-10, amplitude 1e-5
  std::optional<double> top_db =
      80.0;  ///< lowest level below the highest, at least 0 dB; none: any
};

/// Computes levels in dB as librosa's power_to_db and amplitude_to_db, with their defaults:
///   power      10 log10(max(floor, x)) - 10 log10(max(floor, reference))
///   amplitude  20 log10(max(floor, |x|)) - 20 log10(max(floor, reference))
/// and then at least the highest level - top_db. That depends on all of the values: use a top_db of
/// none for parts of a stream. NaN and infinity are kept, and are neither the highest level nor the
/// largest value. out may be values. T is float or double; O(n).
/// Throws shape_error if the lengths differ; invalid_argument unless floor (in T) and reference are
/// finite and positive and top_db is at least 0.
template <class T>
PAPILIO_API void to_decibel(std::span<const T> values, std::span<T> out,
                            const decibel_options& options = {});

/// Computes levels under a policy. Accelerators have no kernel of levels alone (spectrogram() has
/// them with the powers): automatic is the host.
/// Throws also device_error under policy::device.
template <class T>
void to_decibel(std::span<const T> values, std::span<T> out, const decibel_options& options,
                const execution& on) {
  signal_detail::require_host("to_decibel", "to_decibel", "it has no kernel of levels alone", on);
  to_decibel(values, out, options);
}

/// Returns the level 20 log10(|amplitude| / reference) in dB.
/// Throws invalid_argument unless reference is finite and positive.
PAPILIO_API double amplitude_to_db(double amplitude, double reference = 1.0);

}  // namespace papilio

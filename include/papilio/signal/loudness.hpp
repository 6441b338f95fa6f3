#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/array_like.hpp"
#include "papilio/base/export.hpp"
#include "papilio/signal/filters.hpp"

// Loudness and true peaks of programmes: ITU-R BS.1770-5, EBU R 128, EBU Tech 3341 and 3342.
namespace papilio {

/// Designs the K weighting of BS.1770 at a rate: a shelf of +4 dB from 1.7 kHz on, and a high pass at
/// 38 Hz. At 48 kHz these are the published coefficients. At others the analog filters behind those
/// are transformed again, each with its corner frequency kept, so that the response is the same one.
/// Throws invalid_argument unless rate_hz is 4000 ... 4e6.
PAPILIO_API std::array<sos_section, 2> k_weighting(double rate_hz);

/// Returns the weights of channels in the usual order of files, by their number:
///   1, 2, 3  mono; L R; L R C                          1 each
///   4, 5     L R Ls Rs; L R C Ls Rs                    1 each in front, 1.41 each surround
///   6        L R C LFE Ls Rs                           1 1 1 0 1.41 1.41
///   7, 8     L R C LFE, one or two behind, Ls Rs       1 1 1 0 1 (1) 1.41 1.41
/// BS.1770 gives 1.41 to what lies 60 ... 120 degrees aside, and 1 to what lies behind. Throws
/// invalid_argument for other numbers, whose weights have to be given.
PAPILIO_API std::vector<double> loudness_weights(std::size_t channels);

/// Options of a loudness.
struct loudness_options {
  std::vector<double> weights = {};  ///< a channel one, at least 0; empty: loudness_weights()
  bool true_peak = true;  ///< whether true peaks are measured, the larger part of the time
};

/// Loudness of a whole signal. A level is missing where the signal is too short for it, and -inf where
/// it is silent, or for integrated_lufs below the absolute gate of -70 LUFS throughout.
struct loudness_summary {
  std::optional<double> integrated_lufs;          ///< from 400 ms on
  std::optional<double> range_lu;                 ///< from 3 s on, some of it above -70 LUFS
  std::optional<double> highest_momentary_lufs;   ///< from 400 ms on
  std::optional<double> highest_short_term_lufs;  ///< from 3 s on
  double sample_peak_dbfs = 0;                    ///< highest of all channels, -inf of silence
  std::optional<double> true_peak_dbtp;           ///< as that; missing if not asked for
};

/// Meter of the loudness of a signal that comes in blocks of any sizes from 1 sample on.
///
/// Time goes in steps of 100 ms, rounded to samples. The power of a window of steps is the mean of the
/// squares of K-weighted samples, channels added by their weights; its loudness is
/// -0.691 + 10 log10(power) LUFS, that of a stereo sine of 997 Hz its level in dBFS.
/// - momentary: the last 400 ms; short-term: the last 3 s; anew each step
/// - integrated: of the mean power of the windows of 400 ms that are louder than -70 LUFS and louder
///   than 10 LU below the mean power of these
/// - range: from the 10th to the 95th percentile of the windows of 3 s that are -70 LUFS at least and
///   at least 20 LU below the mean power of these
/// - true peak: of the signal, interpolated to 4 times its rate below 96 kHz, 2 times below 192 kHz,
///   by a FIR of 32 taps a phase that passes 0.45 of the rate (within 0.05 dB)
///
/// Results have the same bits however a signal is cut into blocks. A step with a sample that is NaN or
/// infinite, and all behind it, are NaN, as are then integrated and range; a peak is NaN, or infinite.
/// Memory: 8 bytes a step (288 kB an hour, of any number of channels), which keep both gates exact.
/// push() allocates for nothing else, and for these not within the span of reserve(). Copies go on
/// from the state of their original. Not thread-safe.
class PAPILIO_API loudness_meter {
 public:
  /// Makes a meter. Throws as k_weighting and loudness_weights, and invalid_argument unless channels
  /// is at least 1 and there are as many weights, each finite and at least 0.
  explicit loudness_meter(double rate_hz, std::size_t channels = 1,
                          const loudness_options& options = {});

  double rate_hz() const { return rate_hz_; }
  std::size_t channels() const { return weights_.size(); }
  std::span<const double> weights() const { return weights_; }
  /// Number of samples of a step of 100 ms, and of samples and of whole steps so far.
  std::size_t step_samples() const { return step_samples_; }
  std::uint64_t samples() const { return samples_; }
  std::size_t steps() const { return powers_.size(); }
  /// Makes room for the steps of so many seconds. Throws invalid_argument unless it is 0 ... 1e9.
  void reserve(double seconds);
  /// Takes the next block, [samples, channels], any strides and any number of samples; of one channel
  /// a vector or span. O(samples channels). Throws shape_error for other channels, invalid_argument
  /// after finish().
  void push(view<const float, 2> block);
  void push(view<const double, 2> block);
  template <flat_array Block>
  void push(const Block& samples) {
    const std::span flat(samples);
    push(view<const typename decltype(flat)::value_type, 2>(flat.data(), {flat.size(), 1}));
  }
  /// Ends the signal: after it lies silence, as before, which true peaks need between the last samples.
  /// A part of a step is left out.
  void finish();
  /// Resets the meter to its first sample.
  void reset();

  /// Loudness of the 400 ms, or 3 s, that end with step `steps` (none: the last). Missing if there are
  /// fewer steps.
  std::optional<double> momentary_lufs(std::optional<std::size_t> steps = {}) const;
  std::optional<double> short_term_lufs(std::optional<std::size_t> steps = {}) const;
  /// Integrated loudness so far, O(steps); loudness range so far, O(steps log steps).
  std::optional<double> integrated_lufs() const;
  std::optional<double> range_lu() const;
  /// Highest magnitude of each channel's samples, and of these and the samples between them.
  std::span<const double> sample_peaks() const { return sample_peaks_; }
  std::span<const double> true_peaks() const { return true_peaks_; }
  loudness_summary summary() const;

 private:
  template <class T>
  void take(view<const T, 2> block);
  void measure(std::size_t count);
  void measure_peaks(std::size_t count);
  std::optional<double> window_lufs(std::size_t steps, std::size_t end) const;

  double rate_hz_;
  std::vector<double> weights_;
  std::size_t step_samples_, in_step_ = 0, held_ = 0;
  std::uint64_t samples_ = 0;
  bool has_ended_ = false;
  sos_filter<double> filter_;
  array<double, 2> phases_;    // [phases between samples, taps]
  array<double, 2> lines_;     // [channels, held samples and a block], the signal as it is
  array<double, 2> weighted_;  // [a block, channels]
  std::vector<double> sums_, powers_, sample_peaks_, true_peaks_;
};

namespace signal_detail {
/// View of a signal as [samples, channels], of a flat one as its only channel.
template <readable_array X>
  requires(base_detail::rank_of<X> <= 2)
view<const base_detail::value_of<X>, 2> frames_of(const X& signal) {
  const auto x = base_detail::as_view(signal);
  if constexpr (base_detail::rank_of<X> == 2)
    return x;
  else
    return {x.data(), {x.extent(0), 1}, {x.stride(0), 1}};
}
}  // namespace signal_detail

/// Measures the loudness of a whole signal, [samples, channels]. Throws as loudness_meter.
template <class T>
PAPILIO_API loudness_summary measure_loudness(view<const T, 2> signal, double rate_hz,
                                              const loudness_options& options = {});

/// Computes the momentary or short-term loudness of a signal, LUFS: value k is of the 4, or 30, steps
/// from step k on. Empty below 400 ms, or 3 s. Throws as loudness_meter.
template <class T>
PAPILIO_API array<double, 1> momentary_loudness(view<const T, 2> signal, double rate_hz,
                                                const loudness_options& options = {});
template <class T>
PAPILIO_API array<double, 1> short_term_loudness(view<const T, 2> signal, double rate_hz,
                                                 const loudness_options& options = {});

/// Computes the true peak of each channel, [channels]. Throws as loudness_meter.
template <class T>
PAPILIO_API array<double, 1> true_peaks(view<const T, 2> signal, double rate_hz);

/// Measure arrays [samples, channels], and vectors of one channel.
template <readable_array X>
loudness_summary measure_loudness(const X& signal, double rate_hz,
                                  const loudness_options& options = {}) {
  return measure_loudness<base_detail::value_of<X>>(signal_detail::frames_of(signal), rate_hz,
                                                    options);
}
template <readable_array X>
array<double, 1> momentary_loudness(const X& signal, double rate_hz,
                                    const loudness_options& options = {}) {
  return momentary_loudness<base_detail::value_of<X>>(signal_detail::frames_of(signal), rate_hz,
                                                      options);
}
template <readable_array X>
array<double, 1> short_term_loudness(const X& signal, double rate_hz,
                                     const loudness_options& options = {}) {
  return short_term_loudness<base_detail::value_of<X>>(signal_detail::frames_of(signal), rate_hz,
                                                       options);
}
template <readable_array X>
array<double, 1> true_peaks(const X& signal, double rate_hz) {
  return true_peaks<base_detail::value_of<X>>(signal_detail::frames_of(signal), rate_hz);
}

}  // namespace papilio

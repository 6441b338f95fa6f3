#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/spectral_features.hpp"
#include "papilio/signal/welch.hpp"

namespace papilio::signal_detail {

using trend_sums = welch_stream<double>::trend_sums;

/// Power spectra of the segments of one channel, one after the other.
class segment_powers {
 public:
  explicit segment_powers(const welch_options& options);
  void push(std::span<const double> samples, function_ref<void(std::span<const double>)> take);
  /// Trends that were subtracted, as sums over all segments.
  const trend_sums& trends() const { return trends_; }

 private:
  welch_stream<double> welch_;
  std::size_t hop_, filled_ = 0;
  std::vector<double> segment_, power_;
  trend_sums trends_;
};

/// Returns a key of 32 bits that has the order of powers: the bits of a float where that holds the
/// power, and 20 bits of the fraction of a double that is smaller or larger.
std::uint32_t key_of_power(double power);
double power_of_key(std::uint32_t key);

/// Search for one element by its rank among many, which are shown four times: each time it finds
/// eight bits of the element's key.
class ranked_element {
 public:
  void count(std::uint32_t key, unsigned shift);
  /// Ends a showing; `rank` counts from 0 and matters in the first one alone.
  void settle(unsigned shift, std::uint64_t rank);
  double value() const;

 private:
  std::array<std::uint32_t, 256> counts_{};
  std::uint64_t left_ = 0;
  std::uint32_t found_ = 0;
};

/// The power that is 0 dB in a bin: of a full-scale sine, which is the mean square 1/2, or of a
/// full-scale constant or alternating sign in the bins of 0 Hz and of the Nyquist frequency.
PAPILIO_INTERNAL double full_scale_power(const welch_options& o, std::size_t bin);

struct density {
  array<double, 2> power;  ///< [curves, bins], squares of the samples' unit per Hz or per bin
  array<double, 1> mean;   ///< per Hz, over the channels
  std::uint64_t segments = 0;
  double noise_bandwidth_hz = 0;  ///< width of the rectangle that passes as much noise as a bin
  double mean_square = 0;         ///< mean square of the mean, all bins together
  double power_per_density = 1;   ///< ratio of `power` to a density, by the scaling, Hz
};

/// Welch's estimate of all channels of a sound that arrives in blocks, in memory that does not
/// depend on its length: the median is found, to a float's precision, in four passes over the sound.
class PAPILIO_INTERNAL density_estimator {
 public:
  /// Takes options with overlap and n_fft resolved, of any scaling. Throws invalid_argument as
  /// welch_stream.
  density_estimator(const welch_options& options, std::size_t channels);

  /// Whether the sound must be pushed from its beginning, once more or at all.
  bool wants_more() const;
  /// Takes a block [frames, channels].
  void push(view<const float, 2> block);
  /// Ends a pass over the sound. Throws invalid_argument if not one segment was whole.
  void end_pass();

  /// Returns the density of each channel, or of their mean.
  density result(psd_scaling scaling, bool per_channel) const;
  /// Returns the strongest peaks of the mean, or of one channel where the result has each; the
  /// power of a full-scale sine is 1. Peaks that the trend subtracted from the segments explains
  /// are left out, and so is 0 Hz where anything was subtracted.
  std::vector<spectral_peak> peaks(const density& of, std::size_t count, double range_db,
                                   std::optional<std::size_t> channel = {}) const;

 private:
  array<double, 2> powers() const;
  std::vector<double> skirt(std::optional<std::size_t> channel) const;

  welch_options options_;
  bool median_, done_ = false;
  unsigned shift_ = 32;  // bits of the medians that are not known
  std::uint64_t segments_ = 0, seen_ = 0;
  std::vector<welch_stream<double>> means_;
  std::vector<segment_powers> segments_of_;
  std::vector<ranked_element> low_, high_;  // the two in the middle of an even number
  std::vector<trend_sums> trends_;
  std::vector<double> samples_;
};

}  // namespace papilio::signal_detail

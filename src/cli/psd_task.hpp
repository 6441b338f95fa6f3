#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/work_ahead.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

struct psd_request {
  sound_source source;
  /// Of usual_length samples, or as many as there are; 50 % overlap; as many points as samples.
  std::optional<std::size_t> segment_length, overlap, n_fft;
  std::size_t usual_length = 4096;
  bool shortened = false;  ///< segments are never longer than the sound, whatever was asked for
  window_spec window = window_kind::hann;
  detrending detrend = detrending::constant;
  psd_scaling scaling = psd_scaling::density;
  psd_average average = psd_average::mean;
  bool per_channel = false;  ///< else the mean over the channels
  std::size_t peak_count = 0;
  double peak_range_db = 120;

  /// Samples of a segment where there are enough.
  std::size_t wanted_length() const {
    return segment_length.value_or(std::min(usual_length, n_fft.value_or(usual_length)));
  }
};

struct psd_result {
  sound_facts sound;
  welch_options options;
  std::uint64_t segments = 0;
  double noise_bandwidth_hz = 0;  ///< width of the rectangle that passes as much noise as a bin
  /// Per Hz where the scaling is density: squares of full scale. [curves, bins]
  array<double, 2> power;
  double mean_square = 0;            ///< of the mean over the channels, all bins together
  std::vector<spectral_peak> peaks;  ///< likewise; the power of a full-scale sine is 1
  std::vector<std::string> warnings;

  double frequency_hz(std::size_t bin) const {
    return static_cast<double>(bin) * (options.rate_hz / static_cast<double>(options.n_fft));
  }
};

/// Power spectral density by Welch's method, one-sided, in memory that does not depend on the
/// sound's length. The median is found, to a float's precision, in four passes over the sound.
/// io_error for what the file is to blame for. invalid_argument for options that do not fit.
psd_result estimate_psd(const psd_request& request, const work_surroundings& around);

}  // namespace papilio::cli

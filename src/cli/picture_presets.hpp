#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "papilio/signal.hpp"

namespace papilio::cli {

/// How a kind of sound is shown best, where flags do not say otherwise.
struct picture_preset {
  const char* name;
  double window_seconds;
  std::size_t padding;  ///< n_fft is the next power of two above so many windows
  std::size_t overlap;  ///< hops in a window
  window_kind window;
  frequency_scale scale;
  double low_hz, high_hz;  ///< as far as the rate reaches
  float range_db;          ///< below the maximum

  /// Fills in what is not given of a picture's segments.
  void fill(double rate_hz, std::optional<std::size_t>& n_fft,
            std::optional<std::size_t>& window_length, std::optional<std::size_t>& hop) const;
  /// Fills in what is not given of its band, up to half the rate.
  void fill_band(double rate_hz, std::optional<double>& low, std::optional<double>& high) const;
};

/// All of them: the table behind --for.
std::span<const picture_preset> picture_presets();
/// The one of that name, null for none.
const picture_preset* picture_preset_named(std::string_view name);

/// Without a preset: the power of two nearest to 46.4 ms at that rate (2048 points at 44.1 kHz), 256
/// to 65536: what tells voices and notes apart, and still shows when they begin.
std::size_t picture_n_fft(double rate_hz);

}  // namespace papilio::cli

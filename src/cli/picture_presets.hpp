#pragma once

#include <span>

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
  const char* range;       ///< dB below the maximum

  std::size_t window_length(double rate_hz) const;
  std::size_t n_fft(std::size_t window_length) const;
};

/// All of them: the table behind --for.
std::span<const picture_preset> picture_presets();
/// The one of that name, null for none.
const picture_preset* picture_preset_named(std::string_view name);

}  // namespace papilio::cli

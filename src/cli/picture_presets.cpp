#include "cli/picture_presets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace papilio::cli {
namespace {

// Speech: a pitch period and the formants that move over it, even in Hz as phoneticians draw them.
// Music: semitones from the lowest strings up. Birds: fast sweeps, above what wind and traffic fill.
// Machines: orders of a shaft, which are even in Hz. Hum: harmonics of 50 or 60 Hz, and what beats
// beside them, which takes a second to tell apart.
constexpr std::array presets{
    picture_preset{"speech", 0.030, 2, 12, window_kind::hann, frequency_scale::linear, 0, 8000, 70},
    picture_preset{"music", 0.093, 2, 8, window_kind::hann, frequency_scale::logarithmic, 30, 16000,
                   80},
    picture_preset{"birds", 0.012, 2, 8, window_kind::hann, frequency_scale::linear, 1000, 12000,
                   60},
    picture_preset{"machines", 0.2, 1, 4, window_kind::hann, frequency_scale::linear, 0, 5000, 80},
    picture_preset{"hum", 1, 2, 16, window_kind::blackman_harris, frequency_scale::linear, 0, 500,
                   100}};

}  // namespace

void picture_preset::fill(double rate_hz, std::optional<std::size_t>& points,
                          std::optional<std::size_t>& length,
                          std::optional<std::size_t>& hop) const {
  const auto usual = static_cast<std::size_t>(std::max(4.0, std::round(window_seconds * rate_hz)));
  if (!points) points = std::bit_ceil(padding * length.value_or(usual));
  if (!length) length = std::min(usual, *points);
  if (!hop) hop = std::max<std::size_t>(1, *length / overlap);
}

void picture_preset::fill_band(double rate_hz, std::optional<double>& low,
                               std::optional<double>& high) const {
  const double top = rate_hz / 2;
  if (!high && high_hz > low.value_or(0)) high = std::min(high_hz, top);
  if (!low && low_hz > 0 && low_hz < high.value_or(top)) low = low_hz;
}

std::span<const picture_preset> picture_presets() { return presets; }

const picture_preset* picture_preset_named(std::string_view name) {
  const auto found = std::ranges::find(presets, name, &picture_preset::name);
  return found == presets.end() ? nullptr : &*found;
}

std::size_t picture_n_fft(double rate_hz) {
  const double power = std::round(std::log2(rate_hz * 2048 / 44100));
  return std::size_t{1} << static_cast<int>(std::clamp(power, 8.0, 16.0));
}

}  // namespace papilio::cli

#include "papilio/signal/rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/rhythm_parts.hpp"

namespace papilio {
namespace {
namespace onset_steps {

// Levels of mel bands, [segments, bands], as a stream computes them: no powers of all segments.
template <class T>
array<float, 2> mel_levels(std::span<const T> signal, const onset_options& o) {
  constexpr std::size_t block = std::size_t{1} << 16;
  stft_stream<T> stream(stft_options{.n_fft = o.n_fft, .hop = o.hop});
  const mel_filterbank<T> mel(o.rate_hz, o.n_fft, {.bands = o.bands});
  array<float, 2> levels(
      {static_cast<std::size_t>(stream.plan().segments(signal.size())), o.bands});
  array<T, 2> bands({1, o.bands});
  float highest = -std::numeric_limits<float>::infinity();
  const auto sink = [&](std::uint64_t segment, view<T, 2> power) {
    mel.apply(power, bands);
    for (std::size_t b = 0; b < o.bands; ++b) {
      const double power_of_band = static_cast<double>(bands(0, b));
      const auto level = static_cast<float>(10 * std::log10(std::max(1e-10, power_of_band)));
      levels(static_cast<std::size_t>(segment), b) = level;
      highest = std::max(highest, level);
    }
  };
  for (std::size_t i = 0; i < signal.size(); i += block)
    stream.push_power(signal.subspan(i, std::min(block, signal.size() - i)), sink);
  stream.finish_power(sink);
  for (float& level : levels.flat()) level = std::max(level, highest - 80);
  return levels;
}

}  // namespace onset_steps
}  // namespace

template <class T>
array<double, 1> onset_strength(std::span<const T> signal, const onset_options& o) {
  using namespace rhythm_parts;
  using namespace onset_steps;
  constexpr const char* function = "onset_strength";
  require_positive(function, "rate_hz", o.rate_hz);
  require(o.n_fft >= 2 && o.n_fft <= max_n_fft, function, "n_fft", "2 ... 16777216", o.n_fft);
  require(o.hop >= 1, function, "hop", "at least 1", o.hop);
  require(o.bands >= 1 && o.bands <= 1024, function, "bands", "1 ... 1024", o.bands);
  require(o.lag >= 1, function, "lag", "at least 1", o.lag);
  if (signal.empty())
    throw invalid_argument("onset_strength: signal must have at least 1 sample, got 0");
  require_finite(function, "signal", signal);
  const array<float, 2> levels = mel_levels(signal, o);
  const std::size_t segments = levels.extent(0), shift = o.n_fft / (2 * o.hop);
  array<double, 1> strength({segments});
  std::vector<double> rises(o.bands);
  for (std::size_t s = o.lag; s < segments && s + shift < segments; ++s) {
    for (std::size_t b = 0; b < o.bands; ++b)
      rises[b] = std::max(
          0.0, static_cast<double>(levels(s, b)) - static_cast<double>(levels(s - o.lag, b)));
    strength[s + shift] = o.aggregate == onset_aggregate::mean ? mean_of(rises) : median_of(rises);
  }
  return strength;
}

template PAPILIO_API array<double, 1> onset_strength(std::span<const float>, const onset_options&);
template PAPILIO_API array<double, 1> onset_strength(std::span<const double>, const onset_options&);

}  // namespace papilio

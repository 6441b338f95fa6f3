#include "cli/partials.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace papilio::cli {

std::vector<spectral_peak> partials(std::span<const double> power, const analysed_sound& of,
                                    std::size_t count) {
  stft_options stft = of.stft;
  if (stft.window_length == 0) stft.window_length = stft.n_fft;
  // Then segments that reach beyond the ends are in the mean, and cut the sound off.
  const bool shows_ends = stft.centre && of.frames < stft.n_fft + std::uint64_t{stft.hop};
  const double frames = static_cast<double>(std::min<std::uint64_t>(of.frames, stft.window_length));
  const double own_hz = of.rate_hz / frames;
  // At most, beside the main lobe, so far from a frequency or its mirror image.
  const auto lobe = [&](double away_hz) {
    return 1 / (frames * std::abs(std::sin(std::numbers::pi * away_hz / of.rate_hz)));
  };
  // A window over a sound much shorter than itself is nearly constant there: it is rectangular.
  if (2 * of.frames < stft.window_length) {
    stft.window = window_kind::rectangular;
    stft.window_length = static_cast<std::size_t>(of.frames);
  }
  const std::size_t candidates =
      std::clamp<std::size_t>((std::size_t{1} << 24) / power.size(), count, 1000);
  std::vector<spectral_peak> found;
  for (const spectral_peak& peak :
       find_peaks(power, stft, of.rate_hz, candidates, shows_ends ? 2 * own_hz : 0)) {
    double explained = 0;
    for (const spectral_peak& other : found) {
      const double share = lobe(peak.frequency_hz - other.frequency_hz) +
                           lobe(peak.frequency_hz + other.frequency_hz);
      explained += other.power * share * share;
    }
    if (!shows_ends || !(peak.power < 2 * explained)) found.push_back(peak);
  }
  std::erase_if(found, [&](const spectral_peak& peak) {
    return !(peak.frequency_hz > 0 && peak.frequency_hz >= of.axis.low_hz &&
             peak.frequency_hz <= of.axis.high_hz);
  });
  found.resize(std::min(found.size(), count));
  return found;
}

std::vector<frequency_mark> marks_of(std::span<const spectral_peak> peaks) {
  std::vector<frequency_mark> marks;
  for (const auto& [hz, power] : peaks)
    marks.push_back(
        {hz, hz < 1000 ? format_tick(hz, 0.1) + " Hz" : format_tick(hz / 1000, 0.001) + " kHz"});
  return marks;
}

}  // namespace papilio::cli

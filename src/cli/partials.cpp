#include "cli/partials.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/transform.hpp"

namespace papilio::cli {

std::vector<spectral_peak> partials(std::span<const double> power, const stft_options& stft,
                                    double rate_hz, std::size_t count) {
  const std::size_t length = stft.window_length == 0 ? stft.n_fft : stft.window_length;
  if (length == stft.n_fft) return find_peaks(power, stft, rate_hz, count);
  const auto lobes = rfft(make_window<double>(stft.window, length), {.n = stft.n_fft});
  std::vector<double> reach(lobes.size());  // the highest from a distance on, in bins
  double highest = 0;
  for (std::size_t k = reach.size(); k-- > 0;)
    reach[k] = highest = std::max(highest, std::norm(lobes[k]));
  const std::size_t candidates =
      std::clamp<std::size_t>((std::size_t{1} << 24) / power.size(), count, 1000);
  std::vector<spectral_peak> found;
  for (const spectral_peak& peak : find_peaks(power, stft, rate_hz, candidates)) {
    const bool explained = std::ranges::any_of(found, [&](const spectral_peak& other) {
      const double bins = std::abs(peak.frequency_hz - other.frequency_hz) / rate_hz *
                          static_cast<double>(stft.n_fft);
      const auto away = std::min(reach.size() - 1, static_cast<std::size_t>(bins));
      return peak.power < 2 * other.power * reach[away] / reach[0];
    });
    if (!explained) found.push_back(peak);
    if (found.size() == count) break;
  }
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

#include "papilio/signal/peaks.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr double least_relative_power = 1e-10;

spectral_peak interpolated(std::span<const double> power, std::size_t k, double bin_hz) {
  double offset = 0, level = std::log(power[k]);
  if (k > 0 && k + 1 < power.size() && power[k - 1] > 0 && power[k + 1] > 0) {
    const double left = std::log(power[k - 1]), right = std::log(power[k + 1]);
    const double curvature = left - 2 * level + right;
    if (curvature < 0) {
      offset = 0.5 * (left - right) / curvature;
      level -= 0.25 * (left - right) * offset;
    }
  }
  return {(static_cast<double>(k) + offset) * bin_hz, std::exp(level)};
}

}  // namespace

std::vector<spectral_peak> find_peaks(std::span<const double> power, std::size_t n_fft,
                                      double rate_hz, std::size_t count, std::size_t separation) {
  if (power.size() != n_fft / 2 + 1)
    throw shape_error(base_detail::message("find_peaks: power must hold ", n_fft / 2 + 1,
                                           " elements, got ", power.size()));
  std::vector<std::size_t> maxima;
  for (std::size_t k = 0; k < power.size(); ++k) {
    const bool rises = k == 0 || power[k] > power[k - 1];
    const bool falls = k + 1 == power.size() || power[k] >= power[k + 1];
    if (power[k] > 0 && rises && falls) maxima.push_back(k);
  }
  std::stable_sort(maxima.begin(), maxima.end(),
                   [&](std::size_t a, std::size_t b) { return power[a] > power[b]; });
  std::vector<spectral_peak> peaks;
  std::vector<std::size_t> taken;
  const double bin_hz = rate_hz / static_cast<double>(n_fft);
  for (const std::size_t k : maxima) {
    if (peaks.size() == count || power[k] < least_relative_power * power[maxima[0]]) break;
    const bool apart = std::ranges::all_of(taken, [&](std::size_t other) {
      return std::max(k, other) - std::min(k, other) > separation;
    });
    if (!apart) continue;
    taken.push_back(k);
    peaks.push_back(interpolated(power, k, bin_hz));
  }
  return peaks;
}

}  // namespace papilio

#include "signal/true_peak.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "papilio/signal/window.hpp"

namespace papilio::true_peak {

// A sinc under a Kaiser window, whose side lobes lie 50 dB below: all of the band up to 0.45 of the rate
// passes, and each phase has a sum of 1.
array<double, 2> phases(double rate_hz) {
  constexpr double beta = 4.5;
  const std::size_t factor = rate_hz < 96000 ? 4 : rate_hz < 192000 ? 2 : 1;
  const array<double, 1> window = make_window<double>(
      {window_kind::kaiser, beta}, factor * taps + 1, window_symmetry::symmetric);
  array<double, 2> made({factor - 1, taps});
  for (std::size_t p = 0; p + 1 < factor; ++p) {
    const double between = static_cast<double>(p + 1) / static_cast<double>(factor);
    double sum = 0;
    for (std::size_t i = 0; i < taps; ++i) {
      const double x = std::numbers::pi * (static_cast<double>(i) - (taps / 2 - 1) - between);
      made(p, i) = std::sin(x) / x * window[factor * (i + 1) - (p + 1)];
      sum += made(p, i);
    }
    for (std::size_t i = 0; i < taps; ++i) made(p, i) /= sum;
  }
  return made;
}

// Magnitudes are in the order of their bits, in which NaN stands above infinity.
void raise(double& peak, std::span<const double> values) {
  auto most = std::bit_cast<std::int64_t>(peak);
  for (const double v : values)
    most = std::max(most, std::bit_cast<std::int64_t>(v) & 0x7fff'ffff'ffff'ffff);
  peak = std::bit_cast<double>(most);
}

namespace {

// Lanes are samples side by side, each of which is computed as alone.
using lanes = double __attribute__((vector_size(32)));
constexpr std::size_t lane_count = sizeof(lanes) / sizeof(double);

// The value after each of `width` samples in every phase: the sums of read_behind + 1 samples stay in
// registers, and each sample is read once for all phases.
template <std::size_t Phases>
void interpolate(const double* weights, const double* x, std::size_t width, double* values) {
  constexpr std::size_t vectors = (read_behind + 1) / lane_count;
  for (std::size_t first = 0; first < width; first += read_behind + 1) {
    lanes sums[Phases][vectors] = {};
    for (std::size_t i = 0; i < taps; ++i)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) {
        lanes samples;
        std::memcpy(&samples, x + first + i + v * lane_count, sizeof(lanes));
#pragma GCC unroll 4
        for (std::size_t p = 0; p < Phases; ++p) sums[p][v] += weights[p * taps + i] * samples;
      }
    const std::size_t count = std::min(read_behind + 1, width - first);
    for (std::size_t p = 0; p < Phases; ++p, values += count)
      std::memcpy(values, sums[p], count * sizeof(double));
  }
}

}  // namespace

// Nothing between samples is larger than the largest of them times the largest sum of weights: most of a
// programme cannot raise its peak.
void raise_between(double& peak, view<const double, 2> phases, std::span<const double> line) {
  constexpr std::size_t at_once = 64;
  double values[3 * at_once], bound = 0;
  for (std::size_t p = 0; p < phases.extent(0); ++p) {
    double sum = 0;
    for (std::size_t i = 0; i < taps; ++i) sum += std::abs(phases(p, i));
    bound = std::max(bound, 1.001 * sum);
  }
  const std::size_t last = line.size() < taps ? 0 : line.size() - taps + 1;
  for (std::size_t first = 0; first < last; first += at_once) {
    const std::size_t width = std::min(at_once, last - first);
    double most = 0;
    raise(most, line.subspan(first, width + taps - 1));
    if (bound * most <= peak) continue;
    if (phases.extent(0) == 3)
      interpolate<3>(phases.data(), line.data() + first, width, values);
    else if (phases.extent(0) == 1)
      interpolate<1>(phases.data(), line.data() + first, width, values);
    raise(peak, {values, phases.extent(0) * width});
  }
}

}  // namespace papilio::true_peak

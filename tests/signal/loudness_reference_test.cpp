// Loudness beside libebur128's, of noise that changes its level.
#include <ebur128.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/signal/loudness.hpp"

namespace papilio {
namespace {

struct closing {
  void operator()(ebur128_state* state) const { ebur128_destroy(&state); }
};
using reference_meter = std::unique_ptr<ebur128_state, closing>;

reference_meter reference_of(std::size_t channels, unsigned long rate_hz) {
  reference_meter made(ebur128_init(static_cast<unsigned>(channels), rate_hz,
                                    EBUR128_MODE_I | EBUR128_MODE_LRA | EBUR128_MODE_TRUE_PEAK));
  // Where its usual order knows less than ours: the 7.1 of files.
  const std::vector<int> surround{EBUR128_LEFT,  EBUR128_RIGHT, EBUR128_CENTER, EBUR128_UNUSED,
                                  EBUR128_Mp135, EBUR128_Mm135, EBUR128_Mp090,  EBUR128_Mm090};
  if (channels == 8)
    for (unsigned c = 0; c < 8; ++c) ebur128_set_channel(made.get(), c, surround[c]);
  return made;
}

/// Noise whose levels, -12 ... -42 dB, change every half second; dull, so that peaks do not depend on how
/// the end of the band is interpolated. Of channels each has its own.
std::vector<double> programme(std::size_t samples, std::size_t channels, std::size_t rate_hz) {
  std::uint32_t random = 1;
  std::vector<double> x(samples * channels), held(3 * channels);
  for (std::size_t i = 0; i < samples; ++i) {
    const double level = std::pow(10, -(12 + static_cast<double>(2 * i / rate_hz * 7 % 31)) / 20);
    for (std::size_t c = 0; c < channels; ++c) {
      double* const last = &held[3 * c];
      random = 1664525 * random + 1013904223;
      const double now = static_cast<double>(random >> 8) / 8388608 - 1;
      x[i * channels + c] = level * (now + 3 * last[0] + 3 * last[1] + last[2]) / 8;
      last[2] = last[1];
      last[1] = last[0];
      last[0] = now;
    }
  }
  return x;
}

/// Range from the 10th to the 95th percentile of levels that are all above both gates.
double range_of(std::vector<double> levels) {
  std::sort(levels.begin(), levels.end());
  const auto at = [&](double share) {
    return levels[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(levels.size() - 1)))];
  };
  return at(0.95) - at(0.1);
}

// libebur128 leaves the numerator of the high pass at 1 -2 1 at all rates, where the response of
// BS.1770 at 48 kHz has another: the difference in level is known, and removed. Its windows of 3 s lie a
// second apart, for which our range is computed again. Its filters have other roundings.
TEST(loudness_reference, equals_libebur128) {
  struct {
    std::size_t rate_hz, channels;
  } const signals[] = {{8000, 2},  {22050, 1}, {44100, 2}, {48000, 1}, {16000, 3}, {16000, 4},
                       {16000, 5}, {16000, 6}, {16000, 8}, {96000, 2}, {192000, 1}};
  for (const auto& [rate_hz, channels] : signals) {
    const std::size_t samples = 6 * rate_hz + 77;
    const std::vector<double> x = programme(samples, channels, rate_hz);
    const reference_meter theirs = reference_of(channels, rate_hz);
    ASSERT_EQ(ebur128_add_frames_double(theirs.get(), x.data(), samples), EBUR128_SUCCESS);
    loudness_meter ours(static_cast<double>(rate_hz), channels);
    ours.push(view<const double, 2>(x.data(), {samples, channels}));
    const std::string name = std::to_string(rate_hz) + " x " + std::to_string(channels);
    const double known_db = 20 * std::log10(k_weighting(static_cast<double>(rate_hz))[1].b0);
    double value = 0;
    ebur128_loudness_global(theirs.get(), &value);
    EXPECT_NEAR(ours.integrated_lufs().value() - known_db, value, 1e-5) << name;
    ebur128_loudness_range(theirs.get(), &value);
    std::vector<double> levels;
    for (std::size_t k = 30; k <= ours.steps(); k += 10)
      levels.push_back(ours.short_term_lufs(k).value());
    EXPECT_NEAR(range_of(levels), value, 1e-5) << name;
    for (std::size_t c = 0; c < channels; ++c) {
      ebur128_sample_peak(theirs.get(), static_cast<unsigned>(c), &value);
      EXPECT_EQ(ours.sample_peaks()[c], value) << name;
      ebur128_true_peak(theirs.get(), static_cast<unsigned>(c), &value);
      EXPECT_NEAR(20 * std::log10(ours.true_peaks()[c] / value), 0, 0.02) << name;
    }
  }
}

}  // namespace
}  // namespace papilio

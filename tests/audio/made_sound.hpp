#pragma once

#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <filesystem>
#include <vector>

namespace papilio::test {

/// Two tones and a little seeded noise, in ±0.9.
inline std::vector<float> tone(std::size_t samples) {
  std::vector<float> result(samples);
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < samples; ++i) {
    noise = noise * 1664525u + 1013904223u;
    const double t = static_cast<double>(i);
    result[i] = static_cast<float>(0.5 * std::sin(0.05 * t) + 0.3 * std::sin(0.31 * t) +
                                   0.1 * (static_cast<double>(noise >> 16) / 65536 - 0.5));
  }
  return result;
}

/// Writes `samples` by libsndfile itself, at 48 kHz.
inline void make_sound(const std::filesystem::path& path, int format, int channels,
                       const std::vector<float>& samples, const char* title = nullptr) {
  SF_INFO info{};
  info.samplerate = 48000;
  info.channels = channels;
  info.format = format;
  SNDFILE* const file = sf_open(path.c_str(), SFM_WRITE, &info);
  ASSERT_NE(file, nullptr) << sf_strerror(nullptr);
  if (title != nullptr) sf_set_string(file, SF_STR_TITLE, title);
  const auto count = static_cast<sf_count_t>(samples.size());
  EXPECT_EQ(sf_write_float(file, samples.data(), count), count);
  EXPECT_EQ(sf_close(file), 0);
}

}  // namespace papilio::test

// papilio denoise: noise goes, what stands above it stays, and the length is kept.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/audio.hpp"

namespace papilio::test {
namespace {

class denoise_verb : public program_test {
 protected:
  /// Noise at about -40 dBFS, and from second 1 to 2 a sine of 1/4 on the first of the channels.
  void write_noisy(const std::string& name, std::size_t frames, std::uint16_t channels) const {
    std::vector<std::int32_t> samples;
    std::uint32_t state = 7;
    for (std::size_t i = 0; i < frames; ++i)
      for (unsigned c = 0; c < channels; ++c) {
        state = state * 1664525u + 1013904223u;
        const double noise = 400 * (static_cast<double>(state >> 8) / 8388608 - 1);
        const bool tone = c == 0 && i >= 8000 && i < 16000;
        samples.push_back(static_cast<std::int32_t>(
            std::lround(noise + (tone ? 8192 * std::sin(0.5 * static_cast<double>(i)) : 0.0))));
      }
    write(name, wav_bytes{.channels = channels, .data = pcm_bytes(samples, 16)}.file());
  }

  /// Level of a channel's stretch, dB beside a mean square of 1.
  static double level(const sound& s, std::size_t channel, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += std::pow(s.samples(i, channel), 2);
    return 10 * std::log10(sum / static_cast<double>(last - first));
  }

  /// Headers may differ: a file's has room for that of an RF64.
  static bool same_samples(const std::string& one, const std::string& other) {
    const sound a = read_sound(one), b = read_sound(other);
    return a.samples.extents() == b.samples.extents() &&
           std::equal(a.samples.begin(), a.samples.end(), b.samples.begin());
  }
};

TEST_F(denoise_verb, turns_down_the_noise_and_keeps_the_tone) {
  write_noisy("a.wav", 24017, 2);
  const sound before = read_sound(path("a.wav"));
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--noise-duration", "0.8"}, {"--noise-start", "2.2", "--noise-duration", "0.5"}};
  for (const auto& way : ways) {
    SCOPED_TRACE(way.empty() ? "automatic" : way.back());
    std::vector<std::string> arguments = {"denoise", "a.wav", "-o", "b.wav", "--n-fft", "512"};
    arguments.insert(arguments.end(), way.begin(), way.end());
    const child_result result = run(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    const sound after = read_sound(path("b.wav"));
    ASSERT_EQ(after.samples.extents(), before.samples.extents());
    EXPECT_LT(level(after, 1, 0, 24017), level(before, 1, 0, 24017) - 15);
    EXPECT_LT(level(after, 0, 500, 7000), level(before, 0, 500, 7000) - 15);
    EXPECT_NEAR(level(after, 0, 9000, 15000), level(before, 0, 9000, 15000), 0.1);
  }
}

TEST_F(denoise_verb, nothing_to_turn_down_changes_nothing) {
  write_noisy("a.wav", 9001, 3);
  for (const std::string hop : {"128", "256", "100"}) {
    const child_result result = run(
        {"denoise", "a.wav", "-o", "b.wav", "--reduction", "0", "--n-fft", "512", "--hop", hop});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(same_samples(path("b.wav"), path("a.wav"))) << hop;
  }
}

TEST_F(denoise_verb, pipes_channels_and_excerpts) {
  write_noisy("a.wav", 24000, 2);
  ASSERT_EQ(
      run({"denoise", "a.wav", "-o", "b.wav", "--channel", "2", "--start", "1", "--duration", "1"})
          .exit_code,
      0);
  const child_result piped =
      run({"denoise", "-", "-", "--channel", "2", "--start", "1", "--duration", "1"},
          {.input = read_bytes(path("a.wav"))});
  ASSERT_EQ(piped.exit_code, 0) << piped.errors;
  EXPECT_TRUE(same_samples(write("piped.wav", piped.output), path("b.wav")));
  const sound s = read_sound(path("b.wav"));
  EXPECT_EQ(s.samples.extents(), (extents_type<2>{8000, 1}));
  const child_result flac =
      run({"denoise", "a.wav", "-o", "b.flac", "--json", "--encoding", "s24"});
  ASSERT_EQ(flac.exit_code, 0) << flac.errors;
  const auto json = nlohmann::json::parse(flac.output);
  EXPECT_EQ(json["frames_written"], 24000);
  EXPECT_EQ(json["noise"]["automatic"], true);
  EXPECT_EQ(read_sound(path("b.flac")).info.frames, 24000u);
}

TEST_F(denoise_verb, short_and_silent_sounds) {
  for (const std::size_t frames : {1, 2, 700}) {
    write_sine("a.wav", frames);
    const child_result result = run({"denoise", "a.wav", "-o", "b.wav"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(read_sound(path("b.wav")).info.frames, frames);
  }
  write("a.wav", wav_bytes{.data = std::string(20000, '\0')}.file());
  ASSERT_EQ(run({"denoise", "a.wav", "-o", "b.wav"}).exit_code, 0);
  EXPECT_TRUE(same_samples(path("b.wav"), path("a.wav")));
}

TEST_F(denoise_verb, refuses) {
  write_sine("a.wav", 8000);
  write("empty.wav", "");
  expect_refused({"denoise", "empty.wav", "b.wav"}, 1, "empty");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--noise-duration", "0.01"}, 1,
                 "--noise-duration");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--noise-duration", "1", "--noise-start", "5"},
                 1, "--noise-start 5 s");
  expect_refused({"denoise", "a.wav", "empty.wav/b.wav"}, 1, "empty.wav/b.wav");
  expect_refused({"denoise", "a.wav", "a.wav"}, 2, "--out");
  expect_refused({"denoise", "a.wav", "b.mp3"}, 2, "--out");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "-o", "c.wav"}, 2, "--out");
  expect_refused({"denoise", "a.wav", "-", "--json"}, 2, "--json");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--noise-start", "1"}, 2, "--noise-start");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--quantile", "0.1", "--noise-duration", "1"},
                 2, "--quantile");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--quantile", "1"}, 2, "--quantile");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--reduction", "-1"}, 2, "--reduction");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--hop", "4096"}, 2, "--hop");
  expect_refused({"denoise", "a.wav", "-o", "b.wav", "--no-centre"}, 2, "--no-centre");
}

}  // namespace
}  // namespace papilio::test

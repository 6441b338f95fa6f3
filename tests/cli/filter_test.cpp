// papilio filter: the sound is that of sos_filter, sample by sample, and the length is kept.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::test {
namespace {

class filter_verb : public program_test {
 protected:
  /// Two channels at 8 kHz: a constant and a sine of 1 kHz, and a sine of 3 kHz.
  void write_tones(const std::string& name, std::size_t frames) const {
    std::vector<std::int32_t> samples;
    for (std::size_t i = 0; i < frames; ++i) {
      const double turns = static_cast<double>(i) / 8;
      samples.push_back(static_cast<std::int32_t>(
          std::lround(4000 + 8000 * std::sin(6.283185307179586 * turns))));
      samples.push_back(
          static_cast<std::int32_t>(std::lround(8000 * std::sin(3 * 6.283185307179586 * turns))));
    }
    write(name, wav_bytes{.channels = 2, .data = pcm_bytes(samples, 16)}.file());
  }
};

TEST_F(filter_verb, writes_the_filtered_samples) {
  write_tones("a.wav", 5003);
  const sound before = read_sound(path("a.wav"));
  const child_result result = run(
      {"filter", "a.wav", "-o", "b.wav", "--highpass", "80", "--bandstop", "2500:3500", "--family",
       "chebyshev2", "--attenuation", "50", "--order", "3", "--encoding", "f32", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto told = nlohmann::json::parse(result.output);
  EXPECT_EQ(told["frames_written"], 5003);
  EXPECT_EQ(told["sections"], 5);
  const sound after = read_sound(path("b.wav"));
  ASSERT_EQ(after.samples.extents(), before.samples.extents());
  std::vector<sos_section> sections;
  for (const filter_band& band : {filter_band::high_pass(80), filter_band::band_stop(2500, 3500)})
    for (const sos_section& s : iir_sections(
             {.family = filter_family::chebyshev2, .order = 3, .band = band, .attenuation_db = 50},
             8000))
      sections.push_back(s);
  sos_filter<float> filter(sections, 2);
  array<float, 2> expected(before.samples.extents());
  filter.push(before.samples.view(), expected.view());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), after.samples.begin()));
}

TEST_F(filter_verb, excerpts_channels_and_default_names) {
  write_tones("a.wav", 16000);
  ASSERT_EQ(
      run({"filter", "a.wav", "--lowpass", "2000", "--channel", "2", "--start", "1"}).exit_code, 0);
  const sound after = read_sound(path("a-filtered.wav"));
  EXPECT_EQ(after.samples.extent(0), 8000u);
  EXPECT_EQ(after.samples.extent(1), 1u);
  double largest = 0;
  for (std::size_t i = 4000; i < 8000; ++i)
    largest = std::max(largest, std::abs(static_cast<double>(after.samples(i, 0u))));
  EXPECT_LT(largest, 0.25 * 0.05);  // 3 kHz is 15 dB and more below an edge of 2 kHz, order 4
}

/// Two channels that begin and end off 0.
array<float, 2> noise_off_zero(std::size_t frames) {
  array<float, 2> made({frames, 2});
  std::uint32_t state = 1;
  for (float& sample : made.flat()) {
    state = state * 1664525u + 1013904223u;
    sample = 0.25f + 1e-10f * static_cast<float>(state >> 1);
  }
  return made;
}

TEST_F(filter_verb, zero_phase_is_sosfiltfilt) {
  // Two blocks of the program's 2^19 frames, and a last one shorter than the extension of 15 frames.
  for (const std::size_t frames : {16u, 5003u, 1048555u}) {
    const array<float, 2> before = noise_off_zero(frames);
    write_sound(path("a.wav"), before.view(), {.rate_hz = 8000, .encoding = sample_encoding::f32});
    const child_result result =
        run({"filter", "a.wav", "-o", "b.wav", "--highpass", "20", "--lowpass", "900", "--order",
             "2", "--zero-phase", "--encoding", "f32", "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(nlohmann::json::parse(result.output)["zero_phase"], true);
    const sound after = read_sound(path("b.wav"));
    ASSERT_EQ(after.samples.extents(), before.extents());
    std::vector<sos_section> sections;
    for (const filter_band& band : {filter_band::high_pass(20), filter_band::low_pass(900)})
      for (const sos_section& s : iir_sections({.order = 2, .band = band}, 8000))
        sections.push_back(s);
    // Rounding to float, and that of states between blocks.
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<float> channel;
      for (std::size_t i = 0; i < frames; ++i) channel.push_back(before(i, c));
      const array<float, 1> expected =
          sosfiltfilt<float>(sections, std::span<const float>(channel));
      double worst = 0;
      for (std::size_t i = 0; i < frames; ++i)
        worst = std::max(worst, std::abs(static_cast<double>(after.samples(i, c)) - expected[i]));
      EXPECT_LT(worst, 6e-8) << frames;
    }
  }
}

TEST_F(filter_verb, zero_phase_of_an_excerpt_and_of_standard_input) {
  write_tones("a.wav", 16000);
  const std::vector<std::string> flags = {"--lowpass", "500", "--zero-phase", "--start", "0.5",
                                          "--channel", "2"};
  std::vector<std::string> from_file = {"filter", "a.wav", "-o", "b.wav"},
                           from_pipe = {"filter", "-", "-o", "-"};
  from_file.insert(from_file.end(), flags.begin(), flags.end());
  from_pipe.insert(from_pipe.end(), flags.begin(), flags.end());
  ASSERT_EQ(run(from_file).exit_code, 0);
  EXPECT_EQ(read_sound(path("b.wav")).samples.extent(0), 12000u);
  const child_result result = run(from_pipe, {.input = read_bytes(path("a.wav"))});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  write("c.wav", result.output);
  const sound b = read_sound(path("b.wav")), c = read_sound(path("c.wav"));
  EXPECT_TRUE(std::ranges::equal(b.samples, c.samples));
}

TEST_F(filter_verb, refuses) {
  write_tones("a.wav", 100);
  expect_refused({"filter", "a.wav", "-o", "b.wav"}, 2, "--highpass");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--highpass", "4000"}, 1,
                 "--highpass 4000: must be below half its rate, 4000 Hz");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--highpass", "0"}, 2, "--highpass");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--bandstop", "60:50"}, 2, "got 60:50");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--bandstop", "60"}, 2, "LOW:HIGH");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--lowpass", "60", "--ripple", "1"}, 2,
                 "--ripple");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--lowpass", "60", "--attenuation", "1"}, 2,
                 "--attenuation");
  expect_refused(
      {"filter", "a.wav", "-o", "b.wav", "--lowpass", "60", "--family", "bessel", "--order", "26"},
      2, "--order");
  expect_refused({"filter", "a.wav", "-o", "b.wav", "--lowpass", "60", "--order", "0"}, 2,
                 "--order");
  write_tones("short.wav", 15);
  expect_refused({"filter", "short.wav", "-o", "b.wav", "--lowpass", "60", "--zero-phase"}, 1,
                 "--zero-phase: it must be longer than 15 frames, got 15");
}

}  // namespace
}  // namespace papilio::test

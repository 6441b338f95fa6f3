// papilio filter: the sound is that of sos_filter, sample by sample, and the length is kept.
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

  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::string& reason) const {
    const auto before = listing();
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), before);
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
}

}  // namespace
}  // namespace papilio::test

// papilio resample: the sound is that of papilio::resample to the bit.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/audio.hpp"

namespace papilio::test {
namespace {

class resample_verb : public program_test {
 protected:
  void write_noise(const std::string& name, std::size_t frames, int channels,
                   sample_encoding encoding = sample_encoding::s24) const {
    array<float, 2> samples({frames, static_cast<std::size_t>(channels)});
    std::uint32_t state = 1;
    for (float& sample : samples.flat()) {
      state = state * 1664525u + 1013904223u;
      sample = 1e-10f * static_cast<float>(state >> 1);
    }
    write_sound(path(name), samples.view(), {.rate_hz = 44100, .encoding = encoding});
  }
};

TEST_F(resample_verb, is_resample_of_the_library) {
  write_noise("a.wav", 30001, 3);
  const sound before = read_sound(path("a.wav"));
  const std::pair<const char*, resampling_quality> qualities[] = {
      {"low", resampling_quality::low},
      {"medium", resampling_quality::medium},
      {"high", resampling_quality::high},
      {"very-high", resampling_quality::very_high}};
  for (const auto& [word, quality] : qualities)
    for (const int rate : {8000, 44100, 48000}) {
      const child_result result =
          run({"resample", "a.wav", "--rate", std::to_string(rate), "-o", "b.wav",
               "--resampling-quality", word, "--encoding", "f32", "--json"});
      ASSERT_EQ(result.exit_code, 0) << result.errors;
      const auto told = nlohmann::json::parse(result.output);
      EXPECT_EQ(told["output_rate_hz"], rate);
      EXPECT_EQ(told["frames_written"], resampled_frames(30001, 44100, rate));
      const sound after = read_sound(path("b.wav")), expected = resample(before, rate, quality);
      EXPECT_EQ(after.info.rate_hz, rate);
      ASSERT_EQ(after.samples.extents(), expected.samples.extents());
      EXPECT_TRUE(std::ranges::equal(after.samples, expected.samples)) << word << " " << rate;
    }
}

TEST_F(resample_verb, keeps_the_encoding_that_the_format_has) {
  write_noise("a.wav", 3000, 1, sample_encoding::f32);
  ASSERT_EQ(run({"resample", "a.wav", "--rate", "22050"}).exit_code, 0);
  EXPECT_EQ(read_sound(path("a-resampled.wav")).info.stored_as, sample_encoding::f32);
  ASSERT_EQ(run({"resample", "a.wav", "--rate", "22050", "-o", "a.flac"}).exit_code, 0);
  EXPECT_EQ(read_sound(path("a.flac")).info.stored_as, sample_encoding::s16);
  write_noise("b.wav", 3000, 2);
  ASSERT_EQ(run({"resample", "b.wav", "--rate", "22050", "-o", "b.flac"}).exit_code, 0);
  EXPECT_EQ(read_sound(path("b.flac")).info.stored_as, sample_encoding::s24);
  ASSERT_EQ(run({"resample", "b.wav", "--rate", "22050", "-o", "b.ogg"}).exit_code, 0);
}

TEST_F(resample_verb, excerpts_channels_and_standard_streams) {
  write_noise("a.wav", 44100, 2);
  const std::vector<std::string> flags = {"--rate",     "16000", "--channel",  "2",
                                          "--start",    "0.5",   "--duration", "0.25",
                                          "--encoding", "f32"};
  std::vector<std::string> from_file = {"resample", "a.wav", "-o", "b.wav"},
                           from_pipe = {"resample", "-", "-o", "-"};
  from_file.insert(from_file.end(), flags.begin(), flags.end());
  from_pipe.insert(from_pipe.end(), flags.begin(), flags.end());
  ASSERT_EQ(run(from_file).exit_code, 0);
  const sound before = read_sound(path("a.wav")), b = read_sound(path("b.wav"));
  const array<float, 2> expected =
      resample(before.samples.view().slice(0, 22050, 11025).slice(1, 1, 1), 44100, 16000);
  ASSERT_EQ(b.samples.extents(), expected.extents());
  EXPECT_TRUE(std::ranges::equal(b.samples, expected));
  const child_result piped = run(from_pipe, {.input = read_bytes(path("a.wav"))});
  ASSERT_EQ(piped.exit_code, 0) << piped.errors;
  write("c.wav", piped.output);
  EXPECT_TRUE(std::ranges::equal(read_sound(path("c.wav")).samples, expected));
}

TEST_F(resample_verb, refuses) {
  write_noise("a.wav", 100, 1);
  expect_refused({"resample", "a.wav", "-o", "b.wav"}, 2, "--rate");
  expect_refused({"resample", "a.wav", "--rate", "0", "-o", "b.wav"}, 2, "--rate");
  expect_refused({"resample", "a.wav", "--rate", "44.1k", "-o", "b.wav"}, 2, "--rate");
  expect_refused({"resample", "a.wav", "--rate", "8", "-o", "b.wav"}, 1,
                 "--rate 8: must be within a factor of 4096 of its own, 44100 Hz");
  expect_refused({"resample", "a.wav", "--rate", "8000", "-o", "b.mp3"}, 2, "--out");
  expect_refused({"resample", "a.wav", "--rate", "8000", "-o", "a.wav"}, 2, "--out");
  expect_refused({"resample", "a.wav", "--rate", "700000", "-o", "b.flac"}, 1, "700000 Hz");
  expect_refused({"resample", "a.npy", "--rate", "8000", "-o", "b.wav"}, 2, "--input-rate");
  expect_refused({"resample", "none.wav", "--rate", "8000", "-o", "b.wav"}, 1, "none.wav");
}

}  // namespace
}  // namespace papilio::test

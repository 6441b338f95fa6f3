// papilio spectrogram --transform cqt and vqt.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"
#include "support/npy_data.hpp"

namespace papilio::test {
namespace {

class octave_picture : public program_test {
 protected:
  void write_tone(const std::string& name, double hz, double rate_hz, std::size_t frames,
                  std::uint16_t channels = 1) const {
    std::vector<float> samples(frames * channels);
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = static_cast<float>(
          0.5 * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i / channels) / rate_hz));
    write(name, wav_bytes{.format_tag = 3,
                          .channels = channels,
                          .rate_hz = static_cast<std::uint32_t>(rate_hz),
                          .bits = 32,
                          .data = float_bytes(samples)}
                    .file());
  }
  nlohmann::json report_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"spectrogram", "--json"});
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output)[0];
  }
  void expect_refused(std::vector<std::string> flags, int exit_code,
                      const std::string& part) const {
    flags.insert(flags.begin(), {"spectrogram", "in.wav"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, exit_code) << part;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  }
};

TEST_F(octave_picture, reports_the_transform_and_its_peaks) {
  write_sine("sine.wav", 16000);
  const child_result result = run({"spectrogram", "sine.wav", "--transform", "cqt", "--fmin",
                                   "62.5", "--fmax", "2000", "--width", "500"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::string head =
      "picture   sine.png (500 x 640)\n"
      "file      sine.wav\n"
      "format    WAV (Microsoft), Signed 16 bit PCM, 8000 Hz, 1 channel\n"
      "duration  2.000 s (16000 frames)\n"
      "analysis  334 segments, constant Q, 24 bins an octave, hop 48, hann window, 1 channel\n"
      "axis      notes, 62.5 to 2000 Hz\n"
      "levels    -86.0 to -6.0 dBFS\n"
      "peaks        1000.4 Hz    -6.0 dBFS\n";
  EXPECT_EQ(result.output.substr(0, head.size()), head) << result.output;
}

TEST_F(octave_picture, low_strings_are_lines) {
  constexpr double low_e_hz = 82.4068892282175;
  write_tone("in.wav", low_e_hz, 44100, 4 * 44100);
  report_of({"in.wav", "--transform", "cqt", "--fmin", "41.2", "--fmax", "330", "-o", "in.npy"});
  const npy_data levels = read_npy_data(path("in.npy"));
  const std::size_t rows = levels.extents.at(0), columns = levels.extents.at(1);
  const auto middle = [&](std::size_t row) { return levels.values[row * columns + columns / 2]; };
  double most = -1000;
  for (std::size_t r = 0; r < rows; ++r) most = std::max(most, middle(r));
  EXPECT_NEAR(most, -6.02, 0.1);
  std::size_t within = 0;
  for (std::size_t r = 0; r < rows; ++r)
    if (middle(r) > most - 3) ++within;
  const double semitones = 12 * std::log2(330 / 41.2) / static_cast<double>(rows);
  EXPECT_LT(static_cast<double>(within) * semitones, 1.0);
  EXPECT_GT(within, 1u);
}

TEST_F(octave_picture, every_option_does_something) {
  write_tone("in.wav", 440, 8000, 12000, 2);
  const auto levels = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav", "--width", "300", "-o", "out.npy"});
    if (std::ranges::find(flags, "--transform") == flags.end())
      flags.insert(flags.end(), {"--transform", "cqt"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return read_bytes(path("out.npy"));
  };
  const std::string plain = levels({});
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--bins-per-octave", "12"},
                                             {"--hop", "20"},
                                             {"--window", "blackman"},
                                             {"--fmin", "50"},
                                             {"--fmax", "1000"},
                                             {"--pool", "mean"},
                                             {"--channels", "stacked"},
                                             {"--waterfall"},
                                             {"--transform", "vqt"}})
    EXPECT_TRUE(levels(flags) != plain) << flags[0];
}

TEST_F(octave_picture, fields_name_the_transform) {
  write_sine("in.wav", 16000);
  const nlohmann::json vqt = report_of({"in.wav", "--transform", "vqt", "--bins-per-octave", "12"});
  EXPECT_EQ(vqt["transform"], "vqt");
  EXPECT_EQ(vqt["bins_per_octave"], 12);
  EXPECT_EQ(vqt["frequency_axis"]["scale"], "notes");
  EXPECT_NEAR(vqt["frequency_axis"]["low_hz"].get<double>(), 32.7032, 1e-4);
  EXPECT_FALSE(vqt.contains("n_fft"));
  EXPECT_EQ(report_of({"in.wav", "--transform", "cqt", "--frequency-axis",
                       "log"})["frequency_axis"]["scale"],
            "log");
}

TEST_F(octave_picture, shows_what_is_short_and_silent) {
  for (const std::size_t frames : {1, 2, 100}) {
    write("in.wav", wav_bytes{.data = std::string(2 * frames, '\0')}.file());
    EXPECT_EQ(report_of({"in.wav", "--transform", "cqt", "-o", "out.png"})["peaks"].size(), 0u);
  }
}

TEST_F(octave_picture, warns_of_what_it_does_not_see) {
  write_sine("in.wav", 20000);
  const auto warning = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"spectrogram", "in.wav", "--transform", "cqt"});
    return run(flags).errors;
  };
  EXPECT_EQ(warning({"--fmax", "2000"}), "");
  EXPECT_NE(warning({"--fmax", "2000", "--hop", "500"}).find("--hop 500 is longer than the 139"),
            std::string::npos);
  EXPECT_NE(warning({"--fmin", "10"}).find("of the lowest bin are longer than 20000 samples"),
            std::string::npos);
}

TEST_F(octave_picture, two_files_are_compared) {
  write_tone("a.wav", 440, 8000, 8000);
  write_tone("b.wav", 440, 8000, 6000);
  const child_result result = run({"spectrogram", "a.wav", "b.wav", "--transform", "cqt",
                                   "--compare", "difference", "-o", "d.npy"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(octave_picture, refuses_what_belongs_to_the_other_transform) {
  write_sine("in.wav", 9000);
  expect_refused({"--bins-per-octave", "24"}, 2,
                 "--bins-per-octave: is for --transform cqt and vqt");
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--n-fft", "512"},
                                             {"--window-length", "256"},
                                             {"--padding", "reflect"},
                                             {"--no-centre"},
                                             {"--preset", "scipy"},
                                             {"--for", "music"}}) {
    std::vector<std::string> all = {"--transform", "cqt"};
    all.insert(all.end(), flags.begin(), flags.end());
    expect_refused(all, 2, flags[0] + ": is for --transform stft");
  }
  expect_refused({"--transform", "cqt", "--frequency-axis", "mel"}, 2,
                 "--frequency-axis: must be log or notes with --transform cqt, got mel");
  expect_refused({"--transform", "cqt", "--window", "tukey"}, 2, "--window: must have a transform");
  expect_refused({"--transform", "cqt", "--fmax", "3990"}, 1,
                 "in.wav: --fmax 3990 Hz is above the highest bin of its rate, at");
  expect_refused({"--transform", "cqt", "--fmin", "3900"}, 1,
                 "in.wav: --fmin 3900 Hz is not a bin");
  expect_refused({"--transform", "cqt", "--fmin", "0.01"}, 1,
                 "in.wav: --fmin 0.01 Hz with 24 bins an octave takes");
  EXPECT_EQ(listing(), std::vector<std::string>{"in.wav"});
}

}  // namespace
}  // namespace papilio::test

// Bad usage: exit 2, the flag named on stderr, nothing on stdout, nothing written.
#include "cli/program.hpp"

#include <filesystem>

namespace papilio::test {
namespace {

class usage : public program_test {
 protected:
  void expect_usage(std::vector<std::string> arguments, const std::string& named) {
    const auto before = listing();
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    EXPECT_NE(result.errors.find(named), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(usage, of_the_program) {
  expect_usage({"dance"}, "dance");
  expect_usage({"spectrogram"}, "FILE");
  expect_usage({"info"}, "FILE");
  expect_usage({"spectrogram", "x.wav", "--bogus"}, "--bogus");
}

TEST_F(usage, of_spectrogram) {
  const std::string file = write_sine("in.wav", 1000);
  const std::pair<std::string, std::string> bad[] = {{"--n-fft", "0"},
                                                     {"--n-fft", "16777217"},
                                                     {"--n-fft", "-5"},
                                                     {"--n-fft", "many"},
                                                     {"--n-fft", "99999999999999999999"},
                                                     {"--hop", "0"},
                                                     {"--hop", "-1"},
                                                     {"--window", "square"},
                                                     {"--window-length", "2049"},
                                                     {"--channel", "0"},
                                                     {"--channel", "-1"},
                                                     {"--start", "-1"},
                                                     {"--start", "nan"},
                                                     {"--duration", "0"},
                                                     {"--duration", "-2"},
                                                     {"--range", "0"},
                                                     {"--range", "-20:-100"},
                                                     {"--range", "loud"},
                                                     {"--range", "-inf:0"},
                                                     {"--width", "0"},
                                                     {"--width", "20000"},
                                                     {"--height", "10"},
                                                     {"--height", "1e9"},
                                                     {"--colors", "jet"},
                                                     {"--pool", "median"},
                                                     {"--channels", "left"},
                                                     {"--frequency-axis", "erb"},
                                                     {"--fmin", "-1"},
                                                     {"--fmin", "nan"},
                                                     {"--fmax", "0"},
                                                     {"--nan", "maybe"}};
  for (const auto& [flag, value] : bad) {
    SCOPED_TRACE(flag + " " + value);
    expect_usage({"spectrogram", file, flag, value}, flag);
  }
}

TEST_F(usage, of_frequency_axes_and_channels) {
  const std::string file = write_sine("in.wav", 1000);
  expect_usage({"spectrogram", file, "--frequency-axis", "log", "--fmin", "0"}, "--fmin");
  expect_usage({"spectrogram", file, "--fmin", "2000", "--fmax", "1000"}, "--fmin");
  expect_usage({"spectrogram", file, "--channels", "stacked", "--channel", "1"}, "--channels");
}

TEST_F(usage, of_fft) {
  const std::string file = write_sine("in.wav", 1000);
  const std::pair<std::string, std::string> bad[] = {
      {"--n-fft", "0"},       {"--n-fft", "16777217"}, {"--window", "square"}, {"--channel", "0"},
      {"--start", "-1"},      {"--duration", "0"},     {"--peaks", "1001"},    {"--peaks", "-1"},
      {"--separation", "-1"}, {"--plot", "a.gif"},     {"--plot", "png"},      {"--plot", "-"},
      {"--csv", "-"},         {"--npy", "-"},          {"--nan", "maybe"},     {"--csv", ""},
      {"--npy", ""},          {"--plot", ""}};
  for (const auto& [flag, value] : bad) {
    SCOPED_TRACE(flag + " " + value);
    expect_usage({"fft", file, flag, value}, flag);
  }
  const std::pair<std::string, std::string> of_the_plot[] = {
      {"--min-db", "0"}, {"--min-db", "nan"}, {"--width", "299"}, {"--height", "16385"}};
  for (const auto& [flag, value] : of_the_plot)
    expect_usage({"fft", file, "--plot", "a.png", flag, value}, flag);
  expect_usage({"fft", file, "--log-frequency"}, "--out");
  expect_usage({"fft", file, "-o", "a.csv", "-o", "./a.csv"}, "--out");
  expect_usage({"fft", file, "-o", "a.txt"}, "--out");
  expect_usage({"stft", file, "-o", "a.csv"}, "--out");
  expect_usage({"fft", file, "--title", "T"}, "--out");
  expect_usage({"fft"}, "FILE");
  expect_usage({"fft", file, "--csv", "a", "--npy", "./a"}, "--npy");
  expect_usage({"fft", file, "--csv", "in.wav"}, "--csv");
}

TEST_F(usage, outputs_that_would_collide) {
  write_sine("in.wav", 1000);
  std::filesystem::create_directory(path("sub"));
  write_sine("sub/in.wav", 1000);
  expect_usage({"spectrogram", "in.wav", "sub/in.wav"}, "--out");
  expect_usage({"spectrogram", "in.wav", "sub/in.wav", "--out", "one.png"}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", "in.wav"}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", ""}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", "in.jpg"}, "--out");
}

TEST_F(usage, help_and_version_go_to_stdout) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"spectrogram", "--help"},
                                                    {"info", "--help"},
                                                    {"fft", "--help"},
                                                    {"plan", "--help"},
                                                    {"--version"}}) {
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output, "");
    EXPECT_EQ(result.errors, "");
  }
}

}  // namespace
}  // namespace papilio::test

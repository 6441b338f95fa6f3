// Bad usage: exit 2, the flag named on stderr, nothing on stdout, nothing written.
#include "cli/program.hpp"

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
  expect_usage({}, "subcommand is required");
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
                                                     {"--nan", "maybe"}};
  for (const auto& [flag, value] : bad) {
    SCOPED_TRACE(flag + " " + value);
    expect_usage({"spectrogram", file, flag, value}, flag);
  }
}

TEST_F(usage, outputs_that_would_collide) {
  write_sine("in.wav", 1000);
  std::filesystem::create_directory(path("sub"));
  write_sine("sub/in.wav", 1000);
  expect_usage({"spectrogram", "in.wav", "sub/in.wav"}, "--out");
  expect_usage({"spectrogram", "in.wav", "sub/in.wav", "--out", "one.png"}, "--out");
  expect_usage({"spectrogram", "in.wav", "--out", "in.wav"}, "--out");
}

TEST_F(usage, help_and_version_go_to_stdout) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"spectrogram", "--help"},
                                                    {"info", "--help"},
                                                    {"--version"}}) {
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output, "");
    EXPECT_EQ(result.errors, "");
  }
}

}  // namespace
}  // namespace papilio::test

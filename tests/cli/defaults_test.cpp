// Options from the file of defaults, and times as people write them.
#include <filesystem>

#include "cli/program.hpp"
#include "support/scoped_variable.hpp"

namespace papilio::test {
namespace {

class defaults : public program_test {
 protected:
  void SetUp() override { write_sine("a.wav", 16000); }

  void keep(const std::string& text) { write("papilio.toml", text); }

  scoped_variable folder{"XDG_CONFIG_HOME", directory.path().string()};
};

TEST_F(defaults, stand_where_the_command_line_says_nothing) {
  const std::string plain = run({"fft", "a.wav", "--peaks", "1"}).output;
  keep("[fft]\npeaks = 1\n[spectrogram]\nn-fft = 512\n");
  EXPECT_EQ(run({"fft", "a.wav"}).output, plain);
  EXPECT_NE(run({"fft", "a.wav", "--peaks", "2"}).output, plain);
  EXPECT_NE(run({"--no-config", "fft", "a.wav"}).output, plain);
  EXPECT_EQ(run({"--no-config", "fft", "a.wav", "--peaks", "1"}).output, plain);
  const child_result drawn = run({"spectrogram", "a.wav"});
  EXPECT_NE(drawn.output.find("512"), std::string::npos) << drawn.output << drawn.errors;
}

TEST_F(defaults, are_those_that_help_shows) {
  keep("[fft]\npeaks = 7\nmin-db = -90\nstrict = true\n");
  for (const auto& words : {std::vector<std::string>{"fft", "--help"}, {"help", "fft"}}) {
    const std::string help = run(words).output;
    EXPECT_NE(help.find("--peaks UINT:[0, 1000]=7"), std::string::npos) << help;
    EXPECT_NE(help.find("--min-db FLOAT:[-1000, -1]=-90"), std::string::npos) << help;
    EXPECT_NE(help.find("than its header promises [true]"), std::string::npos) << help;
  }
  const std::string plain = run({"--no-config", "fft", "--help"}).output;
  EXPECT_NE(plain.find("--peaks UINT:[0, 1000]=10"), std::string::npos) << plain;
}

TEST_F(defaults, that_are_not_there_are_refused) {
  for (const char* text : {"[fft]\npeeks = 1\n", "[fft]\npeaks = many\n", "[dance]\na = 1\n"}) {
    SCOPED_TRACE(text);
    keep(text);
    const child_result result = run({"fft", "a.wav"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors, "");
    EXPECT_EQ(run({"--no-config", "fft", "a.wav"}).exit_code, 0);
  }
}

TEST_F(defaults, times_are_seconds_or_minutes_and_seconds) {
  const std::string plain = run({"fft", "a.wav", "--start", "0.5", "--duration", "1"}).output;
  EXPECT_NE(plain, "");
  EXPECT_EQ(run({"fft", "a.wav", "--start", "0:00.5", "--duration", "0:01"}).output, plain);
  EXPECT_EQ(run({"fft", "a.wav", "--start", "0:0:00.5", "--duration", "1.0"}).output, plain);
  for (const char* bad : {"1:60", "1:-1", ":5", "1:", "a:1", "-1:0", "1:2:"}) {
    const child_result result = run({"fft", "a.wav", "--start", bad});
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_NE(result.errors.find(bad), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace papilio::test

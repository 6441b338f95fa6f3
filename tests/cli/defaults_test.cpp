// Options from the file of defaults, and times as people write them.
#include <sys/stat.h>

#include <filesystem>
#include <functional>

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
    EXPECT_NE(help.find("--min-db FLOAT:[-1000, 1000]=-90"), std::string::npos) << help;
    EXPECT_NE(help.find("holds more than is read [true]"), std::string::npos) << help;
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

TEST_F(defaults, may_be_lists_texts_and_comments) {
  write_sine("b.txt", 10);
  std::filesystem::create_directory(directory / "in");
  write_sine("in/a b.wav", 3000);
  write_sine("in/c.wav", 3000);
  write_sine("in/d.wav", 3000);
  keep("; files\n[batch]  # which\ninclude = [ 'a b.wav',  # one\n  \"c.wav\" ]\nfft.x = 1\n");
  EXPECT_NE(run({"batch", "in", "-o", "out", "--what", "fft"}).errors.find("[batch]: batch has no"),
            std::string::npos);
  keep("[batch]\ninclude = [ 'a b.wav',  # one\n  \"c.wav\" ]\n");
  EXPECT_EQ(run({"batch", "in", "-o", "out", "--what", "fft"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("out/a b.csv")));
  EXPECT_TRUE(std::filesystem::exists(path("out/c.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("out/d.csv")));
  keep("spectrogram.title = \"one # two\"\nspectrogram.dpi=96");
  EXPECT_NE(run({"help", "spectrogram"}).output.find("one # two"), std::string::npos);
}

TEST_F(defaults, that_are_wrong_are_told_with_file_and_section_by_their_verb_alone) {
  for (const char* text : {"[fft]\npeaks = many\n", "[fft]\npeaks = 1, 2\n",
                           "[fft]\nstrict = perhaps\n", "[fft]\nstrict = true, true\n",
                           "[fft]\npeeks = 1\n", "[fft]\nhelp = true\n", "[fft]\npeaks = -1\n"}) {
    SCOPED_TRACE(text);
    keep(text);
    const child_result refused = run({"fft", "a.wav"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(refused.errors.starts_with("papilio: " + path("papilio.toml") + ": [fft]: "))
        << refused.errors;
    EXPECT_EQ(run({"info", "a.wav"}).errors, "");
    const child_result helped = run({"fft", "--help"});
    EXPECT_EQ(helped.exit_code, 0);
    EXPECT_NE(helped.output.find("--peaks UINT:[0, 1000]=10"), std::string::npos);
    EXPECT_TRUE(helped.errors.starts_with("papilio: warning: " + path("papilio.toml")))
        << helped.errors;
  }
  for (const char* text : {"[fft\npeaks = 1\n", "peaks = 1\n", "[fft]\npeaks = [1\n",
                           "[fft]\npeaks =\n", "[fft]\n = 1\n", "[]\npeaks = 1\n"}) {
    SCOPED_TRACE(text);
    keep(text);
    const child_result refused = run({"fft", "a.wav"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(refused.errors.starts_with("papilio: " + path("papilio.toml") + ": line "))
        << refused.errors;
    EXPECT_EQ(run({"fft", "--help"}).exit_code, 0);
  }
}

TEST_F(defaults, hold_nothing_that_a_terminal_acts_on) {
  keep("[spectrogram]\ntitle = \033]0;owned\a\n[fft]\n\033[31mred = 1\n");
  for (const auto& words :
       {std::vector<std::string>{"help", "spectrogram"}, {"fft", "a.wav"}, {"help", "fft"}}) {
    const child_result result = run(words);
    const std::string shown = result.output + result.errors;
    EXPECT_EQ(shown.find('\033'), std::string::npos) << shown;
    EXPECT_NE(shown.find("\\x1b"), std::string::npos) << shown;
  }
}

// Nothing that lies where the file should keeps a verb waiting.
TEST_F(defaults, come_from_a_short_regular_file) {
  namespace fs = std::filesystem;
  const fs::path file = path("papilio.toml");
  const std::vector<std::function<void()>> others = {
      [&] { ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0); },
      [&] { fs::create_symlink("/dev/zero", file); }, [&] { fs::create_directory(file); },
      [&] {
        keep("");
        fs::resize_file(file, std::uintmax_t{1} << 40);
      }};
  const child_options brief{.timeout_seconds = 60};
  for (const auto& make : others) {
    fs::remove(file);
    make();
    const child_result refused = run({"fft", "a.wav"}, brief);
    EXPECT_FALSE(refused.timed_out);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(refused.errors.starts_with("papilio: " + file.string() + ": ")) << refused.errors;
    EXPECT_EQ(run({"fft", "--help"}, brief).exit_code, 0);
    EXPECT_EQ(run({"--no-config", "fft", "a.wav"}, brief).exit_code, 0);
  }
  fs::remove(file);
  fs::create_symlink("nowhere", file);
  EXPECT_EQ(run({"fft", "a.wav"}).exit_code, 0);
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

// The bar of progress, where standard error is a terminal, and its absence elsewhere.
#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class progress_bar : public program_test {
 protected:
  /// What a terminal gets that is the program's standard error.
  std::string seen(const std::vector<std::string>& arguments, int exit_code = 0) {
    const child_result result = run(arguments, {.errors_on_terminal = true});
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return result.errors;
  }
};

/// What is left on the last line of a terminal that got the text.
std::string last_line(const std::string& text) {
  const std::size_t erased = text.rfind("\r\033[K");
  return erased == std::string::npos ? text : text.substr(erased + 4);
}

TEST_F(progress_bar, is_drawn_on_a_terminal_and_erased) {
  write_sine("a.wav", 3'000'000);
  const std::string text = seen({"spectrogram", "a.wav", "-o", "a.png"});
  EXPECT_NE(text.find("a.wav ["), std::string::npos) << text;
  EXPECT_NE(text.find("%"), std::string::npos) << text;
  EXPECT_EQ(last_line(text), "") << text;
}

TEST_F(progress_bar, counts_files) {
  std::filesystem::create_directory(path("in"));
  for (const char* name : {"in/a.wav", "in/b.wav", "in/c.wav"}) write_sine(name, 1'000'000);
  const std::string one_by_one = seen({"psd", "in/a.wav", "in/b.wav", "in/c.wav"});
  EXPECT_NE(one_by_one.find(" of 3 files"), std::string::npos) << one_by_one;
  EXPECT_EQ(last_line(one_by_one), "");
  const std::string text = seen({"batch", "in", "-o", "out", "--what", "mel", "-j", "2"});
  EXPECT_NE(text.find(" of 3 files"), std::string::npos) << text;
  EXPECT_EQ(last_line(text), "");
}

// Messages stand above the bar, whole.
TEST_F(progress_bar, makes_way_for_messages) {
  std::filesystem::create_directory(path("in"));
  write("in/a.wav", "no sound at all");
  write_sine("in/b.wav", 1'000'000);
  const std::string text = seen({"batch", "in", "-o", "out", "--what", "psd", "-j", "1"}, 1);
  const std::size_t message = text.find("papilio: in/a.wav");
  ASSERT_NE(message, std::string::npos) << text;
  EXPECT_TRUE(message == 0 || text[message - 1] == '\n' || text[message - 1] == 'K') << text;
  EXPECT_EQ(last_line(text), "");
}

TEST_F(progress_bar, is_quiet_in_a_pipe) {
  write_sine("a.wav", 3'000'000);
  EXPECT_EQ(run({"spectrogram", "a.wav", "-o", "a.png"}).errors, "");
}

}  // namespace
}  // namespace papilio::test

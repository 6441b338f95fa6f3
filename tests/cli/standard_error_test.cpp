// Messages that nobody can read, and what terminals would act on.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

#include <filesystem>

namespace papilio::test {
namespace {

class standard_error : public program_test {
 protected:
  /// Runs the program by a shell, with `redirection` behind its arguments.
  child_result run_redirected(const std::string& arguments, const std::string& redirection) const {
    return run_child({"/bin/sh", "-c", program_path() + " " + arguments + " " + redirection},
                     {.directory = directory.path()});
  }
};

TEST_F(standard_error, that_cannot_be_written_changes_nothing_else) {
  write_sine("a.wav", 8000);
  std::string cut = read_bytes(path("a.wav"));
  write("cut.wav", cut.substr(0, cut.size() / 2));
  std::filesystem::create_directory(directory / "in");
  for (const char* name : {"1.wav", "2.wav", "3.wav"}) write_sine(std::string("in/") + name, 8000);
  write("in/bad.wav", "no sound");
  for (const std::string redirection : {"2>/dev/full", "2>&-"}) {
    SCOPED_TRACE(redirection);
    EXPECT_EQ(run_redirected("info none.wav", redirection).exit_code, 1);
    EXPECT_EQ(run_redirected("info --nonsense", redirection).exit_code, 2);
    EXPECT_EQ(run_redirected("nonsense", redirection).exit_code, 2);
    EXPECT_EQ(run_redirected("einsum 'ij,jk->ik'", redirection).exit_code, 2);
    const child_result warned = run_redirected("spectrogram cut.wav -o cut.png", redirection);
    EXPECT_EQ(warned.exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(directory / "cut.png"));
    std::filesystem::remove_all(directory / "out");
    const child_result batch =
        run_redirected("batch in -o out --what spectrogram --json", redirection);
    EXPECT_EQ(batch.exit_code, 1);
    EXPECT_EQ(nlohmann::json::parse(batch.output)["done"], 3);
  }
}

// An output that is opened must not become the closed descriptor, and get what is said there.
TEST_F(standard_error, closed_descriptors_are_not_taken_by_files) {
  write_sine("a.wav", 8000);
  const std::string bytes = read_bytes(path("a.wav"));
  write("cut.wav", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(run({"stft", "cut.wav", "-o", "a.npy"}).exit_code, 0);
  EXPECT_EQ(run_redirected("stft cut.wav -o b.npy", "2>&-").exit_code, 0);
  EXPECT_EQ(read_bytes(path("a.npy")), read_bytes(path("b.npy")));
  EXPECT_EQ(run_redirected("stft cut.wav -o c.npy", ">&- 2>&-").exit_code, 1);
  EXPECT_EQ(run_redirected("--help", ">/dev/full").exit_code, 1);
}

TEST_F(standard_error, holds_nothing_that_a_terminal_acts_on) {
  // ESC, C1 as UTF-8 and as a byte, an override of direction, a line separator, overlong UTF-8.
  const std::string hostile = "a\x1b]0;x\x07\xc2\x9b\x9b\xe2\x80\xae\xe2\x80\xa8\xc0\xaf";
  const std::string shown =
      "a\\x1b]0;x\\x07\\xc2\\x9b\\x9b\\xe2\\x80\\xae\\xe2\\x80\\xa8\\xc0\\xaf";
  EXPECT_EQ(run({"info", hostile}).errors, "papilio: " + shown + ": No such file or directory\n");
  EXPECT_NE(run({hostile}).errors.find(shown), std::string::npos);
  EXPECT_NE(run({"info", "a.wav", "--" + hostile}).errors.find(shown), std::string::npos);
  write_sine(hostile.substr(0, 7) + ".wav", 100);
  std::filesystem::rename(path(hostile.substr(0, 7) + ".wav"), path(hostile + ".wav"));
  EXPECT_NE(run({"info", hostile + ".wav"}).output.find(shown), std::string::npos);
  // What people write stays: accents, other scripts, emoji.
  const std::string names = "\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8e\xb5.wav";
  write_sine(names, 100);
  EXPECT_TRUE(run({"info", names}).output.starts_with(names + "\n"));
}

}  // namespace
}  // namespace papilio::test

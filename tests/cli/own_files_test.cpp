// Names that papilio chooses itself: what an earlier run made is replaced, and nothing else.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"
#include "papilio/io.hpp"

namespace papilio::test {
namespace {

using arguments = std::vector<std::string>;

class own_files : public program_test {
 protected:
  void expect_done(const arguments& command) const {
    const child_result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(command) << result.errors;
  }
  void expect_kept(const arguments& command, const std::string& file, const std::string& reason,
                   int exit_code = 2) const {
    SCOPED_TRACE(testing::PrintToString(command));
    const std::string before = read_bytes(path(file));
    const child_result result = run(command);
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(read_bytes(path(file)), before);
  }
};

TEST_F(own_files, every_command_runs_twice) {
  write_sine("a.wav", 8000);
  const std::pair<arguments, std::string> commands[] = {
      {{"spectrogram", "a.wav"}, "a.png"},
      {{"spectrogram", "a.wav", "--theme", "dark", "--dpi", "144"}, "a.png"},
      {{"spectrogram", "a.wav", "--format", "svg,pdf"}, "a.svg"},
      {{"spectrogram", "a.wav", "--format", "csv,pdf"}, "a.pdf"},
      {{"stft", "a.wav"}, "a.npy"},
      {{"stft", "a.wav", "--form", "db"}, "a.npy.json"},
      {{"spectrogram", "a.wav", "--format", "npy"}, "a.npy"},
      {{"report", "a.wav"}, "a.html"},
      {{"denoise", "a.wav"}, "a-denoised.wav"},
      {{"denoise", "a.wav", "--format", "flac", "--encoding", "s8"}, "a-denoised.flac"},
      {{"denoise", "a.wav", "--format", "ogg"}, "a-denoised.ogg"}};
  for (const auto& [command, made] : commands)
    for (int time = 0; time < 2; ++time) {
      expect_done(command);
      EXPECT_TRUE(std::filesystem::exists(path(made))) << made;
    }
  expect_done({"stft", "a.wav", "-o", "c.npy"});
  for (int time = 0; time < 2; ++time) expect_done({"istft", "c.npy"});
  EXPECT_TRUE(std::filesystem::exists(path("c-istft.wav")));
}

TEST_F(own_files, those_of_others_are_kept_unless_forced) {
  write_sine("a.wav", 8000);
  const std::string file = path("a.wav");
  // Pictures and pages without the mark, arrays of another type or rank, tables of another heading.
  const tensor<float> line({8});
  const tensor<double> wide({2, 4});
  save_npy(path("line.npy"), line);
  save_npy(path("wide.npy"), wide);
  ASSERT_EQ(run({"spectrogram", "a.wav", "-o", "p.png"}).exit_code, 0);
  std::string unmarked = read_bytes(path("p.png"));
  unmarked.replace(unmarked.find("tEXtSoftware") + 13, 7, "another");
  const std::tuple<arguments, std::string, std::string> cases[] = {
      {{"spectrogram", "a.wav"}, "a.png", unmarked},
      {{"spectrogram", "a.wav"}, "a.png", ""},
      {{"spectrogram", "a.wav", "--format", "svg"}, "a.svg", "<svg>papilio</svg>"},
      {{"spectrogram", "a.wav", "--format", "pdf"}, "a.pdf", "%PDF-1.5\n(papilio)"},
      {{"spectrogram", "a.wav", "--format", "csv"}, "a.csv", "frequency,level\n"},
      {{"spectrogram", "a.wav", "--format", "csv"}, "a.csv", "frequency_hz\n"},
      {{"spectrogram", "a.wav", "--format", "npy"}, "a.npy", read_bytes(path("line.npy"))},
      {{"stft", "a.wav"}, "a.npy", read_bytes(path("wide.npy"))},
      {{"stft", "a.wav"}, "a.npy", "precious"},
      {{"stft", "a.wav"}, "a.npy.json", "{\"what\": \"else\"}"},
      {{"report", "a.wav"}, "a.html", "<!DOCTYPE html>"},
      {{"denoise", "a.wav"}, "a-denoised.wav", read_bytes(file)}};
  for (const auto& [command, name, bytes] : cases) {
    for (const char* made : {"a.npy", "a.npy.json"}) std::filesystem::remove(path(made));
    write(name, bytes);
    expect_kept(command, name, "--force");
    arguments forced = command;
    forced.emplace_back("--force");
    expect_done(forced);
    EXPECT_NE(read_bytes(path(name)), bytes) << name;
  }
  // The second file may be another recording, whoever made it.
  expect_kept({"denoise", "a.wav", "p.png"}, "p.png", "--out");
  expect_kept({"denoise", "a.wav", "a-denoised.wav"}, "a-denoised.wav", "--out");
  std::filesystem::remove(path("a.png"));
  ASSERT_EQ(::mkfifo(path("a.png").c_str(), 0600), 0);
  EXPECT_EQ(run({"spectrogram", "a.wav", "--force"}).exit_code, 1);
}

TEST_F(own_files, no_clobber_replaces_nothing) {
  write_sine("a.wav", 8000);
  std::filesystem::create_directory(path("in"));
  write_sine("in/a.wav", 8000);
  expect_done({"spectrogram", "a.wav", "--no-clobber"});
  expect_done({"stft", "a.wav", "--no-clobber"});
  expect_done({"fft", "a.wav", "-o", "t.csv", "--no-clobber"});
  expect_done({"report", "a.wav", "--no-clobber"});
  expect_done({"batch", "in", "-o", "out", "--what", "psd", "--no-clobber"});
  expect_kept({"spectrogram", "a.wav", "--no-clobber"}, "a.png", "--no-clobber");
  expect_kept({"spectrogram", "a.wav", "-o", "a.png", "--no-clobber"}, "a.png", "--no-clobber");
  expect_kept({"spectrogram", "a.wav", "-o", "./", "--no-clobber"}, "a.png", "--no-clobber");
  expect_kept({"fft", "a.wav", "--csv", "t.csv", "--no-clobber"}, "t.csv", "--no-clobber");
  expect_kept({"report", "a.wav", "--no-clobber"}, "a.html", "--no-clobber");
  expect_kept({"batch", "in", "-o", "out", "--what", "psd", "--no-clobber"}, "out/a.csv",
              "--no-clobber", 1);
  std::filesystem::remove(path("a.npy"));
  expect_kept({"stft", "a.wav", "--no-clobber"}, "a.npy.json", "--no-clobber");
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  EXPECT_EQ(run({"spectrogram", "a.wav", "--no-clobber", "--force"}).exit_code, 2);
  expect_done({"spectrogram", "a.wav", "-o", "/dev/null", "--format", "png", "--no-clobber"});
}

/// The first block of commands under a heading.
std::string block_under(const std::string& heading) {
  std::ifstream file(PAPILIO_README);
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find("```sh\n", text.find(heading)) + 6;
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST_F(own_files, the_readme_runs_from_top_to_bottom_twice) {
  const std::string block = block_under("\n## The program\n");
  ASSERT_NE(block.find("papilio info song.flac"), std::string::npos) << block;
  std::filesystem::create_directories(path("recordings/more"));
  for (const char* name : {"voice.wav", "before.wav", "after.wav", "talk.wav", "video.mkv",
                           "recordings/a.wav", "recordings/more/b.wav"})
    write_sine(name, 8000);
  write_sine("song.flac", 72 * 8000);  // the block looks at second 70
  std::filesystem::create_directory(path("bin"));
  std::filesystem::create_symlink(program_path(), path("bin/papilio"));
  // A microphone and a film, as far as these commands know.
  for (const auto& [name, sound] : {std::pair("arecord", "talk.wav"), {"ffmpeg", "video.mkv"}}) {
    write(std::string("bin/") + name, std::string("#!/bin/sh\ncat ") + sound + "\n");
    std::filesystem::permissions(path(std::string("bin/") + name),
                                 std::filesystem::perms::owner_all);
  }
  const std::string script = "set -e -o pipefail; PATH=\"$PWD/bin:$PATH\"\n" + block;
  for (int time = 0; time < 2; ++time) {
    ::setenv("TERM", "xterm-256color", 1);
    const child_result result = run_child(
        {"/bin/bash", "-c", script},
        {.directory = directory.path(), .terminal = terminal_options{.answer = "\033[?62;22c"}});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  }
}

}  // namespace
}  // namespace papilio::test

// Sentences of SECURITY.md about folders: where outputs go, and that each is whole or not there.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/program.hpp"
#include "support/sanitizer.hpp"
#include "support/scoped_variable.hpp"

namespace papilio::test {
namespace {

namespace fs = std::filesystem;

using words = std::vector<std::string>;

/// An NPY of doubles, size x size.
std::string matrix_of_ones(std::size_t size) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(size) + ", " + std::to_string(size) + "), }";
  header.resize(117, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n";
  for (std::size_t i = 0; i < size * size; ++i) bytes += std::string("\0\0\0\0\0\0\xf0\x3f", 8);
  return bytes;
}

class security : public program_test {
 protected:
  void SetUp() override {
    write_sine("a.wav", 4000);
    for (const char* folder : {"elsewhere", "out"}) fs::create_directory(directory / folder);
  }

  std::size_t entries(const char* folder) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path(folder)), fs::directory_iterator()));
  }

  void expect_link_refused(const words& command, const std::string& link) const {
    SCOPED_TRACE(command[0] + " with the link " + link);
    // One that leads nowhere yet, and one that leads to a file.
    for (const bool is_there : {false, true}) {
      if (is_there) write("elsewhere/target", "kept");
      fs::create_symlink(directory / "elsewhere" / "target", directory / link);
      const child_result result = run(command);
      EXPECT_NE(result.exit_code, 0);
      EXPECT_NE(result.errors, "");
      EXPECT_EQ(entries("elsewhere"), is_there ? 1u : 0u);
      if (is_there) {
        EXPECT_EQ(read_bytes(path("elsewhere/target")), "kept");
      }
      EXPECT_TRUE(fs::is_symlink(directory / link));
      fs::remove(directory / link);
      fs::remove(directory / "elsewhere" / "target");
    }
  }
};

TEST_F(security, no_output_of_a_chosen_name_goes_through_a_link) {
  expect_link_refused({"spectrogram", "a.wav"}, "a.png");
  expect_link_refused({"report", "a.wav"}, "a.html");
  expect_link_refused({"spectrogram", "a.wav", "-o", "out"}, "out/a.png");
  expect_link_refused({"spectrogram", "a.wav", "-o", "out/", "--format", "png,csv"}, "out/a.csv");
  expect_link_refused({"fft", "a.wav", "-o", "out"}, "out/a.csv");
  expect_link_refused({"psd", "a.wav", "-o", "out"}, "out/a.csv");
  expect_link_refused({"features", "a.wav", "-o", "out"}, "out/a.csv");
  expect_link_refused({"denoise", "a.wav", "-o", "out"}, "out/a.wav");
  expect_link_refused({"stft", "a.wav"}, "a.npy.json");
  expect_link_refused({"stft", "a.wav", "-o", "out"}, "out/a.npy.json");
  expect_link_refused({"stft", "a.wav", "-o", "out/named.npy"}, "out/named.npy.json");
  expect_link_refused({"batch", ".", "-o", "out", "--what", "psd"}, "out/a.csv");
  if (run({"decompose", "--help"}).exit_code != 0) return;  // a build without products
  write("m.npy", matrix_of_ones(4));
  for (const char* link : {"out/manifest.json", "out/core_0.npy"})
    expect_link_refused({"decompose", "tt", "m.npy", "--rank", "1", "-o", "out"}, link);
}

// A FIFO, which would keep the verb waiting, is written to where it is named.
TEST_F(security, no_output_of_a_chosen_name_goes_into_a_pipe) {
  ASSERT_EQ(::mkfifo(path("out/a.csv").c_str(), 0600), 0);
  for (const words& command :
       {words{"psd", "a.wav", "-o", "out"}, {"batch", ".", "-o", "out", "--what", "psd"}}) {
    const child_result result = run(command, {.timeout_seconds = 60});
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find("out/a.csv: is no regular file"), std::string::npos)
        << result.errors;
  }
  const child_result named = run_child(
      {"/bin/sh", "-c", "cat out/a.csv & \"$0\" psd a.wav -o out/a.csv; wait", program_path()},
      {.directory = directory.path(), .timeout_seconds = 60});
  EXPECT_NE(named.output.find("frequency_hz"), std::string::npos) << named.errors;
}

TEST_F(security, a_link_that_is_named_is_followed) {
  fs::create_symlink("elsewhere/real.png", path("link.png"));
  EXPECT_EQ(run({"spectrogram", "a.wav", "-o", "link.png"}).exit_code, 0);
  EXPECT_TRUE(fs::is_regular_file(path("elsewhere/real.png")));
  EXPECT_TRUE(fs::is_symlink(path("link.png")));
  fs::create_directory_symlink("elsewhere", path("folder"));
  EXPECT_EQ(run({"spectrogram", "a.wav", "-o", "folder"}).exit_code, 0);
  EXPECT_TRUE(fs::is_regular_file(path("elsewhere/a.png")));
}

// A disk that is full for one output leaves none of its pass, and what was there as it was.
TEST_F(security, outputs_of_one_pass_appear_together) {
  const auto expect_none = [&](const words& command) {
    SCOPED_TRACE(command[0]);
    fs::remove_all(path("out"));
    fs::create_directory(path("out"));
    const child_result whole = run(command);
    ASSERT_EQ(whole.exit_code, 0) << whole.errors;
    std::uintmax_t least = ~std::uintmax_t{0}, most = 0;
    for (const fs::directory_entry& each : fs::directory_iterator(path("out"))) {
      least = std::min(least, each.file_size());
      most = std::max(most, each.file_size());
      write("out/" + each.path().filename().string(), "old");
    }
    ASSERT_LT(least, most);
    const child_result full = run(command, {.file_size_limit = (least + most) / 2});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_NE(full.errors.find("File too large"), std::string::npos) << full.errors;
    for (const fs::directory_entry& each : fs::directory_iterator(path("out")))
      EXPECT_EQ(read_bytes(each.path()), "old") << each.path();
  };
  expect_none({"spectrogram", "a.wav", "-o", "out/a.png", "-o", "out/a.csv"});
  expect_none({"fft", "a.wav", "-o", "out/a.npy", "-o", "out/a.csv", "-o", "out/a.svg"});
  expect_none({"psd", "a.wav", "-o", "out/a.npy", "-o", "out/a.csv", "-o", "out/a.png"});
  expect_none({"features", "a.wav", "-o", "out/a.npy", "-o", "out/a.csv"});
  expect_none({"stft", "a.wav", "-o", "out/a.npy"});
}

// A file of a name that papilio looks for, beside what was named or in the user's settings.
TEST_F(security, what_lies_where_a_file_should_keeps_no_verb_waiting) {
  const auto expect_refused = [&](const words& command, const std::string& fifo) {
    SCOPED_TRACE(fifo);
    fs::remove(path(fifo));
    ASSERT_EQ(::mkfifo(path(fifo).c_str(), 0600), 0);
    const child_result result = run(command, {.timeout_seconds = 60});
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find(fifo), std::string::npos) << result.errors;
  };
  ASSERT_EQ(run({"stft", "a.wav", "-o", "a.npy"}).exit_code, 0);
  expect_refused({"istft", "a.npy", "-o", "b.wav"}, "a.npy.json");
  expect_refused({"plan", "fft 1024", "--host", "host.json"}, "host.json");
}

TEST_F(security, a_folder_named_by_a_dash_is_not_standard_input) {
  fs::create_directory(path("-"));
  write_sine("-/lurking.wav", 3000);
  const child_result page = run({"report", "-", "-o", "-"}, {.input = read_bytes(path("a.wav"))});
  EXPECT_EQ(page.exit_code, 0) << page.errors;
  EXPECT_EQ(page.output.find("lurking"), std::string::npos);
  EXPECT_NE(page.output.find("standard input"), std::string::npos);
  EXPECT_NE(run({"report", "./-", "-o", "-"}).output.find("lurking"), std::string::npos);
}

/// What a program says of itself under a limit of its address space: something, soon.
class address_space : public program_test {
 protected:
  void expect_end(const words& command) const {
    const child_result right = run(command);
    ASSERT_EQ(right.exit_code, 0) << right.errors;
    for (const std::size_t megabytes : {20, 60, 90, 120, 150, 180, 240, 320, 450, 700, 1000}) {
      SCOPED_TRACE(command[0] + " in " + std::to_string(megabytes) + " MB");
      const child_result result =
          run(command, {.address_space_limit = megabytes << 20, .timeout_seconds = 60});
      EXPECT_FALSE(result.timed_out);
      if (result.exit_code == 0) {
        EXPECT_EQ(result.output, right.output);
      } else {
        EXPECT_NE(result.errors, "");
      }
    }
  }
};

// OpenBLAS would wait for ever for the memory of its threads, before main and at the end.
TEST_F(address_space, every_verb_ends) {
  if (runs_under_a_sanitizer()) GTEST_SKIP() << "the sanitizer needs terabytes of it";
  write_sine("a.wav", 4000);
  expect_end({"--version"});
  expect_end({"help", "spectrogram"});
  expect_end({"info", "a.wav"});
  expect_end({"fft", "a.wav"});
  expect_end({"features", "a.wav"});
  expect_end({"spectrogram", "a.wav", "-o", "a.png"});
  if (run({"einsum", "--help"}).exit_code != 0) return;  // a build without products
  write("m.npy", matrix_of_ones(100));
  expect_end({"einsum", "ij,jk->ik", "m.npy", "m.npy", "-o", "p.npy"});
  expect_end({"plan", "gemm 64x64x64"});
}

}  // namespace
}  // namespace papilio::test

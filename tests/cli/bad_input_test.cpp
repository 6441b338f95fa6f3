// Bad input: a message with the file's name and the reason on stderr, exit 1, no output left
// behind, never a hang or a crash.
#include <sys/stat.h>

#include <filesystem>
#include <limits>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class bad_input : public program_test {
 protected:
  void expect_refused(const std::string& name, const std::string& reason,
                      const std::vector<std::string>& flags = {}, child_options options = {}) {
    const auto before = listing();
    std::vector<std::string> arguments = {"spectrogram", name, "--out", path("out.png")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments, options);
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(name), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_EQ(listing(), before);
  }

  // Analysed as far as it goes, with a warning that holds each of `words`; refused under --strict.
  void expect_truncated(const std::string& name, const std::vector<std::string>& words) {
    const child_result result = run({"spectrogram", name, "--out", path("out.png")});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.errors.find("warning: " + name), std::string::npos) << result.errors;
    for (const std::string& word : words)
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << " in: " << result.errors;
    EXPECT_TRUE(std::filesystem::remove(path("out.png")));
    expect_refused(name, words.front(), {"--strict"});
  }
};

std::string sine_data(std::size_t frames) {
  std::vector<std::int32_t> samples(frames);
  for (std::size_t i = 0; i < frames; ++i) samples[i] = i % 8 < 4 ? 8000 : -8000;
  return pcm_bytes(samples, 16);
}

TEST_F(bad_input, empty_file) { expect_refused(write("empty.wav", ""), "empty"); }

TEST_F(bad_input, text_renamed) {
  expect_refused(write("text.wav", "It was a dark and stormy night; the rain fell in torrents.\n"),
                 "not recognised");
}

TEST_F(bad_input, header_cut) {
  const std::string whole = wav_bytes{.data = sine_data(100)}.file();
  expect_refused(write("cut.wav", whole.substr(0, 30)), "");
}

TEST_F(bad_input, header_promises_4_gb) {
  for (const std::uint32_t size : {0xFFFFFFF0u, 4000000000u})
    expect_truncated(
        write("four.wav", wav_bytes{.data = sine_data(4000), .data_size_bytes = size}.file()),
        {std::to_string(size / 2), "4000"});
}

TEST_F(bad_input, header_of_unknown_size_is_no_fault) {
  write("stream.wav",
        wav_bytes{
            .data = sine_data(4000), .data_size_bytes = 0xFFFFFFFFu, .riff_size_bytes = 0xFFFFFFFFu}
            .file());
  const child_result result = run({"spectrogram", "stream.wav", "--strict"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("(4000 frames)"), std::string::npos) << result.output;
}

TEST_F(bad_input, truncated_data) {
  const std::string whole = wav_bytes{.data = sine_data(10000)}.file();
  expect_truncated(write("short.wav", whole.substr(0, 44 + 2 * 6000)), {"10000", "6000"});
}

TEST_F(bad_input, truncated_flac) {
  const std::string whole = read_bytes(PAPILIO_RECORDING);
  expect_truncated(write("short.flac", whole.substr(0, whole.size() / 2)), {"263356"});
}

TEST_F(bad_input, no_channels) {
  expect_refused(write("none.wav", wav_bytes{.channels = 0, .data = sine_data(100)}.file()),
                 "channel");
}

TEST_F(bad_input, impossible_rates) {
  expect_refused(write("zero.wav", wav_bytes{.rate_hz = 0, .data = sine_data(100)}.file()), "rate");
  expect_refused(
      write("fast.wav", wav_bytes{.rate_hz = 4000000000u, .data = sine_data(100)}.file()), "rate");
}

TEST_F(bad_input, a_thousand_channels_are_read) {
  const std::string wide =
      write("wide.wav", wav_bytes{.channels = 1000, .data = sine_data(20000)}.file());
  const child_result result = run({"spectrogram", wide, "--out", path("out.png")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("1000 channels"), std::string::npos) << result.output;
  EXPECT_LT(result.peak_kilobytes, 200 * 1024);
}

TEST_F(bad_input, no_samples) {
  expect_refused(write("nothing.wav", wav_bytes{}.file()), "no samples");
}

TEST_F(bad_input, one_sample_works) {
  const child_result result =
      run({"spectrogram", write("one.wav", wav_bytes{.data = sine_data(1)}.file())});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(std::filesystem::exists(path("one.png")));
}

TEST_F(bad_input, samples_that_are_not_numbers) {
  std::vector<float> samples(5000, 0.25f);
  samples[1234] = std::numeric_limits<float>::quiet_NaN();
  samples[4000] = std::numeric_limits<float>::infinity();
  const std::string name =
      write("nan.wav", wav_bytes{.format_tag = 3, .bits = 32, .data = float_bytes(samples)}.file());
  expect_refused(name, "1234");
  const child_result result = run({"spectrogram", name, "--nan", "zero", "--out", path("out.png")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("replaced  2 samples"), std::string::npos) << result.output;
}

TEST_F(bad_input, directory_and_missing) {
  std::filesystem::create_directory(path("folder.wav"));
  expect_refused(path("folder.wav"), "directory");
  expect_refused(path("missing.wav"), "No such file");
}

TEST_F(bad_input, unreadable) {
  const std::string name = write_sine("secret.wav", 1000);
  std::filesystem::permissions(name, std::filesystem::perms::none);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  child_options options{.as_nobody = true};
  options.directory = "/";
  const child_result probe = run({"--version"}, options);
  if (probe.exit_code == 127 || probe.exit_code == 126)
    GTEST_SKIP() << "another user cannot run the program here";
  expect_refused(name, "Permission denied", {}, options);
}

TEST_F(bad_input, unwritable_outputs) {
  const std::string name = write_sine("in.wav", 1000);
  const auto before = listing();
  for (const std::string& out :
       {std::string("/proc/no/such/folder/out.png"), path("in.wav/out.png")}) {
    const child_result result = run({"spectrogram", name, "--out", out});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find(out), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(bad_input, full_disk) {
  const std::string name = write_sine("in.wav", 80000);
  child_options options;
  options.file_size_limit = 2000;
  const auto before = listing();
  const child_result limited = run({"spectrogram", name, "--out", path("out.png")}, options);
  EXPECT_EQ(limited.exit_code, 1) << limited.output;
  EXPECT_NE(limited.errors.find(path("out.png") + ": File too large"), std::string::npos)
      << limited.errors;
  EXPECT_EQ(listing(), before);
  const child_result result = run({"spectrogram", name, "--out", "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("/dev/full: No space left on device"), std::string::npos)
      << result.errors;
}

TEST_F(bad_input, a_failure_keeps_the_old_picture) {
  const std::string name = write_sine("in.wav", 80000);
  ASSERT_EQ(run({"spectrogram", name, "--out", path("out.png")}).exit_code, 0);
  const std::string before = read_bytes(path("out.png"));
  child_options options;
  options.file_size_limit = 2000;
  EXPECT_EQ(
      run({"spectrogram", name, "--out", path("out.png"), "--colors", "grey"}, options).exit_code,
      1);
  EXPECT_EQ(read_bytes(path("out.png")), before);
}

TEST_F(bad_input, the_other_files_go_on) {
  const child_result result =
      run({"spectrogram", write_sine("a.wav", 900), write("b.wav", ""), write_sine("c.wav", 900)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(std::filesystem::exists(path("a.png")));
  EXPECT_FALSE(std::filesystem::exists(path("b.png")));
  EXPECT_TRUE(std::filesystem::exists(path("c.png")));
}

}  // namespace
}  // namespace papilio::test

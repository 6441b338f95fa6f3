// What is told, refused or waited for before a long or large work begins.
#include <gtest/gtest.h>

#include "cli/batch_program.hpp"

namespace papilio::test {
namespace {

using list = std::vector<std::string>;

class work_ahead : public batch_program {
 protected:
  // Rows of 64 channels of 8 kHz, three bytes a sample.
  void write_channels(const std::string& name, std::size_t frames) const {
    std::string bytes(frames * 64 * 3, '\0');
    for (std::size_t i = 0; i < bytes.size(); i += 3) bytes[i] = static_cast<char>(i * 7 % 61);
    write(name, bytes);
  }
};

// A transform of prime length is a convolution, whose tables would be gigabytes.
TEST_F(work_ahead, primes_that_take_too_much_memory_are_refused) {
  write_sine("a.wav", 9000);
  for (const list& verb :
       {list{"stft", "a.wav", "--out", "a.npy"}, list{"spectrogram", "a.wav"}, list{"psd", "a.wav"},
        list{"fft", "a.wav"}, list{"features", "a.wav", "--rms"}}) {
    SCOPED_TRACE(verb[0]);
    list arguments = verb;
    arguments.insert(arguments.end(), {"--n-fft", "16777213"});
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find("--n-fft: a transform of 16777213 points"), std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("16777216 points"), std::string::npos) << result.errors;
    EXPECT_LT(result.peak_kilobytes, 100 * 1024);
  }
  EXPECT_EQ(listing(), list{"a.wav"});
  EXPECT_EQ(run({"stft", "a.wav", "--out", "a.npy", "--n-fft", "65537"}).exit_code, 0);
}

TEST_F(work_ahead, minutes_are_announced) {
  write_sine("a.wav", 400000);
  make_folders({"in"});
  write_sine("in/a.wav", 400000);
  const list flags = {"--n-fft", "1048576", "--hop", "1"};
  for (list verb : {list{"stft", "a.wav", "--out", "a.npy"}, list{"spectrogram", "a.wav"},
                    list{"features", "a.wav", "--rms"},
                    list{"batch", "in", "--out", "out", "--what", "stft"}}) {
    SCOPED_TRACE(verb[0]);
    verb.insert(verb.end(), flags.begin(), flags.end());
    verb.insert(verb.begin(), program_path());
    const child_result result =
        run_child(verb, {.directory = directory.path().string(), .timeout_seconds = 2});
    EXPECT_TRUE(result.timed_out);
    EXPECT_NE(result.errors.find("a.wav: 400001 transforms of 1048576 points are ahead"),
              std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(run({"stft", "a.wav", "--out", "a.npy"}).errors, "");
}

// Each file alone takes nearly what one may take.
TEST_F(work_ahead, files_of_a_batch_share_their_memory) {
  make_folders({"in"});
  for (const char* name : {"in/a.raw", "in/b.raw"}) write_channels(name, 20000);
  const list flags = {"--what", "psd",       "--average", "median", "--segment-length",
                      "4096",   "--include", "*.raw",     "--raw",  "s24le:8000:64"};
  list one = flags, two = flags;
  one.insert(one.end(), {"--jobs", "1"});
  two.insert(two.end(), {"--jobs", "2"});
  const child_result alone = batch(one), together = batch(two);
  ASSERT_EQ(alone.exit_code, 0) << alone.errors;
  ASSERT_EQ(together.exit_code, 0) << together.errors;
  EXPECT_LE(together.peak_kilobytes, alone.peak_kilobytes * 5 / 4);
}

}  // namespace
}  // namespace papilio::test

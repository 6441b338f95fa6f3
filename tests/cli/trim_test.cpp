// papilio trim: the frames that are kept are those of the input, to the bit.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/audio.hpp"

namespace papilio::test {
namespace {

class trim_verb : public program_test {
 protected:
  static constexpr std::size_t first_loud = 12345, last_loud = 70001, frames = 100003;

  /// Two channels of 24 bits: at most -60.1 dBFS, but for one frame of either, and a pause between.
  void write_ends(const std::string& name) const {
    array<float, 2> samples({frames, 2});
    std::uint32_t state = 1;
    for (float& sample : samples.flat()) {
      state = state * 1664525u + 1013904223u;
      sample = 0.00098f * (2 * static_cast<float>(state >> 8) / 16777216.0f - 1);
    }
    samples(first_loud, 1u) = -0.00102f;
    samples(last_loud, 0u) = 0.5f;
    write_sound(path(name), samples.view(), {.rate_hz = 8000, .encoding = sample_encoding::s24});
  }

  void expect_frames(const std::string& name, std::size_t first, std::size_t end) const {
    const sound before = read_sound(path("a.wav")), after = read_sound(path(name));
    EXPECT_EQ(after.info.stored_as, sample_encoding::s24);
    const view<const float, 2> expected = before.samples.view().slice(0, first, end - first);
    ASSERT_EQ(after.samples.extents(), expected.extents());
    for (std::size_t i = 0; i < expected.extent(0); ++i)
      for (std::size_t c = 0; c < 2; ++c)
        ASSERT_EQ(after.samples(i, c), expected(i, c)) << i << " " << c;
  }
};

TEST_F(trim_verb, keeps_the_frames_between_two_times) {
  write_ends("a.wav");
  const child_result result =
      run({"trim", "a.wav", "--from", "1.5", "--to", "0:03", "-o", "b.wav", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto told = nlohmann::json::parse(result.output);
  EXPECT_EQ(told["frames_written"], 12000);
  EXPECT_EQ(told["excerpt"]["start_seconds"], 1.5);
  expect_frames("b.wav", 12000, 24000);
  ASSERT_EQ(run({"trim", "a.wav", "--from", "12.00003"}).exit_code, 0);
  expect_frames("a-trimmed.wav", 96000, frames);
  ASSERT_EQ(run({"trim", "a.wav", "--to", "99", "-o", "c.wav"}).exit_code, 0);
  expect_frames("c.wav", 0, frames);
  // The part that ends at a time and the part that begins at it are all of it.
  ASSERT_EQ(run({"trim", "a.wav", "--to", "1.234567", "-o", "d.wav"}).exit_code, 0);
  ASSERT_EQ(run({"trim", "a.wav", "--from", "1.234567", "-o", "e.wav"}).exit_code, 0);
  EXPECT_EQ(read_sound(path("d.wav")).info.frames + read_sound(path("e.wav")).info.frames, frames);
}

TEST_F(trim_verb, removes_silence_at_the_ends_alone) {
  write_ends("a.wav");
  const child_result result = run({"trim", "a.wav", "--silence", "-60dB", "-o", "b.wav", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto told = nlohmann::json::parse(result.output);
  EXPECT_EQ(told["silent_frames_before"], first_loud);
  EXPECT_EQ(told["silent_frames_behind"], frames - last_loud - 1);
  expect_frames("b.wav", first_loud, last_loud + 1);
  ASSERT_EQ(run({"trim", "a.wav", "--silence", "-50", "-o", "c.wav"}).exit_code, 0);
  expect_frames("c.wav", last_loud, last_loud + 1);
  ASSERT_EQ(run({"trim", "a.wav", "--silence", "-60", "--from", "2", "--to", "10", "-o", "d.wav"})
                .exit_code,
            0);
  expect_frames("d.wav", last_loud, last_loud + 1);
  ASSERT_EQ(run({"trim", "a.wav", "--silence", "-300", "-o", "e.wav"}).exit_code, 0);
  expect_frames("e.wav", 0, frames);
}

TEST_F(trim_verb, reads_and_writes_streams) {
  write_ends("a.wav");
  ASSERT_EQ(run({"trim", "a.wav", "--silence", "-60dB", "-o", "b.wav"}).exit_code, 0);
  const child_result piped =
      run({"trim", "-", "--silence", "-60dB", "-o", "-"}, {.input = read_bytes(path("a.wav"))});
  ASSERT_EQ(piped.exit_code, 0) << piped.errors;
  write("c.wav", piped.output);
  expect_frames("c.wav", first_loud, last_loud + 1);
}

TEST_F(trim_verb, refuses) {
  write_ends("a.wav");
  expect_refused({"trim", "a.wav", "-o", "b.wav"}, 2, "trim: takes --from, --to or --silence");
  expect_refused({"trim", "a.wav", "--from", "3", "--to", "3", "-o", "b.wav"}, 2,
                 "--to: must be after --from 3, got 3");
  expect_refused({"trim", "a.wav", "--from", "-1", "-o", "b.wav"}, 2, "--from");
  expect_refused({"trim", "a.wav", "--from", "12.501", "-o", "b.wav"}, 1,
                 "--from 12.501 s is at or beyond its end");
  expect_refused({"trim", "a.wav", "--silence", "quiet", "-o", "b.wav"}, 2,
                 "must be a level in dB in [-300, 0], as -60dB, got quiet");
  expect_refused({"trim", "a.wav", "--silence", "-6dB", "-o", "b.wav"}, 1,
                 "its peak of -6.0 dBFS is no louder");
  expect_refused({"trim", "a.wav", "--silence", "-60dB", "--channel", "3", "-o", "b.wav"}, 1,
                 "--channel 3");
}

}  // namespace
}  // namespace papilio::test

// What libsndfile and libmpg123 do not read: the ffmpeg program decodes it, where there is one.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "ffmpeg_decode.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/scoped_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

const std::filesystem::path data = PAPILIO_SOUND_DATA;

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

TEST(by_ffmpeg, the_samples_are_its_own) {
  for (const char* name : {"aac.m4a", "aac.adts", "video.mp4"}) {
    SCOPED_TRACE(name);
    const sound got = read_sound(data / name, {.strict = true});
    EXPECT_EQ(flat(got), test::decoded_by_ffmpeg(data / name));
    EXPECT_EQ(got.info.decoded_by, "ffmpeg");
    EXPECT_EQ(got.info.encoding, "aac (LC)");
    EXPECT_EQ(got.info.rate_hz, 44100);
    EXPECT_TRUE(got.warnings.empty());
    EXPECT_EQ(sound_reader(data / name).info().frames, got.info.frames);
  }
}

TEST(by_ffmpeg, seeks_and_begins_again) {
  const sound whole = read_sound(data / "aac.m4a");
  sound_reader reader(data / "aac.m4a", {.reading = sound_reading::as_it_comes});
  EXPECT_FALSE(reader.info().length_known);
  array<float, 2> block({50, 2});
  for (const std::size_t frame : {20'000u, 700u}) {
    reader.seek(frame);
    ASSERT_EQ(reader.read(block), 50u);
    EXPECT_EQ(block(49, 1), whole.samples(frame + 49, 1)) << frame;
  }
  reader.restart();
  ASSERT_EQ(reader.read(block), 50u);
  EXPECT_EQ(block(0, 0), whole.samples(0, 0));
  reader.measure();
  EXPECT_EQ(reader.info().frames, whole.info.frames);
  EXPECT_EQ(reader.position(), 0u);
}

TEST(by_ffmpeg, damage_is_told) {
  const test::temporary_directory folder;
  std::string bytes = test::read_bytes(data / "aac.adts");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 600; ++i) bytes[i] = '\x55';
  test::write_bytes(folder / "a.aac", bytes);
  const sound got = read_sound(folder / "a.aac");
  EXPECT_GT(got.info.frames, 10'000u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_TRUE(got.warnings[0].starts_with("damaged: ffmpeg says: ")) << got.warnings[0];
  EXPECT_THROW(read_sound(folder / "a.aac", {.strict = true}), io_error);
}

std::string refusal(const std::filesystem::path& path) {
  try {
    sound_reader reader(path);
  } catch (const io_error& e) {
    return std::string(e.what()).substr(e.path().size() + 2);
  }
  return "(not refused)";
}

TEST(by_ffmpeg, its_refusal_is_told) {
  const test::temporary_directory folder;
  test::write_bytes(folder / "a.m4a", test::read_bytes(data / "aac.m4a").substr(0, 3000));
  const std::string reason = refusal(folder / "a.m4a");
  EXPECT_TRUE(reason.starts_with("libsndfile does not read an MP4 or M4A file; ffmpeg: "))
      << reason;
}

TEST(without_ffmpeg, the_error_names_what_helps) {
  const test::scoped_variable path("PATH", "/nonexistent");
  EXPECT_EQ(refusal(data / "aac.m4a"),
            "libsndfile does not read an MP4 or M4A file; the program ffmpeg may, once it is "
            "installed (apt install ffmpeg)");
}

// A child that nobody waits for would be one more for each reader that is dropped half way.
TEST(by_ffmpeg, nothing_is_left_running) {
  for (int i = 0; i < 3; ++i) {
    sound_reader reader(data / "aac.m4a", {.reading = sound_reading::as_it_comes});
    array<float, 2> block({50, 2});
    reader.read(block);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(-1, &status, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace papilio

// What libsndfile and libmpg123 do not read: the ffmpeg program decodes it, where there is one.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
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

/// aac.m4a with these tags, in the container that the name tells.
std::filesystem::path tagged(const std::filesystem::path& to,
                             const std::vector<std::string>& tags) {
  std::vector<std::string> command{"/usr/bin/env", "ffmpeg",         "-v", "quiet", "-nostdin",
                                   "-i",           data / "aac.m4a", "-c", "copy"};
  for (const std::string& tag : tags) command.insert(command.end(), {"-metadata", tag});
  command.push_back(to);
  EXPECT_EQ(test::run_child(command).exit_code, 0) << to;
  return to;
}

// A tag's text, and in Matroska its name too, may have lines like those of ffmpeg.
TEST(by_ffmpeg, tags_do_not_speak_for_it) {
  const test::temporary_directory folder;
  const std::string line = "\n  Stream #0:0: Audio: evil (EVIL), 1 Hz\n[fatal] no\nprogress=end\n";
  const sound plain = read_sound(data / "aac.m4a");
  for (const char* name : {"a.m4a", "a.mkv"}) {
    SCOPED_TRACE(name);
    const auto file =
        tagged(folder / name,
               {"title=[error] haha", "comment=x" + line, "x\n[error] key" + line + "[fatal] =y",
                "codec_name=evil", "y\ncodec_name=evil\n[/STREAM]\nz"});
    const sound got = read_sound(file, {.strict = true});
    EXPECT_EQ(got.info.encoding, "aac (LC)");
    EXPECT_TRUE(got.info.container == "mov,mp4,m4a,3gp,3g2,mj2" ||
                got.info.container == "matroska,webm")
        << got.info.container;
    EXPECT_TRUE(got.warnings.empty());
    EXPECT_EQ(got.info.channels, plain.info.channels);
  }
}

// Samples that are not finite come from the program too.
TEST(by_ffmpeg, not_finite_samples_are_refused) {
  const test::temporary_directory folder;
  const float values[] = {0, 0.5f, std::numeric_limits<float>::quiet_NaN(), 1};
  test::write_bytes(folder / "a.f32", test::float_bytes(values));
  ASSERT_EQ(test::run_child({"/usr/bin/env", "ffmpeg", "-v", "quiet", "-nostdin", "-f", "f32le",
                             "-ar", "8000", "-ac", "1", "-i", folder / "a.f32", "-c:a", "copy",
                             folder / "a.mkv"})
                .exit_code,
            0);
  try {
    read_sound(folder / "a.mkv");
    ADD_FAILURE() << "read";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find("frame 2, channel 1: the sample is NaN"),
              std::string::npos)
        << e.what();
  }
  EXPECT_EQ(read_sound(folder / "a.mkv", {.nan = nan_policy::zero}).replaced_samples, 1u);
}

// Nor does a cover, which is no sound.
TEST(by_ffmpeg, a_broken_cover_is_not_damaged_sound) {
  const test::temporary_directory folder;
  const test::child_result made = test::run_child({"/usr/bin/env",
                                                   "ffmpeg",
                                                   "-v",
                                                   "quiet",
                                                   "-nostdin",
                                                   "-i",
                                                   data / "aac.m4a",
                                                   "-f",
                                                   "lavfi",
                                                   "-i",
                                                   "color=red:s=64x64:d=0.04",
                                                   "-map",
                                                   "0",
                                                   "-map",
                                                   "1",
                                                   "-c:a",
                                                   "copy",
                                                   "-c:v",
                                                   "mjpeg",
                                                   "-frames:v",
                                                   "1",
                                                   "-disposition:v",
                                                   "attached_pic",
                                                   folder / "a.m4a"});
  ASSERT_EQ(made.exit_code, 0);
  std::string bytes = test::read_bytes(folder / "a.m4a");
  const std::size_t cover = bytes.find("\xff\xd8\xff");
  ASSERT_NE(cover, std::string::npos);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(cover) + 20, 400, '\x13');
  test::write_bytes(folder / "a.m4a", bytes);
  EXPECT_TRUE(read_sound(folder / "a.m4a", {.strict = true}).warnings.empty());
}

TEST(by_ffmpeg, a_list_of_files_is_no_sound) {
  const test::temporary_directory folder;
  std::filesystem::copy_file(data / "aac.m4a", folder / "other.m4a");
  test::write_bytes(folder / "a.m4a", "ffconcat version 1.0\nfile other.m4a\n# \x01\x02\xff\xfe\n");
  EXPECT_NE(refusal(folder / "a.m4a").find("a list of other files"), std::string::npos)
      << refusal(folder / "a.m4a");
}

/// A program of this name that runs a script.
void write_program(const std::filesystem::path& file, const std::string& script) {
  test::write_bytes(file, "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(file, std::filesystem::perms(0755));
}

// A caller that ignores SIGCHLD learns nothing of a child's end from the system.
TEST(by_ffmpeg, its_crash_has_a_reason) {
  const test::temporary_directory folder;
  const std::string before = std::getenv("PATH");
  const test::scoped_variable path("PATH", folder.path().string() + ":" + before);
  write_program(folder / "ffprobe", "PATH=" + before + " exec ffprobe \"$@\"");
  for (const auto handler : {SIG_DFL, SIG_IGN}) {
    const auto former = std::signal(SIGCHLD, handler);
    write_program(folder / "ffmpeg", "kill -KILL $$");
    const std::string at_once = refusal(data / "aac.m4a");
    EXPECT_TRUE(at_once.ends_with(handler == SIG_DFL ? "ffmpeg: ended by signal 9"
                                                     : "ffmpeg: ended before its work was done"))
        << at_once;
    write_program(folder / "ffmpeg",
                  "PATH=" + before + " ffmpeg \"$@\" 2>/dev/null | head -c 30000; kill -KILL $$");
    const sound part = read_sound(data / "aac.m4a");
    EXPECT_EQ(part.warnings.size(), 1u);
    EXPECT_THROW(read_sound(data / "aac.m4a", {.strict = true}), io_error);
    write_program(folder / "ffmpeg", "PATH=" + before + " exec ffmpeg \"$@\"");
    EXPECT_TRUE(read_sound(data / "aac.m4a", {.strict = true}).warnings.empty());
    std::signal(SIGCHLD, former);
  }
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

// MPEG files whose headers tell their length, tell it wrongly or not at all, against ffmpeg.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "ffmpeg_decode.hpp"
#include "papilio/audio.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

const std::filesystem::path data = PAPILIO_SOUND_DATA;

/// Two decoders of the same stream in float: some hundred roundings of a sum of full-scale terms,
/// in another order.
constexpr float tolerance = 1e-5f;

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

std::string padded(std::string text, std::size_t size) {
  text.resize(size);
  return text;
}

std::string id3v1() {
  return "TAG" + padded("A title", 30) + padded("Somebody", 30) + padded("", 30) + "2020" +
         padded("", 30) + "\x05";
}

/// With a title and an empty album.
std::string id3v2() {
  const auto frame = [](const std::string& id, const std::string& text) {
    const std::string body = '\0' + text;
    return id + std::string(3, '\0') + static_cast<char>(body.size()) + std::string(2, '\0') + body;
  };
  const std::string body =
      frame("TIT2", "Another title") + frame("TALB", "") + std::string(64, '\0');
  return std::string("ID3\3\0\0\0\0\0", 9) + static_cast<char>(body.size()) + body;
}

std::string ape() {
  const std::string text = "Title";
  const std::string item = little_endian(7) + little_endian(0) + "Title" + '\0' + "A title";
  const auto edge = [&](std::uint32_t flags) {
    return "APETAGEX" + little_endian(2000) +
           little_endian(static_cast<std::uint32_t>(item.size()) + 32) + little_endian(1) +
           little_endian(flags) + std::string(8, '\0');
  };
  return edge(0xa0000000) + item + edge(0x80000000);
}

struct tagging {
  const char* name;
  std::string before, behind;
  std::size_t cut_bytes = 0;
};

class mpeg_files : public testing::TestWithParam<const char*> {
 protected:
  test::temporary_directory folder_;
};

TEST_P(mpeg_files, have_the_frames_and_samples_of_ffmpeg) {
  const std::string bytes = test::read_bytes(data / GetParam());
  const tagging all[] = {{"plain", "", ""},
                         {"id3v2", id3v2(), ""},
                         {"id3v1", "", id3v1()},
                         {"ape", "", ape()},
                         {"ape and id3v1", id3v2(), ape() + id3v1()},
                         {"cut", "", "", 40},
                         {"cut behind id3v2", id3v2(), "", 60}};
  for (const tagging& t : all) {
    SCOPED_TRACE(t.name);
    const std::filesystem::path path = folder_ / "a.mp3";
    test::write_bytes(path, t.before + bytes.substr(0, bytes.size() - t.cut_bytes) + t.behind);
    const std::vector<float> expected = test::decoded_by_ffmpeg(path);
    const sound got = read_sound(path, {.strict = true});
    EXPECT_EQ(got.info.decoded_by, "libmpg123");
    EXPECT_EQ(sound_reader(path).info().frames, got.info.frames);
    ASSERT_EQ(got.samples.size(), expected.size());
    float worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, std::abs(got.samples.data()[i] - expected[i]));
    EXPECT_LE(worst, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(all, mpeg_files,
                         testing::Values("cbr_none.mp3", "cbr_info.mp3", "vbr_none.mp3",
                                         "vbr_xing.mp3", "vbr_lame.mp3", "mpeg2_info.mp3"),
                         [](const auto& one) {
                           const std::string name = one.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(mpeg_file, halved_keeps_the_beginning_and_says_so) {
  const test::temporary_directory folder;
  const std::string bytes = test::read_bytes(data / "vbr_lame.mp3");
  test::write_bytes(folder / "a.mp3", bytes.substr(0, bytes.size() / 2));
  const std::vector<float> expected = test::decoded_by_ffmpeg(folder / "a.mp3");
  const sound got = read_sound(folder / "a.mp3");
  ASSERT_EQ(got.samples.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(got.samples.data()[i], expected[i], tolerance) << i;
  EXPECT_EQ(got.info.promised_frames, 30'870u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_TRUE(got.warnings[0].starts_with("truncated or damaged: promised 30870 frames"))
      << got.warnings[0];
  EXPECT_THROW(read_sound(folder / "a.mp3", {.strict = true}), io_error);
}

TEST(mpeg_file, tags) {
  const test::temporary_directory folder;
  const std::string bytes = test::read_bytes(data / "cbr_none.mp3");
  test::write_bytes(folder / "v1.mp3", bytes + id3v1());
  test::write_bytes(folder / "v2.mp3", id3v2() + bytes + id3v1());
  using tags = std::map<std::string, std::string>;
  EXPECT_EQ(sound_reader(folder / "v1.mp3").info().tags,
            (tags{{"title", "A title"}, {"artist", "Somebody"}, {"date", "2020"}}));
  EXPECT_EQ(sound_reader(folder / "v2.mp3").info().tags,
            (tags{{"title", "Another title"}, {"artist", "Somebody"}, {"date", "2020"}}));
}

TEST(mpeg_file, seeks_to_what_reading_gives) {
  const sound whole = read_sound(data / "vbr_none.mp3");
  sound_reader reader(data / "vbr_none.mp3");
  array<float, 2> block({50, 2});
  for (const std::size_t frame : {20'000u, 700u, 31'000u}) {
    reader.seek(frame);
    ASSERT_EQ(reader.read(block), 50u);
    EXPECT_EQ(block(49, 1), whole.samples(frame + 49, 1)) << frame;
  }
}

// What begins like a frame and is none.
TEST(mpeg_file, noise_behind_a_frame_header_is_refused) {
  const test::temporary_directory folder;
  std::string bytes = "\xff\xfb\x90\x64";
  std::uint32_t noise = 1;
  for (int i = 0; i < 3000; ++i) {
    noise = noise * 1664525u + 1013904223u;
    bytes += static_cast<char>(noise >> 25);
  }
  test::write_bytes(folder / "a.mp3", bytes);
  try {
    const sound s = read_sound(folder / "a.mp3");
    EXPECT_LE(s.info.frames, 2304u);
  } catch (const io_error&) {
  }
}

}  // namespace
}  // namespace papilio

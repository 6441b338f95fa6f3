#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "made_sound.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::wav_bytes;
using test::write_bytes;

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

struct pcm_case {
  std::uint16_t bits;
  std::vector<std::int32_t> stored;
  std::vector<float> expected;
};

TEST(sound_reader, integers_are_scaled_to_full_scale) {
  const test::temporary_directory folder;
  const pcm_case cases[] = {
      {8, {-128, 0, 64, 127}, {-1, 0, 0.5f, 127.0f / 128}},
      {16, {-32768, 0, 16384, 32767}, {-1, 0, 0.5f, 32767.0f / 32768}},
      {24, {-8388608, 0, 4194304, 8388607}, {-1, 0, 0.5f, 8388607.0f / 8388608}},
      {32, {std::numeric_limits<std::int32_t>::min(), 0, 1 << 30, -(1 << 30)}, {-1, 0, .5f, -.5f}},
  };
  for (const pcm_case& c : cases) {
    SCOPED_TRACE(c.bits);
    write_bytes(folder / "a.wav", wav_bytes{.channels = 2,
                                            .rate_hz = 11025,
                                            .bits = c.bits,
                                            .data = test::pcm_bytes(c.stored, c.bits)}
                                      .file());
    const sound s = read_sound(folder / "a.wav");
    EXPECT_EQ(flat(s), c.expected);
    EXPECT_EQ(s.samples.extents(), (extents_type<2>{2, 2}));
    EXPECT_EQ(s.info.channels, 2);
    EXPECT_EQ(s.info.rate_hz, 11025);
    EXPECT_EQ(s.info.bits, c.bits);
    EXPECT_EQ(s.info.frames, 2u);
    EXPECT_EQ(s.info.promised_frames, 2u);
    EXPECT_EQ(s.info.container, "WAV (Microsoft)");
    EXPECT_DOUBLE_EQ(s.info.duration_seconds(), 2.0 / 11025);
    EXPECT_TRUE(s.warnings.empty());
  }
}

TEST(sound_reader, floats_are_neither_scaled_nor_clipped) {
  const test::temporary_directory folder;
  const std::vector<float> values{0.25f, -3.5f, 1e-30f, 7e20f};
  write_bytes(folder / "a.wav",
              wav_bytes{.format_tag = 3, .bits = 32, .data = test::float_bytes(values)}.file());
  EXPECT_EQ(flat(read_sound(folder / "a.wav")), values);
}

TEST(sound_reader, encoding_and_tags) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 1, test::tone(100),
                   "Grüße");
  const sound s = read_sound(folder / "a.flac");
  EXPECT_EQ(s.info.container, "FLAC (Free Lossless Audio Codec)");
  EXPECT_EQ(s.info.encoding, "Signed 24 bit PCM");
  EXPECT_EQ(s.info.bits, 24);
  EXPECT_EQ(s.info.tags.at("title"), "Grüße");
}

TEST(sound_reader, blocks_of_any_size_give_what_the_whole_file_gives) {
  const test::temporary_directory folder;
  const std::vector<float> made = test::tone(2 * 10'007);
  const std::pair<const char*, int> formats[] = {
      {"a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT},    {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
      {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16}, {"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
      {"a.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_24},   {"a.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16},
      {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_16},     {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16},
  };
  for (const auto& [name, format] : formats) {
    SCOPED_TRACE(name);
    test::make_sound(folder / name, format, 2, made);
    const sound whole = read_sound(folder / name);
    ASSERT_EQ(whole.samples.extents(), (extents_type<2>{10'007, 2}));
    EXPECT_TRUE(whole.warnings.empty());
    if (std::string(name) == "a.wav") {
      EXPECT_EQ(flat(whole), made);
    }
    for (const std::size_t block : {1, 7, 1023, 4097, 20'000}) {
      sound_reader reader(folder / name);
      array<float, 2> part({block, 2});
      std::vector<float> all;
      while (const std::size_t got = reader.read(part)) {
        EXPECT_LE(got, block);
        all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(2 * got));
        EXPECT_EQ(reader.position(), all.size() / 2);
      }
      EXPECT_EQ(all, flat(whole)) << "block " << block;
    }
  }
}

TEST(sound_reader, seeking_reads_what_is_there) {
  const test::temporary_directory folder;
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_FLAC | SF_FORMAT_PCM_16}) {
    test::make_sound(folder / "a", format, 1, test::tone(9000));
    const sound whole = read_sound(folder / "a");
    sound_reader reader(folder / "a");
    array<float, 2> one({1, 1});
    for (const std::size_t frame : {8999, 0, 4321, 4320}) {
      reader.seek(frame);
      EXPECT_EQ(reader.position(), frame);
      ASSERT_EQ(reader.read(one), 1u);
      EXPECT_EQ(one(0, 0), whole.samples(frame, 0));
    }
    reader.seek(9000);
    EXPECT_EQ(reader.read(one), 0u);
    EXPECT_THROW(reader.seek(9001), invalid_argument);
  }
}

TEST(sound_reader, refuses_blocks_of_another_shape) {
  const test::temporary_directory folder;
  test::make_sound(folder / "a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 2, test::tone(20));
  sound_reader reader(folder / "a.wav");
  array<float, 2> wide({4, 3});
  EXPECT_THROW(reader.read(wide), shape_error);
  EXPECT_THROW(reader.read(wide.view().slice(1, 0, 2)), shape_error);
  EXPECT_EQ(reader.position(), 0u);
}

TEST(sound_reader, a_thousand_channels) {
  const test::temporary_directory folder;
  std::vector<std::int32_t> stored(1000 * 20);
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::int32_t>(i);
  write_bytes(folder / "a.wav",
              wav_bytes{.channels = 1000, .data = test::pcm_bytes(stored, 16)}.file());
  const sound s = read_sound(folder / "a.wav");
  ASSERT_EQ(s.samples.extents(), (extents_type<2>{20, 1000}));
  EXPECT_EQ(s.samples(19, 999), 19999.0f / 32768);
}

TEST(sound_reader, one_sample) {
  const test::temporary_directory folder;
  write_bytes(folder / "a.wav", wav_bytes{.data = std::string("\0\x40", 2)}.file());
  EXPECT_EQ(flat(read_sound(folder / "a.wav")), std::vector<float>{0.5f});
}

}  // namespace
}  // namespace papilio

#include "papilio/audio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using encoding = sample_encoding;

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

std::string number_bytes(std::uint64_t value, unsigned count) {
  std::string bytes;
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

/// -1, 0, 1/2 and -1/4 in each encoding, the bytes of each sample in little-endian order.
std::vector<std::string> four_samples(encoding e) {
  const unsigned bits = 8 * sample_bytes(e);
  std::vector<std::string> samples;
  for (const double x : {-1.0, 0.0, 0.5, -0.25}) {
    std::uint64_t stored = 0;
    if (e == encoding::f32) {
      stored = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    } else if (e == encoding::f64) {
      stored = std::bit_cast<std::uint64_t>(x);
    } else {
      const double half = static_cast<double>(std::uint64_t{1} << (bits - 1));
      stored = static_cast<std::uint64_t>(static_cast<std::int64_t>(x * half) +
                                          (e == encoding::u8 ? 128 : 0));
    }
    samples.push_back(number_bytes(stored, bits / 8));
  }
  return samples;
}

TEST(raw_pcm, every_encoding_in_both_orders) {
  const test::temporary_directory folder;
  for (const encoding e : {encoding::s8, encoding::u8, encoding::s16, encoding::s24, encoding::s32,
                           encoding::f32, encoding::f64})
    for (const bool big_endian : {false, true}) {
      SCOPED_TRACE(to_string(e) + (big_endian ? "be" : ""));
      std::string bytes = "skipped";
      for (std::string sample : four_samples(e)) {
        if (big_endian) std::reverse(sample.begin(), sample.end());
        bytes += sample;
      }
      test::write_bytes(folder / "a.raw", bytes);
      const sound s = read_sound(folder / "a.raw", {.strict = true,
                                                    .raw = raw_pcm{.encoding = e,
                                                                   .rate_hz = 1234,
                                                                   .channels = 2,
                                                                   .big_endian = big_endian,
                                                                   .skip_bytes = 7}});
      EXPECT_EQ(flat(s), (std::vector<float>{-1, 0, 0.5f, -0.25f}));
      EXPECT_EQ(s.info.rate_hz, 1234);
      EXPECT_EQ(s.info.channels, 2);
      EXPECT_EQ(s.info.frames, 2u);
      EXPECT_EQ(s.info.bits, static_cast<int>(8 * sample_bytes(e)));
      EXPECT_TRUE(s.warnings.empty());
    }
}

TEST(raw_pcm, whatever_the_bytes_look_like) {
  const test::temporary_directory folder;
  const std::string wav = test::wav_bytes{.data = std::string(100, '\1')}.file();
  test::write_bytes(folder / "a.wav", wav);
  const raw_pcm raw{.encoding = encoding::s16, .rate_hz = 8000, .channels = 1};
  EXPECT_EQ(read_sound(folder / "a.wav", {.raw = raw}).info.frames, (44u + 100) / 2);
  raw_pcm body = raw;
  body.skip_bytes = 44;
  EXPECT_EQ(flat(read_sound(folder / "a.wav", {.raw = body})), flat(read_sound(folder / "a.wav")));
}

TEST(raw_pcm, half_a_frame_at_the_end_is_told) {
  const test::temporary_directory folder;
  test::write_bytes(folder / "a", std::string(4 * 10 + 3, '\0'));
  const sound_options options{.raw = raw_pcm{.rate_hz = 8000, .channels = 2}};
  const sound s = read_sound(folder / "a", options);
  EXPECT_EQ(s.info.frames, 10u);
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_EQ(s.warnings[0], "the data end within a frame: the last 3 of 43 bytes are not read");
  EXPECT_THROW(read_sound(folder / "a", {.strict = true, .raw = options.raw}), io_error);
}

TEST(raw_pcm, refusals) {
  const test::temporary_directory folder;
  test::write_bytes(folder / "a", "abc");
  const auto reason = [&](raw_pcm raw) {
    return message_of([&] { read_sound(folder / "a", {.raw = raw}); });
  };
  EXPECT_NE(reason({.rate_hz = 8000, .channels = 2}).find("no samples"), std::string::npos);
  EXPECT_NE(reason({.rate_hz = 8000, .channels = 1, .skip_bytes = 100}).find("no samples"),
            std::string::npos);
  EXPECT_NE(reason({.rate_hz = 0, .channels = 1}).find("raw.rate_hz"), std::string::npos);
  EXPECT_NE(reason({.rate_hz = 8000, .channels = 1025}).find("raw.channels"), std::string::npos);
  test::write_bytes(folder / "a", number_bytes(0x7fc00000, 4));
  EXPECT_NE(reason({.encoding = encoding::f32, .rate_hz = 8000, .channels = 1}).find("NaN"),
            std::string::npos);
}

TEST(raw_pcm, is_read_from_text) {
  EXPECT_EQ(parse_raw_pcm("s16:44100:2"),
            (raw_pcm{.encoding = encoding::s16, .rate_hz = 44100, .channels = 2}));
  EXPECT_EQ(parse_raw_pcm("f32le:1:1"),
            (raw_pcm{.encoding = encoding::f32, .rate_hz = 1, .channels = 1}));
  EXPECT_EQ(parse_raw_pcm("s24be:96000:6:512"), (raw_pcm{.encoding = encoding::s24,
                                                         .rate_hz = 96000,
                                                         .channels = 6,
                                                         .big_endian = true,
                                                         .skip_bytes = 512}));
  for (const char* bad : {"", "s16", "s16:44100", "s16:44100:2:3:4", "s17:44100:2", "s16:0:2",
                          "s16:44100:0", "s16:44100:1025", "s16:4e4:2", "s16:-1:2", "s16: 8000:2",
                          "s16:44100:2:", "s16:44100:2:-1", "S16:44100:2", "s16xe:44100:2"})
    EXPECT_THROW(parse_raw_pcm(bad), invalid_argument) << bad;
  EXPECT_NE(message_of([] { parse_raw_pcm("q:1:1"); }).find("s8, u8, s16, s24, s32, f32, f64"),
            std::string::npos);
}

}  // namespace
}  // namespace papilio

#include "papilio/audio/sound_writer.hpp"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
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

using encoding = sample_encoding;

view<const float, 2> frames_of(const std::vector<float>& samples, std::size_t channels) {
  return {samples.data(), {samples.size() / channels, channels}};
}

std::vector<float> flat(const sound& s) { return {s.samples.begin(), s.samples.end()}; }

/// Numbers that `bits` bits can store, both ends among them.
std::vector<float> storable(std::size_t count, unsigned bits) {
  const double scale = std::ldexp(1.0, static_cast<int>(std::min(bits, 24u)) - 1);
  std::vector<float> result = test::tone(count);
  for (float& x : result)
    x = static_cast<float>(std::nearbyint(static_cast<double>(x) * scale) / scale);
  result[0] = -1;
  result[1] = static_cast<float>((scale - 1) / scale);
  return result;
}

struct lossless_case {
  const char* name;
  encoding stored;
  const char* libsndfile_name;
};

class lossless : public testing::TestWithParam<lossless_case> {};

TEST_P(lossless, what_is_written_is_read_back_exactly) {
  const lossless_case& c = GetParam();
  const test::temporary_directory folder;
  const bool is_float = c.stored == encoding::f32 || c.stored == encoding::f64;
  for (const std::size_t channels : {1, 2, 6}) {
    SCOPED_TRACE(channels);
    std::vector<float> samples = storable(channels * 5'003, 8 * sample_bytes(c.stored));
    if (is_float) samples[2] = -3.75f, samples[3] = 1e-30f;
    sound_writer writer(
        folder / c.name,
        {.rate_hz = 44100, .channels = static_cast<int>(channels), .encoding = c.stored});
    const view<const float, 2> all = frames_of(samples, channels);
    for (std::size_t done = 0, block = 1; done < all.extent(0);
         done += block, block = 2 * block + 1)
      writer.write(all.slice(0, done, std::min(block, all.extent(0) - done)));
    writer.commit();
    EXPECT_EQ(writer.frames(), 5'003u);
    EXPECT_EQ(writer.clipped_samples(), 0u);
    const sound back = read_sound(folder / c.name, {.strict = true});
    EXPECT_EQ(back.info.rate_hz, 44100);
    EXPECT_EQ(back.info.channels, static_cast<int>(channels));
    EXPECT_EQ(back.info.encoding, c.libsndfile_name);
    EXPECT_EQ(flat(back), samples);
    EXPECT_TRUE(back.warnings.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    formats, lossless,
    testing::Values(lossless_case{"a.wav", encoding::u8, "Unsigned 8 bit PCM"},
                    lossless_case{"a.wav", encoding::s16, "Signed 16 bit PCM"},
                    lossless_case{"a.wav", encoding::s24, "Signed 24 bit PCM"},
                    lossless_case{"a.wav", encoding::s32, "Signed 32 bit PCM"},
                    lossless_case{"a.wav", encoding::f32, "32 bit float"},
                    lossless_case{"a.wav", encoding::f64, "64 bit float"},
                    lossless_case{"a.flac", encoding::s8, "Signed 8 bit PCM"},
                    lossless_case{"a.FLAC", encoding::s16, "Signed 16 bit PCM"},
                    lossless_case{"a.flac", encoding::s24, "Signed 24 bit PCM"}),
    [](const auto& tested) {
      return std::string(tested.param.name + 2) + "_" + to_string(tested.param.stored);
    });

}  // namespace
}  // namespace papilio

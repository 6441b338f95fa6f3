#include "papilio/audio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "papilio/base/error.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

/// 0.8 sin(2 pi f t + c) at `rate_hz`, of channel c.
array<float, 2> sine(double frequency_hz, int rate_hz, std::size_t frames, std::size_t channels) {
  array<float, 2> result({frames, channels});
  for (std::size_t i = 0; i < frames; ++i)
    for (std::size_t c = 0; c < channels; ++c)
      result(i, c) = static_cast<float>(
          0.8 * std::sin(2 * std::numbers::pi * frequency_hz * static_cast<double>(i) / rate_hz +
                         static_cast<double>(c)));
  return result;
}

/// The largest difference away from both ends, which the silence around the signal reaches into.
double inner_difference(view<const float, 2> a, view<const float, 2> b) {
  double largest = 0;
  const std::size_t edge = a.extent(0) / 4;
  for (std::size_t i = edge; i < a.extent(0) - edge; ++i)
    for (std::size_t c = 0; c < a.extent(1); ++c)
      largest = std::max(largest, static_cast<double>(std::abs(a(i, c) - b(i, c))));
  return largest;
}

struct rates {
  int from, to;
};
constexpr rates some_rates[] = {{44100, 48000}, {48000, 44100}, {48000, 8000}, {8000, 48000},
                                {44100, 44101}, {22050, 16000}, {96000, 95999}};

TEST(resample, a_tone_keeps_frequency_amplitude_phase) {
  struct accuracy {
    resampling_quality quality;
    double error;
  };
  for (const accuracy a :
       {accuracy{resampling_quality::low, 3e-5}, accuracy{resampling_quality::medium, 3e-5},
        accuracy{resampling_quality::high, 2e-6}, accuracy{resampling_quality::very_high, 4e-7}})
    for (const rates r : some_rates) {
      SCOPED_TRACE(testing::Message()
                   << r.from << " to " << r.to << ", " << static_cast<int>(a.quality));
      const std::size_t frames = static_cast<std::size_t>(r.from);
      const array<float, 2> out =
          resample(sine(997, r.from, frames, 2).view(), r.from, r.to, a.quality);
      EXPECT_LT(inner_difference(out.view(), sine(997, r.to, out.extent(0), 2).view()), a.error);
    }
}

TEST(resample, what_the_lower_rate_cannot_hold_is_gone) {
  const array<float, 2> out = resample(sine(10'000, 48000, 48000, 1).view(), 48000, 16000);
  EXPECT_LT(inner_difference(out.view(), array<float, 2>(out.extents()).view()), 1e-5);
  EXPECT_GT(inner_difference(resample(sine(7'000, 48000, 48000, 1).view(), 48000, 16000).view(),
                             array<float, 2>(out.extents()).view()),
            0.75);
}

TEST(resample, length_is_that_of_the_time) {
  for (const rates r : some_rates)
    for (const std::size_t frames : {0, 1, 2, 3, 100, 4095, 4096, 4097, 10'007}) {
      const std::size_t expected =
          (frames * static_cast<std::size_t>(r.to) + static_cast<std::size_t>(r.from) - 1) /
          static_cast<std::size_t>(r.from);
      EXPECT_EQ(resampled_frames(frames, r.from, r.to), expected);
      EXPECT_EQ(resample(sine(100, r.from, frames, 1).view(), r.from, r.to).extents(),
                (extents_type<2>{expected, 1}));
    }
  EXPECT_EQ(resampled_frames(std::uint64_t{1} << 62, 48000, 48000), std::uint64_t{1} << 62);
  EXPECT_THROW(resampled_frames(std::uint64_t{1} << 62, 8000, 48000), resource_error);
}

/// Any blocks in, any room for what comes out.
std::vector<float> streamed(view<const float, 2> in, rates r, resampling_quality quality,
                            unsigned seed) {
  std::mt19937 generator(seed);
  const auto up_to = [&](std::size_t most) { return 1 + generator() % most; };
  resampler change(r.from, r.to, static_cast<int>(in.extent(1)), quality);
  array<float, 2> out({5000, in.extent(1)});
  std::vector<float> result;
  const auto take = [&](std::size_t given) {
    result.insert(result.end(), out.data(), out.data() + given * in.extent(1));
  };
  const std::size_t most = seed % 2 == 0 ? 5000 : 37;
  for (std::size_t at = 0; at < in.extent(0);) {
    const std::size_t count = std::min<std::size_t>(up_to(most), in.extent(0) - at);
    const auto [taken, given] =
        change.process(in.slice(0, at, count), out.view().slice(0, 0, up_to(most)));
    at += taken;
    take(given);
  }
  while (const std::size_t given = change.finish(out.view().slice(0, 0, up_to(most)))) take(given);
  return result;
}

TEST(resampler, blocks_of_any_size_give_what_the_whole_gives) {
  for (const rates r : some_rates)
    for (const resampling_quality quality :
         {resampling_quality::low, resampling_quality::high, resampling_quality::very_high}) {
      SCOPED_TRACE(testing::Message() << r.from << " to " << r.to);
      const std::vector<float> noise = test::random_real<float>(2 * 9'001, 1);
      const view<const float, 2> in(noise.data(), {9'001, 2});
      const array<float, 2> whole = resample(in, r.from, r.to, quality);
      const std::vector<float> expected(whole.begin(), whole.end());
      for (unsigned seed = 0; seed < 4; ++seed) EXPECT_EQ(streamed(in, r, quality, seed), expected);
    }
}

TEST(resampler, equal_rates_copy) {
  const std::vector<float> noise = test::random_real<float>(3 * 5'000, 1);
  const array<float, 2> out = resample(view<const float, 2>(noise.data(), {5'000, 3}), 7, 7);
  EXPECT_EQ(std::vector<float>(out.begin(), out.end()), noise);
}

TEST(resample, a_sound_and_views_with_gaps) {
  sound s;
  s.info.rate_hz = 44100;
  s.info.channels = 3;
  s.info.frames = s.info.promised_frames = 4'410;
  s.samples = sine(500, 44100, 4'410, 3);
  const sound other = resample(s, 22050);
  EXPECT_EQ(other.info.rate_hz, 22050);
  EXPECT_EQ(other.info.frames, 2'205u);
  EXPECT_EQ(other.info.promised_frames, 2'205u);
  const array<float, 2> two = resample(s.samples.view().slice(1, 1, 2), 44100, 22050);
  for (std::size_t i = 0; i < 2'205; ++i)
    for (std::size_t c = 0; c < 2; ++c) ASSERT_EQ(two(i, c), other.samples(i, c + 1));
}

// The header of a stream may promise as many frames as its bits hold.
TEST(resample, whatever_the_header_promises) {
  sound s;
  s.info.rate_hz = 8000;
  s.info.channels = 1;
  s.info.frames = 100;
  s.info.promised_frames = std::numeric_limits<std::uint64_t>::max() / 2;
  s.samples = sine(500, 8000, 100, 1);
  const sound other = resample(s, 48000);
  EXPECT_EQ(other.info.frames, 600u);
  EXPECT_EQ(other.info.promised_frames, std::numeric_limits<std::uint64_t>::max());
}

TEST(resampler, refusals) {
  for (const rates r : {rates{0, 1}, rates{1, 0}, rates{-44100, 48000}, rates{48000, 100'000'001},
                        rates{10, 40'961}, rates{40'961, 10}}) {
    EXPECT_THROW(resampler(r.from, r.to, 1), invalid_argument) << r.from << ' ' << r.to;
    EXPECT_THROW(resampled_frames(1, r.from, r.to), invalid_argument);
  }
  EXPECT_THROW(resampler(1, 2, 0), invalid_argument);
  EXPECT_THROW(resampler(1, 2, 1025), invalid_argument);
  resampler change(8000, 16000, 2);
  array<float, 2> stereo({10, 2}), mono({10, 1}), none({0, 2}), wide({10, 3});
  EXPECT_THROW(change.process(mono.view(), stereo.view()), shape_error);
  EXPECT_THROW(change.process(stereo.view(), mono.view()), shape_error);
  EXPECT_THROW(change.process(wide.view().slice(1, 0, 2), stereo.view()), shape_error);
  EXPECT_THROW(change.process(stereo.view(), none.view()), invalid_argument);
  EXPECT_THROW(change.finish(none.view()), invalid_argument);
  EXPECT_THROW(change.finish(mono.view()), shape_error);
  EXPECT_EQ(change.process(none.view(), stereo.view()).taken, 0u);
  EXPECT_EQ(change.finish(stereo.view()), 0u);
  EXPECT_THROW(change.process(stereo.view(), stereo.view()), invalid_argument);
}

TEST(resampler, rates_far_apart) {
  for (const rates r : {rates{10, 40'960}, rates{40'960, 10}, rates{99'999'999, 100'000'000}}) {
    const array<float, 2> in =
        sine(1, r.from, 20'000 / static_cast<std::size_t>(r.to / r.from + 1), 1);
    const array<float, 2> out = resample(in.view(), r.from, r.to);
    EXPECT_EQ(out.extent(0), resampled_frames(in.extent(0), r.from, r.to));
    for (const float x : out) ASSERT_TRUE(std::abs(x) < 1.5f);
  }
}

}  // namespace
}  // namespace papilio

#include "papilio/signal/stft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

array<float, 2> noise(std::size_t samples, std::size_t channels) {
  array<float, 2> x({samples, channels});
  std::ranges::copy(test::random_real<float>(x.size(), 3), x.begin());
  return x;
}

// [channels, samples]
view<const float, 2> turned(view<const float, 2> x) {
  return {x.data(), {x.extent(1), x.extent(0)}, {x.stride(1), x.stride(0)}};
}

// Pushes blocks of the given sizes, over and over.
template <class Push>
void in_blocks(view<const float, 2> x, const std::vector<std::size_t>& sizes, const Push& push) {
  for (std::size_t first = 0, i = 0; first < x.extent(0); ++i) {
    const std::size_t count = std::min(sizes[i % sizes.size()], x.extent(0) - first);
    push(x.slice(0, first, count));
    first += count;
  }
}

const std::vector<std::vector<std::size_t>>& cuts() {
  static const std::vector<std::vector<std::size_t>> sizes{{1},  {100000}, {63},
                                                           {64}, {65},     {7, 0, 1000, 3}};
  return sizes;
}

std::vector<stft_options> manifold() {
  std::vector<stft_options> all;
  for (const std::size_t n : {1, 2, 64, 63})
    for (const std::size_t hop : {std::size_t{1}, std::size_t{16}, n, std::size_t{100}})
      for (const bool centre : {true, false})
        for (const auto padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
          for (const bool pad_end : {false, true})
            all.push_back(
                {.n_fft = n, .hop = hop, .centre = centre, .padding = padding, .pad_end = pad_end});
  return all;
}

std::string described(const stft_options& o, std::size_t samples) {
  return base_detail::message("n_fft ", o.n_fft, " hop ", o.hop, " centre ", o.centre, " padding ",
                              static_cast<int>(o.padding), " pad_end ", o.pad_end, " samples ",
                              samples);
}

void expect_offline(const stft_options& options, std::size_t samples, std::size_t channels) {
  SCOPED_TRACE(described(options, samples));
  const auto x = noise(samples, channels);
  const stft_plan<float> plan(options);
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  array<std::complex<float>, 3> expected({channels, segments, plan.bins()});
  plan.execute(turned(x), expected);
  stft_stream<float> stream(plan, channels);
  for (const auto& sizes : cuts()) {
    std::uint64_t next = 0;
    bool same = true;
    const auto sink = [&](std::uint64_t s, view<std::complex<float>, 2> bins) {
      ASSERT_EQ(s, next++);
      ASSERT_LT(s, segments);
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t k = 0; k < plan.bins(); ++k) same &= bins(c, k) == expected(c, s, k);
    };
    in_blocks(x, sizes, [&](view<const float, 2> block) { stream.push(block, sink); });
    stream.finish(sink);
    stream.finish(sink);
    EXPECT_EQ(next, segments);
    EXPECT_EQ(stream.received(), samples);
    EXPECT_TRUE(same) << sizes[0];
    stream.reset();
  }
}

TEST(stft_stream, is_the_plan_for_any_blocks) {
  for (const stft_options& options : manifold())
    for (const std::size_t samples : {0, 1, 2, 31, 32, 33, 64, 300})
      expect_offline(options, samples, 1);
}

TEST(stft_stream, of_many_channels_and_long_blocks) {
  for (const auto padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
    for (const bool pad_end : {false, true}) {
      expect_offline({.n_fft = 1024, .hop = 300, .padding = padding, .pad_end = pad_end}, 50000, 3);
      expect_offline({.n_fft = 64, .hop = 171, .padding = padding, .pad_end = pad_end}, 20000, 2);
    }
}

void expect_offline_inverse(const stft_options& options, std::size_t samples, std::size_t channels,
                            std::uint64_t first) {
  SCOPED_TRACE(described(options, samples));
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options);
  array<std::complex<float>, 3> spectra(
      {channels, static_cast<std::size_t>(plan.segments(samples)), plan.bins()});
  plan.execute(turned(noise(samples, channels)), spectra);
  // Spectra that no signal has tell the order of additions better.
  for (std::size_t i = 0; i < spectra.size(); i += 7) spectra.flat()[i] *= 3;
  array<float, 2> expected({channels, samples - first});
  inverse.execute(spectra, expected, 1, first);

  istft_stream<float> stream(inverse, channels, first);
  for (const auto& sizes : cuts()) {
    std::size_t next = 0;
    bool same = true;
    const auto sink = [&](view<const float, 2> block) {
      ASSERT_EQ(block.extent(1), channels);
      ASSERT_LE(next + block.extent(0), expected.extent(1));
      for (std::size_t i = 0; i < block.extent(0); ++i)
        for (std::size_t c = 0; c < channels; ++c) same &= block(i, c) == expected(c, next + i);
      EXPECT_EQ(stream.position(), first + next);
      next += block.extent(0);
    };
    for (std::size_t s = 0, i = 0; s < spectra.extent(1); ++i) {
      const std::size_t count = std::min(sizes[i % sizes.size()], spectra.extent(1) - s);
      stream.push(spectra.view().slice(1, s, count), sink);
      s += count;
    }
    stream.finish(samples, sink);
    stream.finish(samples, sink);
    EXPECT_EQ(next, expected.extent(1));
    EXPECT_TRUE(same) << sizes[0];
    stream.reset();
  }
}

TEST(istft_stream, is_the_plan_for_any_blocks) {
  for (stft_options options : manifold()) {
    if (options.hop > options.n_fft) continue;
    options.window = window_kind::hamming;  // covers every sample
    for (const std::size_t samples : {33, 64, 300}) {
      // What follows the last whole segment of an uncentred signal is in no segment.
      if (!options.centre && !options.pad_end && (samples < options.n_fft || options.hop > 1))
        continue;
      // Nor is all of the end where the hop leaves a rest.
      if (!options.pad_end && options.hop > options.n_fft / 2 && options.hop > 1) continue;
      expect_offline_inverse(options, samples, 1, 0);
    }
  }
}

TEST(istft_stream, of_many_channels_and_from_a_sample_on) {
  const stft_options options{.n_fft = 1024, .hop = 256, .centre = false, .pad_end = true};
  expect_offline_inverse(options, 20000, 3, 300);
  expect_offline_inverse({.n_fft = 1024, .hop = 300}, 20000, 2, 0);
}

// One centred segment of an even n_fft stands for no sample where nothing else is known.
TEST(istft_stream, ends_where_the_plan_does) {
  for (const std::size_t n : {8, 9})
    for (const std::size_t hop : {2, 4, 5, 8})
      for (const bool pad_end : {false, true})
        for (std::size_t segments = 0; segments < 4; ++segments) {
          const stft_options options{
              .n_fft = n, .hop = hop, .window = window_kind::rectangular, .pad_end = pad_end};
          SCOPED_TRACE(described(options, segments));
          istft_stream<float> stream(options);
          const array<std::complex<float>, 3> spectra({1, segments, n / 2 + 1});
          std::size_t count = 0;
          const auto sink = [&](view<const float, 2> block) { count += block.extent(0); };
          stream.push(spectra, sink);
          ASSERT_NO_THROW(stream.finish(sink));
          EXPECT_EQ(count, stream.plan().samples(segments));
        }
}

TEST(istft_stream, refuses_what_does_not_fit) {
  const stft_options options{.n_fft = 64, .hop = 16};
  EXPECT_THROW(istft_stream<float>(options, 0), invalid_argument);
  EXPECT_THROW(istft_stream<float>({.n_fft = 64, .hop = 65}), invalid_argument);
  try {
    istft_stream<float>({.n_fft = 64, .hop = 16, .centre = false});
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("sample 0 is not covered"), std::string::npos) << e.what();
  }
  istft_stream<float> stream(options);
  const auto ignore = [](view<const float, 2>) {};
  array<std::complex<float>, 2> stereo({2, 33}), narrow({1, 32}), row({1, 33});
  EXPECT_THROW(stream.push(stereo, ignore), shape_error);
  EXPECT_THROW(stream.push(narrow, ignore), shape_error);
  for (int s = 0; s < 10; ++s) stream.push(row, ignore);
  EXPECT_EQ(stream.position(), 128u);
  EXPECT_THROW(stream.finish(127, ignore), shape_error);
  EXPECT_THROW(stream.finish(177, ignore), shape_error);
  stream.finish(170, ignore);
  EXPECT_EQ(stream.position(), 170u);
  EXPECT_THROW(stream.push(row, ignore), invalid_argument);
  stream.reset();
  EXPECT_EQ(stream.position(), 0u);
}

TEST(stft_stream, refuses_what_does_not_fit) {
  EXPECT_THROW(stft_stream<float>(stft_options{}, 0), invalid_argument);
  EXPECT_THROW(stft_stream<float>({.hop = 0}), invalid_argument);
  stft_stream<float> stream({.n_fft = 64, .hop = 16}, 2);
  const auto ignore = [](std::uint64_t, view<std::complex<float>, 2>) {};
  EXPECT_THROW(stream.push(noise(10, 1), ignore), shape_error);
  stream.push(noise(10, 2), ignore);
  stream.finish(ignore);
  EXPECT_EQ(stream.segments(), 1u);
  EXPECT_THROW(stream.push(noise(10, 2), ignore), invalid_argument);
}

TEST(stft_stream, shows_a_sink_the_samples_before_the_window) {
  const std::size_t size = 200, n = 64, hop = 48;
  const auto x = noise(size, 2);
  stft_stream<float> stream({.n_fft = n, .hop = hop, .padding = edge_padding::reflect}, 2);
  const auto mirrored = [&](std::ptrdiff_t i) {
    const auto last = static_cast<std::ptrdiff_t>(size) - 1;
    return static_cast<std::size_t>(i < 0 ? -i : i > last ? 2 * last - i : i);
  };
  const auto check = [&](std::uint64_t s, view<std::complex<float>, 2>) {
    for (const std::size_t c : {0, 1}) {
      const auto samples = stream.samples(c);
      ASSERT_EQ(samples.size(), n);
      for (std::size_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::ptrdiff_t>(s * hop + j) - std::ptrdiff_t{n / 2};
        EXPECT_EQ(samples[j], x(mirrored(at), c)) << s << ' ' << j;
      }
    }
  };
  in_blocks(x.view(), {37}, [&](view<const float, 2> block) { stream.push(block, check); });
  stream.finish(check);
  EXPECT_EQ(stream.segments(), 1 + size / hop);
}

TEST(stft_stream, hands_on_magnitudes_and_powers) {
  const stft_options options{.n_fft = 64, .hop = 16, .padding = edge_padding::edge};
  const auto x = noise(500, 1);
  const stft_plan<float> plan(options);
  const auto segments = static_cast<std::size_t>(plan.segments(500));
  array<float, 2> magnitude({segments, 33}), power({segments, 33});
  plan.execute_magnitude(x.flat(), magnitude);
  plan.execute_power(x.flat(), power);
  stft_stream<float> stream(options);
  bool same = true;
  const auto compared = [&](const array<float, 2>& expected) {
    return [&](std::uint64_t s, view<float, 2> got) {
      for (std::size_t k = 0; k < 33; ++k) same &= got(0, k) == expected(s, k);
    };
  };
  stream.push_magnitude(x, compared(magnitude));
  stream.finish_magnitude(compared(magnitude));
  stream.reset();
  stream.push_power(x, compared(power));
  stream.finish_power(compared(power));
  EXPECT_TRUE(same);
  EXPECT_EQ(stream.segments(), segments);
}

}  // namespace
}  // namespace papilio

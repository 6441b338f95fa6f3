#include <gtest/gtest.h>

#include "papilio/base.hpp"

#include <algorithm>

#include "papilio/fft.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

// numpy.pad(x, pad) in the mode "constant", "reflect" or "edge", by walking one step at a time.
std::vector<double> padded(const std::vector<double>& x, std::size_t pad, edge_padding mode) {
  std::vector<double> out(x.size() + 2 * pad, 0.0);
  std::copy(x.begin(), x.end(), out.begin() + static_cast<std::ptrdiff_t>(pad));
  if (mode == edge_padding::zero) return out;
  const auto walk = [&](std::size_t start, int step, std::size_t steps) {
    std::size_t at = start;
    for (std::size_t i = 0; i < steps && x.size() > 1; ++i) {
      if (step > 0 ? at + 1 == x.size() : at == 0) step = -step;
      at += static_cast<std::size_t>(step);
    }
    return x[at];
  };
  for (std::size_t i = 1; i <= pad; ++i) {
    const bool edge = mode == edge_padding::edge;
    out[pad - i] = edge ? x.front() : walk(0, +1, i);
    out[pad + x.size() - 1 + i] = edge ? x.back() : walk(x.size() - 1, -1, i);
  }
  return out;
}

// Segment after segment, as long as one fits; or, with zeros behind the end, as long as one begins
// before it and those so far leave something over.
std::size_t counted_segments(std::size_t length, const stft_options& o) {
  std::size_t count = 0;
  for (std::size_t first = 0, covered = 0;; first += o.hop, ++count) {
    const bool fits = first + o.n_fft <= length;
    if (!(fits || (o.pad_end && first < length && covered < length))) return count;
    covered = first + o.n_fft;
  }
}

// The factor of each bin, from the formulas.
long double factor(const stft_options& o, std::span<const double> window, std::size_t k) {
  long double sum = 0, square = 0;
  for (const double w : window) {
    sum += w;
    square += static_cast<long double>(w) * w;
  }
  switch (o.scaling) {
    case stft_scaling::none:
      return 1;
    case stft_scaling::magnitude:
      return 1 / sum;
    case stft_scaling::psd:
      return 1 / std::sqrt(o.rate_hz * square);
    case stft_scaling::orthonormal:
      return 1 / std::sqrt(square);
    case stft_scaling::dbfs:
      return (k == 0 || 2 * k == o.n_fft ? 1 : 2) / sum;
  }
  return 0;
}

// Rows of the definition, [segments, bins].
std::vector<std::vector<exact>> definition(const stft_options& options,
                                           std::span<const double> window,
                                           const std::vector<double>& x) {
  const std::size_t n = options.n_fft;
  auto line = options.centre ? padded(x, n / 2, options.padding) : x;
  const std::size_t segments = counted_segments(line.size(), options);
  line.resize(std::max(line.size(), segments * options.hop + n));
  std::vector<std::vector<exact>> rows;
  for (std::size_t s = 0; s < segments; ++s) {
    std::vector<exact> piece(n);
    for (std::size_t j = 0; j < window.size(); ++j) {
      const std::size_t at = (n - window.size()) / 2 + j;
      piece[at] = static_cast<long double>(window[j]) * line[s * options.hop + at];
    }
    rows.push_back(test::dft(piece, -1));
    if (options.sides == stft_sides::one) rows.back().resize(n / 2 + 1);
    for (std::size_t k = 0; k < rows.back().size(); ++k)
      rows.back()[k] *= factor(options, window, k);
  }
  return rows;
}

void expect_definition(const stft_options& options, std::size_t samples,
                       const std::vector<double>& given = {}) {
  const auto x = test::random_real<double>(samples, 17);
  const std::size_t n = options.n_fft;
  const std::size_t length = options.window_length == 0 ? n : options.window_length;
  const auto made = make_window(options.window, length);
  const std::span<const double> window = given.empty() ? made.flat() : given;
  const auto plan = given.empty() ? stft_plan<double>(options) : stft_plan<double>(options, given);
  const auto expected = definition(options, window, x);
  ASSERT_EQ(plan.segments(samples), expected.size());
  ASSERT_EQ(plan.bins(), options.sides == stft_sides::one ? n / 2 + 1 : n);
  array<std::complex<double>, 2> out({expected.size(), plan.bins()});
  plan.execute(x, out, 3);
  array<double, 2> power(out.extents()), magnitude(out.extents());
  plan.execute_power(x, power);
  plan.execute_magnitude(x, magnitude);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    const std::vector<std::complex<double>> row(&out(s, 0), &out(s, 0) + plan.bins());
    EXPECT_LT(test::relative_error(row, std::span<const exact>(expected[s])),
              test::fft_tolerance<double>(n))
        << "segment " << s;
    for (std::size_t k = 0; k < plan.bins(); ++k) {
      EXPECT_NEAR(power(s, k), std::norm(row[k]), 1e-15 * std::norm(row[k]));
      EXPECT_NEAR(magnitude(s, k), std::abs(row[k]), 1e-15 * std::abs(row[k]));
    }
  }
}

TEST(stft, is_its_definition) {
  expect_definition({.n_fft = 64, .hop = 16}, 300);
  expect_definition({.n_fft = 64, .hop = 16, .padding = edge_padding::reflect}, 300);
  expect_definition({.n_fft = 64, .hop = 16, .centre = false}, 300);
  expect_definition({.n_fft = 64, .hop = 100, .window = window_kind::rectangular}, 333);
  expect_definition({.n_fft = 63, .hop = 20, .padding = edge_padding::reflect}, 100);
  expect_definition({.n_fft = 64, .hop = 16, .window_length = 40}, 128);
  expect_definition({.n_fft = 65, .hop = 1, .window_length = 32, .centre = false}, 70);
  expect_definition({.n_fft = 1, .hop = 3}, 10);
  expect_definition({.n_fft = 64, .hop = 16, .padding = edge_padding::edge}, 300);
}

TEST(stft, zeros_after_the_end) {
  for (const bool centre : {true, false})
    for (const std::size_t n : {64, 63})
      for (const std::size_t hop : {1, 16, 40, 64, 100})
        for (const std::size_t samples : {1, 40, 63, 64, 65, 127, 128, 200, 201})
          expect_definition({.n_fft = n,
                             .hop = hop,
                             .centre = centre,
                             .padding = edge_padding::reflect,
                             .pad_end = true},
                            samples);
}

TEST(stft, sides_and_scaling) {
  for (const std::size_t n : {1, 2, 63, 64})
    for (const auto sides : {stft_sides::one, stft_sides::two})
      for (const auto scaling : {stft_scaling::none, stft_scaling::magnitude, stft_scaling::psd,
                                 stft_scaling::orthonormal, stft_scaling::dbfs})
        expect_definition({.n_fft = n,
                           .hop = 16,
                           .window = window_kind::hamming,
                           .sides = sides,
                           .scaling = scaling,
                           .rate_hz = 8000},
                          200);
}

TEST(stft, given_window) {
  std::vector<double> window(41);
  for (std::size_t j = 0; j < window.size(); ++j) window[j] = 1 + static_cast<double>(j % 5);
  window[3] = -2;
  for (const auto scaling : {stft_scaling::none, stft_scaling::psd, stft_scaling::dbfs})
    for (const std::size_t n : {41, 64})
      expect_definition({.n_fft = n, .hop = 16, .scaling = scaling}, 200, window);
  expect_definition({.n_fft = 64, .hop = 16, .window_length = 41}, 200, window);
}

// What the scalings are for: levels of known signals.
TEST(stft, scalings_read_what_they_say) {
  const std::size_t n = 256;
  const double rate = 8000;
  std::vector<double> sine(n), constant(n, 0.7);
  for (std::size_t i = 0; i < n; ++i)
    sine[i] = 0.8 * std::cos(2 * std::numbers::pi * static_cast<double>(i * 20 % n) / n);
  const auto levels = [&](const std::vector<double>& x, stft_scaling scaling) {
    const stft_plan<double> plan(
        {.n_fft = n, .centre = false, .scaling = scaling, .rate_hz = rate});
    array<double, 2> out({1, plan.bins()});
    plan.execute_magnitude(x, out);
    return std::vector<double>(out.begin(), out.end());
  };
  EXPECT_NEAR(levels(sine, stft_scaling::magnitude)[20], 0.4, 1e-14);
  EXPECT_NEAR(levels(constant, stft_scaling::magnitude)[0], 0.7, 1e-14);
  EXPECT_NEAR(levels(sine, stft_scaling::dbfs)[20], 0.8, 1e-14);
  EXPECT_NEAR(levels(constant, stft_scaling::dbfs)[0], 0.7, 1e-14);
  // The density's integral over all frequencies is the power, twice over for negative ones.
  double power = 0;
  for (const double x : levels(sine, stft_scaling::psd)) power += 2 * x * x * rate / n;
  EXPECT_NEAR(power, 0.8 * 0.8 / 2, 1e-14);
}

TEST(stft, signals_shorter_than_a_segment) {
  for (const std::size_t samples : {1, 2, 5, 31, 32, 33}) {
    expect_definition({.n_fft = 64, .hop = 16}, samples);
    expect_definition({.n_fft = 64, .hop = 16, .padding = edge_padding::reflect}, samples);
  }
  EXPECT_EQ(stft_plan<float>({.n_fft = 64, .centre = false}).segments(63), 0u);
  EXPECT_EQ(stft_plan<float>({.n_fft = 64}).segments(0), 0u);
}

// librosa and torch give 87 frames for 44,100 samples at n_fft 2048, hop 512, and a bin-centred
// sine of amplitude 0.5 under Hann has the magnitude 256.
TEST(stft, has_the_frames_and_the_scale_of_librosa) {
  const stft_plan<float> plan;
  EXPECT_EQ(plan.segments(44100), 87u);
  std::vector<float> sine(44100);
  for (std::size_t i = 0; i < sine.size(); ++i)
    sine[i] =
        0.5f * std::sin(2 * std::numbers::pi_v<float> * static_cast<float>(100 * i % 2048) / 2048);
  array<std::complex<float>, 2> out({87, 1025});
  plan.execute(sine, out);
  EXPECT_NEAR(std::abs(out(40, 100)), 256.0f, 1e-3f);
}

// Channels of an interleaved sound, and a result with the bins outermost, as librosa lays it out.
TEST(stft, batches_and_strides) {
  const std::size_t channels = 3, samples = 1000;
  const auto sound = test::random_real<float>(channels * samples, 1);
  const stft_plan<float> plan({.n_fft = 128, .hop = 40, .padding = edge_padding::reflect});
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  const view<const float, 2> interleaved(sound.data(), {channels, samples},
                                         {1, static_cast<std::ptrdiff_t>(channels)});
  array<std::complex<float>, 3> out({channels, segments, 65}), turned({channels, 65, segments});
  array<float, 3> magnitude(out.extents()), power(out.extents());
  plan.execute(interleaved, out, 2);
  const auto s = static_cast<std::ptrdiff_t>(segments);
  plan.execute(interleaved, view<std::complex<float>, 3>(turned.data(), {channels, segments, 65},
                                                         {65 * s, 1, s}));
  plan.execute_magnitude(interleaved, magnitude, 5);
  plan.execute_power(interleaved, power);
  for (std::size_t c = 0; c < channels; ++c) {
    std::vector<float> one(samples);
    for (std::size_t i = 0; i < samples; ++i) one[i] = sound[i * channels + c];
    array<std::complex<float>, 2> expected({segments, 65});
    array<float, 2> expected_magnitude({segments, 65}), expected_power({segments, 65});
    plan.execute(one, expected);
    plan.execute_magnitude(one, expected_magnitude);
    plan.execute_power(one, expected_power);
    for (std::size_t i = 0; i < segments; ++i)
      for (std::size_t k = 0; k < 65; ++k) {
        ASSERT_EQ(out(c, i, k), expected(i, k));
        ASSERT_EQ(turned(c, k, i), expected(i, k));
        ASSERT_EQ(magnitude(c, i, k), expected_magnitude(i, k));
        ASSERT_EQ(power(c, i, k), expected_power(i, k));
      }
  }
  array<std::complex<float>, 3> none({0, segments, 65});
  plan.execute(view<const float, 2>(sound.data(), {0, samples}), none);
}

TEST(stft, two_sided_halves_are_conjugate_to_the_bit) {
  const auto x = test::random_real<float>(500, 1);
  const stft_plan<float> plan({.n_fft = 63, .hop = 20, .sides = stft_sides::two});
  const auto segments = static_cast<std::size_t>(plan.segments(x.size()));
  array<std::complex<float>, 2> out({segments, 63});
  plan.execute(x, out);
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t k = 1; k < 63; ++k) EXPECT_EQ(out(s, k), std::conj(out(s, 63 - k)));
}

TEST(stft, one_segment) {
  const auto x = test::random_real<float>(64, 1);
  const stft_plan<float> plan({.n_fft = 64, .centre = false, .scaling = stft_scaling::dbfs});
  array<std::complex<float>, 2> expected({1, 33});
  plan.execute(x, expected);
  std::vector<std::complex<float>> out(33), scratch(plan.segment_scratch_size());
  plan.transform_segment(x, out, scratch);
  EXPECT_TRUE(std::ranges::equal(out, expected.flat()));
  EXPECT_THROW(plan.transform_segment(x, std::span(out).first(32), scratch), shape_error);
}

TEST(stft, spectra_of_what_is_not_a_number) {
  std::vector<float> x(1000, 0.5f);
  x[500] = std::numeric_limits<float>::quiet_NaN();
  const stft_plan<float> plan({.n_fft = 64, .hop = 64, .centre = false});
  array<float, 2> out({15, 33});
  plan.execute_magnitude(x, out);
  for (std::size_t s = 0; s < 15; ++s) EXPECT_EQ(std::isnan(out(s, 5)), s == 500 / 64);
}

TEST(stft, refuses_bad_options_and_shapes) {
  EXPECT_THROW(stft_plan<float>({.n_fft = 0}), invalid_argument);
  EXPECT_THROW(stft_plan<float>({.n_fft = max_n_fft + 1}), invalid_argument);
  EXPECT_THROW(stft_plan<float>({.hop = 0}), invalid_argument);
  EXPECT_THROW(stft_plan<float>({.n_fft = 64, .window_length = 65}), invalid_argument);
  try {
    stft_plan<float>({.hop = 0});
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "stft_options: hop must be at least 1, got 0");
  }
  EXPECT_THROW(stft_plan<float>({.rate_hz = 0}), invalid_argument);
  EXPECT_THROW(stft_plan<float>({.rate_hz = std::numeric_limits<double>::infinity()}),
               invalid_argument);
  EXPECT_THROW(stft_plan<float>({.scaling = stft_scaling::psd, .rate_hz = 1e300}),
               invalid_argument);
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const std::vector<float> x(100);
  array<std::complex<float>, 2> out({plan.segments(100) + 1, 33});
  EXPECT_THROW(plan.execute(x, out), shape_error);
  std::vector<double> memory(4096);
  const stft_plan<double> wide({.n_fft = 64, .hop = 16});
  EXPECT_THROW(wide.execute_power(std::span<const double>(memory).first(100),
                                  view<double, 2>(memory.data() + 50, {7, 33})),
               invalid_argument);
  EXPECT_THROW(wide.execute_power(std::span<const double>(memory).first(100),
                                  view<double, 2>(memory.data() + 1000, {7, 33}, {0, 1})),
               shape_error);
}

TEST(stft, refuses_bad_windows) {
  const auto refused = [](const stft_options& options, const std::vector<double>& window) {
    EXPECT_THROW(stft_plan<float>(options, window), invalid_argument);
  };
  const double inf = std::numeric_limits<double>::infinity();
  refused({.n_fft = 4}, {});
  refused({.n_fft = 4}, {1, 1, 1, 1, 1});
  refused({.n_fft = 4, .window_length = 3}, {1, 1});
  refused({.n_fft = 4}, {1, inf});
  refused({.n_fft = 4}, {1, 1e300});
  refused({.n_fft = 4}, {1, 1.2e12});
  refused({.n_fft = 4}, {9e-13, 0});
  refused({.n_fft = 4, .scaling = stft_scaling::magnitude}, {1, -1});
  refused({.n_fft = 4, .scaling = stft_scaling::dbfs}, {1, -1});
  refused({.n_fft = 4, .scaling = stft_scaling::psd}, {0, 0});
  EXPECT_EQ(stft_plan<float>({.n_fft = 4}, std::vector<double>{1, -1}).options().window_length, 2u);
}

TEST(stft, names_of_options) {
  for (const auto padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
    EXPECT_EQ(parse_edge_padding(to_string(padding)), padding);
  for (const auto sides : {stft_sides::one, stft_sides::two})
    EXPECT_EQ(parse_stft_sides(to_string(sides)), sides);
  for (const auto scaling : {stft_scaling::none, stft_scaling::magnitude, stft_scaling::psd,
                             stft_scaling::orthonormal, stft_scaling::dbfs})
    EXPECT_EQ(parse_stft_scaling(to_string(scaling)), scaling);
  EXPECT_EQ(to_string(edge_padding::reflect), "reflect");
  try {
    parse_stft_sides("both");
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "sides must be one of one, two; got \"both\"");
  }
  EXPECT_THROW(parse_edge_padding(""), invalid_argument);
  EXPECT_THROW(parse_stft_scaling("PSD"), invalid_argument);
  EXPECT_THROW(to_string(static_cast<stft_scaling>(5)), invalid_argument);
}

TEST(stft, tells_its_transform) {
  EXPECT_EQ(to_string(stft_plan<float>({.n_fft = 2048}).design()),
            to_string(rfft_plan<float>(2048).design()));
}

TEST(stft, presets) {
  EXPECT_EQ(librosa_stft().n_fft, 2048u);
  EXPECT_EQ(torch_stft(400).hop, 100u);
  EXPECT_EQ(torch_stft(400).window, window_spec(window_kind::rectangular));
  EXPECT_EQ(scipy_stft().hop, 128u);
  EXPECT_EQ(scipy_stft(1000, 900).hop, 100u);
  EXPECT_THROW(torch_stft(3), invalid_argument);
  EXPECT_THROW(scipy_stft(256, 256), invalid_argument);
  EXPECT_THROW(librosa_stft(0), invalid_argument);
}

}  // namespace
}  // namespace papilio

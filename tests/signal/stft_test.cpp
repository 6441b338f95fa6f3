#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

// numpy.pad(x, pad, "reflect") by walking back and forth, one step at a time.
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
    out[pad - i] = walk(0, +1, i);
    out[pad + x.size() - 1 + i] = walk(x.size() - 1, -1, i);
  }
  return out;
}

void expect_definition(const stft_options& options, std::size_t samples) {
  const auto x = test::random_real<double>(samples, 17);
  const stft_plan<double> plan(options);
  const std::size_t n = options.n_fft;
  const auto line = options.centre ? padded(x, n / 2, options.padding) : x;
  const std::size_t segments = line.size() < n ? 0 : 1 + (line.size() - n) / options.hop;
  ASSERT_EQ(plan.segments(samples), segments);
  ASSERT_EQ(plan.bins(), n / 2 + 1);
  array<std::complex<double>, 2> out({segments, plan.bins()});
  plan.execute(x, out, 3);
  array<double, 2> power({segments, plan.bins()});
  plan.execute_power(x, power);

  const std::size_t length = options.window_length == 0 ? n : options.window_length;
  const auto window = make_window(options.window, length);
  for (std::size_t s = 0; s < segments; ++s) {
    std::vector<exact> piece(n);
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t at = (n - length) / 2 + j;
      piece[at] = static_cast<long double>(window[j]) * line[s * options.hop + at];
    }
    auto expected = test::dft(piece, -1);
    expected.resize(plan.bins());
    long double error = 0, scale = 1e-300L;
    for (std::size_t k = 0; k < plan.bins(); ++k) {
      error += std::norm(exact(out(s, k)) - expected[k]);
      scale += std::norm(expected[k]);
      EXPECT_NEAR(power(s, k), std::norm(out(s, k)), 1e-14 * std::norm(out(s, k)));
    }
    EXPECT_LT(static_cast<double>(std::sqrt(error / scale)), test::fft_tolerance<double>(n))
        << "segment " << s;
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

TEST(stft, threads_do_not_change_a_bit) {
  const auto x = test::random_real<float>(5000, 1);
  const stft_plan<float> plan({.n_fft = 256, .hop = 64});
  const std::size_t segments = plan.segments(x.size());
  array<std::complex<float>, 2> one({segments, 129}), many({segments, 129});
  plan.execute(x, one, 1);
  plan.execute(x, many, 4);
  EXPECT_TRUE(std::ranges::equal(one, many));
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

}  // namespace
}  // namespace papilio

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "papilio/signal.hpp"
#include "reference_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

constexpr mdct_window mdct_windows[] = {mdct_window::sine, mdct_window::kaiser_bessel_derived,
                                        mdct_window::vorbis};

TEST(mdct, windows_equal_scipy_and_their_formulas) {
  const auto expected = test::reference("mdct_windows");
  std::size_t at = 0;
  for (const auto& [n, alpha] : {std::pair{std::size_t{16}, 4.0}, {std::size_t{64}, 5.0}}) {
    const auto window = make_mdct_window<double>(
        {.coefficients = n, .window = mdct_window::kaiser_bessel_derived, .alpha = alpha});
    for (const double w : window.flat()) EXPECT_NEAR(w, expected.values[at++], 1e-14);
  }
  const auto sine = make_mdct_window<double>({.coefficients = 4});
  const auto vorbis = make_mdct_window<double>({.coefficients = 4, .window = mdct_window::vorbis});
  for (std::size_t k = 0; k < 8; ++k) {
    const double s = std::sin(std::numbers::pi * (static_cast<double>(k) + 0.5) / 8);
    EXPECT_NEAR(sine[k], s, 1e-15);
    EXPECT_NEAR(vorbis[k], std::sin(std::numbers::pi / 2 * s * s), 1e-15);
  }
}

TEST(mdct, windows_are_of_power_one) {
  for (const mdct_window window : mdct_windows)
    for (const std::size_t n : {2, 6, 64, 1000}) {
      const auto w = make_mdct_window<double>({.coefficients = n, .window = window});
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(w[k] * w[k] + w[k + n] * w[k + n], 1, 1e-14);
        EXPECT_EQ(w[k], w[2 * n - 1 - k]);
      }
    }
}

double mdct_factor(const mdct_options& o) {
  const double step = 2 / static_cast<double>(o.coefficients);
  return o.norm == normalization::orthonormal ? std::sqrt(step)
         : o.norm == normalization::forward   ? step
                                              : 1;
}

// The sum of the definition, in long double.
TEST(mdct, equals_its_definition) {
  for (const std::size_t n : {2, 6, 16, 30})
    for (const normalization norm : {normalization::backward, normalization::orthonormal,
                                     normalization::forward, normalization::none}) {
      const mdct_options options{.coefficients = n, .window = mdct_window::vorbis, .norm = norm};
      const auto signal = test::random_real<double>(3 * n + 1, 7);
      const auto window = make_mdct_window<double>(options);
      const auto got = mdct_plan<double>(options).forward(signal);
      ASSERT_EQ(got.extent(0), 5u);
      for (std::size_t f = 0; f < 5; ++f)
        for (std::size_t k = 0; k < n; ++k) {
          long double sum = 0;
          for (std::size_t j = 0; j < 2 * n; ++j) {
            const std::size_t at = f * n + j;
            if (at < n || at - n >= signal.size()) continue;
            sum +=
                static_cast<long double>(window[j]) * signal[at - n] *
                std::cos(std::numbers::pi_v<long double> / n * (j + 0.5L + n / 2.0L) * (k + 0.5L));
          }
          EXPECT_NEAR(got(f, k), mdct_factor(options) * static_cast<double>(sum),
                      1e-15 * static_cast<double>(2 * n));
        }
    }
}

// Each sample is two sums of products; a DCT-IV's error grows as its passes, log2 n of them.
template <class T>
void expect_reconstruction() {
  for (const mdct_window window : mdct_windows)
    for (const std::size_t n : {2, 6, 34, 256, 1000})
      for (const std::size_t samples : {std::size_t{1}, n - 1, n, n + 1, 5 * n + n / 2})
        for (const normalization norm :
             {normalization::backward, normalization::orthonormal, normalization::forward}) {
          const mdct_plan<T> plan({.coefficients = n, .window = window, .norm = norm});
          const auto signal = test::random_real<T>(samples, 11);
          const auto frames = plan.forward(signal);
          ASSERT_EQ(frames.extent(0), plan.frames(samples));
          const auto back = plan.inverse(frames, samples);
          const double tolerance = 30 * double{std::numeric_limits<T>::epsilon()};
          for (std::size_t i = 0; i < samples; ++i)
            ASSERT_NEAR(back[i], signal[i], tolerance) << n << ' ' << samples << ' ' << i;
        }
}

TEST(mdct, reconstructs_perfectly) { expect_reconstruction<double>(); }
TEST(mdct, reconstructs_perfectly_in_float) { expect_reconstruction<float>(); }

TEST(mdct, orthonormal_keeps_the_energy) {
  const auto signal = test::random_real<double>(5000, 13);
  for (const mdct_window window : mdct_windows) {
    const mdct_plan<double> plan(
        {.coefficients = 128, .window = window, .norm = normalization::orthonormal});
    double of_signal = 0, of_frames = 0;
    for (const double x : signal) of_signal += x * x;
    const auto frames = plan.forward(signal);
    for (const double x : frames.flat()) of_frames += x * x;
    EXPECT_NEAR(of_frames, of_signal, 1e-12 * of_signal);
  }
}

TEST(mdct, streams_and_threads_change_no_bit) {
  for (const std::size_t n : {2, 64, 90}) {
    const mdct_plan<float> plan({.coefficients = n});
    for (const std::size_t samples : {std::size_t{0}, std::size_t{1}, 2 * n, 7 * n + 1}) {
      const auto signal = test::random_real<float>(samples, 17);
      const auto frames = plan.forward(signal), threaded = plan.forward(signal, 3);
      const auto back = plan.inverse(frames), back_threaded = plan.inverse(frames, std::nullopt, 3);
      EXPECT_TRUE(std::ranges::equal(threaded.flat(), frames.flat()));
      EXPECT_TRUE(std::ranges::equal(back_threaded.flat(), back.flat()));
      mdct_stream<float> forward(plan);
      imdct_stream<float> inverse(plan);
      for (const std::size_t block : {std::size_t{1}, std::size_t{3}, n, 10 * n}) {
        forward.reset();
        inverse.reset();
        std::vector<float> got, samples_again;
        const auto take = [&](std::span<const float> s) {
          samples_again.insert(samples_again.end(), s.begin(), s.end());
        };
        const auto sink = [&](std::uint64_t f, std::span<const float> coefficients) {
          EXPECT_EQ(f * n, got.size());
          got.insert(got.end(), coefficients.begin(), coefficients.end());
          inverse.push(coefficients, take);
        };
        const std::span<const float> all = signal;
        for (std::size_t first = 0; first < samples; first += block)
          forward.push(all.subspan(first, std::min(block, samples - first)), sink);
        forward.finish(sink);
        forward.finish(sink);
        EXPECT_TRUE(std::ranges::equal(got, frames.flat()));
        EXPECT_TRUE(std::ranges::equal(samples_again, back.flat()));
        EXPECT_EQ(forward.received(), samples);
        EXPECT_EQ(inverse.frames(), plan.frames(samples));
      }
    }
  }
}

TEST(mdct, takes_strided_frames) {
  const mdct_plan<double> plan({.coefficients = 8});
  const auto signal = test::random_real<double>(30, 19);
  const auto frames = plan.forward(signal);
  const std::size_t count = frames.extent(0);
  const auto step = static_cast<std::ptrdiff_t>(count);
  array<double, 2> transposed({8, count});
  const view<double, 2> strided(transposed.data(), {count, 8}, {1, step});
  plan.forward(signal, strided);
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(transposed(k, f), frames(f, k));
  const auto back = plan.inverse(frames), again = plan.inverse(strided);
  EXPECT_TRUE(std::ranges::equal(again.flat(), back.flat()));
}

TEST(mdct, refuses) {
  using plan = mdct_plan<float>;
  EXPECT_THROW(plan({.coefficients = 0}), invalid_argument);
  EXPECT_THROW(plan({.coefficients = 7}), invalid_argument);
  EXPECT_THROW(plan({.coefficients = (std::size_t{1} << 23) + 2}), invalid_argument);
  EXPECT_THROW(plan({.window = static_cast<mdct_window>(3)}), invalid_argument);
  EXPECT_THROW(plan({.alpha = -1}), invalid_argument);
  EXPECT_THROW(plan({.alpha = NAN}), invalid_argument);
  EXPECT_THROW(plan({.norm = static_cast<normalization>(4)}), invalid_argument);
  const plan good({.coefficients = 4});
  std::vector<float> signal(9);
  array<float, 2> frames({4, 4});
  EXPECT_EQ(good.frames(0), 0u);
  EXPECT_EQ(good.frames(4), 2u);
  EXPECT_EQ(good.frames(5), 3u);
  EXPECT_EQ(good.inverse(array<float, 2>({1, 4})).size(), 0u);
  EXPECT_NO_THROW(good.forward(signal, frames));
  EXPECT_THROW(good.forward(std::span(signal).first(8), frames), shape_error);
  EXPECT_THROW(good.inverse(frames, 13), shape_error);
  EXPECT_THROW(good.inverse(view<const float, 2>(frames.data(), {4, 3})), shape_error);
  EXPECT_THROW(good.inverse(frames, frames.flat().first(9)), invalid_argument);
  mdct_stream<float> stream(good);
  const auto sink = [](std::uint64_t, std::span<const float>) {};
  stream.finish(sink);
  EXPECT_THROW(stream.push(signal, sink), invalid_argument);
  imdct_stream<float> inverse(good);
  EXPECT_THROW(inverse.push(signal, [](std::span<const float>) {}), shape_error);
}

}  // namespace
}  // namespace papilio

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

/// White noise of deviation 0.01, and from sample `onset` on a tone in bin 40 of 512.
template <class T>
std::vector<T> noisy_tone(std::size_t samples, double amplitude, std::size_t onset, unsigned seed) {
  auto x = test::random_real<T>(samples, seed);
  for (std::size_t i = 0; i < samples; ++i) {
    x[i] *= T(0.01);
    if (i >= onset)
      x[i] += static_cast<T>(amplitude *
                             std::sin(2 * std::numbers::pi * 40 / 512.0 * static_cast<double>(i)));
  }
  return x;
}

template <class T>
array<std::complex<T>, 2> spectra_of(const std::vector<T>& x) {
  const stft_plan<T> plan({.n_fft = 512, .hop = 128, .centre = false});
  array<std::complex<T>, 2> out({static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(x, out);
  return out;
}

template <class T>
noise_profile<T> profile_of(const array<std::complex<T>, 2>& spectra) {
  noise_profile<T> profile(spectra.extent(1));
  for (std::size_t s = 0; s < spectra.extent(0); ++s)
    profile.add({&spectra(s, 0), spectra.extent(1)});
  return profile;
}

double energy(view<const std::complex<float>, 2> x) {
  double sum = 0;
  for (std::size_t s = 0; s < x.extent(0); ++s)
    for (std::size_t k = 0; k < x.extent(1); ++k) sum += static_cast<double>(std::norm(x(s, k)));
  return sum;
}

TEST(spectral_gate, turns_noise_down_and_lets_a_tone_through) {
  const auto x = noisy_tone<float>(96000, 0.1, 48000, 1);
  const auto spectra = spectra_of(x);
  const auto noise = profile_of(spectra_of(noisy_tone<float>(32000, 0, 0, 2))).mean();
  array<std::complex<float>, 2> out(spectra.extents());
  apply_spectral_gate(spectra, noise.flat(), out.view(), {.reduction_db = 30});
  const std::size_t half = 48000 / 128 - 10;
  const view<const std::complex<float>, 2> before = spectra.view().slice(0, 0, half),
                                           after = out.view().slice(0, 0, half);
  EXPECT_LT(power_to_db(energy(after) / energy(before)), -20);
  // The tone's segments and bins, clear of its onset.
  for (std::size_t s = 400; s < 700; ++s)
    for (const std::size_t k : {39, 40, 41}) EXPECT_EQ(out(s, k), spectra(s, k)) << s << ' ' << k;
  const auto rest = [&](const array<std::complex<float>, 2>& a) {
    return energy(a.view().slice(0, 400, 300).slice(1, 60, 197));
  };
  EXPECT_LT(power_to_db(rest(out) / rest(spectra)), -20);
}

// Formulas of the docstring, cell by cell, with loops of their own.
TEST(spectral_gate, is_its_definition) {
  const auto spectra = spectra_of(noisy_tone<double>(4000, 0.05, 2000, 3));
  const auto noise = profile_of(spectra).from_quantile();
  const std::ptrdiff_t segments = static_cast<std::ptrdiff_t>(spectra.extent(0)),
                       bins = static_cast<std::ptrdiff_t>(spectra.extent(1));
  for (const std::size_t bin_width : {0, 3, 400})
    for (const std::size_t time_width : {0, 2, 100}) {
      array<std::complex<double>, 2> out(spectra.extents());
      apply_spectral_gate(spectra, noise.flat(), out.view(),
                          {.threshold_db = 4,
                           .reduction_db = 12,
                           .smoothing_bins = bin_width,
                           .smoothing_segments = time_width});
      const auto a = static_cast<std::ptrdiff_t>(time_width),
                 f = static_cast<std::ptrdiff_t>(bin_width);
      for (std::ptrdiff_t s = 0; s < segments; s += 5)
        for (std::ptrdiff_t k = 0; k < bins; k += 16) {
          double sum = 0, weights = 0;
          for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, s - a); i <= s + a && i < segments;
               ++i)
            for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, k - f); j <= k + f && j < bins;
                 ++j) {
              const double w =
                  (1 - std::abs(static_cast<double>(i - s)) / static_cast<double>(a + 1)) *
                  (1 - std::abs(static_cast<double>(j - k)) / static_cast<double>(f + 1));
              weights += w;
              if (std::norm(spectra(i, j)) >= std::pow(10, 0.4) * noise[j]) sum += w;
            }
          const double gain = std::pow(10, -12.0 / 20 * (1 - std::min(1.0, 2 * sum / weights)));
          EXPECT_LE(std::abs(out(s, k) - gain * spectra(s, k)), 1e-12 * std::abs(spectra(s, k)))
              << s << ' ' << k;
        }
    }
}

TEST(spectral_gate, piece_by_piece_and_in_place_change_no_bit) {
  const auto spectra = spectra_of(noisy_tone<float>(9000, 0.02, 3000, 4));
  const auto noise = profile_of(spectra).from_quantile();
  const spectral_gate_options options{.threshold_db = 3, .smoothing_segments = 4};
  array<std::complex<float>, 2> expected(spectra.extents()), in_place = spectra;
  apply_spectral_gate(spectra, noise.flat(), expected.view(), options);
  apply_spectral_gate(in_place, noise.flat(), in_place.view(), options);
  spectral_gate<float> gate(noise.flat(), options);
  EXPECT_EQ(gate.latency_segments(), 4u);
  for (int round = 0; round < 2; ++round) {  // finish() leaves it as new
    std::vector<std::complex<float>> got, segment(gate.bins());
    for (std::size_t s = 0; s < spectra.extent(0); ++s) {
      const bool came = gate.push({&spectra(s, 0), gate.bins()}, segment);
      EXPECT_EQ(came, s >= 4);
      if (came) got.insert(got.end(), segment.begin(), segment.end());
    }
    while (gate.finish(segment)) got.insert(got.end(), segment.begin(), segment.end());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], expected.flat()[i]);
      EXPECT_EQ(in_place.flat()[i], expected.flat()[i]);
    }
  }
}

TEST(spectral_gate, fewer_segments_than_it_waits_for) {
  const std::vector<float> noise(3, 1.0f);
  spectral_gate<float> gate(noise, {.smoothing_segments = 5});
  std::vector<std::complex<float>> segment{10, 10, 10}, out(3);
  EXPECT_FALSE(gate.finish(out));
  EXPECT_FALSE(gate.push(segment, out));
  EXPECT_TRUE(gate.finish(out));
  EXPECT_EQ(out, segment);
  EXPECT_FALSE(gate.finish(out));
}

TEST(noise_profile, mean_and_quantile_of_gaussian_noise) {
  const std::size_t segments = 20000;
  const auto values = test::random_complex<float>(2 * segments, 5);
  noise_profile<float> profile(2);
  for (std::size_t s = 0; s < segments; ++s) {
    const std::complex<float> segment[] = {values[2 * s], 1e-6f * values[2 * s + 1]};
    profile.add(segment);
  }
  EXPECT_EQ(profile.segments(), segments);
  // Real and imaginary parts of variance 1 each; 1 % is more than one deviation.
  EXPECT_NEAR(profile.mean()[0], 2, 0.05);
  EXPECT_NEAR(profile.mean()[1], 2e-12, 5e-14);
  for (const double q : {0.1, 0.2, 0.5, 0.9}) {
    const auto level = profile.from_quantile(q);
    EXPECT_NEAR(power_to_db(static_cast<double>(level[0])), power_to_db(2), 0.6) << q;
    EXPECT_NEAR(power_to_db(static_cast<double>(level[1])), power_to_db(2e-12), 0.6) << q;
  }
}

TEST(noise_profile, quantile_does_not_hear_what_is_loud_and_rare) {
  const auto spectra = spectra_of(noisy_tone<float>(96000, 0.5, 67200, 6));
  const auto level = profile_of(spectra).from_quantile(0.2);
  // 0.01^2 times the sum of the squares of Hann's 512 weights; 30 % tone: 1.8 dB too high.
  const double expected = 1e-4 * 512 * 3 / 8;
  EXPECT_NEAR(power_to_db(static_cast<double>(level[40]) / expected), 1.8, 0.8);
  EXPECT_NEAR(power_to_db(static_cast<double>(level[150]) / expected), 0, 1);
}

TEST(noise_profile, what_does_not_count) {
  noise_profile<double> profile(3);
  const std::complex<double> silent[] = {0, 0, 0}, loud[] = {1, {NAN, 0}, {INFINITY, 0}};
  profile.add(silent);
  profile.add(loud);
  EXPECT_EQ(profile.mean()[0], 1);
  EXPECT_EQ(profile.mean()[1], 0);
  EXPECT_EQ(profile.mean()[2], 0);
  EXPECT_EQ(profile.from_quantile(0.5)[1], 0);
  EXPECT_GT(profile.from_quantile(0.5)[0], 1);
}

TEST(noise_profile, powers_beyond_the_histogram_count_as_the_nearest) {
  noise_profile<double> profile(3);
  const std::complex<double> segment[] = {1e-150, 1e150, 1e-13};
  for (int s = 0; s < 10; ++s) profile.add(segment);
  const auto level = profile.from_quantile(0.5);
  const double bounds_db[] = {-240.5, 240.5, -240.5};
  for (std::size_t k = 0; k < level.size(); ++k)
    EXPECT_NEAR(power_to_db(level[k] * std::log(2)), bounds_db[k], 0.6);
}

TEST(spectral_gate, keeps_what_is_no_number_to_itself) {
  const std::vector<float> noise(9, 1.0f);
  array<std::complex<float>, 2> x({5, 9});
  for (auto& v : x.flat()) v = 10;
  x(2, 4) = {NAN, 0};
  apply_spectral_gate(x, noise, x.view());
  for (std::size_t s = 0; s < 5; ++s)
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(std::isnan(x(s, k).real()), s == 2 && k == 4);
}

TEST(spectral_gate, refuses) {
  using gate = spectral_gate<float>;
  const std::vector<float> noise(3, 1.0f);
  const auto with = [](float value) { return std::vector<float>{1, value, 1}; };
  EXPECT_THROW(gate(std::vector<float>{}), invalid_argument);
  EXPECT_THROW(gate(with(-1)), invalid_argument);
  EXPECT_THROW(gate(with(NAN)), invalid_argument);
  EXPECT_THROW(gate(noise, {.threshold_db = INFINITY}), invalid_argument);
  EXPECT_THROW(gate(noise, {.reduction_db = -1}), invalid_argument);
  EXPECT_THROW(gate(noise, {.reduction_db = NAN}), invalid_argument);
  EXPECT_THROW(gate(noise, {.smoothing_bins = 1 << 17}), invalid_argument);
  EXPECT_THROW(gate(noise, {.smoothing_segments = 1 << 17}), invalid_argument);
  gate good(noise);
  std::vector<std::complex<float>> two(2), three(3);
  EXPECT_THROW(good.push(two, three), shape_error);
  EXPECT_THROW(good.push(three, two), shape_error);
  EXPECT_THROW(good.finish(two), shape_error);
  array<std::complex<float>, 2> x({4, 3});
  EXPECT_THROW(apply_spectral_gate(x, noise, x.view().slice(0, 0, 3)), shape_error);
  EXPECT_THROW(apply_spectral_gate(x.view().slice(0, 0, 3), noise, x.view().slice(0, 1, 3)),
               invalid_argument);
  noise_profile<float> profile(3);
  EXPECT_THROW(profile.add(two), shape_error);
  EXPECT_THROW(profile.from_quantile(0), invalid_argument);
  EXPECT_THROW(profile.from_quantile(1), invalid_argument);
  EXPECT_THROW(profile.from_quantile(NAN), invalid_argument);
  EXPECT_THROW(noise_profile<float>(0), invalid_argument);
}

}  // namespace
}  // namespace papilio

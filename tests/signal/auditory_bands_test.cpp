#include <gtest/gtest.h>

#include <cmath>

#include "papilio/signal.hpp"
#include "reference_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// scipy's filter of 8000 taps ends where its envelope is below 1e-50, and sums them in double: the
// error of a response is some epsilons of its peak's root, 1, and so is that of its square.
TEST(auditory_bands, gammatone_weights_equal_scipy) {
  const auto expected = test::reference("gammatone");
  const auditory_filterbank<double> bank(16000, 256, {.bands = 6});
  const auto weights = bank.dense();
  ASSERT_EQ(expected.extents, (std::vector{bank.bands(), bank.bins() + 1}));
  for (std::size_t b = 0; b < 6; ++b) {
    const auto row = test::row(expected, b);
    EXPECT_NEAR(bank.edges_hz()[b + 1], row.back(), 1e-11 * row.back());
    for (std::size_t k = 0; k < bank.bins(); ++k)
      EXPECT_NEAR(weights(b, k), row[k], 1e-12) << b << ' ' << k;
  }
}

// The transform of so many samples that none is left, in long double.
TEST(auditory_bands, gammatone_weights_equal_the_sum_of_samples) {
  for (const std::size_t order : {1, 2, 3, 8}) {
    const double rate = 8000;
    const auditory_filterbank<double> bank(
        rate, 33, {.bands = 2, .fmin_hz = 200, .order = order, .bandwidth_erb = 0.7});
    const auto weights = bank.dense();
    for (std::size_t b = 0; b < 2; ++b) {
      const double centre = bank.edges_hz()[b + 1];
      const auto power = [&](long double hz) {
        const long double turn = 2 * std::numbers::pi_v<long double> / rate;
        const long double decay = turn * 0.7L * erb_hz(centre);
        std::complex<long double> sum = 0;
        for (int n = 0; n < 8000; ++n) {
          const long double t = n;
          sum += std::pow(t, static_cast<long double>(order - 1)) * std::exp(-decay * t) *
                 std::cos(turn * centre * t) * std::polar(1.0L, -turn * hz * t);
        }
        return std::norm(sum);
      };
      const long double peak = power(centre);
      for (const std::size_t k : {0, 1, 7, 16})
        EXPECT_NEAR(weights(b, k),
                    static_cast<double>(power(static_cast<long double>(k) * rate / 33) / peak),
                    1e-12)
            << order << ' ' << b << ' ' << k;
    }
  }
}

TEST(auditory_bands, triangles_overlap_to_one) {
  const auditory_filterbank<double> bank(44100, 4096,
                                         {.bands = 30, .shape = auditory_shape::triangle});
  const auto weights = bank.dense();
  const auto edges = bank.edges_hz();
  for (std::size_t k = 0; k < bank.bins(); ++k) {
    const double hz = static_cast<double>(k) * 44100 / 4096;
    double sum = 0;
    for (std::size_t b = 0; b < 30; ++b) {
      sum += weights(b, k);
      EXPECT_EQ(weights(b, k) > 0, hz > edges[b] && hz < edges[b + 2]);
    }
    if (hz >= edges[1] && hz <= edges[30]) {
      EXPECT_NEAR(sum, 1, 1e-12) << hz;
    }
  }
  EXPECT_EQ(edges[0], 50);
  EXPECT_EQ(edges[31], 22050);
  for (std::size_t i = 1; i < 31; ++i)
    EXPECT_NEAR(hz_to_erb_number(edges[i + 1]) - hz_to_erb_number(edges[i]),
                (hz_to_erb_number(22050) - hz_to_erb_number(50)) / 31, 1e-12);
}

TEST(auditory_bands, a_sine_keeps_its_power_and_lies_in_its_band) {
  for (const auto shape : {auditory_shape::gammatone, auditory_shape::triangle}) {
    const auditory_filterbank<float> bank(16000, 1024, {.bands = 20, .shape = shape});
    for (const std::size_t band : {5, 12, 18}) {
      const auto bin =
          static_cast<std::size_t>(std::lround(bank.edges_hz()[band + 1] / (16000.0 / 1024)));
      array<float, 2> power({1, bank.bins()});
      power(0, bin) = 2;
      const auto out = bank.apply(power);
      for (std::size_t b = 0; b < 20; ++b)
        if (b != band) {
          EXPECT_LT(out(0, b), out(0, band));
        }
      EXPECT_NEAR(out(0, band), 2, 0.2);  // the bin is up to half a bin from the centre
    }
  }
}

TEST(auditory_bands, erb_numbers_go_there_and_back) {
  EXPECT_NEAR(erb_hz(1000), 24.7 + 1000 / 9.26449, 1e-12);
  EXPECT_EQ(hz_to_erb_number(0), 0);
  EXPECT_NEAR(hz_to_erb_number(1000), 21.4 * std::log10(1 + 0.00437 * 1000), 0.05);
  for (const double hz : {0.0, 1.0, 440.0, 22050.0})
    EXPECT_NEAR(erb_number_to_hz(hz_to_erb_number(hz)), hz, 1e-11 * (hz + 1));
  // The number's derivative is 1 / ERB.
  EXPECT_NEAR((hz_to_erb_number(2000.5) - hz_to_erb_number(1999.5)) * erb_hz(2000), 1, 1e-6);
}

TEST(auditory_bands, threads_change_no_bit) {
  const auto values = test::random_real<float>(17 * 257, 5);
  array<float, 2> power({17, 257});
  for (std::size_t i = 0; i < power.size(); ++i) power.flat()[i] = values[i] * values[i];
  const auditory_filterbank<float> bank(22050, 512);
  const auto expected = bank.apply(power), got = bank.apply(power, 3);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got.flat()[i], expected.flat()[i]);
}

TEST(auditory_bands, at_every_rate) {
  for (const double rate : {7400.0, 8000.0, 44100.0, 192000.0})
    for (const auto shape : {auditory_shape::gammatone, auditory_shape::triangle}) {
      const auditory_filterbank<float> bank(rate, 64, {.bands = 40, .shape = shape});
      const auto weights = bank.dense();
      for (const float w : weights.flat()) EXPECT_TRUE(w >= 0 && w <= 1.01f) << rate;
      EXPECT_EQ(bank.empty_bands().empty(), shape == auditory_shape::gammatone);
    }
}

TEST(auditory_bands, refuse) {
  using bank = auditory_filterbank<float>;
  EXPECT_THROW(bank(0, 512), invalid_argument);
  EXPECT_THROW(bank(NAN, 512), invalid_argument);
  EXPECT_THROW(bank(44100, 0), invalid_argument);
  EXPECT_THROW(bank(44100, max_n_fft + 1), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.bands = 0}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.shape = static_cast<auditory_shape>(2)}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmin_hz = -1}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmin_hz = 100, .fmax_hz = 100}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmax_hz = 22051}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.order = 0}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.order = 9}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.bandwidth_erb = 0}), invalid_argument);
  EXPECT_THROW(bank(80, 512), invalid_argument);  // the lowest band begins at 50 Hz
}

}  // namespace
}  // namespace papilio

#include <gtest/gtest.h>

#include <cmath>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {

template <class T>
array<T, 2> power_spectrogram(const stft_options& options) {
  const auto signal = test::reference_signal<T>();
  const stft_plan<T> plan(options);
  array<T, 2> power({static_cast<std::size_t>(plan.segments(signal.size())), plan.bins()});
  plan.execute_power(signal, power);
  return power;
}

// A weight is the quotient of two differences of frequencies up to rate / 2, of which the smaller
// is a filter's width; the log, exp and pow of the scale cost a few units more.
template <class T>
void expect_weights(const mel_filterbank<T>& bank, const test::npy_data& expected,
                    double tolerance) {
  ASSERT_EQ(expected.extents, (std::vector{bank.bands(), bank.bins()}));
  const array<T, 2> dense = bank.dense();
  double largest = 0;
  for (const double v : expected.values) largest = std::max(largest, v);
  for (std::size_t i = 0; i < dense.size(); ++i)
    EXPECT_NEAR(dense.flat()[i], expected.values[i], tolerance * largest) << i;
}

TEST(mel, weights_equal_librosa) {
  expect_weights(mel_filterbank<double>(22050, 256, {.bands = 24}), test::reference("mel_slaney"),
                 1e-12);
  expect_weights(mel_filterbank<float>(22050, 256, {.bands = 24}), test::reference("mel_slaney"),
                 1e-7);
}

TEST(mel, weights_equal_htk) {
  const mel_options options{.bands = 13,
                            .scale = mel_scale::htk,
                            .norm = mel_norm::none,
                            .fmin_hz = 100,
                            .fmax_hz = 7000};
  expect_weights(mel_filterbank<double>(16000, 400, options), test::reference("mel_htk"), 1e-12);
}

TEST(mel, weights_equal_torchaudio) {
  expect_weights(mel_filterbank<double>(16000, 256, {.bands = 20}),
                 test::reference("mel_torchaudio_run"), 2e-6);  // made in float
}

TEST(mel, scales_go_there_and_back) {
  EXPECT_NEAR(hz_to_mel(1000), 15, 1e-12);
  EXPECT_NEAR(hz_to_mel(6400), 42, 1e-12);
  EXPECT_NEAR(hz_to_mel(200), 3, 1e-12);
  EXPECT_NEAR(hz_to_mel(700, mel_scale::htk), 2595 * std::log10(2.0), 1e-9);
  for (const auto scale : {mel_scale::slaney, mel_scale::htk})
    for (const double hz : {0.0, 1.0, 440.0, 999.0, 1001.0, 22050.0})
      EXPECT_NEAR(mel_to_hz(hz_to_mel(hz, scale), scale), hz, 1e-11 * (hz + 1));
}

TEST(mel, spectrogram_equals_librosa) {
  const auto expected = test::reference("mel_spectrogram");
  const auto power = power_spectrogram<double>({});
  const mel_filterbank<double> bank(22050, 2048);
  const auto mel = bank.apply(power);
  ASSERT_EQ(expected.extents, (std::vector{mel.extent(0), mel.extent(1)}));
  double largest = 0;
  for (const double v : expected.values) largest = std::max(largest, v);
  for (std::size_t i = 0; i < mel.size(); ++i)
    EXPECT_NEAR(mel.flat()[i], expected.values[i], 1e-13 * largest);
}

TEST(mel, threads_and_strides_change_no_bit) {
  const auto power = power_spectrogram<float>({.n_fft = 512, .hop = 64});
  const mel_filterbank<float> bank(22050, 512, {.bands = 40});
  const auto expected = bank.apply(power);
  for (const int threads : {2, 3, 8}) {
    const auto mel = bank.apply(power, threads);
    for (std::size_t i = 0; i < mel.size(); ++i) EXPECT_EQ(mel.flat()[i], expected.flat()[i]);
  }
  const std::size_t segments = power.extent(0), bins = power.extent(1);
  array<float, 2> transposed({bins, segments}), out({bank.bands(), segments});
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t k = 0; k < bins; ++k) transposed(k, s) = power(s, k);
  const auto step = static_cast<std::ptrdiff_t>(segments);
  bank.apply(view<const float, 2>(transposed.data(), {segments, bins}, {1, step}),
             view<float, 2>(out.data(), {segments, bank.bands()}, {1, step}));
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t b = 0; b < bank.bands(); ++b) EXPECT_EQ(out(b, s), expected(s, b));
}

// An odd n_fft has no bin at the Nyquist frequency, and its last bin lies in the last band.
TEST(mel, odd_lengths_weigh_the_last_bin) {
  const mel_filterbank<double> bank(1000, 5,
                                    {.bands = 1, .scale = mel_scale::htk, .norm = mel_norm::none});
  ASSERT_EQ(bank.bins(), 3u);
  ASSERT_EQ(bank.weights(0).size(), 2u);
  EXPECT_EQ(bank.first_bin(0), 1u);
  const double centre = bank.edges_hz()[1];
  EXPECT_NEAR(bank.weights(0)[0], 200 / centre, 1e-15);
  EXPECT_NEAR(bank.weights(0)[1], 100 / (500 - centre), 1e-15);
}

// What librosa warns of: 128 bands are too many for 512 points.
TEST(mel, reports_empty_bands) {
  const mel_filterbank<double> bank(44100, 512);
  EXPECT_EQ(bank.empty_bands().size(), 11u);
  for (const std::size_t band : bank.empty_bands()) EXPECT_TRUE(bank.weights(band).empty());
  EXPECT_TRUE(mel_filterbank<double>(22050, 4096, {.bands = 40}).empty_bands().empty());
  array<double, 2> ones({1, bank.bins()});
  for (double& p : ones.flat()) p = 1;
  const auto mel = bank.apply(ones);
  for (const std::size_t band : bank.empty_bands()) EXPECT_EQ(mel(0, band), 0);
}

// Edges that fall together in double.
TEST(mel, bands_without_width_weigh_nothing) {
  const double low = 1000, high = std::nextafter(std::nextafter(1000.0, 2000), 2000);
  for (const mel_norm norm : {mel_norm::slaney, mel_norm::none})
    for (const mel_scale scale : {mel_scale::slaney, mel_scale::htk}) {
      const mel_filterbank<double> bank(
          8000, 8, {.bands = 50, .scale = scale, .norm = norm, .fmin_hz = low, .fmax_hz = high});
      const auto weights = bank.dense();
      for (const double weight : weights.flat()) EXPECT_TRUE(std::isfinite(weight));
    }
}

// Of a rate so low that the filters' heights are no floats.
TEST(mel, weights_are_finite) {
  try {
    mel_filterbank<float>(1e-38, 64, {.bands = 8});
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "mel_filterbank: weights must be finite, got inf in band 0");
  }
  EXPECT_NO_THROW(mel_filterbank<double>(1e-38, 64, {.bands = 8}));
  EXPECT_NO_THROW(mel_filterbank<float>(1e-38, 64, {.bands = 8, .norm = mel_norm::none}));
}

TEST(mel, refuses) {
  using bank = mel_filterbank<float>;
  EXPECT_THROW(bank(0, 512), invalid_argument);
  EXPECT_THROW(bank(NAN, 512), invalid_argument);
  EXPECT_THROW(bank(INFINITY, 512), invalid_argument);
  EXPECT_THROW(bank(44100, 0), invalid_argument);
  EXPECT_THROW(bank(44100, max_n_fft + 1), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.bands = 0}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmin_hz = -1}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmin_hz = 100, .fmax_hz = 100}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmax_hz = 22051}), invalid_argument);
  EXPECT_THROW(bank(44100, 512, {.fmax_hz = NAN}), invalid_argument);
  const bank good(44100, 512);
  array<float, 2> power({3, 257}), out({3, 128});
  EXPECT_THROW(good.apply(power.view().slice(1, 0, 256), out), shape_error);
  EXPECT_THROW(good.apply(power, out.view().slice(0, 0, 2)), shape_error);
  EXPECT_THROW(good.apply(power, view<float, 2>(power.data(), {3, 128})), invalid_argument);
  EXPECT_THROW(good.apply(power, view<float, 2>(out.data(), {3, 128}, {1, 1})), shape_error);
  EXPECT_NO_THROW(good.apply(power.view().slice(0, 0, 0), out.view().slice(0, 0, 0)));
}

// Of the levels, up to 80 dB below the highest power: an error of 1e-16 of that becomes 4e-8 dB
// at most, and the transform sums 128 of them over sqrt 128.
constexpr double in_double = 5e-7;
// torchaudio's weights are floats, off by 1e-6 of the largest: 1e-4 dB where a band's are small.
constexpr double with_float_weights = 1e-3;

void expect_mfcc(const mfcc_settings& settings, double rate_hz, const std::string& file,
                 double tolerance = in_double) {
  const auto expected = test::reference(file);
  const mel_filterbank<double> bank(rate_hz, settings.stft.n_fft, settings.mel);
  const mfcc_plan<double> plan(bank.bands(), settings.mfcc);
  const auto mel = bank.apply(power_spectrogram<double>(settings.stft));
  const auto mfcc = plan.execute(mel);
  ASSERT_EQ(expected.extents, (std::vector{mfcc.extent(0), mfcc.extent(1)}));
  for (std::size_t i = 0; i < mfcc.size(); ++i)
    EXPECT_NEAR(mfcc.flat()[i], expected.values[i], tolerance) << file << ' ' << i;
  const auto threaded = plan.execute(mel, 3);
  for (std::size_t i = 0; i < mfcc.size(); ++i) EXPECT_EQ(mfcc.flat()[i], threaded.flat()[i]);
}

TEST(mfcc, equals_librosa) { expect_mfcc(librosa_mfcc(), 22050, "mfcc_librosa"); }

TEST(mfcc, liftered_equals_librosa) {
  auto settings = librosa_mfcc();
  settings.mfcc = {.coefficients = 13, .lifter = 22};
  expect_mfcc(settings, 22050, "mfcc_lifter");
}

TEST(mfcc, equals_torchaudio) {
  expect_mfcc(torchaudio_mfcc(), 16000, "mfcc_torchaudio_run", with_float_weights);
  expect_mfcc(torchaudio_mfcc(), 16000, "mfcc_torchaudio");  // its formula, in double
}

TEST(mfcc, refuses) {
  EXPECT_THROW(mfcc_plan<float>(0), invalid_argument);
  EXPECT_THROW(mfcc_plan<float>(19), invalid_argument);
  EXPECT_THROW(mfcc_plan<float>(40, {.coefficients = 0}), invalid_argument);
  EXPECT_THROW(mfcc_plan<float>(40, {.lifter = -1}), invalid_argument);
  EXPECT_THROW(mfcc_plan<float>(40, {.lifter = NAN}), invalid_argument);
  const mfcc_plan<float> plan(40);
  array<float, 2> mel({3, 40}), out({3, 20});
  EXPECT_THROW(plan.execute(mel.view().slice(1, 0, 39), out), shape_error);
  EXPECT_THROW(plan.execute(mel, view<float, 2>(mel.data(), {3, 20})), invalid_argument);
  EXPECT_NO_THROW(plan.execute(mel, out));
}

}  // namespace
}  // namespace papilio

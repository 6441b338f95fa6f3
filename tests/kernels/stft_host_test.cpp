// The device's transforms beside the host's, and published test cases by their numbers there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "kernels/stft_oracle.hpp"
#include "papilio/signal.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

stft_problem hann_shape(std::size_t channels, std::size_t samples, std::size_t n_fft,
                        std::size_t hop, bool centre = true) {
  stft_problem s{.channels = channels, .samples = samples, .n_fft = n_fft, .hop = hop};
  s.centre = centre;
  s.padding = edge_padding::reflect;
  s.window = hann_window(n_fft);
  return s;
}

stft_options options_of(const stft_problem& s) {
  return {.n_fft = std::size_t(s.n_fft),
          .hop = std::size_t(s.hop),
          .centre = s.centre,
          .padding = edge_padding::reflect};
}

array<float, 2> device_round_trip(const stft_problem& s, const array<float, 2>& x,
                                  std::size_t samples, std::size_t first = 0) {
  const istft_problem back{.channels = s.channels,
                           .segments = s.segments(),
                           .samples = samples,
                           .first = first,
                           .n_fft = s.n_fft,
                           .hop = s.hop,
                           .window = s.window,
                           .centre = s.centre};
  array<float, 2> out({std::size_t(s.channels), std::size_t(samples)});
  device dev;
  const array<float, 4> spectra = device_spectra(s, x);
  prepared_kernel(dev, istft_kernel(back, dev.machine())).launch({spectra}, {out});
  return out;
}

// The cases' own tolerance, and the two transforms' stated errors.
void round_trip(const stft_problem& s) {
  const array<float, 2> x = normal_signals(s.channels, s.samples, 1);
  const array<float, 2> got = device_round_trip(s, x, s.samples);
  ASSERT_EQ(got.size(), x.size());
  std::vector<test_exact> expected(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(std::abs(got.data()[i] - x.data()[i]), 1e-3 + 1e-7 * std::abs(x.data()[i])) << i;
  EXPECT_LT(papilio::test::relative_error(std::vector<float>(got.begin(), got.end()),
                                          std::span<const test_exact>(expected)),
            1e-6);
}

void beside_the_host(const stft_problem& s, double tolerance) {
  const array<float, 2> x = normal_signals(s.channels, s.samples, 2);
  const stft_plan<float> plan(options_of(s));
  array<std::complex<float>, 3> host(
      {std::size_t(s.channels), std::size_t(plan.segments(std::size_t(s.samples))), plan.bins()});
  plan.execute(x.view(), host);
  const array<float, 4> got = device_spectra(s, x);
  ASSERT_EQ(got.size(), 2 * host.size());
  std::vector<std::complex<float>> joined(host.size());
  std::vector<test_exact> expected(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    joined[i] = {got.data()[i], got.data()[host.size() + i]};
    expected[i] = host.data()[i];
  }
  EXPECT_LT(papilio::test::relative_error(joined, std::span<const test_exact>(expected)),
            tolerance);
}

TEST(stft_and_host, agree_in_segments_bins_and_values) {
  // Both err by less than 5e-7 of the norm.
  for (const stft_problem& s :
       {hann_shape(2, 4000, 64, 16), hann_shape(1, 4000, 400, 160), hann_shape(1, 6000, 512, 128),
        hann_shape(1, 20000, 2048, 512), hann_shape(3, 1000, 257, 64),
        hann_shape(1, 3000, 128, 300, false), hann_shape(2, 50, 256, 64)})
    beside_the_host(s, 1e-6);
}

// Tiles that stages share are as wide as the widest of them, and VectorE has a part of the
// transposes.
TEST(stft_and_host, agree_on_long_segments_of_which_there_are_many) {
  beside_the_host(hann_shape(1, 70000, 5120, 64), 1e-6);
  beside_the_host(hann_shape(1, 75000, 7168, 64), 1e-6);
}

TEST(istft_and_host, agree) {
  const stft_problem s = hann_shape(2, 5000, 512, 128);
  const array<float, 4> spectra = device_spectra(s, normal_signals(2, 5000, 4));
  array<std::complex<float>, 3> rows({2, s.segments(), std::size_t(s.bins())});
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows.data()[i] = {spectra.data()[i], spectra.data()[rows.size() + i]};
  array<float, 2> host({2, 5000});
  istft_plan<float>(options_of(s)).execute(rows, host);
  const array<float, 2> got = device_round_trip(s, normal_signals(2, 5000, 4), 5000);
  for (std::size_t i = 0; i < host.size(); ++i)
    ASSERT_NEAR(got.data()[i], host.data()[i], 1e-5) << i;
}

void trnfft_186() {
  const stft_problem s = hann_shape(1, 16000, 256, 128);
  EXPECT_EQ(device_spectra(s, normal_signals(1, 16000, 1)).extent(3), 129u);
}

void trnfft_187() {
  const array<float, 4> spectra =
      device_spectra(hann_shape(1, 512, 64, 32, false), normal_signals(1, 512, 1));
  double sum = 0;
  for (const float v : spectra) sum += std::abs(v);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(sum, 0);
}

void trnfft_188() {
  array<float, 2> x({1, 1000});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(i) / 10));
  stft_problem s = hann_shape(1, 1000, 256, 64, false);
  s.result = spectrum_form::magnitude;
  const array<float, 3> magnitudes = device_features(s, x);
  for (std::size_t f = 0; f < magnitudes.extent(1); ++f) {
    const float* const row = &magnitudes(0, f, 0);
    EXPECT_NEAR(double(std::max_element(row, row + 129) - row), 25, 1);
  }
}

void trnfft_189() { round_trip(hann_shape(1, 1024, 256, 64)); }
void trnfft_190() { round_trip(hann_shape(4, 1024, 256, 64)); }
void trnfft_191() { round_trip(hann_shape(1, 500, 128, 32)); }

void trnfft_192() {
  const stft_problem s = hann_shape(1, 512, 128, 32, false);
  const array<float, 2> x = normal_signals(1, 512, 1);
  // Hann's first weight is 0: nothing tells sample 0.
  try {
    device_round_trip(s, x, 512);
    ADD_FAILURE() << "sample 0 must be refused";
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("sample 0 "), std::string::npos) << e.what();
  }
  const array<float, 2> got = device_round_trip(s, x, 448, 32);
  for (std::size_t i = 0; i < 448; ++i)
    EXPECT_LE(std::abs(got.data()[i] - x.data()[i + 32]), 1e-3 + 1e-7 * std::abs(x.data()[i + 32]))
        << i;
}

// Host threads change nothing.
void threads_on_and_off(std::int64_t samples, std::int64_t n_fft, std::int64_t hop) {
  const stft_problem s = hann_shape(1, samples, n_fft, hop);
  const array<float, 2> x = normal_signals(1, samples, 1);
  const array<float, 4> one = device_spectra(s, x);
  array<float, 4> more(one.extents());
  for (const int threads : {0, 2}) {
    device dev(trainium1(), sdk_2_24(), {.threads = threads});
    prepared_kernel(dev, stft_kernel(s, dev.machine())).launch({x}, {more});
    EXPECT_TRUE(std::ranges::equal(more, one));
  }
}

void trnfft_193() { threads_on_and_off(4000, 256, 128); }
void trnfft_194() { threads_on_and_off(4000, 512, 256); }
void trnfft_195() { round_trip(hann_shape(1, 4000, 256, 128)); }
void trnfft_196() { round_trip(hann_shape(1, 4000, 512, 256)); }
void trnfft_197() { threads_on_and_off(2048, 256, 128); }
void trnfft_198() { round_trip(hann_shape(1, 2048, 128, 64)); }
void trnfft_199() {
  const array<float, 4> spectra =
      device_spectra(hann_shape(1, 2048, 128, 64), normal_signals(1, 2048, 1));
  EXPECT_EQ(spectra.extent(3), 65u);
  EXPECT_TRUE(std::ranges::all_of(spectra, [](float v) { return std::isfinite(v); }));
}

void beyond_042() {
  const array<float, 2> x = normal_signals(1, 16000, 1);
  for (const bool hann : {true, false}) {
    stft_problem s = hann_shape(1, 16000, 400, 160);
    if (!hann) s.window.clear();
    const array<float, 4> got = device_spectra(s, x);
    ASSERT_EQ(got.extent(2), 101u);
    const std::vector<test_exact> expected = exact_spectra(s, x);
    for (std::size_t f = 0; f < 101; ++f) {
      long double largest = 0;
      for (std::size_t k = 0; k < 201; ++k)
        largest = std::max(largest, std::abs(expected[f * 201 + k]));
      for (std::size_t k = 0; k < 201; ++k)
        EXPECT_LE(std::abs(test_exact(got(0, 0, f, k), got(1, 0, f, k)) - expected[f * 201 + k]),
                  1e-5L + 1e-5L * largest);
    }
    round_trip(s);
  }
}

struct published_case {
  const char* id;
  void (*run)();
};

void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class published_stft_on_device : public testing::TestWithParam<published_case> {};

TEST_P(published_stft_on_device, holds) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(
    cases, published_stft_on_device,
    testing::Values(
        published_case{"trnfft-186", trnfft_186}, published_case{"trnfft-187", trnfft_187},
        published_case{"trnfft-188", trnfft_188}, published_case{"trnfft-189", trnfft_189},
        published_case{"trnfft-190", trnfft_190}, published_case{"trnfft-191", trnfft_191},
        published_case{"trnfft-192", trnfft_192}, published_case{"trnfft-193", trnfft_193},
        published_case{"trnfft-194", trnfft_194}, published_case{"trnfft-195", trnfft_195},
        published_case{"trnfft-196", trnfft_196}, published_case{"trnfft-197", trnfft_197},
        published_case{"trnfft-198", trnfft_198}, published_case{"trnfft-199", trnfft_199},
        published_case{"beyond-042", beyond_042}),
    [](const testing::TestParamInfo<published_case>& one) {
      std::string name = one.param.id;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace papilio::kernels::test

// Published test cases of short-time Fourier transforms, by their numbers there: their inputs'
// kinds and tolerances, our inputs and oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/case_list.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using spectra_type = array<std::complex<float>, 2>;

spectra_type stft(const stft_options& options, std::span<const float> x, int threads = 1) {
  const stft_plan<float> plan(options);
  spectra_type spectra({static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(x, spectra, threads);
  return spectra;
}

// |got - expected| <= absolute + relative |expected|, element by element.
void expect_close(std::span<const float> got, std::span<const float> expected, double absolute,
                  double relative) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - expected[i]), absolute + relative * std::abs(expected[i])) << i;
}

// The cases' own tolerance, and 2e-7 of the signal's Euclidean norm.
void expect_round_trip(std::span<const float> got, std::span<const float> x) {
  expect_close(got, x, 1e-3, 1e-7);
  const auto expected = test::widened(x);
  EXPECT_LT(test::relative_error(got, std::span<const test::exact>(expected)), 2e-7);
}

void round_trip(std::size_t signals, std::size_t samples, std::size_t n_fft, std::size_t hop,
                int threads) {
  const stft_options options{.n_fft = n_fft, .hop = hop, .padding = edge_padding::reflect};
  const auto x = test::random_real<float>(signals * samples, 1);
  const view<const float, 2> batch(x.data(), {signals, samples});
  const stft_plan<float> plan(options);
  array<std::complex<float>, 3> spectra(
      {signals, static_cast<std::size_t>(plan.segments(samples)), plan.bins()});
  plan.execute(batch, spectra, threads);
  array<float, 2> back({signals, samples});
  istft_plan<float>(options).execute(spectra, back, threads);
  expect_round_trip(back.flat(), x);
}

void trnfft_186() {
  const auto x = test::random_real<float>(16000, 1);
  EXPECT_EQ(stft({.n_fft = 256, .hop = 128}, x).extent(1), 129u);
}

void trnfft_187() {
  const auto spectra =
      stft({.n_fft = 64, .hop = 32, .centre = false}, test::random_real<float>(512, 1));
  double sum = 0;
  for (const auto& v : spectra) sum += std::abs(v);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(sum, 0);
}

void trnfft_188() {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(i) / 10));
  const auto spectra = stft({.n_fft = 256, .hop = 64, .centre = false}, x);
  for (std::size_t s = 0; s < spectra.extent(0); ++s) {
    const auto* const row = &spectra(s, 0);
    const auto peak = std::max_element(row, row + 129,
                                       [](auto a, auto b) { return std::norm(a) < std::norm(b); });
    EXPECT_NEAR(static_cast<double>(peak - row), 25, 1);
  }
}

void trnfft_189() { round_trip(1, 1024, 256, 64, 1); }
void trnfft_190() { round_trip(4, 1024, 256, 64, 1); }
void trnfft_191() { round_trip(1, 500, 128, 32, 1); }

void trnfft_192() {
  const stft_options options{.n_fft = 128, .hop = 32, .centre = false};
  const auto x = test::random_real<float>(512, 1);
  const auto spectra = stft(options, x);
  const istft_plan<float> plan(options);
  std::vector<float> whole(512), inner(448);
  // Hann's first weight is 0: nothing tells sample 0.
  EXPECT_THROW(plan.execute(spectra, whole), invalid_argument);
  plan.execute(spectra, inner, 1, 32);
  expect_close(inner, std::span(x).subspan(32, 448), 1e-3, 1e-7);
}

void threads_on_and_off(std::size_t samples, std::size_t n_fft, std::size_t hop) {
  const stft_options options{.n_fft = n_fft, .hop = hop, .padding = edge_padding::reflect};
  const auto x = test::random_real<float>(samples, 1);
  const auto one = stft(options, x, 1);
  for (const int threads : {0, 2, 3})
    EXPECT_TRUE(std::ranges::equal(stft(options, x, threads), one));
}

void trnfft_193() { threads_on_and_off(4000, 256, 128); }
void trnfft_194() { threads_on_and_off(4000, 512, 256); }
void trnfft_195() { round_trip(1, 4000, 256, 128, 2); }
void trnfft_196() { round_trip(1, 4000, 512, 256, 2); }
void trnfft_197() { threads_on_and_off(2048, 256, 128); }

void beyond_042() {
  const auto x = test::random_real<float>(16000, 1);
  for (const auto kind : {window_kind::hann, window_kind::rectangular}) {
    const stft_options options = torch_stft(400, 160, kind);
    const auto got = stft(options, x);
    ASSERT_EQ(got.extent(0), 101u);
    const auto window = make_window(kind, 400);
    for (std::size_t s = 0; s < got.extent(0); ++s) {
      std::vector<test::exact> piece(400);
      for (std::size_t j = 0; j < 400; ++j) {
        const auto at = static_cast<std::ptrdiff_t>(s * 160 + j) - 200;
        const std::ptrdiff_t inside = at < 0 ? -at : at > 15999 ? 2 * 15999 - at : at;
        piece[j] = static_cast<long double>(window[j]) * x[static_cast<std::size_t>(inside)];
      }
      auto expected = test::dft(piece, -1);
      expected.resize(201);
      // The case's tolerance is relative to the row's largest, beside papilio's own.
      long double largest = 0;
      for (const auto& v : expected) largest = std::max(largest, std::abs(v));
      for (std::size_t k = 0; k < 201; ++k)
        EXPECT_LE(std::abs(test::exact(got(s, k)) - expected[k]), 1e-5L + 1e-5L * largest);
      const std::vector<std::complex<float>> row(&got(s, 0), &got(s, 0) + 201);
      EXPECT_LT(test::relative_error(row, std::span<const test::exact>(expected)),
                test::fft_tolerance<float>(400));
    }
    std::vector<float> back(x.size());
    istft_plan<float>(options).execute(got, back);
    expect_round_trip(back, x);
  }
}

struct published_case {
  const char* id;
  void (*run)();
};

void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class published : public testing::TestWithParam<published_case> {};

TEST_P(published, stft_case) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(
    cases, published,
    testing::Values(
        published_case{"trnfft-186", trnfft_186}, published_case{"trnfft-187", trnfft_187},
        published_case{"trnfft-188", trnfft_188}, published_case{"trnfft-189", trnfft_189},
        published_case{"trnfft-190", trnfft_190}, published_case{"trnfft-191", trnfft_191},
        published_case{"trnfft-192", trnfft_192}, published_case{"trnfft-193", trnfft_193},
        published_case{"trnfft-194", trnfft_194}, published_case{"trnfft-195", trnfft_195},
        published_case{"trnfft-196", trnfft_196}, published_case{"trnfft-197", trnfft_197},
        published_case{"beyond-042", beyond_042}));

// The list in the repository is what is registered here, and its count is right.
TEST(published_list, is_what_is_registered) { test::expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio

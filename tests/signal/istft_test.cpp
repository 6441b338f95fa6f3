#include "papilio/signal/istft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

template <class T>
array<std::complex<T>, 2> transformed(const stft_options& options, const std::vector<T>& x) {
  const stft_plan<T> plan(options);
  array<std::complex<T>, 2> spectra(
      {static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(x, spectra);
  return spectra;
}

// Error over signal in the Euclidean norm: two transforms, whose errors overlapping segments
// average; where very many overlap, the square root of the number of roundings in their sum.
template <class T>
double bound(const stft_options& o) {
  const double terms = static_cast<double>(o.n_fft) / static_cast<double>(o.hop);
  return (std::is_same_v<T, float> ? 2e-7 : 1e-15) * std::max(1.0, std::sqrt(terms) / 4);
}

template <class T>
void expect_inverse(const stft_options& options, std::size_t samples) {
  const auto x = test::random_real<T>(samples, 5);
  std::vector<T> back(samples, T(-1));
  istft_plan<T>(options).execute(transformed(options, x), back, 2);
  const auto expected = test::widened(std::span<const T>(x));
  EXPECT_LT(test::relative_error(back, std::span<const exact>(expected)), bound<T>(options))
      << "n_fft " << options.n_fft << " hop " << options.hop << " samples " << samples;
}

template <class T>
void expect_inverse_of_all_kinds() {
  for (const std::size_t samples : {1, 100, 1024, 2049, 44100})
    for (const auto padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
      expect_inverse<T>({.padding = padding}, samples);
  for (const auto sides : {stft_sides::one, stft_sides::two})
    for (const auto scaling : {stft_scaling::none, stft_scaling::magnitude, stft_scaling::psd,
                               stft_scaling::orthonormal, stft_scaling::dbfs})
      for (const std::size_t n : {1, 2, 63, 64})
        expect_inverse<T>({.n_fft = n,
                           .hop = (n + 1) / 2,
                           .window = window_kind::hamming,
                           .sides = sides,
                           .scaling = scaling,
                           .rate_hz = 44100},
                          777);
  for (const std::size_t hop : {512, 256, 128, 64})
    expect_inverse<T>({.n_fft = 1024, .hop = hop}, 20000);
  expect_inverse<T>({.n_fft = 512, .hop = 128, .window_length = 400}, 5000);
  expect_inverse<T>({.n_fft = 400, .hop = 160, .window = window_kind::blackman}, 16000);
  expect_inverse<T>({.n_fft = 256, .hop = 1}, 600);
  expect_inverse<T>({.n_fft = 256,
                     .hop = 256,
                     .window = window_kind::rectangular,
                     .centre = false,
                     .pad_end = true},
                    3000);
}

TEST(istft, inverts_stft_in_float) { expect_inverse_of_all_kinds<float>(); }
TEST(istft, inverts_stft_in_double) { expect_inverse_of_all_kinds<double>(); }

// Least squares by its definition, sample by sample, of spectra that no signal has.
TEST(istft, is_the_least_squares_signal) {
  const stft_options options{.n_fft = 64, .hop = 24};
  const istft_plan<double> plan(options);
  array<std::complex<double>, 2> spectra({9, 33});
  const auto values = test::random_complex<double>(spectra.size(), 2);
  std::ranges::copy(values, spectra.begin());
  const auto window = make_window(window_kind::hann, 64);
  std::vector<exact> sum(9 * 24 + 64), weight(sum.size());
  for (std::size_t s = 0; s < 9; ++s) {
    std::vector<exact> row(64);
    for (std::size_t k = 0; k < 33; ++k) {
      row[k] = k % 32 == 0 ? exact(spectra(s, k).real()) : exact(spectra(s, k));
      row[(64 - k) % 64] = std::conj(row[k]);
    }
    const auto piece = test::dft(row, +1);
    for (std::size_t j = 0; j < 64; ++j) {
      sum[s * 24 + j] += static_cast<long double>(window[j]) * piece[j].real() / 64.0L;
      weight[s * 24 + j] += static_cast<long double>(window[j]) * window[j];
    }
  }
  std::vector<double> got(9 * 24 + 64 - 24 - 32 - 5);
  plan.execute(spectra, got);
  std::vector<exact> expected;
  for (std::size_t t = 0; t < got.size(); ++t) expected.push_back(sum[t + 32] / weight[t + 32]);
  EXPECT_LT(test::relative_error(got, std::span<const exact>(expected)), 1e-14);
}

TEST(istft, given_window) {
  std::vector<double> window(48);
  for (std::size_t j = 0; j < window.size(); ++j) window[j] = 1 + static_cast<double>(j % 5);
  const stft_options options{.n_fft = 64, .hop = 16, .scaling = stft_scaling::psd};
  const auto x = test::random_real<double>(1000, 3);
  const stft_plan<double> plan(options, window);
  array<std::complex<double>, 2> spectra(
      {static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(x, spectra);
  std::vector<double> back(x.size());
  istft_plan<double>(options, window).execute(spectra, back);
  const auto expected = test::widened(std::span<const double>(x));
  EXPECT_LT(test::relative_error(back, std::span<const exact>(expected)), 1e-15);
}

TEST(istft, any_length_that_the_segments_reach) {
  const stft_options options{.n_fft = 64, .hop = 16};
  const auto x = test::random_real<double>(1000, 5);
  const auto spectra = transformed(options, x);
  const istft_plan<double> plan(options);
  std::vector<double> whole(1000);
  plan.execute(spectra, whole);
  EXPECT_EQ(plan.samples(spectra.extent(0)), 992u);
  for (const std::size_t length : {0, 1, 500, 992, 1000, 1020}) {
    std::vector<double> part(length);
    plan.execute(spectra, part);
    EXPECT_TRUE(std::equal(part.begin(), part.begin() + std::min<std::ptrdiff_t>(length, 1000),
                           whole.begin()));
  }
  for (const std::size_t first : {1, 63, 64, 500, 999}) {
    std::vector<double> part(1000 - first);
    plan.execute(spectra, part, 2, first);
    EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(first)));
  }
  // 63 segments reach 62 * 16 + 32 samples.
  std::vector<double> long_one(1025);
  EXPECT_THROW(plan.execute(spectra, long_one), shape_error);
  EXPECT_EQ(plan.samples(0), 0u);
}

TEST(istft, batches_threads_and_strides) {
  const std::size_t channels = 3, samples = 20000;
  const stft_options options{.n_fft = 128, .hop = 48};
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options);
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  array<std::complex<float>, 3> spectra({channels, segments, 65}), turned({channels, 65, segments});
  std::ranges::copy(test::random_complex<float>(spectra.size(), 4), spectra.begin());
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t s = 0; s < segments; ++s)
      for (std::size_t k = 0; k < 65; ++k) turned(c, k, s) = spectra(c, s, k);
  std::vector<std::vector<float>> expected(channels, std::vector<float>(samples));
  for (std::size_t c = 0; c < channels; ++c) inverse.execute(spectra[c], expected[c]);
  for (const int threads : {1, 2, 7}) {
    array<float, 2> planar({channels, samples}), interleaved({samples, channels});
    inverse.execute(spectra, planar, threads);
    const auto s = static_cast<std::ptrdiff_t>(segments);
    inverse.execute(
        view<const std::complex<float>, 3>(turned.data(), {channels, segments, 65}, {65 * s, 1, s}),
        view<float, 2>(interleaved.data(), {channels, samples}, {1, 3}), threads);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < samples; ++i) {
        ASSERT_EQ(planar(c, i), expected[c][i]) << threads << ' ' << i;
        ASSERT_EQ(interleaved(i, c), expected[c][i]) << threads << ' ' << i;
      }
  }
}

std::string refusal(const stft_options& options, std::size_t segments, std::size_t samples,
                    std::uint64_t first = 0) {
  const istft_plan<float> plan(options);
  const array<std::complex<float>, 2> spectra({segments, plan.bins()});
  std::vector<float> out(samples, 7.0f);
  try {
    plan.execute(spectra, out, 1, first);
  } catch (const invalid_argument& e) {
    EXPECT_EQ(std::ranges::count(out, 7.0f), static_cast<std::ptrdiff_t>(samples));
    return e.what();
  }
  return "";
}

TEST(istft, names_the_first_sample_that_is_not_covered) {
  const auto names = [](const std::string& text, std::size_t sample) {
    return text.find("sample " + std::to_string(sample) + " is not covered") != std::string::npos;
  };
  const stft_options hann{.n_fft = 64, .hop = 16, .centre = false};
  EXPECT_TRUE(names(refusal(hann, 10, 200), 0));
  EXPECT_EQ(refusal(hann, 10, 199, 1), "");
  // Without overlap every 64th weight is 0; with gaps between the segments all that stands in them.
  EXPECT_TRUE(names(refusal({.n_fft = 64, .hop = 64}, 10, 500), 32));
  EXPECT_TRUE(names(refusal({.n_fft = 64, .hop = 64}, 10, 400, 33), 96));
  const stft_options gaps{
      .n_fft = 64, .hop = 70, .window = window_kind::rectangular, .centre = false};
  EXPECT_TRUE(names(refusal(gaps, 10, 694), 64));
  EXPECT_TRUE(names(refusal(gaps, 10, 624, 70), 134));
  EXPECT_EQ(refusal(gaps, 10, 64, 140), "");
  // The last sample of the last segment, where Hann's symmetric form is 0.
  const auto window = make_window(window_kind::hann, 64, window_symmetry::symmetric);
  const istft_plan<double> symmetric({.n_fft = 64, .hop = 16}, window.flat());
  const array<std::complex<double>, 2> spectra({5, 33});
  std::vector<double> out(96);
  EXPECT_THROW(symmetric.execute(spectra, out), invalid_argument);
  symmetric.execute(spectra, std::span(out).first(95));
}

TEST(istft, refuses_bad_shapes) {
  const istft_plan<float> plan({.n_fft = 64, .hop = 16});
  EXPECT_THROW(istft_plan<float>({.n_fft = 0}), invalid_argument);
  const array<std::complex<float>, 2> spectra({10, 33}), narrow({10, 32}), none({0, 33});
  std::vector<float> out(100);
  EXPECT_THROW(plan.execute(narrow, out), shape_error);
  EXPECT_THROW(plan.execute(none, out), shape_error);
  EXPECT_THROW(plan.execute(spectra, out, 1, std::numeric_limits<std::uint64_t>::max()),
               resource_error);
  EXPECT_THROW(plan.execute(spectra, out, -1), invalid_argument);
  // A place that only a hop beyond 64 bits reaches, and that is in no segment.
  const istft_plan<float> far({.n_fft = 64, .hop = std::size_t{1} << 63});
  EXPECT_THROW(far.execute(spectra, std::span(out).first(4), 1,
                           std::numeric_limits<std::uint64_t>::max() - 10),
               error);
  plan.execute(none, std::span<float>());
  array<std::complex<float>, 2> memory({10, 33});
  EXPECT_THROW(plan.execute(memory, {reinterpret_cast<float*>(memory.data()) + 600, 100}),
               invalid_argument);
  array<float, 2> many({2, 100});
  EXPECT_THROW(plan.execute(view<const std::complex<float>, 3>(spectra.data(), {1, 10, 33}), many),
               shape_error);
}

}  // namespace
}  // namespace papilio

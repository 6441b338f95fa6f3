// Vectors, spans, arrays and masks of lower rank in place of views: the same results, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "papilio/fft.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using complex = std::complex<float>;
constexpr std::size_t rows = 4, n = 16, bins = n / 2 + 1;

template <class A, class B>
void expect_same(const A& got, const B& expected) {
  ASSERT_EQ(std::ranges::size(got), std::ranges::size(expected));
  EXPECT_TRUE(std::ranges::equal(got, expected));
}

TEST(array_arguments, batches_are_rows_of_a_vector) {
  const std::vector<float> x = test::random_real<float>(rows * n, 1);
  std::vector<complex> got(rows * bins);
  array<complex, 2> expected({rows, bins});
  const rfft_plan<float> plan(n);
  plan.forward_batch(x, got);
  plan.forward_batch(view<const float, 2>(x.data(), {rows, n}), expected.view());
  expect_same(got, expected);

  std::vector<float> back(rows * n);
  plan.inverse_batch(std::span<const complex>(got), std::span(back));
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-6F);

  const std::vector<complex> z = test::random_complex<float>(rows * n, 2);
  std::vector<complex> spectra(rows * n);
  array<complex, 2> whole({rows, n});
  const fft_plan<float> lines(n);
  lines.execute_batch(z, spectra);
  lines.execute_batch(view<const complex, 2>(z.data(), {rows, n}), whole.view());
  expect_same(spectra, whole);
  EXPECT_THROW(plan.forward_batch(std::vector<float>(n + 1), got), shape_error);
  EXPECT_THROW(plan.forward_batch(std::vector<float>(n), got), shape_error);
}

TEST(array_arguments, rank_is_the_arrays) {
  array<complex, 2> image({rows, n});
  std::ranges::copy(test::random_complex<float>(rows * n, 3), image.begin());
  array<complex, 2> got({rows, n}), expected({rows, n});
  const fftn_plan<float> plan({rows, n});
  plan.execute(image, got);
  plan.execute<2>(image, expected);
  expect_same(got, expected);
}

TEST(array_arguments, welch_takes_a_vector) {
  const std::vector<float> x = test::random_real<float>(1000, 4);
  const welch_options options{.segment_length = 128};
  const auto expected = welch(std::span<const float>(x), options);
  expect_same(welch(x, options), expected);
  array<float, 2> both({2, 1000});
  std::ranges::copy(x, both.begin());
  std::ranges::copy(x, both.begin() + 1000);
  const auto rows_of_two = welch(both, options, 2);
  EXPECT_EQ(rows_of_two.extents(), (extents_type<2>{2, expected.size()}));
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(rows_of_two(1, k), expected[k]);
}

TEST(array_arguments, a_stream_of_one_channel_takes_a_vector) {
  const std::vector<float> x = test::random_real<float>(100, 5);
  std::vector<std::vector<complex>> segments;
  const auto keep = [&](std::uint64_t, view<complex, 2> values) {
    segments.emplace_back(values.data(), values.data() + values.extent(1));
  };
  const stft_options options{.n_fft = n, .hop = 4};
  stft_stream<float> flat(options), shaped(options), stereo(options, 2);
  flat.push(x, keep);
  flat.finish(keep);
  const auto got = std::exchange(segments, {});
  shaped.push(view<const float, 2>(x.data(), {x.size(), 1}), keep);
  shaped.finish(keep);
  EXPECT_EQ(got, segments);
  EXPECT_GT(got.size(), 20u);
  EXPECT_THROW(stereo.push(x, keep), shape_error);
}

TEST(array_arguments, a_mask_of_bins_is_repeated) {
  array<complex, 2> spectra({5, bins});
  std::ranges::copy(test::random_complex<float>(5 * bins, 6), spectra.begin());
  const std::vector<float> mask = test::random_real<float>(bins, 7);
  array<float, 2> whole({5, bins});
  for (std::size_t s = 0; s < 5; ++s)
    std::ranges::copy(mask, whole.begin() + std::ptrdiff_t(s * bins));
  array<complex, 2> got({5, bins}), expected({5, bins});
  apply_mask(spectra, mask, got);
  apply_mask(spectra.view(), whole.view(), expected.view());
  expect_same(got, expected);
  EXPECT_THROW(apply_mask(spectra, std::vector<float>(bins + 1), got), shape_error);
}

TEST(array_arguments, periodogram_takes_a_vector_and_rows) {
  const std::vector<double> x = test::random_real<double>(300, 8);
  const auto expected = periodogram(std::span<const double>(x));
  expect_same(periodogram(x), expected);
  const view<const double, 2> columns(x.data(), {100, 3});
  const auto got = periodogram(columns.transposed(), {.rate_hz = 8}, 2);
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> one;
    for (std::size_t j = 0; j < 100; ++j) one.push_back(columns(j, c));
    const auto row = got[c];
    expect_same(std::span(row.data(), row.size()), periodogram(one, {.rate_hz = 8}));
  }
  EXPECT_THROW(periodogram(std::vector<double>()), invalid_argument);
}

TEST(array_arguments, stft_and_istft_return_arrays) {
  const std::vector<float> x = test::random_real<float>(200, 9);
  const stft_options options{.n_fft = n, .hop = 4};
  const stft_plan<float> plan(options);
  array<complex, 2> expected({plan.segments(200), plan.bins()});
  plan.execute(x, expected);
  const array<complex, 2> got = stft(x, options);
  EXPECT_EQ(got.extents(), expected.extents());
  expect_same(got, expected);
  const array<float, 1> back = istft(got, options, 200);
  for (std::size_t j = 0; j < 200; ++j) EXPECT_NEAR(back[j], x[j], 2e-6F);
  EXPECT_EQ(istft(got, options).size(), 200u);

  const view<const float, 2> frames(x.data(), {100, 2});
  const array<complex, 3> both = stft(frames.transposed(), options, 2);
  const array<float, 2> signals = istft(both, options, {}, execution{policy::host});
  EXPECT_EQ(both.extents(), (extents_type<3>{2, plan.segments(100), bins}));
  EXPECT_EQ(signals.extents(), (extents_type<2>{2, 100}));
  for (std::size_t j = 0; j < 100; ++j) EXPECT_NEAR(signals(1, j), frames(j, 1), 2e-6F);
  EXPECT_EQ(stft(std::vector<double>(), options).size(), 0u);
}

TEST(array_arguments, magnitudes_and_powers_of_vectors) {
  const std::vector<complex> x = test::random_complex<float>(30, 10);
  std::vector<float> sizes(30), powers(30);
  magnitude(x, sizes);
  power(std::span(x), powers, 2);
  for (std::size_t k = 0; k < 30; ++k) {
    EXPECT_NEAR(sizes[k], std::abs(x[k]), 4e-7F * std::abs(x[k]));
    EXPECT_NEAR(powers[k], std::norm(x[k]), 4e-7F * std::norm(x[k]));
  }
  EXPECT_THROW(magnitude(x, std::span(sizes).first(29)), shape_error);
}

TEST(array_arguments, an_inverse_stream_of_one_channel_takes_a_spectrum) {
  const stft_options options{.n_fft = n, .hop = 4};
  const array<complex, 2> spectra = stft(test::random_real<float>(100, 11), options);
  std::vector<float> got, expected;
  const auto to = [](std::vector<float>& samples) {
    return [&samples](view<const float, 2> block) {
      samples.insert(samples.end(), block.data(), block.data() + block.size());
    };
  };
  const auto to_got = to(got), to_expected = to(expected);
  istft_stream<float> flat(options), shaped(options), stereo(options, 2);
  for (std::size_t s = 0; s < spectra.extent(0); ++s) {
    const auto row = spectra[s];
    flat.push(std::vector<complex>(row.data(), row.data() + bins), to_got);
    shaped.push(spectra.view().slice(0, s, 1), to_expected);
  }
  flat.finish(to_got);
  shaped.finish(to_expected);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(got.size(), 100u);
  EXPECT_THROW(stereo.push(std::vector<complex>(bins), to_got), shape_error);
}

TEST(array_arguments, two_channels_and_loudness_take_vectors_and_arrays) {
  const std::vector<double> x = test::random_real<double>(9600, 12), y = x;
  const std::span<const double> of_x(x), of_y(y);
  expect_same(csd(x, y), csd(of_x, of_y));
  EXPECT_NEAR(coherence(x, y)[10], 1, 1e-12);
  EXPECT_NEAR(std::abs(transfer_function(x, y)[10]), 1, 1e-12);
  EXPECT_NEAR(find_delay(x, y).samples, 0, 1e-9);
  EXPECT_EQ(impulse_response(x, y).samples.size(), 19199u);
  array<double, 2> frames({4800, 2});
  std::ranges::copy(x, frames.begin());
  EXPECT_EQ(measure_loudness(frames, 8000).integrated_lufs,
            measure_loudness<double>(frames.view(), 8000).integrated_lufs);
  EXPECT_EQ(true_peaks(x, 8000).size(), 1u);
  EXPECT_EQ(momentary_loudness(x, 8000).size(), 9u);
  EXPECT_EQ(short_term_loudness(frames, 8000).size(), 0u);
}

}  // namespace
}  // namespace papilio

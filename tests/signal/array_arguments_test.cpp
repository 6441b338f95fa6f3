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

}  // namespace
}  // namespace papilio

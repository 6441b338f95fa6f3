#include <gtest/gtest.h>

#include <string>

#include "kernels/stft_oracle.hpp"
#include "papilio/signal.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

stft_problem transform_of(std::size_t channels) {
  return {.channels = channels,
          .samples = 6000,
          .n_fft = 256,
          .hop = 64,
          .window = hann_window(256),
          .padding = edge_padding::reflect};
}

// The same by the host's transforms, in double.
std::vector<test_exact> host_result(const stft_problem& transform, const array<float, 2>& x,
                                    const std::vector<std::complex<double>>& mask) {
  const stft_options options{.n_fft = 256, .hop = 64, .padding = edge_padding::reflect};
  const stft_plan<double> plan(options);
  const auto samples = std::size_t(transform.samples);
  const auto segments = std::size_t(plan.segments(samples));
  std::vector<test_exact> all;
  for (std::size_t c = 0; c < std::size_t(transform.channels); ++c) {
    const std::vector<double> signal(&x(c, 0), &x(c, 0) + samples);
    array<std::complex<double>, 2> spectra({segments, plan.bins()});
    plan.execute(signal, spectra);
    for (std::size_t i = 0; i < spectra.size(); ++i) spectra.data()[i] *= mask[i];
    std::vector<double> back(samples);
    istft_plan<double>(options).execute(spectra, back);
    all.insert(all.end(), back.begin(), back.end());
  }
  return all;
}

TEST(masked_stft, is_the_host_s_and_fetches_nothing_in_between) {
  for (const bool complex_mask : {false, true})
    for (const std::size_t channels : {1, 3}) {
      const stft_problem transform = transform_of(channels);
      const array<float, 2> x = normal_signals(std::int64_t(channels), 6000, 5);
      device dev;
      const masked_stft filter(dev, transform, complex_mask);
      const std::size_t count = transform.segments() * transform.bins();
      const auto values = papilio::test::random_real<float>(2 * count, 6);
      std::vector<std::complex<double>> mask(count);
      for (std::size_t i = 0; i < count; ++i)
        mask[i] = {values[i], complex_mask ? values[count + i] : 0};
      array<float, 2> y({std::size_t(channels), 6000});
      const tensor_shape of_mask = filter.mask_shape();
      EXPECT_EQ(of_mask.elements(), std::int64_t(complex_mask ? 2 * count : count));
      graph g(dev);
      filter.capture(
          g, x,
          launch_input(std::as_bytes(std::span(values).first(std::size_t(of_mask.elements()))),
                       of_mask),
          y);
      EXPECT_EQ(g.launches(), 3u);
      dev.reset_record();
      const graph_result result = g.submit();
      EXPECT_EQ(dev.record().fetch.tensors, 1u);
      EXPECT_EQ(dev.record().upload.tensors, 1u);
      EXPECT_GT(result.run.total_seconds(), 0);
      // Two transforms and a product, each below 5e-7 of the norm.
      EXPECT_LT(papilio::test::relative_error(
                    std::vector<float>(y.begin(), y.end()),
                    std::span<const test_exact>(host_result(transform, x, mask))),
                1.5e-6);
    }
}

// The two transforms' errors add up in quadrature; the mask of ones is exact.
TEST(masked_stft, in_the_precision_asked_for) {
  const stft_problem transform = transform_of(1);
  const array<float, 2> x = normal_signals(1, 6000, 5);
  device dev;
  const masked_stft filter(dev, transform, false, run_mode::execute, {.mode = precision::bf16});
  const std::vector<float> mask(transform.segments() * transform.bins(), 1.0F);
  array<float, 2> y({1, 6000});
  graph g(dev);
  filter.capture(g, x, launch_input(std::as_bytes(std::span(mask)), filter.mask_shape()), y);
  g.submit();
  const std::vector<std::complex<double>> ones(mask.size(), 1.0);
  const double measured = papilio::test::relative_error(
                   std::vector<float>(y.begin(), y.end()),
                   std::span<const test_exact>(host_result(transform, x, ones))),
               there = filter.forward().what().expected_error,
               back = filter.inverse().what().expected_error;
  EXPECT_LT(measured, 1.5 * std::hypot(there, back));
  EXPECT_GT(measured, std::hypot(there, back) / 3);  // what one segment leaves, others' means lower
}

TEST(masked_stft, refusals) {
  device dev;
  stft_problem s = transform_of(1);
  s.result = spectrum_form::power;
  EXPECT_THROW(masked_stft(dev, s), invalid_argument);
  const masked_stft filter(dev, transform_of(1), false, run_mode::dry_run);
  graph g(dev);
  const tensor_shape signal = filter.signal_shape();
  try {
    filter.capture(g, signal, signal, signal);
    ADD_FAILURE();
  } catch (const shape_error& e) {
    EXPECT_NE(std::string(e.what()).find("mask must be [94, 129] fp32"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(g.launches(), 0u);
}

}  // namespace
}  // namespace papilio::kernels::test

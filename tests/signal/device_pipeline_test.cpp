// Segments, masks and signals that stay on an emulated accelerator.
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

constexpr std::size_t samples = 1500;
const stft_options options{.n_fft = 128, .hop = 32};

array<float, 2> signals_of(std::size_t channels, unsigned seed) {
  const auto x = test::random_real<float>(channels * samples, seed);
  array<float, 2> signals({channels, samples});
  std::copy(x.begin(), x.end(), signals.begin());
  return signals;
}

array<float, 3> mask_of(std::size_t channels, const stft_plan<float>& plan) {
  array<float, 3> mask({channels, static_cast<std::size_t>(plan.segments(samples)), plan.bins()});
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = static_cast<float>(i % 5) / 4;
  return mask;
}

template <class Value, std::size_t Rank>
double distance(const array<Value, Rank>& got, const array<Value, Rank>& expected) {
  const auto wide = test::widened(std::span<const Value>(expected.flat()));
  return test::relative_error(got.flat(), std::span<const exact>(wide));
}

array<float, 2> masked_on_host(const array<float, 2>& x, const array<float, 3>& mask) {
  const stft_plan<float> plan(options);
  array<std::complex<float>, 3> spectra(mask.extents());
  plan.execute(x.view(), spectra.view());
  apply_mask<float, 3>(spectra.view(), mask.view(), spectra.view());
  array<float, 2> back(x.extents());
  istft_plan<float>(options).execute(spectra.view(), back.view());
  return back;
}

// Two transforms of sums of up to 128 terms.
constexpr double tolerance = 2e-6;

TEST(device_pipeline, uploads_once_and_fetches_once) {
  engine::device dev;
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options);
  const array<float, 2> x = signals_of(2, 3);
  const array<float, 3> mask = mask_of(2, plan);
  const device_array<float, 3> kept = to_device(dev, mask);
  const auto run = [&](const array<float, 2>& from) {
    return to_host(inverse.execute(apply_mask(plan.execute(to_device(dev, from)), kept), samples));
  };
  EXPECT_LT(distance(run(x), masked_on_host(x, mask)), tolerance);
  dev.reset_record();  // the tables are there now
  const array<float, 2> other = signals_of(2, 4);
  EXPECT_LT(distance(run(other), masked_on_host(other, mask)), tolerance);
  const engine::device_record record = dev.record();
  EXPECT_EQ(record.upload.tensors, 1u);
  EXPECT_EQ(record.upload.bytes, 2 * samples * sizeof(float));
  EXPECT_EQ(record.fetch.tensors, 1u);
  EXPECT_EQ(record.fetch.bytes, 2 * samples * sizeof(float));
  EXPECT_EQ(record.launches, 3u);
  EXPECT_EQ(record.hits, 3u);
}

TEST(device_pipeline, one_signal_magnitudes_powers_and_complex_masks) {
  engine::device dev;
  const stft_plan<float> plan(options);
  const auto x = test::random_real<float>(samples, 7);
  const view<const float, 1> line(x.data(), {samples});
  const device_array<float, 1> there = to_device(dev, line);
  const std::size_t segments = static_cast<std::size_t>(plan.segments(samples));
  array<std::complex<float>, 2> spectra({segments, plan.bins()});
  plan.execute(x, spectra.view());
  array<float, 2> levels(spectra.extents());
  plan.execute_magnitude(x, levels.view());
  EXPECT_LT(distance(to_host(plan.execute_magnitude(there)), levels), tolerance);
  plan.execute_power(x, levels.view());
  EXPECT_LT(distance(to_host(plan.execute_power(there)), levels), tolerance);
  const device_array<std::complex<float>, 2> bins = plan.execute(there);
  EXPECT_EQ(bins.extents(), spectra.extents());
  apply_mask<float, 2>(spectra.view(), spectra.view(), spectra.view());
  const device_array<std::complex<float>, 2> squares = apply_mask(bins, bins);
  EXPECT_LT(distance(to_host(squares), spectra), tolerance);
  const istft_plan<float> inverse(options);
  array<float, 1> back({100});
  inverse.execute(spectra.view(), back.flat(), 1, 50);
  EXPECT_LT(distance(to_host(inverse.execute(squares, 100, {}, 50)), back), tolerance);
}

TEST(device_pipeline, is_captured_and_submitted_twice) {
  engine::device dev;
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options);
  const array<float, 3> mask = mask_of(2, plan);
  array<float, 2> x = signals_of(2, 3), y(x.extents());
  device_graph graph = capture(dev, [&] {
    const auto spectra = plan.execute(to_device(dev, x));
    to_host(inverse.execute(apply_mask(spectra, to_device(dev, mask)), samples), y.view());
  });
  EXPECT_EQ(graph.operations(), 3u);
  for (const unsigned seed : {3u, 4u}) {
    const array<float, 2> from = signals_of(2, seed);
    std::copy(from.begin(), from.end(), x.begin());
    const run_record record = graph.submit();
    EXPECT_EQ(record.launches, 1u);
    EXPECT_EQ(record.fetches, 1u);
    EXPECT_LT(distance(y, masked_on_host(from, mask)), tolerance);
  }
}

TEST(device_pipeline, masks_of_the_hosts_arrays) {
  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};
  const auto a = test::random_complex<float>(12 * 35, 1),
             b = test::random_complex<float>(12 * 35, 2);
  const auto c = test::random_real<float>(12 * 35, 3);
  const view<const std::complex<float>, 2> x(a.data(), {12, 7}, {35, 5}),
      m(b.data(), {12, 7}, {1, 12});
  const view<const float, 2> r(c.data(), {12, 7}, {35, 1});
  array<std::complex<float>, 2> host({12, 7}), device({12, 7});
  apply_mask<float, 2>(x, m, host.view());
  apply_mask<float, 2>(x, m, device.view(), there);
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_LT(distance(device, host), 2e-7);
  apply_mask<float, 2>(x, r, host.view());
  apply_mask<float, 2>(x, r, device.view(), there);
  EXPECT_LT(distance(device, host), 2e-7);
  EXPECT_EQ(dev.record().launches, 2u);
  apply_mask<float, 2>(x, r, device.view(), execution{.threads = 1});
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_EQ(last_run().operation, "apply_mask");
  EXPECT_THROW((wiener_mask<float, 2>(r, r, array<float, 2>({12, 7}).view(), there)), device_error);
}

TEST(device_pipeline, what_cannot_be_is_refused) {
  engine::device dev, other;
  const stft_plan<float> plan(options);
  const array<float, 2> x = signals_of(1, 3);
  const device_array<float, 2> here = to_device(dev, x), elsewhere = to_device(other, x);
  const auto a = plan.execute(here), b = plan.execute(elsewhere);
  EXPECT_THROW(apply_mask(a, b), invalid_argument);
  EXPECT_THROW(apply_mask(a, plan.execute_power(elsewhere)), invalid_argument);
  EXPECT_THROW(plan.execute(here, {.on = &other}), invalid_argument);
  EXPECT_THROW(plan.execute(here, {.backend = "host"}), invalid_argument);
  const array<float, 2> few({1, 40});
  EXPECT_THROW(stft_plan<float>({.n_fft = 128, .centre = false}).execute(to_device(dev, few)),
               shape_error);
  EXPECT_THROW(stft_plan<float>({.n_fft = 128, .sides = stft_sides::two}).execute(here),
               device_error);
  EXPECT_THROW(apply_mask(a, plan.execute(to_device(dev, signals_of(2, 3)))), shape_error);
  const istft_plan<float> inverse(options);
  EXPECT_THROW(inverse.execute(a, 0), shape_error);
  EXPECT_THROW(inverse.execute(a, 1 << 20), shape_error);
  EXPECT_THROW(istft_plan<float>({.n_fft = 64}).execute(a, 10), shape_error);
  EXPECT_THROW(istft_plan<float>({.n_fft = 128, .hop = 32, .centre = false}).execute(a, 10),
               invalid_argument);  // Hann does not cover the first sample
  EXPECT_THROW(plan.execute(device_array<float, 2>()), device_error);
  auto gone = std::make_unique<engine::device>();
  const device_array<float, 2> lost = to_device(*gone, x);
  gone.reset();
  EXPECT_THROW(plan.execute(lost), device_error);
}

}  // namespace
}  // namespace papilio

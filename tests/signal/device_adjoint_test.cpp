// Adjoints on an emulated accelerator against the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class Got, class Expected>
double distance(const Got& got, const Expected& expected) {
  const std::vector<test::exact> wide(expected.begin(), expected.end());
  return test::relative_error(got.flat(), std::span<const test::exact>(wide));
}

array<std::complex<float>, 3> random_spectra(const extents_type<3>& extents) {
  array<std::complex<float>, 3> spectra(extents);
  std::ranges::copy(test::random_complex<float>(spectra.size(), 3), spectra.begin());
  return spectra;
}

// Sums of n_fft / 2 + 1 terms, as in device_stft_test.cpp.
TEST(device_adjoint, of_the_stft_is_the_hosts) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  for (const stft_options& o :
       {stft_options{.n_fft = 128, .hop = 32},
        stft_options{.n_fft = 63, .hop = 20, .centre = false},
        stft_options{.n_fft = 63, .hop = 20, .scaling = stft_scaling::dbfs},
        stft_options{.n_fft = 64, .hop = 16, .scaling = stft_scaling::dbfs},
        stft_options{.n_fft = 64, .hop = 16, .scaling = stft_scaling::magnitude}}) {
    const stft_plan<float> plan(o);
    const istft_plan<float> adjoint = plan.adjoint();
    for (const std::size_t samples : {500, 777}) {
      const auto y = random_spectra({2, plan.segments(samples), plan.bins()});
      array<float, 2> host({2, samples}), device({2, samples});
      adjoint.execute(y, host);
      adjoint.execute(y, device, on);
      EXPECT_EQ(last_run().backend, "device");
      EXPECT_EQ(last_run().launches, 1u);
      EXPECT_LT(distance(device, host), 2e-6);
      const auto there = adjoint.execute(to_device(dev, y), samples);
      EXPECT_TRUE(std::ranges::equal(to_host(there), device));
    }
  }
}

// What falls on the padding is folded.
TEST(device_adjoint, of_a_padded_stft_is_the_hosts) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  for (const edge_padding padding : {edge_padding::reflect, edge_padding::edge}) {
    const stft_plan<float> plan({.n_fft = 64, .hop = 16, .padding = padding});
    const istft_plan<float> adjoint = plan.adjoint();
    const auto y = random_spectra({2, plan.segments(170), 33});
    array<float, 2> host({2, 170}), device({2, 170});
    adjoint.execute(y, host);
    adjoint.execute(y, device, on);
    EXPECT_EQ(last_run().launches, 1u);
    EXPECT_LT(distance(device, host), 2e-6);
    EXPECT_THROW(adjoint.execute(to_device(dev, y), 170), device_error);
  }
}

// Of more segments than the samples alone have, and with the ends' bins scaled.
TEST(device_adjoint, of_the_istft_is_the_hosts) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  for (const stft_options& o :
       {stft_options{.n_fft = 128, .hop = 32}, stft_options{.n_fft = 63, .hop = 20},
        stft_options{.n_fft = 60, .hop = 15, .window = window_kind::hamming, .centre = false},
        stft_options{.n_fft = 64, .hop = 16, .scaling = stft_scaling::dbfs},
        stft_options{.n_fft = 64, .hop = 16, .scaling = stft_scaling::magnitude}}) {
    const stft_plan<float> adjoint = istft_plan<float>(o).adjoint();
    for (const std::size_t more : {0, 1}) {
      const std::size_t samples = o.centre ? 500 : 495, segments = adjoint.segments(samples) + more;
      array<float, 2> x({2, samples});
      std::ranges::copy(test::random_real<float>(x.size(), 1), x.begin());
      array<std::complex<float>, 3> host({2, segments, adjoint.bins()}), device(host.extents());
      adjoint.execute(x.view(), host.view());
      adjoint.execute(x.view(), device.view(), on);
      EXPECT_EQ(last_run().backend, "device");
      EXPECT_EQ(last_run().launches, 1u);
      EXPECT_LT(distance(device, host), 2e-6);
      if (more > 0) continue;
      dev.reset_record();
      const auto there = adjoint.execute(to_device(dev, x));
      EXPECT_EQ(dev.record().launches, 1u);
      EXPECT_TRUE(std::ranges::equal(to_host(there), device));
    }
  }
}

TEST(device_adjoint, what_has_no_kernel_is_refused_and_automatic_is_the_host) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const execution either{.where = policy::automatic, .on = &dev};
  const stft_plan<float> of_inverse = istft_plan<float>({.n_fft = 64, .hop = 16}).adjoint();
  array<float, 2> x({1, 160});
  array<float, 3> powers({1, 11, 33});
  EXPECT_THROW(of_inverse.execute_power(x.view(), powers.view(), on), device_error);
  EXPECT_NO_THROW(of_inverse.execute_power(x.view(), powers.view(), either));
  const stft_plan<float> two_sided =
      istft_plan<float>({.n_fft = 64, .hop = 16, .sides = stft_sides::two}).adjoint();
  array<std::complex<float>, 3> spectra({1, 11, 64});
  EXPECT_THROW(two_sided.execute(x.view(), spectra.view(), on), device_error);
  EXPECT_THROW(two_sided.execute(to_device(dev, x)), device_error);
  EXPECT_NO_THROW(two_sided.execute(x.view(), spectra.view(), either));
}

TEST(device_adjoint, of_mel_filters_is_the_hosts) {
  engine::device dev;
  const mel_filterbank<float> adjoint = mel_filterbank<float>(8000, 128, {.bands = 20}).adjoint();
  array<float, 2> y({7, 20});
  std::ranges::copy(test::random_real<float>(y.size(), 1), y.begin());
  const auto there = adjoint.apply(y, execution{.where = policy::device, .on = &dev});
  EXPECT_LT(distance(there, adjoint.apply(y)), 1e-6);
}

}  // namespace
}  // namespace papilio

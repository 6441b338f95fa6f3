// Under automatic an operation of several launches is predicted with all of them, and with what is
// copied: on hosts between that sum and what one launch alone would take, it decides.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <initializer_list>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal.hpp"

namespace papilio {
namespace {

class device_steps : public testing::Test {
 protected:
  void TearDown() override { use_host(host_from_features()); }

  engine::device dev;
  const execution either{.where = policy::automatic, .on = &dev, .threads = 1};

  device_estimate estimate_of(const operation& what) {
    return backend_of("test", dev).estimate(what, {}, dev);
  }
  // One dispatch: a copy up in multiples of 64 bytes for each array, the launch, a copy back.
  double submission_seconds(std::initializer_list<double> bytes_in, double bytes_out) const {
    const engine::runtime_spec& runtime = dev.runtime();
    const auto padded = [](double bytes) { return std::ceil(bytes / 64) * 64; };
    double in = 0;
    for (const double bytes : bytes_in) in += padded(bytes);
    return 1e-6 *
           (runtime.upload_us(1, in) + runtime.launch_us + runtime.fetch_us(1, padded(bytes_out)));
  }

  // A host, fast but for its calls, on which `what` takes that long.
  void use_host_of(const operation& what, double seconds) {
    host_model host = host_from_features();
    host.call_seconds = 0;
    for (host_level* level : {&host.l1, &host.l2, &host.l3, &host.memory}) {
      level->float_fft_flops_per_second *= 10;
      level->core_bytes_per_second *= 10;
      level->machine_bytes_per_second *= 10;
    }
    use_host(host);
    const double work = estimate_on_host(what, either, host_signals()).seconds;
    ASSERT_LT(work, seconds);
    host.call_seconds = seconds - work;
    use_host(host);
    ASSERT_NEAR(estimate_on_host(what, either, host_signals()).seconds, seconds, 1e-9 * seconds);
  }

  // `run` is decided where the host takes `all` seconds for `what`: a thousandth on either side.
  template <class Run>
  void expect_turn(const operation& what, double all, const Run& run) {
    use_host_of(what, 0.999 * all);
    run();
    EXPECT_EQ(last_run().backend, "host");
    use_host_of(what, 1.001 * all);
    run();
    EXPECT_EQ(last_run().backend, "device");
  }
};

TEST_F(device_steps, masks_are_one_launch) {
  const array<std::complex<float>, 2> x({20, 33});
  const array<float, 2> mask({20, 33});
  array<std::complex<float>, 2> out(x.extents());
  const layer_problem real{.function = layer_function::real_mask, .features = x.size()};
  const product_problem product{.count = x.size()};
  expect_turn(real, estimate_of(real).seconds(),
              [&] { apply_mask<float, 2>(x.view(), mask.view(), out.view(), either); });
  expect_turn(product, estimate_of(product).seconds(),
              [&] { apply_mask<float, 2>(x.view(), x.view(), out.view(), either); });
}

TEST_F(device_steps, densities_are_sums_of_powers) {
  for (const std::size_t samples : {300u, 400000u}) {
    const welch_options options{.segment_length = 128, .overlap = 120, .detrend = detrending::none};
    const array<float, 1> window = make_window<float>(options.window, 128);
    const stft_problem powers{.samples = samples,
                              .n_fft = 128,
                              .hop = 8,
                              .window = {window.begin(), window.end()},
                              .centre = false,
                              .result = spectrum_form::power};
    const std::size_t segments = powers.segments();
    const gemm_problem sum{.m = 1, .k = segments, .n = 65};
    const double all = submission_seconds({4.0 * double(samples), 4.0 * double(segments)}, 4 * 65) +
                       estimate_of(powers).device_seconds + estimate_of(sum).device_seconds;
    // The powers stay there: many of them are more to fetch than their sums take.
    const double one = estimate_of(powers).seconds();
    ASSERT_TRUE(samples == 300 ? all > 1.002 * one : all < 0.98 * one) << all << " " << one;
    const array<float, 2> x({1, samples});
    expect_turn(powers, all, [&] { welch(x.view(), options, either); });
  }
}

TEST_F(device_steps, zeros_are_appended_first) {
  const stft_plan<float> plan(
      {.n_fft = 64, .hop = 16, .centre = false, .padding = edge_padding::zero, .pad_end = true});
  const array<float, 2> x({1, 301});
  const auto segments = static_cast<std::size_t>(plan.segments(301));
  const std::size_t longer = 64 + (segments - 1) * 16;
  ASSERT_GT(longer, 301u);
  stft_problem power{.samples = longer,
                     .n_fft = 64,
                     .hop = 16,
                     .window = {plan.window().begin(), plan.window().end()},
                     .centre = false,
                     .result = spectrum_form::power};
  const arrangement_problem zeros{
      .in_extents = {1, 301}, .out_extents = {1, longer}, .boxes = {{{0, 0}, {0, 0}, {1, 301}}}};
  array<float, 3> out({1, segments, plan.bins()});
  const double all = submission_seconds({4 * 301}, 4.0 * double(out.size())) +
                     estimate_of(zeros).device_seconds + estimate_of(power).device_seconds;
  ASSERT_GT(all, 1.002 * estimate_of(power).seconds());
  expect_turn(power, all, [&] { plan.execute_power(x.view(), out.view(), either); });
  expect_turn(power, all, [&] { spectrogram(plan, x.view(), out.view(), {}, either); });
}

}  // namespace
}  // namespace papilio

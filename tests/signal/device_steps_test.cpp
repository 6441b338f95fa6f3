// Under automatic an operation of several launches is predicted with all of them, and with what is
// copied: on hosts between that sum and what one launch alone would take, it decides.
#include <gtest/gtest.h>

#include <complex>
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
  static operation copy_of(const operand_shape& s) {
    return arrangement_problem{.in_extents = s.extents,
                               .out_extents = s.extents,
                               .complex_in = s.is_complex,
                               .complex_out = s.is_complex,
                               .boxes = {}};
  }
  double upload_seconds(const operand_shape& s) {
    return backend_of("test", dev).bound(copy_of(s), dev).upload_seconds;
  }
  double fetch_seconds(const operand_shape& s) {
    return backend_of("test", dev).bound(copy_of(s), dev).fetch_seconds;
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
    const double work = estimate_on_host(what, either).seconds;
    ASSERT_LT(work, seconds);
    host.call_seconds = seconds - work;
    use_host(host);
    ASSERT_NEAR(estimate_on_host(what, either).seconds, seconds, 1e-9 * seconds);
  }

  // `run` is decided where the host takes `all` seconds for `what`: a hundredth on either side.
  template <class Run>
  void expect_turn(const operation& what, double all, const Run& run) {
    use_host_of(what, 0.99 * all);
    run();
    EXPECT_EQ(last_run().backend, "host");
    use_host_of(what, 1.01 * all);
    run();
    EXPECT_EQ(last_run().backend, "device");
  }
};

TEST_F(device_steps, real_masks_become_complex_first) {
  const array<std::complex<float>, 2> x({20, 33});
  const array<float, 2> mask({20, 33});
  array<std::complex<float>, 2> out(x.extents());
  const std::size_t count = x.size();
  const product_problem product{.count = count};
  const arrangement_problem widen{.in_extents = {count},
                                  .out_extents = {count},
                                  .complex_in = false,
                                  .complex_out = true,
                                  .boxes = {{{0}, {0}, {count}}}};
  const double all = upload_seconds({{count}, true}) + upload_seconds({{count}, false}) +
                     estimate_of(widen).resident_seconds() +
                     estimate_of(product).resident_seconds() + fetch_seconds({{count}, true});
  ASSERT_GT(all, 1.02 * estimate_of(product).seconds());
  expect_turn(product, all,
              [&] { apply_mask<float, 2>(x.view(), mask.view(), out.view(), either); });
  // A complex one is one launch.
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
                              .result = stft_result::power};
    const std::size_t segments = powers.segments();
    const gemm_problem sum{.m = 1, .k = segments, .n = 65};
    const double all = upload_seconds({{samples}, false}) + upload_seconds({{segments}, false}) +
                       estimate_of(powers).resident_seconds() +
                       estimate_of(sum).resident_seconds() + fetch_seconds({{65}, false});
    // The powers stay there: many of them are more to fetch than another launch takes.
    const double one = estimate_of(powers).seconds();
    ASSERT_TRUE(samples == 300 ? all > 1.02 * one : all < 0.98 * one) << all << " " << one;
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
                     .result = stft_result::power};
  const arrangement_problem zeros{
      .in_extents = {1, 301}, .out_extents = {1, longer}, .boxes = {{{0, 0}, {0, 0}, {1, 301}}}};
  array<float, 3> out({1, segments, plan.bins()});
  const double all = upload_seconds({{301}, false}) + estimate_of(zeros).resident_seconds() +
                     estimate_of(power).resident_seconds() + fetch_seconds({{out.size()}, false});
  ASSERT_GT(all, 1.02 * estimate_of(power).seconds());
  expect_turn(power, all, [&] { plan.execute_power(x.view(), out.view(), either); });
  expect_turn(power, all, [&] { spectrogram(plan, x.view(), out.view(), {}, either); });
}

}  // namespace
}  // namespace papilio

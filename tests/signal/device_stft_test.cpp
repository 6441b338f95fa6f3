// Segments on an emulated accelerator against the host's plan and the definition.
#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal.hpp"
#include "support/device_case.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::message_of;

using test::exact;

execution on_device(accelerator& dev) { return {.where = policy::device, .on = &dev}; }

// Sums of n terms in one order or two stages of them err by 1.8e-8 sqrt(n + 8) of the norm at most;
// the host's transform by less; single signals by a few times that.
double tolerance(std::size_t n) {
  return 4 * 1.8e-8 * std::sqrt(static_cast<double>(n) + 8) + test::fft_tolerance<float>(n);
}

template <class Value, std::size_t Rank>
double distance(const array<Value, Rank>& got, const array<Value, Rank>& expected) {
  const auto wide = test::widened(std::span<const Value>(expected.flat()));
  return test::relative_error(got.flat(), std::span<const exact>(wide));
}

array<float, 2> signals_of(std::size_t channels, std::size_t samples) {
  const auto x = test::random_real<float>(channels * samples, 23);
  array<float, 2> signals({channels, samples});
  std::copy(x.begin(), x.end(), signals.begin());
  return signals;
}

void expect_host(engine::device& dev, const stft_options& options, std::size_t channels,
                 std::size_t samples) {
  SCOPED_TRACE(std::to_string(options.n_fft) + " hop " + std::to_string(options.hop) + " of " +
               std::to_string(channels) + " x " + std::to_string(samples));
  const stft_plan<float> plan(options);
  const array<float, 2> x = signals_of(channels, samples);
  const auto segments = static_cast<std::size_t>(plan.segments(samples));
  array<std::complex<float>, 3> host({channels, segments, plan.bins()}), device(host.extents());
  plan.execute(x.view(), host.view());
  plan.execute(x.view(), device.view(), on_device(dev));
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_EQ(last_run().launches, 1u);
  EXPECT_LT(distance(device, host), tolerance(options.n_fft));
  EXPECT_EQ(distance(to_host(plan.execute(to_device(dev, x))), device), 0);
  array<float, 3> levels(host.extents()), device_levels(host.extents());
  plan.execute_magnitude(x.view(), levels.view());
  plan.execute_magnitude(x.view(), device_levels.view(), on_device(dev));
  EXPECT_LT(distance(device_levels, levels), tolerance(options.n_fft));
  plan.execute_power(x.view(), levels.view());
  plan.execute_power(x.view(), device_levels.view(), on_device(dev));
  EXPECT_LT(distance(device_levels, levels), 4 * tolerance(options.n_fft));
}

TEST(device_stft, is_the_hosts) {
  engine::device dev;
  expect_host(dev, {.n_fft = 256, .hop = 64}, 1, 3001);
  expect_host(dev, {.n_fft = 63, .hop = 20}, 3, 411);
  expect_host(dev, {.n_fft = 400, .hop = 160, .window = window_kind::hamming}, 2, 1777);
  expect_host(dev, {.n_fft = 128, .hop = 32, .window_length = 101}, 2, 900);
  for (const edge_padding padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
    expect_host(dev, {.n_fft = 128, .hop = 48, .padding = padding}, 2, 777);
  expect_host(dev, {.n_fft = 128, .hop = 48, .centre = false}, 3, 777);
  for (const std::size_t n : {63, 128})  // in one matrix, and in two stages
    expect_host(dev, {.n_fft = n, .hop = 32, .scaling = stft_scaling::dbfs}, 2, 777);
  for (const stft_scaling scaling :
       {stft_scaling::magnitude, stft_scaling::psd, stft_scaling::orthonormal})
    expect_host(dev, {.n_fft = 128, .hop = 48, .scaling = scaling, .rate_hz = 8000}, 1, 777);
}

// The zeros of pad_end, of any signal's length; also where hops leave samples out.
TEST(device_stft, zeros_follow_the_signal) {
  engine::device dev;
  for (const std::size_t samples : {1u, 40u, 64u, 300u, 301u, 320u}) {
    expect_host(dev, scipy_stft(64), 2, samples);
    expect_host(dev, {.n_fft = 64, .hop = 100, .centre = false, .pad_end = true}, 2, samples);
  }
}

TEST(device_stft, is_its_definition) {
  engine::device dev;
  const stft_options options{.n_fft = 96, .hop = 40, .centre = false};
  const stft_plan<float> plan(options);
  const auto x = test::random_real<float>(500, 9);
  array<std::complex<float>, 2> out(
      {static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute(std::span<const float>(x), out.view(), on_device(dev));
  std::vector<exact> expected;
  const auto window = make_window<double>(window_kind::hann, 96);
  for (std::size_t s = 0; s < out.extent(0); ++s) {
    std::vector<exact> piece(96);
    for (std::size_t j = 0; j < 96; ++j)
      piece[j] = static_cast<long double>(window[j]) * x[s * 40 + j];
    const auto bins = test::dft(piece, -1);
    expected.insert(expected.end(), bins.begin(), bins.begin() + 49);
  }
  EXPECT_LT(test::relative_error(out.flat(), std::span<const exact>(expected)), tolerance(96));
}

TEST(device_stft, takes_and_fills_any_strides) {
  engine::device dev;
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const array<float, 2> frames = signals_of(300, 4);  // [samples, channels], every second one
  const view<const float, 2> x(frames.data(), {2, 300}, {2, 4});
  const auto segments = static_cast<std::size_t>(plan.segments(300));
  array<std::complex<float>, 3> host({2, segments, plan.bins()});
  plan.execute(x, host.view());
  array<std::complex<float>, 3> turned({2, plan.bins(), segments});
  plan.execute(x,
               view<std::complex<float>, 3>(turned.data(), host.extents(),
                                            {turned.view().stride(0), 1, turned.view().stride(1)}),
               on_device(dev));
  array<std::complex<float>, 3> device(host.extents());
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t s = 0; s < segments; ++s)
      for (std::size_t k = 0; k < plan.bins(); ++k) device(c, s, k) = turned(c, k, s);
  EXPECT_LT(distance(device, host), tolerance(64));
}

TEST(device_istft, is_the_hosts) {
  engine::device dev;
  for (const stft_options& options :
       {stft_options{.n_fft = 256, .hop = 64}, stft_options{.n_fft = 63, .hop = 21},
        stft_options{.n_fft = 128, .hop = 32, .pad_end = true, .scaling = stft_scaling::magnitude},
        stft_options{.n_fft = 128, .hop = 64, .window = window_kind::hamming, .centre = false}}) {
    SCOPED_TRACE(options.n_fft);
    const stft_plan<float> plan(options);
    const istft_plan<float> inverse(options);
    const array<float, 2> x = signals_of(2, 1024);
    array<std::complex<float>, 3> spectra(
        {2, static_cast<std::size_t>(plan.segments(1024)), plan.bins()});
    plan.execute(x.view(), spectra.view());
    array<float, 2> host({2, 600}), device({2, 600});
    inverse.execute(spectra.view(), host.view(), 1, 33);
    inverse.execute(spectra.view(), device.view(), on_device(dev), 33);
    EXPECT_EQ(last_run().backend, "device");
    EXPECT_LT(distance(device, host), 2 * tolerance(options.n_fft));
    for (std::size_t i = 0; i < 600; ++i) EXPECT_NEAR(device(1, i), x(1, 33 + i), 2e-5);
  }
}

// Errors that each mode leaves, here and back: bf16 rounds at 2^-9, two parts at 2^-18; each of two
// transforms twice or four times.
TEST(device_stft, in_the_precision_asked_for) {
  engine::device dev;
  const stft_plan<float> plan({.n_fft = 1024, .hop = 256});
  const istft_plan<float> inverse(plan.options());
  const array<float, 2> x = signals_of(1, 4096);
  array<std::complex<float>, 3> exact({1, static_cast<std::size_t>(plan.segments(4096)), 513}),
      got(exact.extents());
  plan.execute(x.view(), exact.view());
  const auto run = [&](const precision_options& how) {
    execution on = on_device(dev);
    on.precision = how;
    plan.execute(x.view(), got.view(), on);
    const double there = distance(got, exact);
    array<float, 2> back(x.extents());
    inverse.execute(exact.view(), back.view(), on);
    return std::pair(there, distance(back, x));
  };
  struct bounds {
    precision_options how;
    double least, most;
    const char* recipe;
  };
  const bounds all[] = {
      {{.mode = precision::bf16}, 0x1p-10, 0x1p-7, "precision: bf16\n"},
      {{.target_error = 1e-2}, 0x1p-10, 0x1p-7, "precision: bf16\n"},
      {{.mode = precision::split_bf16}, 0x1p-20, 0x1p-16, "precision: split_bf16 in 2 parts\n"},
      {{.mode = precision::split_bf16, .parts = 3}, 0, 3e-7, "precision: split_bf16 in 3 parts\n"}};
  for (const bounds& b : all) {
    const auto [there, back] = run(b.how);
    for (const double error : {there, back}) {
      EXPECT_GT(error, b.least) << b.recipe;
      EXPECT_LT(error, b.most) << b.recipe;
    }
    EXPECT_NE(last_run().recipe.find(b.recipe), std::string::npos) << last_run().recipe;
  }
}

TEST(device_stft, what_has_no_kernel_is_refused_or_the_hosts) {
  engine::device dev;
  const auto x = test::random_real<float>(300, 1);
  const auto refusal = [&](const stft_options& options, const execution& on) {
    const stft_plan<float> plan(options);
    array<std::complex<float>, 2> out({static_cast<std::size_t>(plan.segments(300)), plan.bins()}),
        host(out.extents());
    const std::string text =
        message_of<device_error>([&] { plan.execute(std::span<const float>(x), out.view(), on); });
    plan.execute(std::span<const float>(x), host.view());
    if (text == "nothing was thrown") {
      EXPECT_EQ(distance(out, host), 0);
    }
    return text;
  };
  const std::string begin = "stft_plan: the accelerator " + dev.name() +
                            " cannot do stft of 300 samples, n_fft 64, hop 16: ";
  const std::vector<std::pair<stft_options, std::string>> cases = {
      {{.n_fft = 64, .hop = 16, .sides = stft_sides::two}, "it has no kernel of two-sided spectra"},
      {{.n_fft = 64, .hop = 16, .padding = edge_padding::edge, .pad_end = true},
       "it has no kernel with zeros after the signal (pad_end)"}};
  for (const auto& [options, reason] : cases) {
    EXPECT_EQ(refusal(options, on_device(dev)), begin + reason);
    EXPECT_EQ(refusal(options, {.where = policy::automatic, .on = &dev}), "nothing was thrown");
    EXPECT_EQ(last_run().backend, "host");
  }
  const auto wide = test::random_real<double>(300, 1);
  const stft_plan<double> plan({.n_fft = 64, .hop = 16});
  array<double, 2> power({static_cast<std::size_t>(plan.segments(300)), plan.bins()});
  EXPECT_EQ(message_of<device_error>([&] {
              plan.execute_power(std::span<const double>(wide), power.view(), on_device(dev));
            }),
            begin + "it computes in float, the operands are double");
  plan.execute_power(std::span<const double>(wide), power.view(),
                     {.where = policy::automatic, .on = &dev});
  EXPECT_EQ(last_run().backend, "host");
}

TEST(device_stft, what_cannot_be_is_refused) {
  engine::device dev;
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const auto x = test::random_real<float>(300, 1);
  array<float, 2> out({static_cast<std::size_t>(plan.segments(300)), plan.bins()});
  const auto run = [&](const execution& on) {
    plan.execute_power(std::span<const float>(x), out.view(), on);
  };
  EXPECT_EQ(message_of<device_error>([&] { run({.where = policy::device}); }),
            "stft_plan: policy::device needs an accelerator, got none");
  EXPECT_THROW(run({.where = policy::device, .on = &dev, .backend = "host"}), invalid_argument);
  EXPECT_THROW(run({.backend = "nobody"}), invalid_argument);
  EXPECT_THROW(run({.threads = -1}), invalid_argument);
  EXPECT_THROW(run({.precision = {.mode = precision::bf16}}), invalid_argument);
  EXPECT_THROW(
      run({.where = policy::device, .on = &dev, .precision = {.mode = precision::compensated}}),
      device_error);
  EXPECT_THROW(run({.where = policy::device,
                    .on = &dev,
                    .precision = {.mode = precision::bf16, .target_error = 1e-2}}),
               invalid_argument);
  array<float, 2> narrow({out.extent(0), out.extent(1) - 1});
  EXPECT_THROW(plan.execute_power(std::span<const float>(x), narrow.view(), on_device(dev)),
               shape_error);
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST(device_stft, captures_name_who_was_called) {
  engine::device dev;
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const auto x = test::random_real<float>(300, 1);
  const auto segments = static_cast<std::size_t>(plan.segments(300));
  array<std::complex<float>, 2> out({segments, plan.bins()});
  array<float, 2> mask(out.extents());
  const std::string rest =
      ": inside capture() operands must be device arrays: those of the host may not last";
  const auto refusal = [&](const auto& run) {
    return message_of<invalid_argument>([&] { capture(dev, run); });
  };
  EXPECT_EQ(refusal([&] { plan.execute(std::span<const float>(x), out.view(), on_device(dev)); }),
            "stft_plan" + rest);
  EXPECT_EQ(
      refusal([&] { apply_mask<float, 2>(out.view(), mask.view(), out.view(), on_device(dev)); }),
      "apply_mask" + rest);
}

// Of a host whose every call takes a second, and of one as it is.
TEST(device_stft, automatic_takes_the_faster) {
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const array<float, 2> x = signals_of(1, 300);
  array<float, 3> out({1, static_cast<std::size_t>(plan.segments(300)), plan.bins()});
  host_model host = host_from_features();
  for (const double call_seconds : {host.call_seconds, 1.0}) {
    host.call_seconds = call_seconds;
    use_host(host);
    engine::device dev;
    const execution either{.where = policy::automatic, .on = &dev};
    const char* const expected = call_seconds == 1 ? "device" : "host";
    plan.execute_power(x.view(), out.view(), either);
    EXPECT_EQ(last_run().backend, expected);
    array<float, 2> back({1, 300});
    array<std::complex<float>, 3> bins(out.extents());
    plan.execute(x.view(), bins.view(), {.where = policy::automatic, .on = &dev});
    istft_plan<float>(plan.options()).execute(bins.view(), back.view(), either);
    EXPECT_EQ(last_run().backend, expected);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(back(0, i), x(0, i), 2e-5);
    // Without an accelerator it is the host whatever that takes; so it is for what does not fit
    // one.
    plan.execute_power(x.view(), out.view(), {.where = policy::automatic});
    EXPECT_EQ(last_run().backend, "host");
    engine::machine_spec small = engine::trainium1();
    small.hbm.usable_bytes_per_core = 1 << 19;
    engine::device little(small);
    const stft_plan<float> prime({.n_fft = 99991, .hop = 99991, .centre = false});
    const std::vector<float> one(99991);
    array<float, 2> levels({1, prime.bins()});
    prime.execute_power(std::span<const float>(one), levels.view(),
                        {.where = policy::automatic, .on = &little});
    EXPECT_EQ(last_run().backend, "host");
    EXPECT_THROW(prime.execute_power(std::span<const float>(one), levels.view(), on_device(little)),
                 resource_error);
  }
  use_host(host_from_features());
}

TEST(device_stft, runs_of_the_host_are_told) {
  const stft_plan<float> plan({.n_fft = 64, .hop = 16});
  const auto x = test::random_real<float>(300, 1);
  array<std::complex<float>, 2> out({static_cast<std::size_t>(plan.segments(300)), plan.bins()});
  plan.execute(std::span<const float>(x), out.view(), execution{.threads = 2});
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_EQ(last_run().operation, "stft float n_fft 64 hop 16");
  EXPECT_EQ(last_run().recipe, to_string(plan.design()));
  std::vector<float> back(300);
  istft_plan<float>({.n_fft = 64, .hop = 16}).execute(out.view(), back);
  EXPECT_EQ(last_run().operation, "istft float n_fft 64 hop 16");
}

}  // namespace
}  // namespace papilio

// Bands, levels and densities on an emulated accelerator against the host's, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
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

constexpr std::size_t samples = 1501;

execution on_device(accelerator& dev) { return {.where = policy::device, .on = &dev}; }

array<float, 2> signals_of(std::size_t channels) {
  const auto x = test::random_real<float>(channels * samples, 11);
  array<float, 2> signals({channels, samples});
  std::copy(x.begin(), x.end(), signals.begin());
  return signals;
}

template <std::size_t Rank>
double distance(const array<float, Rank>& got, const array<float, Rank>& expected) {
  const auto wide = test::widened(std::span<const float>(expected.flat()));
  return test::relative_error(got.flat(), std::span<const exact>(wide));
}

// Powers of sums of up to 128 terms, then sums of bands.
constexpr double tolerance = 4e-6;

class device_spectrogram : public testing::Test {
 protected:
  engine::device dev;
  const stft_plan<float> plan{{.n_fft = 128, .hop = 32}};
  const mel_filterbank<float> mel{8000, 128, {.bands = 12}};
  const array<float, 2> x = signals_of(2);
  const std::size_t segments = static_cast<std::size_t>(plan.segments(samples));

  array<float, 3> made(const spectrogram_options<float>& options, const execution& on,
                       const stft_plan<float>& by) const {
    array<float, 3> out({2, segments, options.mel != nullptr ? mel.bands() : by.bins()});
    spectrogram(by, x.view(), out.view(), options, on);
    return out;
  }
  array<float, 3> made(const spectrogram_options<float>& options, const execution& on) const {
    return made(options, on, plan);
  }
};

TEST_F(device_spectrogram, powers_and_bands_are_the_hosts) {
  for (const mel_filterbank<float>* filters : {static_cast<const mel_filterbank<float>*>(nullptr),
                                               static_cast<const mel_filterbank<float>*>(&mel)}) {
    const array<float, 3> host = made({.mel = filters}, {});
    const array<float, 3> device = made({.mel = filters}, on_device(dev));
    EXPECT_EQ(last_run().launches, 1u);
    EXPECT_EQ(last_run().fetch_bytes, static_cast<double>(device.size() * sizeof(float)));
    EXPECT_LT(distance(device, host), tolerance);
    EXPECT_LT(distance(to_host(spectrogram(plan, to_device(dev, x), {.mel = filters})), host),
              tolerance);
  }
}

// A relative error of a power is so many dB, but for powers near the floor of rounding: the
// smallest of 3000 is about 1e-3 of their mean, and errs by that much more.
TEST_F(device_spectrogram, levels_are_the_hosts) {
  for (const decibel_options& levels :
       {decibel_options{.top_db = {}}, decibel_options{.reference = 40.0, .top_db = {}},
        decibel_options{.reference = 40.0, .floor = 8.0, .top_db = {}},
        decibel_options{.reference = 1e-12, .floor = 1e-3, .top_db = {}},
        decibel_options{
            .quantity = decibel_of::amplitude, .reference = 3.0, .floor = 2.0, .top_db = {}}})
    for (const bool in_bands : {false, true}) {
      if (in_bands && levels.quantity == decibel_of::amplitude) continue;
      const spectrogram_options<float> options{.mel = in_bands ? &mel : nullptr, .decibel = levels};
      const array<float, 3> host = made(options, {}), device = made(options, on_device(dev));
      const array<float, 3> stayed = to_host(spectrogram(plan, to_device(dev, x), options));
      for (std::size_t i = 0; i < host.size(); ++i) {
        EXPECT_NEAR(device.data()[i], host.data()[i], 2e-2);
        EXPECT_EQ(device.data()[i], stayed.data()[i]);
      }
      EXPECT_LT(distance(device, host), 2e-5);
    }
}

TEST_F(device_spectrogram, the_hosts_is_its_parts) {
  array<float, 3> power({2, segments, plan.bins()});
  plan.execute_power(x.view(), power.view());
  array<float, 3> bands({2, segments, mel.bands()});
  for (std::size_t c = 0; c < 2; ++c) mel.apply(power.view()[c], bands.view()[c]);
  to_decibel<float>(bands.flat(), bands.flat(), {});
  EXPECT_EQ(distance(made({.mel = &mel, .decibel = decibel_options{}}, {}), bands), 0);
  array<float, 3> magnitude(power.extents());
  plan.execute_magnitude(x.view(), magnitude.view());
  const decibel_options amplitude{.quantity = decibel_of::amplitude, .reference = {}};
  to_decibel<float>(magnitude.flat(), magnitude.flat(), amplitude);
  EXPECT_EQ(distance(made({.decibel = amplitude}, {}), magnitude), 0);
  array<float, 2> one({segments, plan.bins()});
  spectrogram(plan, std::span<const float>(x.data(), samples), one.view());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one.data()[i], power.data()[i]);
}

TEST_F(device_spectrogram, what_has_no_kernel_is_refused_or_the_hosts) {
  const spectrogram_options<float> usual{.decibel = decibel_options{}};
  const std::string begin =
      "spectrogram: the accelerator " + dev.name() + " cannot do this spectrogram: ";
  EXPECT_EQ(message_of<device_error>([&] { made(usual, on_device(dev)); }),
            begin + "it has no kernel of levels with a top_db");
  EXPECT_EQ(message_of<device_error>([&] { spectrogram(plan, to_device(dev, x), usual); }),
            begin + "it has no kernel of levels with a top_db");
  const spectrogram_options<float> relative{.decibel =
                                                decibel_options{.reference = {}, .top_db = {}}};
  EXPECT_EQ(message_of<device_error>([&] { made(relative, on_device(dev)); }),
            begin + "it has no kernel of levels relative to the largest value");
  const execution either{.where = policy::automatic, .on = &dev};
  EXPECT_EQ(distance(made(usual, either), made(usual, {})), 0);
  EXPECT_EQ(last_run().backend, "host");
  const stft_plan<float> two({.n_fft = 128, .hop = 32, .sides = stft_sides::two});
  EXPECT_THROW(made({}, on_device(dev), two), device_error);
  EXPECT_THROW(spectrogram(two, to_device(dev, x)), device_error);
  EXPECT_THROW(made({.mel = &mel}, {}, two), invalid_argument);
  EXPECT_THROW(made({.mel = &mel, .decibel = {{.quantity = decibel_of::amplitude}}}, {}),
               invalid_argument);
  EXPECT_THROW(made({.decibel = {{.floor = -1.0}}}, {}), invalid_argument);
  const mel_filterbank<float> other(8000, 64);
  EXPECT_THROW(made({.mel = &other}, {}), shape_error);
  array<float, 3> narrow({2, segments, 3});
  EXPECT_THROW(spectrogram(plan, x.view(), narrow.view()), shape_error);
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST_F(device_spectrogram, bands_of_powers_that_are_there) {
  array<float, 2> power({segments, plan.bins()});
  plan.execute_power(std::span<const float>(x.data(), samples), power.view());
  const array<float, 2> host = mel.apply(power.view());
  EXPECT_LT(distance(mel.apply(power.view(), on_device(dev)), host), tolerance);
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_EQ(distance(mel.apply(power.view(), {.where = policy::automatic, .on = &dev}), host), 0);
  const device_array<float, 2> weights = mel.weights_on(dev);
  EXPECT_LT(distance(to_host(mel.apply(to_device(dev, power), weights)), host), tolerance);
  const auto all = mel.apply(plan.execute_power(to_device(dev, x)), weights);
  EXPECT_EQ(all.extents(), (extents_type<3>{2, segments, mel.bands()}));
  EXPECT_LT(distance(to_host(all), made({.mel = &mel}, {})), tolerance);
  EXPECT_THROW(mel.apply(weights, weights), shape_error);
  EXPECT_THROW(capture(dev, [&] { mel.weights_on(dev); }), invalid_argument);
  engine::device other;
  EXPECT_THROW(mel.apply(to_device(other, power), weights), invalid_argument);
}

TEST_F(device_spectrogram, densities_are_the_hosts) {
  for (const bool one_sided : {true, false})
    for (const std::size_t channels : {1u, 2u}) {
      const welch_options options{.rate_hz = 8000,
                                  .segment_length = 100,
                                  .overlap = 37,
                                  .detrend = detrending::none,
                                  .one_sided = one_sided};
      const view<const float, 2> some = x.view().slice(0, 0, channels);
      const array<float, 2> host = welch(some, options);
      EXPECT_LT(distance(welch(some, options, on_device(dev)), host), tolerance);
      EXPECT_EQ(last_run().backend, "device");
    }
  const std::span<const float> line(x.data(), 300);
  const periodogram_options options{.detrend = detrending::none};
  EXPECT_LT(distance(periodogram(line, options, on_device(dev)), periodogram(line, options)),
            tolerance);
}

TEST_F(device_spectrogram, what_else_is_the_hosts_alone) {
  const std::span<const float> line(x.data(), samples);
  const std::string cannot = ": the accelerator " + dev.name() + " cannot do ";
  EXPECT_EQ(message_of<device_error>([&] { welch(line, {}, on_device(dev)); }),
            "welch" + cannot + "welch: it has no kernel with detrending");
  const execution either{.where = policy::automatic, .on = &dev};
  EXPECT_EQ(distance(welch(line, {}, either), welch(line)), 0);
  EXPECT_EQ(last_run().operation, "welch");
  EXPECT_THROW(
      welch(line, {.detrend = detrending::none, .average = psd_average::median}, on_device(dev)),
      device_error);
  EXPECT_THROW(welch(line.first(10), {.detrend = detrending::none}, on_device(dev)),
               invalid_argument);
  array<float, 2> power({segments, plan.bins()});
  plan.execute_magnitude(line, power.view());
  const view<const float, 2> read = power.view();
  EXPECT_EQ(message_of<device_error>([&] { spectral_centroid(read, 62.5, on_device(dev)); }),
            "spectral_centroid" + cannot + "spectral_centroid: it has no kernel");
  EXPECT_EQ(distance(spectral_centroid(read, 62.5, either), spectral_centroid(read, 62.5)), 0);
  EXPECT_EQ(last_run().operation, "spectral_centroid");
  const mfcc_plan<float> cepstra(mel.bands(), {.coefficients = 5});
  const array<float, 2> bands({5, mel.bands()});
  EXPECT_THROW(cepstra.execute(bands.view(), on_device(dev)), device_error);
  EXPECT_EQ(cepstra.execute(bands.view(), either).extents(),
            cepstra.execute(bands.view()).extents());
  std::vector<float> levels(4, 1.0F);
  const std::span<const float> values = levels;
  EXPECT_THROW(to_decibel(values, std::span<float>(levels), {}, on_device(dev)), device_error);
  EXPECT_THROW(to_decibel(values, std::span<float>(levels), {}, {.threads = -1}), invalid_argument);
  EXPECT_THROW(to_decibel(values, std::span<float>(levels), {}, {.backend = "nobody"}),
               invalid_argument);
  EXPECT_THROW(
      to_decibel(values, std::span<float>(levels), {}, {.precision = {.mode = precision::bf16}}),
      invalid_argument);
  EXPECT_THROW(to_decibel(values, std::span<float>(levels), {}, {.where = policy::device}),
               device_error);
}

}  // namespace
}  // namespace papilio

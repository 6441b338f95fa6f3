// Streams allocate nothing once they are there.
#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "signal/allocation_count.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// n_fft: a codelet, passes, an odd length, a prime (Bluestein), a four-step.
TEST(stream_allocation, nothing_after_construction) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  ASSERT_GT(test::allocations_of([] { array<float, 1> counted(100); }), 0u);
  for (const std::size_t n : {32, 2048, 1025, 1009, 65536}) {
    const stft_options options{.n_fft = n,
                               .hop = n / 4,
                               .window = window_kind::hamming,
                               .padding = edge_padding::reflect,
                               .scaling = stft_scaling::dbfs};
    const std::size_t channels = 2, samples = 5 * n + 7;
    const auto x = test::random_real<float>(channels * samples, 1);
    const view<const float, 2> sound(x.data(), {samples, channels});
    stft_stream<float> forward(options, channels);
    istft_stream<float> inverse(options, channels);
    double sum = 0;
    const auto keep = [&](view<const float, 2> block) { sum += block(0, 0); };
    const auto hand_on = [&](std::uint64_t, view<std::complex<float>, 2> spectra) {
      inverse.push(spectra, keep);
    };
    const auto levels = [&](std::uint64_t, view<float, 2> power) { sum += power(0, 0); };
    const std::size_t before = test::allocation_count();
    for (int signal = 0; signal < 2; ++signal) {
      for (std::size_t first = 0; first < samples; first += 999)
        forward.push(sound.slice(0, first, std::min<std::size_t>(999, samples - first)), hand_on);
      forward.finish(hand_on);
      inverse.finish(samples, keep);
      forward.reset();
      inverse.reset();
    }
    forward.push_power(sound, levels);
    forward.finish_power(levels);
    forward.reset();
    forward.push_magnitude(sound, levels);
    EXPECT_EQ(test::allocation_count(), before) << n;
    EXPECT_NE(sum, 0);
  }
}

TEST(stream_allocation, constant_q_allocates_nothing) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  const constant_q_plan<float> plan({.rate_hz = 8000, .hop = 100, .fmin_hz = 110, .bins = 36});
  constant_q_stream<float> stream(plan, 2);
  const std::size_t samples = 3 * plan.block_size() + 77;
  const auto x = test::random_real<float>(2 * samples, 1);
  const view<const float, 2> sound(x.data(), {samples, 2});
  double sum = 0;
  const auto add = [&](std::uint64_t, std::size_t, view<std::complex<float>, 2> values) {
    sum += std::abs(values(0, 0));
  };
  const std::size_t before = test::allocation_count();
  for (int signal = 0; signal < 2; ++signal) {
    for (std::size_t first = 0; first < samples; first += 9999)
      stream.push(sound.slice(0, first, std::min<std::size_t>(9999, samples - first)), add);
    stream.finish(add);
    stream.reset();
  }
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_NE(sum, 0);
}

TEST(stream_allocation, cross_spectra_allocate_nothing) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  cross_spectrum_stream<float> stream({.segment_length = 1000, .n_fft = 1009});
  const auto x = test::random_real<float>(9000, 1);
  const std::size_t before = test::allocation_count();
  for (std::size_t first = 0; first < x.size(); first += 900)
    stream.push(std::span(x).subspan(first, 900), std::span(x).subspan(first, 900));
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_EQ(stream.segments(), 17u);
}

TEST(stream_allocation, filters_allocate_nothing) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  const std::vector<sos_section> sections =
      iir_sections({.order = 7, .band = filter_band::band_pass(0.1, 0.3)}, 2);
  const std::size_t samples = 1000, channels = 3;
  const auto x = test::random_real<float>(channels * samples, 1);
  const view<const float, 2> sound(x.data(), {samples, channels});
  array<float, 2> out({samples, channels});
  sos_filter<float> filter(sections, channels);
  const array<double, 1> taps = firwin(31, filter_band::low_pass(0.3), 2);
  fir_filter<float> window(taps.flat(), channels);
  const std::size_t before = test::allocation_count();
  for (const std::size_t block : {1, 63, 999}) {
    for (std::size_t first = 0; first < samples; first += block) {
      const std::size_t some = std::min(block, samples - first);
      filter.push(sound.slice(0, first, some), out.view().slice(0, first, some));
      window.push(out.view().slice(0, first, some), out.view().slice(0, first, some));
    }
    filter.reset();
    window.reset();
  }
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_NE(out(samples - 1, 0u), 0);
}

// The steps of a loudness within what is reserved; beyond that they are the only ones.
TEST(stream_allocation, loudness_allocates_its_steps_alone) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  const std::size_t samples = 40000, channels = 3;
  const auto x = test::random_real<float>(channels * samples, 1);
  const view<const float, 2> sound(x.data(), {samples, channels});
  loudness_meter meter(8000, channels);
  meter.reserve(5);
  const std::size_t before = test::allocation_count();
  for (const std::size_t block : {1, 63, 999}) {
    for (std::size_t first = 0; first < samples; first += block)
      meter.push(sound.slice(0, first, std::min(block, samples - first)));
    meter.finish();
    EXPECT_LT(meter.short_term_lufs().value(), 10);
    meter.reset();
  }
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(stream_allocation, level_meters_allocate_nothing) {
  if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
  const std::size_t samples = 9000, channels = 3;
  const auto x = test::random_real<float>(channels * samples, 1);
  const view<const float, 2> sound(x.data(), {samples, channels});
  const sound_level_options options{.rate_hz = 8000};
  level_meter<float> meter(options, channels);
  octave_band_meter<float> bands(options, octave_bands(3, 100, 2500), channels);
  double sum = 0;
  const std::size_t before = test::allocation_count();
  for (const std::size_t block : {1, 999}) {
    for (std::size_t first = 0; first < samples; first += block) {
      const auto part = sound.slice(0, first, std::min(block, samples - first));
      meter.push(part);
      bands.push(part);
    }
    sum += meter.levels(2).l50_db + bands.levels(1, 3).leq_db;
    meter.reset();
    bands.reset();
  }
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_NE(sum, 0);
}

}  // namespace
}  // namespace papilio

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

}  // namespace
}  // namespace papilio

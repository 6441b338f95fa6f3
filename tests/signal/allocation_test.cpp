// What is promised to allocate nothing is run under a malloc that counts.
#include <gtest/gtest.h>

#include "papilio/signal.hpp"
#include "signal/allocation_count.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::allocations_of;

class allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
    ASSERT_GT(allocations_of([] { array<float, 1> counted(100); }), 0u);
  }
};

TEST_F(allocation, welch_stream_pushes_without) {
  const auto signal = test::random_real<float>(10000, 1);
  for (const std::size_t length : {256, 1000, 1009}) {
    welch_stream<float> stream({.segment_length = length, .detrend = detrending::linear});
    EXPECT_EQ(allocations_of([&] { stream.push(signal); }), 0u) << length;
    EXPECT_GT(stream.segments(), 0u);
  }
}

TEST_F(allocation, spectral_gate_and_noise_profile_run_without) {
  const auto segment = test::random_complex<float>(513, 2);
  noise_profile<float> profile(513);
  EXPECT_EQ(allocations_of([&] { profile.add(segment); }), 0u);
  spectral_gate<float> gate(profile.mean().flat());
  std::vector<std::complex<float>> out(513);
  EXPECT_EQ(allocations_of([&] {
              for (int s = 0; s < 20; ++s) gate.push(segment, out);
              while (gate.finish(out)) {
              }
            }),
            0u);
}

}  // namespace
}  // namespace papilio

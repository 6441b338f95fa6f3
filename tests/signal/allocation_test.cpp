// What is promised to allocate nothing is run under a malloc that counts.
#include <gtest/gtest.h>

#include <cmath>

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

TEST_F(allocation, streams_of_rows_and_frames_run_without) {
  const auto values = test::random_real<float>(4000, 4);
  const view<const float, 2> rows(values.data(), {100, 40});
  array<float, 2> out({100, 40});
  delta_stream<float> deltas({}, 40);
  pcen_stream<float> normalized(pcen_plan<float>(22050, 512), 40);
  const mdct_plan<float> plan({.coefficients = 120});
  mdct_stream<float> forward(plan);
  imdct_stream<float> inverse(plan);
  double sum = 0;
  const auto add = [&](std::span<const float> samples) { sum += double{samples[0]}; };
  const auto add_row = [&](std::uint64_t, std::span<const float> row) { add(row); };
  EXPECT_EQ(allocations_of([&] {
              deltas.push(rows, add_row);
              deltas.finish(add_row);
              normalized.push(rows, out);
              forward.push(values, [&](std::uint64_t, std::span<const float> coefficients) {
                inverse.push(coefficients, add);
              });
            }),
            0u);
  EXPECT_TRUE(std::isfinite(sum));
}

// Where the threads had their own, the last could fail after the first had written.
TEST_F(allocation, mfcc_has_its_work_memory_before_its_threads_run) {
  const mfcc_plan<float> plan(97, {.coefficients = 13});
  const auto values = test::random_real<float>(97 * 16, 3);
  const view<const float, 2> mel(values.data(), {16, 97});
  array<float, 2> out({16, 13});
  const auto allocations = [&](int threads) {
    plan.execute(mel, out, threads);  // starts the threads
    return allocations_of([&] { plan.execute(mel, out, threads); });
  };
  EXPECT_EQ(allocations(4), allocations(1));
}

}  // namespace
}  // namespace papilio

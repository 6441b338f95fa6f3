// Plans used by many threads at once, and plans that use many threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

const stft_options options{.n_fft = 256, .hop = 64, .padding = edge_padding::reflect};

TEST(stft_threads, do_not_change_a_bit) {
  const auto x = test::random_real<float>(4 * 5000, 1);
  const view<const float, 2> batch(x.data(), {4, 5000});
  const stft_plan<float> plan(options);
  const istft_plan<float> inverse(options);
  const auto segments = static_cast<std::size_t>(plan.segments(5000));
  array<std::complex<float>, 3> one({4, segments, 129}), many(one.extents());
  array<float, 3> one_power(one.extents()), many_power(one.extents());
  array<float, 2> one_back({4, 5000}), many_back({4, 5000});
  plan.execute(batch, one, 1);
  plan.execute_power(batch, one_power, 1);
  inverse.execute(one, one_back, 1);
  for (const int threads : {2, 3, 8}) {
    plan.execute(batch, many, threads);
    plan.execute_power(batch, many_power, threads);
    inverse.execute(many, many_back, threads);
    EXPECT_TRUE(std::ranges::equal(one, many));
    EXPECT_TRUE(std::ranges::equal(one_power, many_power));
    EXPECT_TRUE(std::ranges::equal(one_back, many_back));
  }
}

TEST(stft_threads, share_a_plan) {
  const auto x = test::random_real<double>(3000, 1);
  const stft_plan<double> plan(options);
  const istft_plan<double> inverse(options);
  const auto segments = static_cast<std::size_t>(plan.segments(x.size()));
  const auto round_trip = [&] {
    array<std::complex<double>, 2> spectra({segments, 129});
    std::vector<double> back(x.size());
    plan.execute(x, spectra);
    inverse.execute(spectra, back);
    return back;
  };
  const auto expected = round_trip();
  std::vector<std::vector<double>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : got) threads.emplace_back([&] { result = round_trip(); });
  }
  for (const auto& result : got) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace papilio

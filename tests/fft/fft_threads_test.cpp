#include <gtest/gtest.h>

#include <thread>

#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// One plan executed by many threads at once gives each the bits that one thread gets.
template <class Execute, class Data>
void share(const Execute& execute, const Data& expected) {
  std::vector<Data> results(4, Data(expected.size()));
  std::vector<std::thread> threads;
  for (Data& result : results)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) execute(result);
    });
  for (std::thread& t : threads) t.join();
  for (const Data& result : results) EXPECT_EQ(result, expected);
}

TEST(fft_threads, one_plan_is_shared) {
  for (const std::size_t n : {64, 1000, 1009, 16384}) {
    const fft_plan<float> plan(n);
    const auto x = test::random_complex<float>(n, 1);
    std::vector<std::complex<float>> expected(n);
    plan.execute(x, expected);
    share([&](std::vector<std::complex<float>>& out) { plan.execute(x, out); }, expected);
  }
}

TEST(fft_threads, one_real_plan_is_shared) {
  for (const std::size_t n : {64, 1001, 2048}) {
    const rfft_plan<double> plan(n);
    const auto x = test::random_real<double>(n, 1);
    std::vector<std::complex<double>> expected(plan.bins());
    plan.forward(x, expected);
    share([&](std::vector<std::complex<double>>& out) { plan.forward(x, out); }, expected);
  }
}

TEST(fft_threads, planning_is_safe_too) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (std::size_t n = 1; n < 80; ++n) EXPECT_EQ(fft_plan<float>(n).size(), n);
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace papilio

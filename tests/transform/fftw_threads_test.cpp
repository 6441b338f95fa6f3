// FFTW's planner is not safe from threads; its candidate is.
#include <gtest/gtest.h>

#include <thread>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

TEST(fftw_backend, plans_and_runs_on_many_threads_at_once) {
  set_plan_cache_limit({.plans = 2});
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (std::size_t n = 20; n < 40; ++n) {
        const auto x = test::random_complex<double>(n, 1);
        const auto ours = fft(x);
        const auto theirs = fft(x, {.on = {.backend = "fftw"}});
        EXPECT_LT(test::relative_error(theirs, std::vector<test::exact>(ours.begin(), ours.end())),
                  2 * test::fft_tolerance<double>(n));
      }
    });
  for (std::thread& t : threads) t.join();
  set_plan_cache_limit({});
}

}  // namespace
}  // namespace papilio

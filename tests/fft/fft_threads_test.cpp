#include <gtest/gtest.h>

#include <thread>

#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// One plan executed by many threads at once gives each the bits that one thread gets.
template <class Execute, class Data>
void share(const Execute& execute, const Data& expected, int repeats = 20) {
  std::vector<Data> results(4, Data(expected.size()));
  std::vector<std::thread> threads;
  for (Data& result : results)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < repeats; ++repeat) execute(result);
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

TEST(fft_threads, plans_made_at_once_share_tables) {
  for (const std::size_t n : {std::size_t{1} << 14, std::size_t{1} << 16}) {
    const auto x = test::random_complex<float>(n, 1);
    std::vector<std::complex<float>> expected(n);
    fft_plan<float>(n).execute(x, expected);
    share([&](std::vector<std::complex<float>>& out) { fft_plan<float>(n).execute(x, out); },
          expected, 5);
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

TEST(fft_threads, one_plan_of_several_axes_is_shared) {
  using complex = std::complex<float>;
  for (const extents_type<3> extents : {extents_type<3>{8, 12, 16}, extents_type<3>{3, 200, 260}}) {
    const fftn_plan<float> plan({extents.begin(), extents.end()});
    const auto x = test::random_complex<float>(extents[0] * extents[1] * extents[2], 1);
    const view<const complex, 3> in(x.data(), extents);
    std::vector<complex> expected(x.size());
    plan.execute(in, view<complex, 3>(expected.data(), extents));
    // Two threads each of its own, so that the work within an execution is shared too.
    const auto execute = [&](std::vector<complex>& out) {
      plan.execute(in, view<complex, 3>(out.data(), extents), 2);
    };
    share(execute, expected, x.size() < 10000 ? 20 : 2);
  }
}

TEST(fft_threads, one_real_plan_of_several_axes_is_shared) {
  const extents_type<3> extents{8, 12, 15}, bins{8, 12, 8};
  const rfftn_plan<double> plan({8, 12, 15});
  const auto x = test::random_real<double>(1440, 1);
  std::vector<std::complex<double>> spectrum(768);
  plan.forward(view<const double, 3>(x.data(), extents),
               view<std::complex<double>, 3>(spectrum.data(), bins));
  const view<const std::complex<double>, 3> in(spectrum.data(), bins);
  std::vector<double> expected(x.size());
  plan.inverse(in, view<double, 3>(expected.data(), extents));
  share(
      [&](std::vector<double>& out) { plan.inverse(in, view<double, 3>(out.data(), extents), 2); },
      expected);
}

TEST(fft_threads, one_cosine_plan_is_shared) {
  for (const trigonometric_kind kind : {trigonometric_kind::dct1, trigonometric_kind::dct2,
                                        trigonometric_kind::dct4, trigonometric_kind::dst3}) {
    const dct_plan<float> plan(300, kind);
    const auto x = test::random_real<float>(300, 1);
    std::vector<float> expected(300);
    plan.forward(x, expected);
    share([&](std::vector<float>& out) { plan.forward(x, out); }, expected);
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

// Every instruction set that this machine and this build have, not only the best.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

class fft_targets : public testing::Test {
 protected:
  // Kernels are looked up when a plan is built: plans built after this use `target`.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
  void TearDown() override { choose(0); }
};

template <class T>
void expect_transforms(std::size_t n, const char* target) {
  const auto x = test::random_complex<T>(n, static_cast<unsigned>(n));
  const auto wide = test::widened<T>(std::span<const std::complex<T>>(x));
  std::vector<std::complex<T>> y(n);
  const fft_plan<T> forward(n), inverse(n, direction::inverse, {.norm = normalization::none});
  forward.execute(x, y);
  EXPECT_LT(test::relative_error(y, test::dft(wide, -1)), test::fft_tolerance<T>(n))
      << target << " " << to_string(forward.design());
  inverse.execute(x, y);
  EXPECT_LT(test::relative_error(y, test::dft(wide, +1)), test::fft_tolerance<T>(n))
      << target << " " << to_string(inverse.design());

  const auto r = test::random_real<T>(n, 1);
  std::vector<std::complex<T>> bins(n / 2 + 1);
  std::vector<T> back(n);
  const rfft_plan<T> real(n);
  real.forward(r, bins);
  real.inverse(bins, back);
  auto expected = test::dft(test::widened<T>(std::span<const T>(r)), -1);
  expected.resize(n / 2 + 1);
  EXPECT_LT(test::relative_error(bins, expected), test::fft_tolerance<T>(n)) << target << n;
  EXPECT_LT(test::relative_error(back, test::widened<T>(std::span<const T>(r))),
            2 * test::fft_tolerance<T>(n))
      << target << n;
}

TEST_F(fft_targets, each_transforms) {
  std::int64_t rest = hwy::SupportedTargets();
  ASSERT_NE(rest, 0);
  while (rest != 0) {
    const std::int64_t target = rest & -rest;
    rest &= rest - 1;
    choose(target);
    for (std::size_t n = 1; n <= 130; ++n) {
      expect_transforms<float>(n, hwy::TargetName(target));
      expect_transforms<double>(n, hwy::TargetName(target));
    }
    for (const std::size_t n : {256, 480, 512, 729, 1000, 1024}) {
      expect_transforms<float>(n, hwy::TargetName(target));
      expect_transforms<double>(n, hwy::TargetName(target));
    }
  }
}

}  // namespace
}  // namespace papilio

// Every instruction set that this machine and this build have, not only the best.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <iterator>
#include <string>

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
  // One sum is the oracle of all: backwards it is the inverse, and both tell that of real parts.
  const auto sums = test::dft(wide, -1);
  EXPECT_LT(test::relative_error(y, sums), test::fft_tolerance<T>(n))
      << target << " " << to_string(forward.design());
  inverse.execute(x, y);
  auto backwards = sums;
  std::reverse(backwards.begin() + 1, backwards.end());
  EXPECT_LT(test::relative_error(y, backwards), test::fft_tolerance<T>(n))
      << target << " " << to_string(inverse.design());

  std::vector<T> r;
  for (const std::complex<T>& z : x) r.push_back(z.real());
  std::vector<std::complex<T>> bins(n / 2 + 1);
  std::vector<T> back(n);
  const rfft_plan<T> real(n);
  real.forward(r, bins);
  real.inverse(bins, back);
  auto expected = sums;
  expected.resize(n / 2 + 1);
  for (std::size_t k = 0; k < expected.size(); ++k)
    expected[k] = (sums[k] + std::conj(backwards[k])) / 2.0L;
  EXPECT_LT(test::relative_error(bins, expected), test::fft_tolerance<T>(n)) << target << n;
  EXPECT_LT(test::relative_error(back, test::widened<T>(std::span<const T>(r))),
            2 * test::fft_tolerance<T>(n))
      << target << n;
}

// Lines beside each other, more than whole registers of them.
template <class T>
void expect_columns(std::size_t n, const char* target) {
  using complex = std::complex<T>;
  constexpr std::size_t lines = 19;
  const auto x = test::random_complex<T>(n * lines, static_cast<unsigned>(n));
  std::vector<complex> y(x.size());
  fft_plan<T>(n).execute_axis(view<const complex, 2>(x.data(), {n, lines}),
                              view<complex, 2>(y.data(), {n, lines}), 0);
  for (std::size_t c = 0; c < lines; ++c) {
    std::vector<test::exact> line;
    std::vector<complex> got;
    for (std::size_t r = c; r < x.size(); r += lines) {
      line.emplace_back(x[r].real(), x[r].imag());
      got.push_back(y[r]);
    }
    EXPECT_LT(test::relative_error(got, test::dft(line, -1)), test::fft_tolerance<T>(n))
        << target << " " << n << ", " << c;
  }
}

// Others that the processor has end in the baseline.
constexpr std::int64_t library_targets[] = {PAPILIO_HIGHWAY_TARGETS};

constexpr bool library_has(std::int64_t target) {
  return std::ranges::find(library_targets, target) != std::end(library_targets);
}

TEST_F(fft_targets, are_those_of_the_build) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (const std::int64_t target : library_targets) {
    if (target == HWY_STATIC_TARGET || (supported & target) == 0) continue;
    choose(target);
    const std::string key = export_wisdom();
    EXPECT_NE(key.find(std::string("-") + hwy::TargetName(target) + "\n"), std::string::npos)
        << key;
  }
}

// SSE4 has no fused multiply-add, AVX2 has: were one of them missing, the bits would be the same.
TEST_F(fft_targets, are_not_all_the_baseline) {
  if (!library_has(HWY_SSE4)) GTEST_SKIP() << "this build has fused multiply-add everywhere";
  const auto x = test::random_complex<float>(1000, 1);
  const auto bits_of = [&](std::int64_t target) {
    choose(target);
    std::vector<std::complex<float>> y(x.size());
    fft_plan<float>(x.size()).execute(x, y);
    return y;
  };
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) GTEST_SKIP() << "no AVX2 here";
  EXPECT_NE(bits_of(HWY_AVX2), bits_of(HWY_SSE4));
}

TEST_F(fft_targets, each_transforms) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (const std::int64_t target : library_targets) {
    if ((supported & target) == 0) continue;
    choose(target);
    for (std::size_t n = 1; n <= 130; ++n) {
      expect_transforms<float>(n, hwy::TargetName(target));
      expect_transforms<double>(n, hwy::TargetName(target));
    }
    for (const std::size_t n : {256, 272, 323, 480, 512, 729, 1000, 1024, 2048, 4096, 8192}) {
      expect_transforms<float>(n, hwy::TargetName(target));
      expect_transforms<double>(n, hwy::TargetName(target));
    }
    for (const std::size_t n : {4, 5, 8, 16, 32, 60, 64, 119, 128, 256}) {
      expect_columns<float>(n, hwy::TargetName(target));
      expect_columns<double>(n, hwy::TargetName(target));
    }
  }
}

}  // namespace
}  // namespace papilio

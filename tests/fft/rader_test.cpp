// Rader forced by wisdom, whatever the cost model would choose.
#include <gtest/gtest.h>

#include "fft/wisdom_text.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::plan_with;

template <class T>
using complexes = std::vector<std::complex<T>>;

std::string rader_of(std::size_t p) {
  const std::string part = to_string(fft_plan<double>(p - 1).design());
  return "(rader " + std::to_string(p) + " " + part + ")";
}

template <class T>
class rader : public testing::Test {
 protected:
  void TearDown() override { forget_wisdom(); }
};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(rader, precisions);

// Smallest, Fermat primes, p - 1 with a large factor (a Bluestein inside).
constexpr std::size_t primes[] = {3,  5,  7,   11,  17,  19,  47,   61,
                                  67, 73, 127, 137, 257, 719, 1009, 1019};

TYPED_TEST(rader, transforms_both_ways) {
  using T = TypeParam;
  for (const std::size_t p : primes) {
    const auto x = test::random_complex<T>(p, static_cast<unsigned>(p));
    const auto wide = test::widened<T>(std::span<const std::complex<T>>(x));
    for (const direction dir : {direction::forward, direction::inverse}) {
      const fft_plan<T> plan = plan_with<T>(rader_of(p), dir);
      EXPECT_EQ(to_string(plan.design()), rader_of(p));
      complexes<T> y(p, {NAN, NAN});
      plan.execute(x, y);
      EXPECT_LT(test::relative_error(y, test::dft(wide, dir == direction::forward ? -1 : 1)),
                test::fft_tolerance<T>(p))
          << rader_of(p);
    }
  }
}

TYPED_TEST(rader, scales_all_of_the_output) {
  using T = TypeParam;
  for (const std::size_t p : {3, 17, 1009}) {
    auto x = test::random_complex<T>(p, 1);
    x[0] *= T(10);
    const auto wide = test::widened<T>(std::span<const std::complex<T>>(x));
    auto expected = test::dft(wide, 1);
    for (auto& v : expected) v /= static_cast<long double>(p);
    complexes<T> y(p);
    plan_with<T>(rader_of(p), direction::inverse, normalization::backward).execute(x, y);
    EXPECT_LT(test::relative_error(y, expected), test::fft_tolerance<T>(p));
    EXPECT_LT(std::abs(test::exact(y[0]) - expected[0]) / std::abs(expected[0]),
              8 * test::fft_tolerance<T>(p));
  }
}

TYPED_TEST(rader, in_place_split_and_scratch_give_the_same_bits) {
  using T = TypeParam;
  for (const std::size_t p : primes)
    for (const direction dir : {direction::forward, direction::inverse}) {
      const fft_plan<T> plan = plan_with<T>(rader_of(p), dir);
      const auto x = test::random_complex<T>(p, 11);
      complexes<T> expected(p), y = x, scratch(plan.scratch_size(), {NAN, NAN});
      plan.execute(x, expected);
      plan.execute(y, y);
      EXPECT_EQ(y, expected) << p;
      plan.execute(x, y, scratch);
      EXPECT_EQ(y, expected) << p;
      std::vector<T> re(p), im(p);
      for (std::size_t i = 0; i < p; ++i) {
        re[i] = x[i].real();
        im[i] = x[i].imag();
      }
      plan.execute_split({std::span<const T>(re), std::span<const T>(im)}, {re, im});
      for (std::size_t i = 0; i < p; ++i)
        ASSERT_EQ(std::complex<T>(re[i], im[i]), expected[i]) << p << " at " << i;
    }
}

}  // namespace
}  // namespace papilio

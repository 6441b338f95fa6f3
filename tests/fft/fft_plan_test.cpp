#include <gtest/gtest.h>

#include <cstring>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::dft;
using test::exact;
using test::fft_tolerance;
using test::random_complex;
using test::relative_error;
using test::widened;

template <class T>
using complexes = std::vector<std::complex<T>>;

template <class T>
complexes<T> run(const fft_plan<T>& plan, const complexes<T>& x) {
  complexes<T> y(x.size(), {std::numeric_limits<T>::quiet_NaN(), 0});
  plan.execute(x, y);
  return y;
}

template <class T>
class fft_plan_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(fft_plan_test, precisions);

template <class T>
void expect_both_directions(std::size_t n) {
  const auto x = random_complex<T>(n, static_cast<unsigned>(n));
  const auto wide = widened<T>(std::span<const std::complex<T>>(x));
  const fft_plan<T> forward(n);
  const fft_plan<T> inverse(n, direction::inverse, {.norm = normalization::none});
  EXPECT_LT(relative_error(run(forward, x), dft(wide, -1)), fft_tolerance<T>(n))
      << to_string(forward.design());
  EXPECT_LT(relative_error(run(inverse, x), dft(wide, +1)), fft_tolerance<T>(n))
      << to_string(inverse.design());
}

TYPED_TEST(fft_plan_test, every_length_to_256) {
  for (std::size_t n = 1; n <= 256; ++n) expect_both_directions<TypeParam>(n);
}

TYPED_TEST(fft_plan_test, named_lengths_beyond) {
  // Powers of two, of three and five, products, primes, squares of primes, twice a prime.
  for (const std::size_t n :
       {257,  289,  343,  360,  361,  480,  486,  512,  625,  719,  729,  961,  997, 1000,
        1009, 1019, 1024, 1153, 1155, 1536, 1920, 1998, 2003, 2017, 2048, 2187, 2310})
    expect_both_directions<TypeParam>(n);
}

TYPED_TEST(fft_plan_test, normalizations_scale_as_numpy) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 7, 12, 67, 100}) {
    const auto x = random_complex<T>(n, 5);
    const auto wide = widened<T>(std::span<const std::complex<T>>(x));
    const long double length = static_cast<long double>(n);
    const auto expect = [&](direction dir, normalization norm, long double factor) {
      auto expected = dft(wide, dir == direction::forward ? -1 : 1);
      for (exact& v : expected) v *= factor;
      EXPECT_LT(relative_error(run(fft_plan<T>(n, dir, {.norm = norm}), x), expected),
                fft_tolerance<T>(n));
    };
    expect(direction::forward, normalization::backward, 1);
    expect(direction::inverse, normalization::backward, 1 / length);
    expect(direction::forward, normalization::orthonormal, 1 / std::sqrt(length));
    expect(direction::inverse, normalization::orthonormal, 1 / std::sqrt(length));
    expect(direction::forward, normalization::forward, 1 / length);
    expect(direction::inverse, normalization::forward, 1);
    expect(direction::forward, normalization::none, 1);
    expect(direction::inverse, normalization::none, 1);
  }
}

TYPED_TEST(fft_plan_test, round_trip_and_parseval) {
  using T = TypeParam;
  for (const std::size_t n : {1, 3, 16, 53, 61, 67, 1000, 4097, 10007, 65536, 100000}) {
    const auto x = random_complex<T>(n, 3);
    const auto spectrum = run(fft_plan<T>(n), x);
    const auto back = run(fft_plan<T>(n, direction::inverse), spectrum);
    const auto wide = widened<T>(std::span<const std::complex<T>>(x));
    EXPECT_LT(relative_error(back, wide), 2 * fft_tolerance<T>(n)) << n;
    long double time = 0, frequency = 0;
    for (const auto& v : wide) time += std::norm(v);
    for (const auto& v : spectrum) frequency += std::norm(exact(v));
    EXPECT_NEAR(static_cast<double>(frequency / time / static_cast<long double>(n)), 1,
                2 * fft_tolerance<T>(n))
        << n;
  }
}

TYPED_TEST(fft_plan_test, delta_and_exponential_are_exact_where_they_should_be) {
  using T = TypeParam;
  for (const std::size_t n : {2, 8, 60, 64, 1024}) {
    complexes<T> x(n);
    x[0] = {1, -2};
    for (const auto& v : run(fft_plan<T>(n), x)) EXPECT_EQ(v, std::complex<T>(1, -2)) << n;
  }
}

TYPED_TEST(fft_plan_test, in_place_split_and_scratch_give_the_same_bits) {
  using T = TypeParam;
  for (const std::size_t n :
       {1, 2, 5, 8, 12, 59, 61, 64, 67, 73, 128, 243, 257, 1000, 1009, 1019, 4096})
    for (const direction dir : {direction::forward, direction::inverse}) {
      const fft_plan<T> plan(n, dir);
      const auto x = random_complex<T>(n, 11);
      const auto expected = run(plan, x);

      auto in_place = x;
      plan.execute(in_place, in_place);
      EXPECT_EQ(in_place, expected) << n;

      complexes<T> out(n), scratch(plan.scratch_size(), {NAN, NAN});
      plan.execute(x, out, scratch);
      EXPECT_EQ(out, expected) << n;

      std::vector<T> re(n), im(n), out_re(n), out_im(n);
      for (std::size_t i = 0; i < n; ++i) {
        re[i] = x[i].real();
        im[i] = x[i].imag();
      }
      plan.execute_split({std::span<const T>(re), std::span<const T>(im)}, {out_re, out_im});
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::complex<T>(out_re[i], out_im[i]), expected[i]) << n << " at " << i;
      plan.execute_split({std::span<const T>(re), std::span<const T>(im)}, {re, im});
      EXPECT_EQ(re, out_re) << n;
      EXPECT_EQ(im, out_im) << n;
    }
}

TYPED_TEST(fft_plan_test, infinities_spread_the_same_way_split_and_interleaved) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 16, 60}) {
    const fft_plan<T> plan(n);
    complexes<T> x(n, {T(-0.0), 1}), y(n);
    x[0] = {inf, 0};
    x[n - 1] = {T(-0.0), inf};
    plan.execute(x, y);
    std::vector<T> re(n), im(n);
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = x[i].real();
      im[i] = x[i].imag();
    }
    plan.execute_split({std::span<const T>(re), std::span<const T>(im)}, {re, im});
    const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_TRUE(same(re[i], y[i].real())) << n << ' ' << re[i] << ' ' << y[i].real();
      EXPECT_TRUE(same(im[i], y[i].imag())) << n << ' ' << im[i] << ' ' << y[i].imag();
    }
  }
}

TYPED_TEST(fft_plan_test, any_alignment_and_nothing_outside_is_written) {
  using T = TypeParam;
  for (const std::size_t n : {1, 7, 16, 30, 67, 73, 96, 128, 1000}) {
    const fft_plan<T> plan(n);
    const auto x = random_complex<T>(n, 2);
    const auto expected = run(plan, x);
    for (std::size_t offset = 0; offset < 4; ++offset) {
      // Offsets of one real: not even aligned as complex pairs.
      std::vector<T> in(2 * n + 8, T(7)), out(2 * n + 8, T(7)),
          scratch(2 * plan.scratch_size() + 8, T(7));
      std::memcpy(in.data() + offset, x.data(), n * sizeof(x[0]));
      const auto in_before = in;
      const auto at = [&](std::vector<T>& v) {
        return reinterpret_cast<std::complex<T>*>(v.data() + offset);
      };
      plan.execute(std::span<const std::complex<T>>(at(in), n), {at(out), n},
                   {at(scratch), plan.scratch_size()});
      EXPECT_EQ(in, in_before);
      EXPECT_EQ(0, std::memcmp(out.data() + offset, expected.data(), n * sizeof(x[0])));
      for (std::size_t i = 0; i < offset; ++i) EXPECT_EQ(out[i], T(7));
      for (std::size_t i = offset + 2 * n; i < out.size(); ++i) EXPECT_EQ(out[i], T(7));
      for (std::size_t i = 0; i < offset; ++i) EXPECT_EQ(scratch[i], T(7));
      for (std::size_t i = offset + 2 * plan.scratch_size(); i < scratch.size(); ++i)
        EXPECT_EQ(scratch[i], T(7));
    }
  }
}

TYPED_TEST(fft_plan_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  EXPECT_THROW(fft_plan<T>(0), invalid_argument);
  EXPECT_THROW(fft_plan<T>(std::numeric_limits<std::size_t>::max() / 4), resource_error);
  const fft_plan<T> plan(1000);
  complexes<T> x(1000), y(1000), shorter(999), scratch(plan.scratch_size() - 1);
  EXPECT_THROW(plan.execute(shorter, y), shape_error);
  EXPECT_THROW(plan.execute(x, shorter), shape_error);
  EXPECT_THROW(plan.execute(x, y, scratch), shape_error);
  complexes<T> memory(1001);
  const std::span<std::complex<T>> all(memory);
  EXPECT_THROW(plan.execute(all.first(1000), all.last(1000)), invalid_argument);
  std::vector<T> re(1000);
  EXPECT_THROW(plan.execute_split({std::span<const T>(re), std::span<const T>(re)}, {re, re}),
               invalid_argument);
  std::vector<T> parts(1500);
  const std::span<T> part(parts);
  EXPECT_THROW(plan.execute_split({std::span<const T>(re), std::span<const T>(re)},
                                  {part.first(1000), part.last(1000)}),
               invalid_argument);
  try {
    plan.execute(shorter, y);
  } catch (const shape_error& e) {
    EXPECT_STREQ(e.what(), "fft_plan::execute: in must hold 1000 elements, got 999");
  }
  try {
    plan.execute(complexes<T>(64000), y);
    FAIL();
  } catch (const shape_error& e) {
    EXPECT_STREQ(
        e.what(),
        "fft_plan::execute: in must hold 1000 elements, got 64000; execute_batch transforms "
        "64 lines");
  }
}

TYPED_TEST(fft_plan_test, measured_plans_transform_as_well) {
  using T = TypeParam;
  for (const std::size_t n : {1, 64, 480, 1003}) {
    const auto x = random_complex<T>(n, 8);
    const fft_plan<T> plan(n, direction::forward, {.plan_effort = effort::measure});
    EXPECT_LT(
        relative_error(run(plan, x), dft(widened<T>(std::span<const std::complex<T>>(x)), -1)),
        fft_tolerance<T>(n))
        << to_string(plan.design());
  }
}

}  // namespace
}  // namespace papilio

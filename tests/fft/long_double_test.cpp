// Plans of long double against FFTW in quadruple precision, beside FFTW in long double.
#include <fftw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using real = long double;
using complexes = std::vector<std::complex<real>>;
__extension__ typedef __float128 quad;

constexpr double epsilon = static_cast<double>(std::numeric_limits<real>::epsilon());

/// The DFT of one length in quadruple precision, by FFTW; unscaled.
class quad_dft {
 public:
  quad_dft(std::size_t n, direction dir)
      : data_(2 * n),
        plan_(fftwq_plan_dft_1d(static_cast<int>(n), values(), values(),
                                dir == direction::forward ? FFTW_FORWARD : FFTW_BACKWARD,
                                FFTW_ESTIMATE)) {}
  quad_dft(const quad_dft&) = delete;
  quad_dft& operator=(const quad_dft&) = delete;
  ~quad_dft() { fftwq_destroy_plan(plan_); }

  /// Re and im in turn.
  const std::vector<quad>& operator()(const complexes& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      data_[2 * i] = x[i].real();
      data_[2 * i + 1] = x[i].imag();
    }
    fftwq_execute(plan_);
    return data_;
  }

 private:
  fftwq_complex* values() { return reinterpret_cast<fftwq_complex*>(data_.data()); }
  std::vector<quad> data_;
  fftwq_plan plan_;
};

/// |got - factor expected| / |factor expected| over the first got.size() elements.
double relative_error(const complexes& got, const std::vector<quad>& expected, quad factor = 1) {
  quad error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    for (const bool imaginary : {false, true}) {
      const quad exact = factor * expected[2 * i + imaginary];
      const quad difference = (imaginary ? got[i].imag() : got[i].real()) - exact;
      error += difference * difference;
      norm += exact * exact;
    }
  if (norm == 0) return error == 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::sqrt(static_cast<double>(error / norm));
}

complexes run(const fft_plan<real>& plan, const complexes& x) {
  complexes y(x.size(), {NAN, NAN});
  plan.execute(x, y);
  return y;
}

double fftw_error(complexes x, const std::vector<quad>& expected) {
  auto* const data = reinterpret_cast<fftwl_complex*>(x.data());
  const fftwl_plan plan =
      fftwl_plan_dft_1d(static_cast<int>(x.size()), data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return relative_error(x, expected);
}

// Root mean square over some inputs: at most max(1.5 x FFTW's, 0.6 epsilon sqrt(log2 2n)).
void expect_accurate(std::size_t n, unsigned inputs) {
  const fft_plan<real> plan(n);
  quad_dft oracle(n, direction::forward);
  double ours = 0, fftw = 0;
  for (unsigned seed = 0; seed < inputs; ++seed) {
    const complexes x = test::random_complex<real>(n, 100 + seed);
    const std::vector<quad>& expected = oracle(x);
    ours += std::pow(relative_error(run(plan, x), expected), 2) / inputs;
    fftw += std::pow(fftw_error(x, expected), 2) / inputs;
  }
  const double length = static_cast<double>(n);
  const double bound =
      std::max(1.5 * std::sqrt(fftw), 0.6 * epsilon * std::sqrt(std::log2(2 * length)));
  std::printf("long double %8zu ours %.3g fftw %.3g bound %.3g %s\n", n, std::sqrt(ours),
              std::sqrt(fftw), bound, to_string(plan.design()).c_str());
  EXPECT_LE(std::sqrt(ours), bound) << to_string(plan.design());
}

TEST(fft_long_double, is_accurate) {
  for (std::size_t n = 1; n <= 130; ++n) expect_accurate(n, 20);
  for (const std::size_t n : {240, 256, 257, 361, 480, 719, 997, 1000, 1009, 1019, 1024})
    expect_accurate(n, 10);
  for (const std::size_t n : {2187, 3125, 4096, 4099, 10007, 16384, 44100, 65536, 65537})
    expect_accurate(n, 1);
}

TEST(fft_long_double, scales_both_directions_in_its_own_precision) {
  for (const std::size_t n : {1, 2, 3, 7, 10, 15, 16, 60, 61, 67, 73, 100, 1000, 1009, 1019}) {
    const complexes x = test::random_complex<real>(n, 7);
    const quad length = static_cast<quad>(n);
    // The root by one step of Newton's method from long double.
    const quad guess = std::sqrt(static_cast<real>(n)), root = (guess + length / guess) / 2;
    for (const direction dir : {direction::forward, direction::inverse}) {
      quad_dft oracle(n, dir);
      const std::vector<quad>& expected = oracle(x);
      const bool forward = dir == direction::forward;
      const auto expect = [&](normalization norm, quad factor) {
        EXPECT_LT(relative_error(run(fft_plan<real>(n, dir, {.norm = norm}), x), expected, factor),
                  test::fft_tolerance<real>(n))
            << n;
      };
      expect(normalization::none, 1);
      expect(normalization::backward, forward ? 1 : 1 / length);
      expect(normalization::forward, forward ? 1 / length : 1);
      expect(normalization::orthonormal, 1 / root);
    }
  }
}

TEST(fft_long_double, in_place_split_batch_and_scratch_give_the_same_numbers) {
  for (const std::size_t n : {1, 2, 5, 8, 12, 16, 61, 64, 67, 73, 243, 1000, 1009, 1019})
    for (const direction dir : {direction::forward, direction::inverse}) {
      const fft_plan<real> plan(n, dir);
      const complexes x = test::random_complex<real>(n, 11), expected = run(plan, x);
      complexes y = x, scratch(plan.scratch_size(), {NAN, NAN});
      plan.execute(y, y);
      EXPECT_EQ(y, expected) << n;
      plan.execute(x, y, scratch);
      EXPECT_EQ(y, expected) << n;

      std::vector<real> re(n), im(n);
      for (std::size_t i = 0; i < n; ++i) {
        re[i] = x[i].real();
        im[i] = x[i].imag();
      }
      plan.execute_split({std::span<const real>(re), std::span<const real>(im)}, {re, im});
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::complex<real>(re[i], im[i]), expected[i]) << n << " at " << i;

      array<std::complex<real>, 2> rows({3, n});
      for (std::size_t i = 0; i < 3; ++i) std::copy_n(x.data(), n, &rows(i, std::size_t{0}));
      plan.execute_batch(rows.view(), rows.view(), 2);
      for (std::size_t i = 0; i < 3 * n; ++i) ASSERT_EQ(rows.data()[i], expected[i % n]) << n;
    }
}

TEST(fft_long_double, real_transforms) {
  for (const std::size_t n : {1, 2, 3, 4, 6, 15, 16, 34, 66, 134, 146, 255, 1000, 1009, 2019}) {
    const rfft_plan<real> plan(n);
    const std::vector<real> x = test::random_real<real>(n, 4);
    complexes bins(plan.bins(), {NAN, NAN});
    plan.forward(x, bins);
    quad_dft oracle(n, direction::forward);
    EXPECT_LT(relative_error(bins, oracle(complexes(x.begin(), x.end()))),
              test::fft_tolerance<real>(n))
        << to_string(plan.design());
    std::vector<real> back(n, NAN);
    plan.inverse(bins, back);
    std::vector<quad> wide(2 * n);
    for (std::size_t i = 0; i < n; ++i) wide[2 * i] = x[i];
    EXPECT_LT(relative_error(complexes(back.begin(), back.end()), wide),
              2 * test::fft_tolerance<real>(n))
        << n;
  }
}

/// FFTW's own names for the eight kinds, whose definitions are the same.
constexpr std::pair<trigonometric_kind, fftw_r2r_kind> trigonometric_kinds[] = {
    {trigonometric_kind::dct1, FFTW_REDFT00}, {trigonometric_kind::dct2, FFTW_REDFT10},
    {trigonometric_kind::dct3, FFTW_REDFT01}, {trigonometric_kind::dct4, FFTW_REDFT11},
    {trigonometric_kind::dst1, FFTW_RODFT00}, {trigonometric_kind::dst2, FFTW_RODFT10},
    {trigonometric_kind::dst3, FFTW_RODFT01}, {trigonometric_kind::dst4, FFTW_RODFT11}};

double relative_error(const std::vector<real>& got, const std::vector<quad>& expected) {
  quad error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(static_cast<double>(error / norm));
}

TEST(fft_long_double, cosine_and_sine_transforms) {
  for (const std::size_t n : {2, 3, 8, 9, 15, 16, 67, 100, 257, 1000})
    for (const auto& [kind, fftw_kind] : trigonometric_kinds) {
      const dct_plan<real> plan(n, kind);
      const std::vector<real> x = test::random_real<real>(n, 4);
      std::vector<real> y(n, NAN), back(n, NAN);
      plan.forward(x, y);
      std::vector<quad> wide(x.begin(), x.end()), expected(n);
      const fftwq_plan oracle = fftwq_plan_r2r_1d(static_cast<int>(n), wide.data(), expected.data(),
                                                  fftw_kind, FFTW_ESTIMATE);
      wide.assign(x.begin(), x.end());
      fftwq_execute(oracle);
      fftwq_destroy_plan(oracle);
      EXPECT_LT(relative_error(y, expected), 1.5 * test::fft_tolerance<real>(n))
          << to_string(plan.design());
      plan.inverse(y, back);
      EXPECT_LT(relative_error(back, std::vector<quad>(x.begin(), x.end())),
                3 * test::fft_tolerance<real>(n))
          << to_string(plan.design());
    }
}

TEST(fft_long_double, arrays_of_three_axes) {
  const std::vector<std::size_t> extents{6, 17, 20};
  const std::size_t size = 6 * 17 * 20;
  complexes x = test::random_complex<real>(size, 5), y(size);
  std::vector<quad> data(2 * size);
  auto* const values = reinterpret_cast<fftwq_complex*>(data.data());
  const fftwq_plan oracle =
      fftwq_plan_dft_3d(6, 17, 20, values, values, FFTW_FORWARD, FFTW_ESTIMATE);
  const auto expect = [&](const complexes& in) -> const std::vector<quad>& {
    for (std::size_t i = 0; i < size; ++i) {
      data[2 * i] = in[i].real();
      data[2 * i + 1] = in[i].imag();
    }
    fftwq_execute(oracle);
    return data;
  };
  using array3 = array<std::complex<real>, 3>;
  array3 in({6, 17, 20}), out({6, 17, 20});
  std::copy(x.begin(), x.end(), in.data());
  fftn_plan<real>(extents).execute<3>(in, out);
  EXPECT_LT(relative_error(complexes(out.begin(), out.end()), expect(x)),
            test::fft_tolerance<real>(size));

  array<real, 3> reals({6, 17, 20}), back({6, 17, 20});
  array3 bins({6, 17, 11});
  for (std::size_t i = 0; i < size; ++i) {
    reals.data()[i] = x[i].real();
    x[i].imag(0);
  }
  const rfftn_plan<real> plan(extents);
  plan.forward<3>(reals, bins);
  const std::vector<quad>& whole = expect(x);
  complexes got;
  std::vector<quad> half;
  for (std::size_t row = 0; row < 6 * 17; ++row)
    for (std::size_t k = 0; k < 11; ++k) {
      got.push_back(bins.data()[11 * row + k]);
      half.push_back(whole[2 * (20 * row + k)]);
      half.push_back(whole[2 * (20 * row + k) + 1]);
    }
  EXPECT_LT(relative_error(got, half), test::fft_tolerance<real>(size));
  plan.inverse<3>(bins, back);
  EXPECT_LT(relative_error(std::vector<real>(back.begin(), back.end()),
                           std::vector<quad>(reals.begin(), reals.end())),
            2 * test::fft_tolerance<real>(size));
  fftwq_destroy_plan(oracle);
}

TEST(fft_long_double, chooses_convolutions_only_for_large_prime_factors) {
  EXPECT_EQ(fft_plan<real>(1009).design().kind, recipe_kind::rader);
  EXPECT_EQ(fft_plan<real>(1019).design().kind, recipe_kind::bluestein);
  EXPECT_EQ(to_string(fft_plan<real>(59).design()), "(stockham 59 59)");
  EXPECT_EQ(to_string(fft_plan<real>(122).design()), "(stockham 122 2 61)");
}

TEST(fft_long_double, measures_and_refuses) {
  const fft_plan<real> plan(480, direction::forward, {.plan_effort = effort::measure});
  const complexes x = test::random_complex<real>(480, 1);
  quad_dft oracle(480, direction::forward);
  EXPECT_LT(relative_error(run(plan, x), oracle(x)), test::fft_tolerance<real>(480));
  EXPECT_THROW(fft_plan<real>(0), invalid_argument);
  EXPECT_THROW(fft_plan<real>(std::numeric_limits<std::size_t>::max() / 4), resource_error);
}

}  // namespace
}  // namespace papilio

// Acceptance cases of complex products, by the ids of the list of cases; tolerances are the cases'.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/planar.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

array<float, 3> product(const array<float, 3>& a, const array<float, 3>& b, int products = 4,
                        dtype type = dtype::fp32) {
  return run_once(complex_gemm_kernel(
                      {.m = a.extent(1), .k = a.extent(2), .n = b.extent(2), .is_complex = true},
                      trainium1(), {.products = products, .type = type}),
                  {launch_input(a, type), launch_input(b, type)});
}

void expect_gemm(std::int64_t m, std::int64_t k, std::int64_t n, double rtol, double atol,
                 std::int64_t step = 1) {
  const auto a = normal_planar(m, k, 1), b = normal_planar(k, n, 2);
  const auto exact = exact_product(a, b, false, step);
  for (const int products : {4, 3}) expect_close(product(a, b, products), exact, rtol, atol);
}

array<float, 3> identity(std::int64_t n) {
  array<float, 3> eye({2, std::size_t(n), std::size_t(n)});
  std::fill_n(eye.data(), eye.size(), 0.0F);
  for (std::int64_t i = 0; i < n; ++i) eye.data()[i * n + i] = 1;
  return eye;
}

void expect_mask(std::int64_t rows, std::int64_t columns, double rtol, double atol) {
  const auto mask = normal_planar(rows, columns, 1), spectrum = normal_planar(rows, columns, 2);
  const auto out = run_once(complex_mask_kernel({.count = std::size_t(rows * columns)}, trainium1(),
                                                {.rows = std::size_t(rows)}),
                            {mask, spectrum});
  planar_product exact;
  exact.columns = columns;
  for (std::int64_t i = 0; i < rows; ++i) {
    exact.rows.push_back(i);
    for (std::int64_t j = 0; j < columns; ++j) {
      exact.values.push_back(element(mask, i, j) * element(spectrum, i, j));
      exact.magnitudes.emplace_back();
    }
  }
  expect_close(out, exact, rtol, atol);
}

TEST(cases, trnfft_178_identity_times_b) {
  const auto b = normal_planar(2, 2, 1);
  expect_close(product(identity(2), b), exact_product(identity(2), b, false), 1e-7, 1e-5);
}

TEST(cases, trnfft_179_complex_matmul_4) { expect_gemm(4, 4, 4, 1e-7, 1e-4); }

TEST(cases, trnfft_180_identity_times_one_plus_i) {
  array<float, 3> ones({2, 3, 3});
  std::fill_n(ones.data(), ones.size(), 1.0F);
  const auto c = product(identity(3), ones);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(c.data()[i], 1, 1e-5);
}

TEST(cases, trnfft_181_complex_gemm_128) { expect_gemm(128, 128, 128, 1e-3, 1e-3); }
TEST(cases, trnfft_182_complex_gemm_256_512_256) { expect_gemm(256, 512, 256, 5e-3, 5e-3); }
TEST(cases, trnfft_183_complex_gemm_512) { expect_gemm(512, 512, 512, 5e-3, 5e-3, 4); }
// The largest of the list: one row in 32 is compared.
TEST(cases, trnfft_184_complex_gemm_1024) {
  const auto a = normal_planar(1024, 1024, 1), b = normal_planar(1024, 1024, 2);
  expect_close(product(a, b), exact_product(a, b, false, 32), 5e-3, 5e-3);
}
TEST(cases, trnfft_185_complex_mask_apply_64_32) { expect_mask(64, 32, 1e-7, 1e-5); }

sized_kernel layer_128_to_256() {
  return complex_gemm_kernel({.m = 128, .k = 128, .n = 256, .is_complex = true}, trainium1(),
                             {.right_transposed = true, .bias = true});
}

TEST(cases, trnfft_207_complex_linear_128_256_batch_128) {
  const auto x = normal_planar(128, 128, 1), w = normal_planar(256, 128, 2);
  const auto bias = values_between(-1, 1, 2, 256, 3);
  const auto y = run_once(layer_128_to_256(), {x, w, bias});
  planar_product exact = exact_product(x, w, true);
  for (std::size_t i = 0; i < exact.values.size(); ++i)
    exact.values[i] += std::complex<double>{bias.data()[i % 256], bias.data()[256 + i % 256]};
  expect_close(y, exact, 1e-3, 1e-3);
}

// A convolution of one channel to four, three taps, a zero at each end: the product of patches and
// taps. The other layer of this case is in complex_modrelu_test.cpp.
TEST(cases, trnfft_208_convolution_as_a_product) {
  const auto x = normal_planar(2, 64, 1), taps = normal_planar(3, 4, 2);
  array<float, 3> patches({2, 2 * 64, 3});
  for (std::size_t plane = 0; plane < 2; ++plane)
    for (std::size_t i = 0; i < 128; ++i)
      for (std::size_t t = 0; t < 3; ++t) {
        const std::size_t at = i % 64 + t;  // one more than the sample
        const bool inside = at >= 1 && at <= 64;
        patches.data()[(plane * 128 + i) * 3 + t] =
            inside ? x.data()[(plane * 2 + i / 64) * 64 + at - 1] : 0;
      }
  const auto y = product(patches, taps, 4, dtype::fp32);
  planar_product exact;
  exact.columns = 4;
  for (std::int64_t i = 0; i < 128; ++i) {
    exact.rows.push_back(i);
    for (std::int64_t c = 0; c < 4; ++c) {
      std::complex<double> sum = 0;
      for (std::int64_t t = 0; t < 3; ++t)
        if (const std::int64_t j = i % 64 + t - 1; j >= 0 && j < 64)
          sum += element(x, i / 64, j) * element(taps, t, c);
      exact.values.push_back(sum);
      exact.magnitudes.emplace_back();
    }
  }
  expect_close(y, exact, 1e-5, 1e-5);
}

// Gradients are products with the adjoint: of y = x W^T, g conj(W) for x and g^T conj(x) for W; of
// a transform, the inverse one, unscaled. Checked by <g, dy> = <gradient, dx>.
TEST(cases, trnfft_209_gradients_of_linear_and_fft) {
  const auto conjugate = [](array<float, 3> a) {
    for (std::size_t i = a.size() / 2; i < a.size(); ++i) a.data()[i] = -a.data()[i];
    return a;
  };
  const auto inner = [](const array<float, 3>& a, const array<float, 3>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double(a.data()[i]) * double(b.data()[i]);
    return sum;
  };
  const auto x = normal_planar(128, 128, 1), w = normal_planar(256, 128, 2),
             g = normal_planar(128, 256, 3), dx = normal_planar(128, 128, 4);
  const array<float, 3> no_bias({2, 1, 256});
  const auto dy =
      run_once(layer_128_to_256(), {dx, w, view<const float, 2>(no_bias.data(), {2, 256})});
  const double slack = 1e-5 * std::sqrt(inner(g, g) * inner(dy, dy));
  EXPECT_NEAR(inner(g, dy), inner(product(g, conjugate(w), 4, dtype::fp32), dx), slack);
  const auto line = normal_planar(1, 64, 5), change = normal_planar(1, 64, 6);
  const fft_problem forwards{.type = real_type::single_precision, .extents = {1, 64}, .axes = {1}};
  fft_problem back = forwards;
  back.dir = direction::inverse;
  back.norm = normalization::none;
  const auto forward = run_once(kernels::fft_kernel(forwards, trainium1()), {change});
  const auto gradient = run_once(kernels::fft_kernel(back, trainium1()), {line});
  EXPECT_NEAR(inner(line, forward), inner(gradient, change),
              1e-5 * std::sqrt(inner(line, line) * inner(forward, forward)));
}

TEST(cases, trnfft_236_complex_gemm_128) { expect_gemm(128, 128, 128, 1e-4, 1e-3); }
TEST(cases, trnfft_237_complex_mask_apply_128_4) { expect_mask(128, 4, 1e-4, 1e-4); }

TEST(cases, trnfft_248_bf16_complex_gemm_128_64_64) {
  auto a = normal_planar(128, 64, 1), b = normal_planar(64, 64, 2);
  const auto c = product(a, b, 4, dtype::bf16);
  for (auto* operand : {&a, &b})
    for (std::size_t i = 0; i < operand->size(); ++i) {
      // To eight significant bits, ties to even.
      float& v = operand->data()[i];
      const int exponent = std::ilogb(v);
      v = std::ldexp(std::nearbyint(std::ldexp(v, 7 - exponent)), exponent - 7);
    }
  const auto exact = exact_product(a, b, false);
  expect_close(c, exact, 0.1, 0.1);
  EXPECT_LE(worst_error(c, exact, 64, 4), 1);
}

TEST(cases, beyond_036_complex_gemm_tails_200_200_600) { expect_gemm(200, 200, 600, 1e-5, 1e-4); }
TEST(cases, beyond_037_complex_gemm_tails_129_257_513) { expect_gemm(129, 257, 513, 1e-5, 1e-4); }
TEST(cases, beyond_038_complex_gemm_one_row_300) { expect_gemm(1, 300, 300, 1e-5, 1e-4); }

}  // namespace
}  // namespace papilio::kernels::test

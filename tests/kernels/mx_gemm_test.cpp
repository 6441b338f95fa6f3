// gemm of operands that the device quantises to MXFP8, against sums in double of numbers that the
// test quantises itself, and against the exact product.
//
// Error model: numbers and scales are exact in fp32, so that of a sum of k terms only roundings of
// fp32 remain: |error| <= gamma_q |A| |B|, q = k + ceil(k / 512) + 8. Against the exact product the
// relative error in the norm is that of two roundings to 4 bits of mantissa, which the kernel
// states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/published_runs.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct product_sizes {
  std::int64_t m, k, n;
};

struct packed_case {
  product_sizes sizes;
  gemm_kernel_options how = {.packed = dtype::fp8_e4m3fn_x4};
};

// Nearest value with so many significand bits, ties to even; subnormals below 2^least_exponent.
double nearest_value(double value, int bits, int least_exponent) {
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), least_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, bits - 1 - exponent)), exponent - bits + 1);
}

// Quantises groups of 32 along k of what lies at values[k * along + i * across].
void quantise(std::vector<double>& values, std::int64_t k, std::int64_t count, std::int64_t along,
              std::int64_t across, dtype type) {
  const bool wide = type == dtype::fp8_e5m2_x4;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t first = 0; first < k; first += 32) {
      double largest = 0;
      const auto each = [&](const auto& use) {
        for (std::int64_t j = first; j < std::min(first + 32, k); ++j)
          use(values[std::size_t(j * along + i * across)]);
      };
      each([&](double& v) {
        largest = std::max(largest, std::fabs(v = nearest_value(v, 8, -126)));
      });
      if (largest == 0) continue;
      const double scale = std::ldexp(1.0, std::ilogb(largest) - (wide ? 14 : 7));
      each([&](double& v) {
        v = scale * (wide ? nearest_value(v / scale, 3, -14) : nearest_value(v / scale, 4, -6));
      });
    }
}

array<float, 2> matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  return normal<2>({std::size_t(rows), std::size_t(columns)}, 1.0F, seed);
}

struct sums {
  std::vector<double> values, magnitudes;
};

sums product_of(const std::vector<double>& a, const std::vector<double>& b, const packed_case& c) {
  const auto& [m, k, n] = c.sizes;
  const bool left = c.how.left_transposed, right = c.how.right_transposed;
  sums s{std::vector<double>(std::size_t(m * n)), std::vector<double>(std::size_t(m * n))};
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t t = 0; t < k; ++t)
      for (std::int64_t j = 0; j < n; ++j) {
        const double term = a[std::size_t(left ? t * m + i : i * k + t)] *
                            b[std::size_t(right ? j * k + t : t * n + j)];
        s.values[std::size_t(i * n + j)] += term;
        s.magnitudes[std::size_t(i * n + j)] += std::fabs(term);
      }
  return s;
}

struct case_run {
  std::vector<float> result;
  sums exact, quantised;
  double expected_error;
};

case_run run(const packed_case& c, int threads = 1) {
  const auto& [m, k, n] = c.sizes;
  const bool left = c.how.left_transposed, right = c.how.right_transposed;
  const array<float, 2> a = left ? matrix(k, m, 1) : matrix(m, k, 1),
                        b = right ? matrix(n, k, 2) : matrix(k, n, 2);
  std::vector<double> x(a.data(), a.data() + a.size()), y(b.data(), b.data() + b.size());
  case_run r;
  r.exact = product_of(x, y, c);
  quantise(x, k, m, left ? m : 1, left ? 1 : k, *c.how.packed);
  quantise(y, k, n, right ? 1 : n, right ? k : 1, *c.how.packed);
  r.quantised = product_of(x, y, c);
  const sized_kernel sized = gemm_kernel(
      {.m = std::size_t(m), .k = std::size_t(k), .n = std::size_t(n)}, trainium3(), c.how);
  r.expected_error = sized.expected_error;
  r.result.resize(std::size_t(m * n));
  device dev(trainium3(), sdk_2_24(), {.threads = threads});
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(r.result.data()),
                                   4 * r.result.size());
  prepared_kernel(dev, sized)
      .launch({launch_input(a, c.how.type), launch_input(b, c.how.type)},
              {launch_output(bytes, sized.outputs[0])});
  return r;
}

double relative_error(const std::vector<float>& got, const sums& s) {
  double error = 0, whole = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::pow(got[i] - s.values[i], 2);
    whole += s.values[i] * s.values[i];
  }
  return std::sqrt(error / whole);
}

void expect_quantised_product(const packed_case& c) {
  SCOPED_TRACE(testing::Message() << c.sizes.m << " x " << c.sizes.k << " x " << c.sizes.n);
  const case_run r = run(c);
  const double q = double(c.sizes.k + c.sizes.k / 512 + 9) * 0x1p-24, gamma = q / (1 - q);
  for (std::size_t i = 0; i < r.result.size(); ++i)
    ASSERT_NEAR(r.result[i], r.quantised.values[i], gamma * r.quantised.magnitudes[i]) << i;
}

TEST(mx_gemm, values) {
  for (const product_sizes& s : {product_sizes{1, 4, 1},
                                 {1, 32, 7},
                                 {7, 128, 1},
                                 {64, 512, 64},
                                 {129, 516, 513},
                                 {131, 1100, 70},
                                 {300, 128, 1030}})
    expect_quantised_product({s});
}

TEST(mx_gemm, values_of_other_layouts_and_types) {
  const product_sizes s{130, 600, 140};
  for (const bool left : {false, true})
    for (const bool right : {false, true})
      expect_quantised_product(
          {s,
           {.left_transposed = left, .right_transposed = right, .packed = dtype::fp8_e4m3fn_x4}});
  expect_quantised_product({s, {.type = dtype::bf16, .packed = dtype::fp8_e5m2_x4}});
}

// Where k is no multiple of 4, groups of a last tile are not of neighbours; the error is the same.
TEST(mx_gemm, the_stated_error_is_the_measured_one) {
  for (const product_sizes& s : {product_sizes{200, 512, 200}, {100, 1001, 90}, {60, 333, 70}}) {
    const case_run r = run({s});
    EXPECT_NEAR(relative_error(r.result, r.exact) / r.expected_error, 1, 0.1) << s.k;
  }
  const case_run wide = run({{200, 512, 200}, {.packed = dtype::fp8_e5m2_x4}});
  EXPECT_NEAR(relative_error(wide.result, wide.exact) / wide.expected_error, 1, 0.1);
}

TEST(mx_gemm, any_k_and_odd_rows) {
  for (const product_sizes& s : {product_sizes{1, 1, 1}, {3, 5, 2}, {5, 130, 3}, {129, 515, 7}}) {
    const case_run r = run({s});
    EXPECT_LE(relative_error(r.result, r.exact), 4 * r.expected_error) << s.m << ' ' << s.k;
  }
}

TEST(mx_gemm, an_epilogue_and_the_same_bits_with_two_threads) {
  packed_case c{{140, 600, 530}};
  const std::vector<float> plain = run(c).result;
  EXPECT_EQ(plain, run(c, 2).result);
  c.how.epilogue.alpha = 2;
  c.how.epilogue.function = activation_function::relu;
  const std::vector<float> scaled = run(c).result;
  for (std::size_t i = 0; i < plain.size(); ++i)
    ASSERT_EQ(scaled[i], std::max(0.0F, 2 * plain[i])) << i;
}

// Rates on paper: 512 rows in the time of 128.
TEST(mx_gemm, is_faster_than_bf16) {
  const gemm_problem problem{.m = 2048, .k = 2048, .n = 2048};
  const auto seconds = [&](const gemm_kernel_options& how) {
    return modelled_range(gemm_kernel(problem, trainium3(), how), trainium3()).seconds;
  };
  const double in_bf16 = seconds({.type = dtype::bf16}),
               quantised = seconds({.type = dtype::bf16, .packed = dtype::fp8_e4m3fn_x4});
  EXPECT_GT(in_bf16 / quantised, 1.5);
  EXPECT_LT(in_bf16 / quantised, 4);
}

std::string said_of(const machine_spec& machine, const gemm_kernel_options& how) {
  try {
    gemm_kernel({.m = 8, .k = 8, .n = 8}, machine, how);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(mx_gemm, refusals) {
  const gemm_kernel_options packed{.packed = dtype::fp8_e4m3fn_x4};
  EXPECT_EQ(said_of(trainium2(), packed),
            "gemm: packed operands need NeuronCore-v4 or newer, trainium2 has NeuronCore-v3 "
            "(K:nc_matmul_mx)");
  EXPECT_EQ(said_of(trainium3(), {.packed = dtype::fp4_e2m1fn_x4}),
            "gemm: packed must be fp8_e4m3fn_x4 or fp8_e5m2_x4, got fp4_e2m1fn_x4");
  EXPECT_EQ(said_of(trainium3(), {.type = dtype::fp8_e4m3, .packed = dtype::fp8_e4m3fn_x4}),
            "gemm: type must have 16 bits or more to be quantised, got fp8_e4m3");
  EXPECT_EQ(said_of(trainium3(), packed), "(accepted)");
}

}  // namespace
}  // namespace papilio::kernels::test

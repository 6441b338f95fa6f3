// The published transforms' own algorithms on the emulated device, against the DFT in long double.
//
// The published cases have the tolerances of their authors. Beside them: each stage's rounding
// errors are independent and at most about 0.5 epsilon of the norm in a radix-2 stage (product,
// addition, rounded twiddle), so that k stages have an error below epsilon sqrt(k) in the
// Euclidean norm; a stage of radix 8 sums eight products in array order, below 2 epsilon.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "kernels/published_lines.hpp"

namespace papilio::kernels::test {
namespace {

using namespace published;
using engine::dtype;
using papilio::test::relative_error;
using transform_run = std::function<published_run(device&, const planar&, planar&, bool)>;

direction direction_of(bool inverse) { return inverse ? direction::inverse : direction::forward; }

fft_problem lines_of(std::size_t batch, std::size_t n) {
  return {.type = real_type::single_precision, .extents = {batch, n}, .axes = {1}};
}

transform_run stockham(stockham_plan plan) {
  return [plan](device& on, const planar& in, planar& out, bool inverse) {
    return stockham_fft(on, in, out, direction_of(inverse), plan);
  };
}
transform_run butterfly(bool compensated = false) {
  return [compensated](device& on, const planar& in, planar& out, bool inverse) {
    return butterfly_fft(on, in, out, direction_of(inverse), compensated);
  };
}
transform_run by_gemm(dtype type = dtype::fp32) {
  return [type](device& on, const planar& in, planar& out, bool inverse) {
    return dft_gemm(on, in, out, direction_of(inverse), type);
  };
}

planar result_of(const transform_run& run, const planar& in, bool inverse = false) {
  device on;
  planar out(in.extents());
  run(on, in, out, inverse);
  return out;
}

enum class checked { forward, inverse, round_trip };

/// One of the published cases.
struct transform_case {
  const char* id;
  transform_run run;
  std::size_t batch, n;
  checked what;
  double relative, absolute;
};

std::ostream& operator<<(std::ostream& to, const transform_case& c) { return to << c.id; }

class published_transform : public testing::TestWithParam<transform_case> {};

TEST_P(published_transform, within_the_published_tolerance) {
  const transform_case& c = GetParam();
  const bool inverse = c.what == checked::inverse;
  const planar x = random_lines(c.batch, c.n, 7, !inverse);
  planar y = result_of(c.run, x, inverse);
  if (c.what == checked::round_trip) y = result_of(c.run, y, true);
  const auto expected = c.what == checked::round_trip ? values_of(x) : transformed(x, inverse);
  expect_elements(values_of(y), expected, c.relative, c.absolute);
}

const auto r4 = stockham(stockham_plan::radix_4), r8 = stockham(stockham_plan::radix_8),
           mixed = stockham(stockham_plan::mixed);
using enum checked;

INSTANTIATE_TEST_SUITE_P(
    cases, published_transform,
    testing::Values(transform_case{"trnfft_072", by_gemm(), 1, 8, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_073", by_gemm(), 1, 16, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_074", by_gemm(), 1, 32, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_075", by_gemm(), 1, 64, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_076", by_gemm(), 1, 128, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_077", by_gemm(), 1, 8, round_trip, 1e-7, 1e-3},
                    transform_case{"trnfft_078", by_gemm(), 1, 32, round_trip, 1e-7, 1e-3},
                    transform_case{"trnfft_079", by_gemm(), 1, 128, round_trip, 1e-7, 1e-3},
                    transform_case{"trnfft_080", by_gemm(), 4, 64, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_091", r4, 1, 16, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_092", r4, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_093", r4, 1, 256, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_094", r4, 1, 1024, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_095", r4, 1, 4096, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_096", r4, 1, 16, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_097", r4, 1, 64, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_098", r4, 1, 256, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_099", r4, 1, 1024, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_100", r4, 1, 4096, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_101", r4, 1, 256, inverse, 1e-4, 1e-4},
                    transform_case{"trnfft_102", r4, 4, 256, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_104", r8, 1, 8, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_105", r8, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_106", r8, 1, 512, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_107", r8, 1, 4096, forward, 5e-4, 5e-4},
                    transform_case{"trnfft_108", r8, 1, 8, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_109", r8, 1, 64, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_110", r8, 1, 512, round_trip, 1e-7, 1e-5},
                    transform_case{"trnfft_111", r8, 1, 512, inverse, 1e-4, 1e-4},
                    transform_case{"trnfft_112", r8, 4, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_114", mixed, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_115", mixed, 1, 1024, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_116", mixed, 1, 2048, forward, 5e-4, 5e-4},
                    transform_case{"trnfft_117", mixed, 1, 64, round_trip, 1e-7, 1e-4},
                    transform_case{"trnfft_118", mixed, 1, 1024, round_trip, 1e-7, 1e-4},
                    transform_case{"trnfft_119", mixed, 1, 2048, round_trip, 1e-7, 1e-4},
                    transform_case{"trnfft_120", mixed, 1, 2048, inverse, 5e-4, 5e-4},
                    transform_case{"trnfft_121", mixed, 4, 1024, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_238", r4, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_239", r4, 1, 256, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_240", r8, 1, 8, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_241", r8, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_242", mixed, 1, 64, forward, 1e-4, 1e-4},
                    transform_case{"trnfft_245", r4, 1, 256, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_246", r8, 1, 64, forward, 1e-3, 1e-3},
                    transform_case{"trnfft_247", mixed, 1, 64, forward, 1e-3, 1e-3}),
    [](const auto& one) { return std::string(one.param.id); });

TEST(published_cases, trnfft_103_radix_4_of_32_is_refused) {
  expect_refusal<invalid_argument>(
      [] {
        result_of(r4, planar({2, 1, 32}));
      },
      {"stockham_fft", "4^k", "got 32"});
}

TEST(published_cases, trnfft_113_radix_8_of_32_is_refused) {
  expect_refusal<invalid_argument>(
      [] {
        result_of(r8, planar({2, 1, 32}));
      },
      {"stockham_fft", "8^k", "got 32"});
}

TEST(published_cases, trnfft_149_compensated_butterflies_equal_native_ones) {
  const planar x = random_lines(1, 1024, 3, true);
  expect_elements(values_of(result_of(butterfly(true), x)), values_of(result_of(butterfly(), x)),
                  1e-3, 1e-3);
}

// The published errors are 1.4e-6 to 3.6e-6 native and 1.9e-7 to 4.6e-7 compensated. With twiddles
// within 0.51 ulp the native ones are there already. Four lines, since the greatest
// error of a single one says little.
void expect_ordered(std::size_t n) {
  const planar x = random_lines(4, n, 5, true);
  const auto expected = transformed(x, false);
  const double native = maximum_error(values_of(result_of(butterfly(), x)), expected),
               compensated = maximum_error(values_of(result_of(butterfly(true), x)), expected);
  testing::Test::RecordProperty("native", std::to_string(native * 1e7));
  testing::Test::RecordProperty("compensated", std::to_string(compensated * 1e7));
  EXPECT_LE(compensated, 1.5 * native);
  EXPECT_LE(native, 3.6e-6);
  EXPECT_LE(compensated, 4.55e-7);
}
TEST(published_cases, trnfft_154_compensated_error_256) { expect_ordered(256); }
TEST(published_cases, trnfft_155_compensated_error_512) { expect_ordered(512); }
TEST(published_cases, trnfft_156_compensated_error_1024) { expect_ordered(1024); }
TEST(published_cases, trnfft_157_compensated_error_4096) { expect_ordered(4096); }

// A product of n terms in array order: the published figure is 2 % at 1024, with angles in fp32.
void expect_gemm_error(std::size_t n) {
  const planar x = random_lines(1, n, 5, true);
  EXPECT_LE(maximum_error(values_of(result_of(by_gemm(), x)), transformed(x, false)), 3e-6);
}
TEST(published_cases, beyond_029_dft_as_gemm_256) { expect_gemm_error(256); }
TEST(published_cases, beyond_030_dft_as_gemm_1024) { expect_gemm_error(1024); }
TEST(published_cases, beyond_031_dft_as_gemm_2048) { expect_gemm_error(2048); }

TEST(published_fft, any_batch_and_both_directions) {
  struct size {
    transform_run run;
    std::size_t n, batch;
    double stages;
  };
  const double epsilon = 0x1p-23;
  const size sizes[] = {{butterfly(), 2, 1, 1},
                        {butterfly(), 4, 3, 2},
                        {butterfly(), 64, 129, 6},
                        {butterfly(true), 16, 33, 4},
                        {butterfly(), 256, 2, 8},
                        {r4, 4, 129, 2},
                        {r4, 64, 7, 6},
                        {r8, 8, 3, 4},
                        {r8, 64, 33, 8},
                        {r8, 512, 1, 12},
                        {mixed, 4, 1, 2},
                        {mixed, 32, 5, 8},
                        {mixed, 128, 3, 8},
                        {by_gemm(), 1, 3, 1},
                        {by_gemm(), 17, 131, 5},
                        {by_gemm(), 131, 2, 131}};
  for (const size& s : sizes)
    for (const bool inverse : {false, true}) {
      const planar x = random_lines(s.batch, s.n, 11);
      EXPECT_LE(relative_error(values_of(result_of(s.run, x, inverse)), transformed(x, inverse)),
                epsilon * std::sqrt(s.stages))
          << s.n << " x " << s.batch << (inverse ? " inverse" : "");
    }
}

// One butterfly w x[1] with x[0] = 0, whose real part all but cancels: a c (1 + e) - c a. The two
// products' roundings are then most of a native result; with them added only the roundings of
// their own difference (u^2 of the products) and of the last sum are left, u = 2^-24.
TEST(published_fft, compensated_products_keep_what_cancels) {
  constexpr std::size_t count = 64;
  const auto a = papilio::test::random_real<float>(count, 1),
             c = papilio::test::random_real<float>(count, 2);
  array<float, 2> re({count, 2}), im({count, 2}), w_re({count, 1}), w_im({count, 1});
  for (std::size_t i = 0; i < count; ++i) {
    re(i, 1) = a[i], im(i, 1) = c[i];
    w_re(i, 0) = c[i] * (1 + 0x1p-18f * float(i)), w_im(i, 0) = a[i];
  }
  int native_misses = 0;
  for (const bool compensated : {false, true}) {
    device on;
    array<float, 2> y_re({count, 2}), y_im({count, 2});
    const butterfly_stage_problem stage{
        .n = 2, .batch = std::int64_t(count), .compensated = compensated};
    prepared_kernel(on, butterfly_stage_kernel(stage, on.machine()))
        .launch({re, im, w_re, w_im}, {y_re, y_im});
    for (std::size_t i = 0; i < count; ++i) {
      const double left = double(re(i, 1)) * w_re(i, 0), right = double(im(i, 1)) * w_im(i, 0),
                   expected = left - right;
      const double bound = 0x1p-23 * std::fabs(expected) + 0x1p-46 * std::fabs(left);
      EXPECT_EQ(y_re(i, 1), -y_re(i, 0));
      if (compensated)
        EXPECT_LE(std::fabs(y_re(i, 0) - expected), bound) << i;
      else
        native_misses += std::fabs(y_re(i, 0) - expected) > bound;
    }
  }
  EXPECT_GT(native_misses, int(count) / 2);
}

// Both operands are rounded to 8 bits, by at most 2^-8 of a value and 2^-8 / sqrt(3) in quadratic
// mean; independent roundings of the two add up to at most sqrt(2 / 3) 2^-8. The published errors
// are 1.5e-3 to 4e-3.
TEST(published_fft, dft_as_gemm_in_bf16) {
  for (const std::size_t n : {64, 128, 256}) {
    const planar x = random_lines(4, n, 5);
    const double error =
        relative_error(values_of(result_of(by_gemm(dtype::bf16), x)), transformed(x, false));
    EXPECT_LE(error, 0.82 * 0x1p-8) << n;
    EXPECT_GE(error, 0x1p-11) << n;
  }
}

TEST(published_fft, in_place_and_strided) {
  const planar x = random_lines(3, 64, 13);
  planar wide({3, 2, 70});  // [batch, plane, n], transposed below
  const view<float, 3> lines(wide.data(), {2, 3, 64}, {70, 140, 1});
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t j = 0; j < 64; ++j) lines(p, b, j) = x(p, b, j);
  device on;
  butterfly_fft(on, lines, lines);
  const planar apart = result_of(butterfly(), x);
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(lines(p, b, j), apart(p, b, j));
}

TEST(published_fft, radices_of_the_plans) {
  using radices = std::vector<int>;
  EXPECT_EQ(stockham_radices(1024, stockham_plan::mixed), (radices{8, 8, 4, 4}));
  EXPECT_EQ(stockham_radices(2048, stockham_plan::mixed), (radices{8, 8, 8, 4}));
  EXPECT_EQ(stockham_radices(64, stockham_plan::mixed), (radices{8, 8}));
  EXPECT_EQ(stockham_radices(16, stockham_plan::mixed), (radices{4, 4}));
  EXPECT_EQ(stockham_radices(4, stockham_plan::mixed), (radices{4}));
  EXPECT_EQ(stockham_radices(64, stockham_plan::radix_4), (radices{4, 4, 4}));
  EXPECT_EQ(stockham_radices(512, stockham_plan::radix_8), (radices{8, 8, 8}));
}

TEST(published_fft, refusals) {
  device on;
  planar a({2, 1, 8}), b({2, 2, 8}), c({1, 1, 8});
  using bad = invalid_argument;
  expect_refusal<shape_error>([&] { butterfly_fft(on, a, b); },
                              {"butterfly_fft", "[2, 1, 8]", "[2, 2, 8]"});
  expect_refusal<shape_error>([&] { stockham_fft(on, c, c); }, {"stockham_fft", "[1, 1, 8]"});
  for (const std::size_t n : {1, 3, 12})
    expect_refusal<bad>([&] { butterfly_fft(on, lines_of(1, n)); },
                        {"n must be a power of two", "got " + std::to_string(n)});
  for (const std::size_t n : {1, 2, 48})
    expect_refusal<bad>([&] { stockham_fft(on, lines_of(1, n)); },
                        {"2^k, k >= 2", "got " + std::to_string(n)});
  expect_refusal<bad>([&] { stockham_fft(on, lines_of(1, 1), stockham_plan::radix_8); },
                      {"8^k, k >= 1", "got 1"});
  expect_refusal<bad>([&] { butterfly_fft(on, lines_of(0, 8)); },
                      {"butterfly_fft", "extents must be at least 1", "got 0x8"});
  expect_refusal<bad>(
      [&] {
        stockham_fft(on, {.extents = {1, 8}, .axes = {1}});
      },
      {"stockham_fft", "type must be float"});
  fft_problem unscaled = lines_of(1, 8);
  unscaled.norm = normalization::none;
  expect_refusal<bad>([&] { dft_gemm(on, unscaled); }, {"dft_gemm", "norm backward"});
  const auto machine = engine::trainium1();
  expect_refusal<bad>([&] { butterfly_stage_kernel({.n = 8, .stage = 3}, machine); },
                      {"stage must be in [0, 3)", "got 3"});
  expect_refusal<bad>([&] { stockham_stage_kernel({.n = 8, .radix = 2}, machine); },
                      {"radix must be 4 or 8", "got 2"});
  expect_refusal<bad>([&] { stockham_stage_kernel({.n = 16, .radix = 8, .combined = 4}, machine); },
                      {"multiple of radix * combined = 32", "got 16"});
  EXPECT_EQ(on.record().launches, 0u);
}

}  // namespace
}  // namespace papilio::kernels::test

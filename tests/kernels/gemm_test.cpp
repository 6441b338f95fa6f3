// Products against sums in double of operands that the test itself rounds to their type.
//
// Error model: a column of the array makes k terms with one rounding each (fma), PSUM or HBM adds
// at most one more per 128 rows and per part of k: |error| <= gamma_q |A| |B| with
// q = k + ceil(k / 128) + parts, gamma_q = q u / (1 - q u), u = 2^-24. Narrow operands multiply
// exactly in fp32's fma, so that the bound is the same for every type.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct sizes {
  std::int64_t m, n, k;
};

// Nearest value with so many significand bits, ties to even; subnormals below 2^least_exponent.
double rounded(double value, int bits, int least_exponent) {
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), least_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, bits - 1 - exponent)), exponent - bits + 1);
}

double rounded(double value, dtype type) {
  switch (type) {
    case dtype::bf16:
      return rounded(value, 8, -126);
    case dtype::fp16:
      return rounded(value, 11, -14);
    case dtype::tf32:
      return rounded(value, 11, -126);
    case dtype::fp8_e4m3:
      return rounded(value, 4, -6);
    case dtype::fp8_e5m2:
      return rounded(value, 3, -14);
    default:
      return value;
  }
}

kernel product() {
  return {.name = "gemm", .body = [](core& nc, const kernel_arguments& t) {
            gemm(nc, t.out(0), t.in(0), t.in(1));
          }};
}

array<float, 2> run(const array<float, 2>& a, const array<float, 2>& b, dtype type,
                    const machine_spec& machine = trainium1(), int threads = 1,
                    dtype result = dtype::fp32) {
  array<float, 2> c({a.extent(0), b.extent(1)});
  device dev(machine, sdk_2_24(), {.threads = threads});
  dev.launch(product(), {launch_input(a, type), launch_input(b, type)}, {launch_output(c, result)});
  return c;
}

struct expected_product {
  std::vector<double> values, magnitudes;
};

expected_product oracle(const array<float, 2>& a, const array<float, 2>& b, dtype type) {
  const std::size_t m = a.extent(0), k = a.extent(1), n = b.extent(1);
  expected_product e{std::vector<double>(m * n), std::vector<double>(m * n)};
  std::vector<double> right(k * n);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = rounded(b.data()[i], type);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t t = 0; t < k; ++t) {
      const double left = rounded(a.data()[i * k + t], type);
      for (std::size_t j = 0; j < n; ++j) {
        const double term = left * right[t * n + j];
        e.values[i * n + j] += term;
        e.magnitudes[i * n + j] += std::fabs(term);
      }
    }
  return e;
}

// Largest |error| over what the error model allows; at most 1.
double worst(const array<float, 2>& c, const expected_product& e, std::int64_t k, int parts,
             double result_unit = 0) {
  const double q = double(k + (k + 127) / 128 + parts) * 0x1p-24, gamma = q / (1 - q);
  double most = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double bound = (gamma + result_unit * (1 + gamma)) * e.magnitudes[i] + 1e-300;
    const double error = std::fabs(double(c.data()[i]) - e.values[i]);
    most = std::max(most, error <= bound ? error / bound : 2 + error);  // NaN counts too
  }
  return most;
}

void expect_product(const sizes& s, dtype type, const machine_spec& machine = trainium1(),
                    int parts = 1) {
  SCOPED_TRACE(testing::Message() << to_string(type) << " m " << s.m << " n " << s.n << " k "
                                  << s.k);
  const auto a = values_between(-1, 1, s.m, s.k, 1), b = values_between(-1, 1, s.k, s.n, 2);
  EXPECT_LE(worst(run(a, b, type, machine), oracle(a, b, type), s.k, parts), 1);
}

TEST(gemm, values_in_fp32) {
  const sizes all[] = {{1, 1, 1},       {7, 7, 7},       {1, 700, 1},     {700, 1, 7},
                       {1, 1, 700},     {64, 64, 64},    {128, 128, 128}, {129, 129, 129},
                       {128, 512, 128}, {129, 513, 129}, {512, 64, 512},  {513, 7, 513},
                       {7, 513, 513},   {64, 700, 129},  {700, 64, 128},  {128, 7, 700},
                       {512, 128, 64},  {513, 129, 7},   {1, 512, 512},   {64, 1, 512},
                       {700, 513, 129}};
  for (const sizes& s : all) expect_product(s, dtype::fp32);
}

TEST(gemm, values_in_narrow_types) {
  for (const dtype type : {dtype::bf16, dtype::fp16, dtype::tf32, dtype::fp8_e4m3, dtype::fp8_e5m2})
    for (const sizes& s : {sizes{1, 1, 1}, {7, 129, 64}, {129, 7, 700}, {128, 513, 128}})
      expect_product(s, type);
}

TEST(gemm, operands_are_rounded_to_their_type) {
  // 1 + 2^-9 is a tie between 1 and 1 + 2^-7 of bf16, nearer to 1.
  array<float, 2> a({1, 1}), b({1, 1});
  a.data()[0] = 1 + 0x1p-9f;
  b.data()[0] = 1;
  EXPECT_EQ(run(a, b, dtype::fp32).data()[0], 1 + 0x1p-9f);
  EXPECT_EQ(run(a, b, dtype::bf16).data()[0], 1);
}

TEST(gemm, a_long_sum_is_cut_where_a_panel_does_not_fit) {
  // A third of SBUF, 65536 bytes, holds 128 tiles of 128 x 128 fp32: k of 16384.
  expect_product({1, 3, 16500}, dtype::fp32, trainium1(), 2);
}

TEST(gemm, small_memories) {
  machine_spec small = trainium1();
  small.name = "small";
  small.tensor.moving_columns_max = 64;
  small.sbuf.bytes_per_partition = 12288;  // 1024 of k
  expect_product({70, 70, 2100}, dtype::fp32, small, 3);
  expect_product({128, 65, 1024}, dtype::fp32, small, 1);
  small.sbuf.bytes_per_partition = 24576;  // 2048 of k, two panels
  expect_product({130, 70, 2100}, dtype::fp32, small, 2);
  expect_product({300, 20, 5000}, dtype::bf16, small, 2);
}

TEST(gemm, a_memory_of_less_than_a_tile_is_refused) {
  machine_spec tiny = trainium1();
  tiny.name = "tiny";
  for (const std::int64_t bytes : {64, 512, 1024}) {
    tiny.sbuf.bytes_per_partition = bytes;
    EXPECT_THROW(
        run(values_between(-1, 1, 5, 300, 1), values_between(-1, 1, 300, 5, 2), dtype::fp32, tiny),
        kernel_error)
        << bytes;
  }
}

TEST(gemm, narrow_results_are_rounded_once) {
  const auto a = values_between(-1, 1, 70, 200, 1), b = values_between(-1, 1, 200, 90, 2);
  const auto c = run(a, b, dtype::bf16, trainium1(), 1, dtype::bf16);
  EXPECT_LE(worst(c, oracle(a, b, dtype::bf16), 200, 1, 0x1p-8), 1);
  for (std::size_t i = 0; i < c.size(); ++i)
    ASSERT_EQ(rounded(c.data()[i], dtype::bf16), c.data()[i]);
}

TEST(gemm, values_on_later_machines) {
  for (const machine_spec& machine : {trainium2(), trainium3()}) {
    expect_product({129, 513, 300}, dtype::fp32, machine);
    expect_product({129, 513, 300}, dtype::bf16, machine);
    expect_product({129, 40, 300}, dtype::fp8_e4m3, machine);
  }
}

TEST(gemm, the_same_bits_with_two_threads) {
  const auto a = values_between(-1, 1, 300, 260, 1), b = values_between(-1, 1, 260, 700, 2);
  for (const dtype type : {dtype::fp32, dtype::bf16})
    EXPECT_EQ(bits_of(run(a, b, type, trainium1(), 1)), bits_of(run(a, b, type, trainium1(), 2)))
        << to_string(type);
}

TEST(gemm, a_value_that_is_no_number_stays_in_its_row) {
  auto a = values_between(-1, 1, 130, 130, 1);
  const auto b = values_between(-1, 1, 130, 130, 2);
  a.data()[129 * 130 + 3] = std::nanf("");
  const auto c = run(a, b, dtype::fp32);
  for (std::size_t i = 0; i < c.size(); ++i)
    ASSERT_EQ(std::isnan(c.data()[i]), i / 130 == 129) << i;
}

TEST(gemm, shapes_must_agree) {
  core nc(trainium1(), {});
  const hbm_view a = nc.hbm({5, 6}), b = nc.hbm({6, 7}), c = nc.hbm({5, 7});
  EXPECT_THROW(gemm(nc, nc.hbm({5, 8}), a, b), shape_error);
  EXPECT_THROW(gemm(nc, nc.hbm({7, 5}), a, b), shape_error);
  EXPECT_THROW(gemm(nc, c, a, nc.hbm({5, 7})), shape_error);
  EXPECT_THROW(gemm(nc, c, nc.hbm({5, 6, 1}), b), shape_error);
  EXPECT_THROW(gemm(nc, c.reshape({35}), a, b), shape_error);
  EXPECT_THROW(gemm(nc, c, a, b.reshape({42})), shape_error);
}

TEST(gemm, types_that_the_array_does_not_multiply) {
  core nc(trainium1(), {.mode = run_mode::dry_run});
  EXPECT_THROW(gemm(nc, nc.hbm({5, 7}), nc.hbm({5, 6}, dtype::int32), nc.hbm({6, 7}, dtype::int32)),
               device_error);
  core other(trainium1(), {.mode = run_mode::dry_run});
  EXPECT_THROW(gemm(other, other.hbm({5, 7}), other.hbm({5, 6}), other.hbm({6, 7}, dtype::bf16)),
               device_error);
}

TEST(gemm, comes_near_the_floor_where_the_array_bounds_it) {
  const profile p = dry_profile("gemm", {"m=4096", "k=4096", "n=4096"});
  EXPECT_EQ(p.verdict.bound_by, unit::tensor);
  EXPECT_GE(p.verdict.floor_fraction, 0.9);
  EXPECT_LE(p.verdict.floor_fraction, 1);
  // 32 x 32 x 8 products of 128 x 128 x 512 in 4 passes of 512 cycles at 1.4 GHz.
  EXPECT_NEAR(p.verdict.tensor_floor_seconds, 32.0 * 32 * 8 * 4 * (512 + 64) / 2.8e9, 1e-4);
}

}  // namespace
}  // namespace papilio::kernels::test

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct case_of {
  activation_function function;
  long double (*oracle)(long double);
  float lo, hi;                // where the function is valid and finite
  std::vector<float> outside;  // where the result is NaN
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double softplus(long double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

const std::vector<case_of>& cases() {
  using f = activation_function;
  using real = long double;
  static const std::vector<case_of> all{
      {f::copy, [](real x) { return x; }, -1e30f, 1e30f, {}},
      {f::square, [](real x) { return x * x; }, -1e15f, 1e15f, {}},
      {f::sqrt,
       [](real x) { return std::sqrt(x); },
       0x1p-116f,
       0x1p118f,
       {-1, 0x1p-117f, 0x1.8p118f, infinity}},
      {f::rsqrt,
       [](real x) { return 1 / std::sqrt(x); },
       0x1p-87f,
       0x1p97f,
       {0, -1, 0x1p-88f, 0x1p98f}},
      {f::reciprocal,
       [](real x) { return 1 / x; },
       0x1p-42f,
       0x1p42f,
       {0, 0x1p-43f, -0x1p-43f, 0x1p43f, -infinity}},
      {f::exp, [](real x) { return std::exp(x); }, -80, 80, {}},
      {f::log, [](real x) { return std::log(x); }, 0x1p-64f, 0x1p64f, {0, -1, 0x1p-65f, 0x1p65f}},
      {f::sin, [](real x) { return std::sin(x); }, -3.1415925f, 3.1415925f, {3.15f, -4, infinity}},
      {f::arctan, [](real x) { return std::atan(x); }, -1.5707962f, 1.5707962f, {1.58f, -2}},
      {f::tanh, [](real x) { return std::tanh(x); }, -20, 20, {}},
      {f::sigmoid, sigmoid, -80, 80, {}},
      {f::relu, [](real x) { return x > 0 ? x : 0; }, -10, 10, {}},
      {f::gelu,
       [](real x) { return x * std::erfc(-x / std::numbers::sqrt2_v<real>) / 2; },
       -8,
       8,
       {}},
      {f::silu, [](real x) { return x * sigmoid(x); }, -80, 80, {}},
      {f::softplus, softplus, -80, 80, {}},
      {f::mish, [](real x) { return x * std::tanh(softplus(x)); }, -80, 80, {}},
      {f::erf, [](real x) { return std::erf(x); }, -4, 4, {}},
      {f::sign, [](real x) { return real((x > 0) - (x < 0)); }, -4, 4, {}},
      {f::abs, [](real x) { return std::fabs(x); }, -4, 4, {}}};
  return all;
}

// Half the gap of floats at v, and what a double result that is off by an ulp or three adds.
long double tolerance(long double v) {
  const auto f = float(std::fabs(v));
  const float gap = std::nextafter(f, infinity) - f;
  return 0.5L * gap + 0x1p-50L * std::fabs(v);
}

class activation_values : public testing::TestWithParam<case_of> {};

TEST_P(activation_values, are_the_function_s_rounded_once) {
  const case_of& one = GetParam();
  core nc(trainium1(), {});
  const tile x = nc.sbuf(8, 64), y = nc.sbuf(8, 64);
  std::vector<float> in = values_between(one.lo, one.hi, 8 * 64);
  const std::vector<float> small =
      values_between(std::max(one.lo, -2.0f), std::min(one.hi, 2.0f), 256);
  std::copy(small.begin(), small.end(), in.begin());
  in[0] = one.lo;
  in[511] = one.hi;
  load(nc, x, in);
  nc.issue(activation{.out = y, .in = x, .function = one.function});
  const std::vector<float> result = read(nc, y);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double expected = one.oracle(in[i]);
    ASSERT_LE(std::fabs(result[i] - expected), tolerance(expected)) << in[i];
  }
}

TEST_P(activation_values, outside_the_valid_range_are_not_numbers) {
  const case_of& one = GetParam();
  core nc(trainium1(), {});
  const tile x = nc.sbuf(1, 8), y = nc.sbuf(1, 8);
  std::vector<float> in(8, nan);
  std::copy(one.outside.begin(), one.outside.end(), in.begin());
  load(nc, x, in);
  nc.issue(activation{.out = y, .in = x, .function = one.function});
  for (const float v : read(nc, y)) EXPECT_TRUE(std::isnan(v)) << v;
}

INSTANTIATE_TEST_SUITE_P(all, activation_values, testing::ValuesIn(cases()),
                         [](const auto& one) { return to_string(one.param.function); });

using activations = fixture;

TEST_F(activations, at_infinities_have_their_limits) {
  const tile x = nc.sbuf(1, 2), y = nc.sbuf(1, 2);
  load(nc, x, std::vector<float>{-infinity, infinity});
  const auto at = [&](activation_function f) {
    nc.issue(activation{.out = y, .in = x, .function = f});
    return read(nc, y);
  };
  using v = std::vector<float>;
  EXPECT_EQ(at(activation_function::exp), (v{0, infinity}));
  EXPECT_EQ(at(activation_function::tanh), (v{-1, 1}));
  EXPECT_EQ(at(activation_function::sigmoid), (v{0, 1}));
  EXPECT_EQ(at(activation_function::gelu), (v{0, infinity}));
  EXPECT_EQ(at(activation_function::silu), (v{0, infinity}));
  EXPECT_EQ(at(activation_function::softplus), (v{0, infinity}));
  EXPECT_EQ(at(activation_function::mish), (v{0, infinity}));
  EXPECT_EQ(at(activation_function::erf), (v{-1, 1}));
}

TEST_F(activations, scale_then_add_then_apply) {
  const tile x = filled(128, 16), scale = filled(128, 1, dtype::fp32, 3),
             bias = filled(128, 1, dtype::fp32, 2), out = nc.sbuf(128, 16, dtype::bf16);
  nc.issue(activation{.out = out,
                      .in = x,
                      .function = activation_function::relu,
                      .scale_tile = scale,
                      .bias = bias});
  const std::vector<float> in = read(nc, x), by = read(nc, scale), plus = read(nc, bias),
                           result = read(nc, out);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float scaled = in[i] * by[i / 16];
    const float sum = scaled + plus[i / 16];
    ASSERT_EQ(result[i], round_to(dtype::bf16, sum > 0 ? sum : 0)) << i;
  }
}

TEST_F(activations, documented_cost_of_activation) {
  const tile x = filled(128, 512), bias = filled(128, 1), out = nc.sbuf(128, 512);
  const auto cycles = [&](std::int64_t n) {
    return documented_cycles(activation{.out = out->columns(0, n),
                                        .in = x->columns(0, n),
                                        .function = activation_function::exp,
                                        .scale = 2,
                                        .bias = bias},
                             trainium1());
  };
  EXPECT_EQ(cycles(512), 512);
  EXPECT_EQ(cycles(65), 65);
  EXPECT_EQ(cycles(64), 64);
  EXPECT_EQ(cycles(1), 64);
  // 1.4 GHz, and the static cost of 100 cycles.
  EXPECT_DOUBLE_EQ(cost_ns(activation{.out = out, .in = x}, trainium1()), (512 + 100) / 1.4);
}

TEST_F(activations, documented_cost_of_far_strides) {
  const tile x = filled(128, 1000), out = nc.sbuf(128, 200);
  const auto ns = [&](std::int64_t step) {
    return cost_ns(activation{.out = out, .in = x->slice(1, 0, 200, step)}, trainium1());
  };
  // Half rate beyond 16 bytes between neighbours, of fp32 beyond 4 elements.
  EXPECT_DOUBLE_EQ(ns(4), (200 + 100) / 1.4);
  EXPECT_DOUBLE_EQ(ns(5), (2 * 200 + 100) / 1.4);
}

TEST_F(activations, refuse_shapes_that_differ) {
  const tile x = filled(128, 16), out = nc.sbuf(128, 16), wide = filled(128, 2),
             few = filled(64, 1);
  EXPECT_EQ(refusal(nc, activation{.out = out->columns(0, 8), .in = x}),
            "in: must have the 8 elements a partition of out, has 16");
  EXPECT_EQ(refusal(nc, activation{.out = out->partition_range(0, 64), .in = x}),
            "in: must have the 64 partitions of out, has 128");
  EXPECT_EQ(refusal(nc, activation{.out = out, .in = x, .bias = wide}),
            "bias: must be a (128, 1) tile, is (128, 2)");
  EXPECT_EQ(refusal(nc, activation{.out = out, .in = x, .scale_tile = few}),
            "scale_tile: must be a (128, 1) tile, is (64, 1)");
  EXPECT_EQ(refusal(nc, activation{.out = x->columns(0, 8), .in = x->columns(4, 8)}).substr(0, 12),
            "out: overlap");
}

// 16 interleaved sums, then pairs.
float sum_in_order(std::span<const float> values) {
  float partial[16] = {};
  for (std::size_t i = 0; i < values.size(); ++i) partial[i % 16] += values[i];
  for (int half : {8, 4, 2, 1})
    for (int j = 0; j < half; ++j) partial[j] += partial[j + half];
  return partial[0];
}

TEST_F(activations, activation_reduce_sums_what_it_computes) {
  const tile x = filled(128, 77), out = nc.sbuf(128, 77, dtype::bf16), sum = nc.sbuf(128, 1);
  nc.issue(activation_reduce{
      .out = out, .reduced = sum, .in = x, .function = activation_function::square, .scale = 3});
  const std::vector<float> in = read(nc, x), result = read(nc, out), sums = read(nc, sum);
  for (std::size_t p = 0; p < 128; ++p) {
    std::vector<float> squares;
    for (std::size_t i = 0; i < 77; ++i) {
      const float v = in[p * 77 + i] * 3;
      squares.push_back(v * v);
      ASSERT_EQ(result[p * 77 + i], round_to(dtype::bf16, v * v));
    }
    ASSERT_EQ(sums[p], sum_in_order(squares));
  }
}

TEST_F(activations, documented_cost_of_activation_reduce) {
  const tile x = filled(128, 512), out = nc.sbuf(128, 512), sum = nc.sbuf(128, 1);
  const auto cycles = [&](std::int64_t n) {
    return documented_cycles(
        activation_reduce{.out = out->columns(0, n), .reduced = sum, .in = x->columns(0, n)},
        trainium1());
  };
  EXPECT_EQ(cycles(512), 512 + 64);
  EXPECT_EQ(cycles(10), 64 + 64);
}

TEST_F(activations, activation_reduce_refuses_where_it_cannot_put_the_sums) {
  const tile x = filled(128, 16), out = nc.sbuf(128, 16), wide = nc.sbuf(128, 2);
  EXPECT_EQ(refusal(nc, activation_reduce{.out = out, .reduced = wide, .in = x}),
            "reduced: must be a (128, 1) tile, is (128, 2)");
  EXPECT_NE(refusal(nc, activation_reduce{.out = out, .reduced = out->columns(0, 1), .in = x}),
            "(accepted)");
  EXPECT_NE(refusal(nc, activation_reduce{.out = out, .reduced = x->columns(3, 1), .in = x}),
            "(accepted)");
}

}  // namespace
}  // namespace papilio::engine::test

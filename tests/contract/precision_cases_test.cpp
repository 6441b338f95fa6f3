// The published cases of precision. The host computes in the operands' type: what the published
// library makes of a data type is the rounding of the result here, its compensated modes are sums
// in double that are rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "contract/published_case.hpp"

namespace papilio::test {
namespace {

constexpr double unit = std::numeric_limits<float>::epsilon() / 2;

einsum_options with_mode(precision mode) {
  einsum_options o;
  o.on.precision.mode = mode;
  return o;
}
einsum_options with_target(double error) {
  einsum_options o;
  o.on.precision.target_error = error;
  return o;
}
einsum_options stochastic(std::uint64_t seed) {
  return {.rounding = {.to = rounded_type::bfloat16, .stochastic = true, .seed = seed}};
}

bool are_same(const tensor<float>& x, const tensor<float>& y) {
  return std::ranges::equal(x.flat(), y.flat(), [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  });
}

double norm_of_error(const tensor<float>& got, const naive_sums& sums) {
  double error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) error += std::pow(got.data()[i] - sums.value[i], 2);
  return std::sqrt(error);
}

// Distance of neighbours in bfloat16.
double spacing_at(double x) { return std::ldexp(1.0, std::ilogb(x) - 7); }

// Bits of a float that a number with this many bits of significand leaves 0.
bool has_bits(float x, int significand) {
  return (std::bit_cast<std::uint32_t>(x) & ((std::uint32_t{1} << (24 - significand)) - 1)) == 0;
}

void check_types() {
  const auto o = normal({{4, 3}, {3, 5}});
  static_assert(std::is_same_v<decltype(einsum("ij,jk->ik", o[0], o[1])), tensor<float>>);
  const tensor<double> wide({3, 5});
  static_assert(std::is_same_v<decltype(einsum("ij,jk->ik", o[0], wide)), tensor<double>>);
  const tensor<std::complex<float>> complex({3, 5});
  static_assert(
      std::is_same_v<decltype(einsum("ij,jk->ik", o[0], complex)), tensor<std::complex<float>>>);
  for (const auto& [type, bits] :
       {std::pair{rounded_type::bfloat16, 8}, std::pair{rounded_type::float16, 11}}) {
    const tensor<float> c = sums_of("ij,jk->ik", o, {.rounding = {.to = type}});
    for (float x : c.flat()) EXPECT_TRUE(has_bits(x, bits)) << x;
  }
  EXPECT_TRUE(std::ranges::any_of(sums_of("ij,jk->ik", o).flat(),
                                  [](float x) { return !has_bits(x, 11); }));
}

// Within half the distance of neighbours of the float result, and the published 0.05.
void check_bfloat16() {
  const auto o = normal({{8, 6}, {6, 10}});
  const tensor<float> whole = sums_of("ij,jk->ik", o);
  const tensor<float> rounded =
      sums_of("ij,jk->ik", o, {.rounding = {.to = rounded_type::bfloat16}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double x = whole.data()[i];
    EXPECT_LE(std::abs(rounded.data()[i] - x), std::min(0.05, spacing_at(x) / 2)) << x;
  }
}

void check_compensated() {
  operands o = normal({{1, 512}, {512, 1}});
  for (float& x : o[0].flat()) x *= 1e6f;
  for (float& x : o[1].flat()) x *= 1e-3f;
  const naive_sums sums("ij,jk->ik", o);
  const double plain = norm_of_error(sums_of("ij,jk->ik", o), sums);
  const double compensated =
      norm_of_error(sums_of("ij,jk->ik", o, with_mode(precision::compensated)), sums);
  EXPECT_LE(compensated, plain + 1e-3);
  EXPECT_LE(compensated, 1.001 * unit * std::abs(sums.value[0]));  // one rounding
}

void check_modes() {
  const auto o = normal({{8, 6}, {6, 10}});
  const auto compensated = einsum("ij,jk->ik", o[0], o[1], with_mode(precision::compensated));
  static_assert(std::is_same_v<decltype(compensated), const tensor<float>>);
  EXPECT_TRUE(
      are_same(sums_of("ij,jk->ik", o, with_mode(precision::native)), sums_of("ij,jk->ik", o)));
  // Nothing is wider than double.
  const tensor<double> wide({3, 3});
  EXPECT_THROW(einsum("ij,jk->ik", wide, wide, with_mode(precision::compensated)),
               invalid_argument);
  for (precision mode : {precision::bf16, precision::bf16_refined, precision::split_bf16})
    EXPECT_THROW(sums_of("ij,jk->ik", o, with_mode(mode)), invalid_argument);
}

// One of the two neighbours, the same for the same seed.
void check_stochastic(const std::string& subscripts, const shapes& extents, double bound) {
  const auto o = normal(extents);
  const tensor<float> whole = sums_of(subscripts, o), got = sums_of(subscripts, o, stochastic(7));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double x = whole.data()[i];
    EXPECT_TRUE(has_bits(got.data()[i], 8)) << got.data()[i];
    ASSERT_LE(std::abs(got.data()[i] - x), std::min(bound, spacing_at(x))) << x;
  }
  EXPECT_TRUE(are_same(sums_of(subscripts, o, stochastic(7)), got));
  EXPECT_FALSE(are_same(sums_of(subscripts, o, stochastic(8)), got));
}

// The standard deviation of one rounding is at most half the distance of neighbours, that of the
// mean of 20 is 1 / sqrt(20) of that; five of them.
void check_mean() {
  const auto o = normal({{4, 64}, {64, 6}});
  const tensor<float> whole = sums_of("ij,jk->ik", o);
  constexpr int samples = 20;
  std::vector<double> mean(whole.size());
  for (int s = 0; s < samples; ++s) {
    const tensor<float> got = sums_of("ij,jk->ik", o, stochastic(static_cast<std::uint64_t>(s)));
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += got.data()[i] / double{samples};
  }
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double x = whole.data()[i];
    EXPECT_LE(std::abs(mean[i] - x), std::min(0.3, 5 * spacing_at(x) / 2 / std::sqrt(20))) << x;
  }
}

void check_order() {
  const auto o = normal({{8, 512}, {512, 8}});
  const naive_sums sums("ij,jk->ik", o);
  const double compensated =
      norm_of_error(sums_of("ij,jk->ik", o, with_mode(precision::compensated)), sums);
  const double plain = norm_of_error(sums_of("ij,jk->ik", o), sums);
  const double rounded =
      norm_of_error(sums_of("ij,jk->ik", o, {.rounding = {.to = rounded_type::bfloat16}}), sums);
  EXPECT_LT(compensated, plain);
  EXPECT_LT(plain, rounded);
}

// The cheaper of native and compensated that is expected to meet it; native is expected to err by
// unit sqrt(1 + k).
void check_target(std::size_t k, double target, precision expected) {
  const auto o = normal({{8, k}, {k, 8}});
  const tensor<float> got = sums_of("ij,jk->ik", o, with_target(target));
  EXPECT_TRUE(are_same(got, sums_of("ij,jk->ik", o, with_mode(expected))));
}

const published_case types[] = {
    {"trntensor-030", check_types},
    {"trntensor-031", check_bfloat16},
    {"trntensor-032", check_compensated},
    {"trntensor-033", check_modes},
};
const published_case later[] = {
    {"trntensor-106",
     [] {
       check_stochastic("bij,bjk->bik", {{2, 3, 64}, {2, 64, 4}}, 0.3);
     }},
    {"trntensor-107",
     [] {
       check_stochastic("ij,jk->ik", {{4, 128}, {128, 5}}, 0.2);
     }},
    {"trntensor-108", check_mean},
    {"trntensor-109", check_order},
    {"trntensor-110", [] { check_target(512, 0.1, precision::native); }},
    {"trntensor-113",
     [] {
       check_target(16, 1e-5, precision::native);
       check_target(16, 1e-7, precision::compensated);
     }},
    {"trntensor-114",
     [] {
       EXPECT_THROW(sums_of("ij,jk->ik", normal({{8, 16}, {16, 8}}), with_target(1e-20)),
                    invalid_argument);
     }},
    {"trntensor-115",
     [] {
       const auto o = normal({{8, 16}, {16, 8}});
       einsum_options both = with_target(0.1);
       both.on.precision.mode = precision::compensated;
       EXPECT_THROW(sums_of("ij,jk->ik", o, both), invalid_argument);
     }},
};

// The published cases trntensor-111 and 112 ask this of bfloat16, which is an accelerator's.
TEST(contract_targets, are_met_by_native_floats) {
  check_target(4, 0.1, precision::native);
  check_target(64, 0.003, precision::native);
}

INSTANTIATE_TEST_SUITE_P(types, contract_cases, testing::ValuesIn(types), name_of);
INSTANTIATE_TEST_SUITE_P(later, contract_cases, testing::ValuesIn(later), name_of);

}  // namespace
}  // namespace papilio::test

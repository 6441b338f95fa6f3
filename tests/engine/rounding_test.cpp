#include "papilio/engine/dtype.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "engine/number_oracle.hpp"

namespace papilio::engine {
namespace {

using namespace papilio::test;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::array all_types{dtype::fp32,     dtype::bf16,     dtype::fp16,  dtype::tf32,
                               dtype::fp8_e4m3, dtype::fp8_e5m2, dtype::int32, dtype::uint8};

rounding stochastic(std::uint64_t seed) { return {rounding_mode::stochastic, seed}; }

/// |x| as a multiple of the gap lies between below and below + 1; `chance` is that of the latter.
struct neighbours {
  double lower, upper, chance;
};
neighbours neighbours_of(const float_format& format, double x) {
  const double gap = format.gap(x), below = std::floor(x / gap);
  const auto bounded = [&](double value) {
    return std::abs(value) > format.largest()
               ? std::copysign(std::numeric_limits<double>::infinity(), value)
               : value;
  };
  return {bounded(below * gap), bounded((below + 1) * gap), x / gap - below};
}

/// Of n roundings of which each goes up with probability `chance`, the number that do is within
/// five standard deviations of n chance, and is n times 0 or 1 where there is no choice.
void expect_chance(std::size_t ups, std::size_t n, double chance, const char* what) {
  const double mean = static_cast<double>(n) * chance;
  EXPECT_LE(std::abs(static_cast<double>(ups) - mean), 5 * std::sqrt(mean * (1 - chance)))
      << what << ": " << ups << " of " << n << ", expected " << mean;
}

TEST(stochastic_rounding, goes_up_as_often_as_the_distance_says) {
  constexpr std::size_t n = 40'000;
  for (const auto& format : narrow_formats) {
    const double tiny = format.smallest(), large = format.largest(), last = format.gap(large);
    // In a middle binade, at a power of two, among the subnormals, beside zero, into infinity.
    for (const double x :
         {1 + 0.3 * format.gap(1), -1.5 - 0.9 * format.gap(1), 2 - 0.5 * format.gap(1), 3.25 * tiny,
          -0.01 * tiny, large - 0.7 * last, -large - 0.25 * last}) {
      const auto value = static_cast<float>(x);
      if (value == 0 || !std::isfinite(value)) continue;  // finer than fp32
      const auto [lower, upper, chance] = neighbours_of(format, value);
      std::size_t by_position = 0, by_seed = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const float a = round_to(format.type, value, stochastic(7), k);
        const float b = round_to(format.type, value, stochastic(k), 7);
        ASSERT_TRUE(a == lower || a == upper) << to_string(format.type) << ' ' << value << ' ' << a;
        ASSERT_TRUE(b == lower || b == upper) << to_string(format.type) << ' ' << value << ' ' << b;
        by_position += a == upper ? 1 : 0;
        by_seed += b == upper ? 1 : 0;
      }
      expect_chance(by_position, n, chance, to_string(format.type));
      expect_chance(by_seed, n, chance, to_string(format.type));
    }
  }
}

TEST(stochastic_rounding, takes_integers_up_as_often_as_the_distance_says) {
  constexpr std::size_t n = 40'000;
  for (const auto& [type, value] :
       std::vector<std::pair<dtype, float>>{{dtype::int32, 0.125f},
                                            {dtype::int32, -0.25f},
                                            {dtype::int32, -1000.9f},
                                            {dtype::int32, 0x1p22f + 0.5f},
                                            {dtype::uint8, 0.5f},
                                            {dtype::uint8, 254.75f}}) {
    const double lower = std::floor(value);
    std::size_t ups = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const float got = round_to(type, value, stochastic(3), k);
      ASSERT_TRUE(got == lower || got == lower + 1) << value << ' ' << got;
      ups += got == lower + 1 ? 1 : 0;
    }
    expect_chance(ups, n, value - lower, to_string(type));
  }
}

TEST(stochastic_rounding, sums_of_many_small_steps_do_not_stall) {
  // 4096 steps of 1/64 of a gap: to nearest even the sum stays where it began. Each step's error is
  // at most a gap, g, with variance p (1 - p) g^2 for p = 1/64.
  constexpr int steps = 4096;
  const double gap = bf16_format.gap(256), chance = 1.0 / 64;
  float nearest_sum = 256, sum = 256;
  for (int k = 0; k < steps; ++k) {
    const auto step = static_cast<float>(gap * chance);
    nearest_sum = round_to(dtype::bf16, nearest_sum + step);
    sum = round_to(dtype::bf16, sum + step, stochastic(11), static_cast<std::uint64_t>(k));
  }
  EXPECT_EQ(nearest_sum, 256);
  const double sigma = gap * std::sqrt(steps * chance * (1 - chance));
  EXPECT_NEAR(sum, 256 + steps * gap * chance, 5 * sigma);
}

TEST(stochastic_rounding, positions_and_seeds_are_independent) {
  // Bits of neighbouring positions, of neighbouring seeds, and of (seed, position) against (seed +
  // 1, position - 1) and (seed + increment, position - 1) agree half the time: n trials of a coin.
  constexpr std::size_t n = 40'000;
  const float half = 1 + 0x1p-8f;
  const auto up = [&](std::uint64_t seed, std::uint64_t position) {
    return round_to(dtype::bf16, half, stochastic(seed), position) > 1;
  };
  std::map<const char*, std::size_t> agreed;
  constexpr std::uint64_t increment = 0x9e3779b97f4a7c15u;  // splitmix64's
  for (std::uint64_t k = 1; k <= n; ++k) {
    const bool here = up(5, k);
    agreed["positions"] += here == up(5, k + 1) ? 1 : 0;
    agreed["seeds"] += here == up(6, k) ? 1 : 0;
    agreed["diagonal"] += here == up(6, k - 1) ? 1 : 0;
    agreed["shifted"] += here == up(5 + increment, k - 1) ? 1 : 0;
    agreed["rows of 512"] += here == up(5, k + 512) ? 1 : 0;
    agreed["far"] += here == up(5, k + (std::uint64_t{1} << 40)) ? 1 : 0;
  }
  for (const auto& [what, count] : agreed) expect_chance(count, n, 0.5, what);
}

TEST(stochastic_rounding, exact_values_stay) {
  for (const auto& format : narrow_formats) {
    std::vector<float> values{0.0f,
                              -0.0f,
                              infinity,
                              -infinity,
                              static_cast<float>(format.largest()),
                              static_cast<float>(-format.smallest())};
    // Every code whose format has no more than 16 bits, and any of tf32.
    for (std::uint32_t code = 0; code < 1u << 16 && code < 1u << format.code_bits(); ++code)
      if (format.code_bits() <= 16) values.push_back(static_cast<float>(decoded(format, code)));
    for (const float x : random_floats(20'000, 8)) values.push_back(round_to(format.type, x));
    for (std::size_t k = 0; k < values.size(); ++k)
      ASSERT_TRUE(same(round_to(format.type, values[k], stochastic(k), k), values[k]))
          << to_string(format.type) << ' ' << values[k];
  }
  for (const float x : {0.0f, 1.0f, -7.0f, 0x1p23f + 1, 0x1.fffffep30f, -0x1p31f})
    for (std::uint64_t k = 0; k < 100; ++k)
      EXPECT_EQ(round_to(dtype::int32, x, stochastic(k), k), x);
}

TEST(stochastic_rounding, of_any_float_gives_one_of_its_neighbours) {
  for (const auto& format : narrow_formats) {
    const std::vector<float> values = random_floats(100'000, 9);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const float got = round_to(format.type, values[k], stochastic(1), k);
      if (!std::isfinite(values[k])) {
        ASSERT_TRUE(same(got, values[k]));
        continue;
      }
      const auto [lower, upper, chance] = neighbours_of(format, values[k]);
      ASSERT_TRUE(got == lower || (got == upper && chance > 0))
          << to_string(format.type) << ' ' << values[k] << ' ' << got;
      ASSERT_EQ(std::signbit(got), std::signbit(values[k]));
    }
  }
}

TEST(stochastic_rounding, saturates_integers_and_takes_nan_to_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::uint64_t k = 0; k < 100; ++k) {
    EXPECT_EQ(round_to(dtype::uint8, 255.5f, stochastic(k), k), 255);
    EXPECT_EQ(round_to(dtype::uint8, -0.5f, stochastic(k), k), 0);
    EXPECT_EQ(round_to(dtype::uint8, infinity, stochastic(k), k), 255);
    EXPECT_EQ(round_to(dtype::uint8, nan, stochastic(k), k), 0);
    EXPECT_EQ(round_to(dtype::int32, 3e9f, stochastic(k), k), 0x1p31f);
    EXPECT_EQ(round_to(dtype::int32, -infinity, stochastic(k), k), -0x1p31f);
    EXPECT_EQ(round_to(dtype::int32, nan, stochastic(k), k), 0);
  }
}

TEST(stochastic_rounding, does_not_depend_on_how_a_row_is_cut) {
  constexpr std::size_t n = 300;
  const std::uint64_t first = ~std::uint64_t{0} - 100;  // positions wrap around inside the row
  const std::vector<float> values = random_floats(n, 10);
  for (const dtype type : all_types) {
    const std::size_t bytes = size_bytes(type);
    std::vector<std::byte> whole(n * bytes), pieces(n * bytes), apart(2 * n * bytes);
    store_row(type, values.data(), n, whole.data(), 1, stochastic(2), first);
    store_row(type, values.data(), n, apart.data(), 2, stochastic(2), first);
    for (std::size_t k = 0, length = 1; k < n; k += length, length = length % 17 + 3)
      store_row(type, &values[k], std::min(length, n - k), &pieces[k * bytes], 1, stochastic(2),
                first + k);
    EXPECT_EQ(pieces, whole) << to_string(type);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_EQ(std::memcmp(&apart[2 * k * bytes], &whole[k * bytes], bytes), 0);
      float got = 0;
      load_row(type, &whole[k * bytes], 1, 1, &got);
      EXPECT_TRUE(same(got, round_to(type, values[k], stochastic(2), first + k)));
    }
  }
}

}  // namespace
}  // namespace papilio::engine

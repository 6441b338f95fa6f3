#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "papilio/engine/dtype.hpp"

// IEEE 754's definitions in double arithmetic, which is exact for every format here.
namespace papilio::test {

struct float_format {
  engine::dtype type;
  int exponent_bits, mantissa_bits;

  int code_bits() const { return 1 + exponent_bits + mantissa_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  double largest() const { return std::ldexp(2.0 - std::ldexp(1.0, -mantissa_bits), bias()); }
  double smallest() const { return std::ldexp(1.0, 1 - bias() - mantissa_bits); }
  /// The distance between neighbours at |x|.
  double gap(double x) const {
    const int exponent = x == 0 ? 1 - bias() : std::max(std::ilogb(x), 1 - bias());
    return std::ldexp(1.0, std::min(exponent, bias()) - mantissa_bits);
  }
};

inline constexpr float_format bf16_format{engine::dtype::bf16, 8, 7};
inline constexpr float_format fp16_format{engine::dtype::fp16, 5, 10};
inline constexpr float_format tf32_format{engine::dtype::tf32, 8, 10};
inline constexpr float_format e4m3_format{engine::dtype::fp8_e4m3, 4, 3};
inline constexpr float_format e5m2_format{engine::dtype::fp8_e5m2, 5, 2};
inline constexpr std::array packed_formats{bf16_format, fp16_format, e4m3_format, e5m2_format};
inline constexpr std::array narrow_formats{bf16_format, fp16_format, tf32_format, e4m3_format,
                                           e5m2_format};

/// What the code stands for: sign, exponent and mantissa fields by the definition.
inline double decoded(const float_format& format, std::uint32_t code) {
  const int m = static_cast<int>(code & ((1u << format.mantissa_bits) - 1));
  const int e = static_cast<int>(code >> format.mantissa_bits & ((1u << format.exponent_bits) - 1));
  const double sign = code >> (format.code_bits() - 1) ? -1 : 1;
  const double fraction = std::ldexp(m, -format.mantissa_bits);
  if (e == (1 << format.exponent_bits) - 1)
    return m == 0 ? sign * std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  if (e == 0) return sign * std::ldexp(fraction, 1 - format.bias());
  return sign * std::ldexp(1 + fraction, e - format.bias());
}

/// n to the nearest whole number, ties to even.
inline double nearest_whole(double n) {
  const double below = std::floor(n), rest = n - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  return up ? below + 1 : below;
}

/// The nearest value of the format; what rounds beyond its largest is infinite.
inline double nearest(const float_format& format, double x) {
  if (!std::isfinite(x)) return x;
  const double gap = format.gap(x), size = nearest_whole(std::abs(x) / gap) * gap;
  return std::copysign(size > format.largest() ? std::numeric_limits<double>::infinity() : size, x);
}

/// Same value and sign, or both NaN.
inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// Every value of a packed format, the middle of it and its successor, and the floats around both.
/// With the other sign as well.
inline std::vector<float> borders(const float_format& format) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values;
  const std::uint32_t codes = 1u << (format.code_bits() - 1);
  for (std::uint32_t code = 0; code < codes; ++code) {
    const double value = decoded(format, code);
    if (!std::isfinite(value)) continue;
    for (const double x : {value, value + format.gap(value) / 2}) {
      const auto f = static_cast<float>(x);
      for (const float near : {f, std::nextafter(f, infinity), std::nextafter(f, -infinity)})
        values.insert(values.end(), {near, -near});
    }
  }
  return values;
}

/// Floats of random bits, NaN and infinity among them; with `mantissa_bits`, halfway between two
/// values of so many bits of mantissa.
inline std::vector<float> random_floats(std::size_t n, unsigned seed, int mantissa_bits = 0) {
  std::mt19937 generator(seed);
  std::vector<float> values(n);
  for (float& v : values) {
    std::uint32_t bits = static_cast<std::uint32_t>(generator());
    if (mantissa_bits > 0) {
      const std::uint32_t half = 1u << (22 - mantissa_bits);
      bits = (bits & ~(2 * half - 1)) | half;
    }
    v = std::bit_cast<float>(bits);
  }
  return values;
}

}  // namespace papilio::test

#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "base/splitmix64.hpp"
#include "papilio/engine/dtype.hpp"

// One codec per dtype: `widen(code)` gives the value of a stored element, `narrow(value)` the
// nearest element (ties to even), `narrow(value, hash)` one of the two neighbours, chosen by 64
// uniform bits. Branches are selections between values both of which are computed, so that loops
// over codecs become vectors; only integer arithmetic and exact (or, in the one place named,
// nearest-even) additions are used, so that every CPU gives the same bits.
namespace papilio::engine_detail {

/// Returns 64 uniform bits for (seed, position): the position-th output of splitmix64, started at
/// the mixed seed. Without mixing, seeds one increment apart would give shifted copies of one
/// sequence.
class position_hash {
 public:
  explicit constexpr position_hash(std::uint64_t seed)
      : start_(generator::mixed(seed ^ generator::increment)) {}
  constexpr std::uint64_t operator()(std::uint64_t position) const {
    return generator::at(start_, position);
  }

 private:
  using generator = base_detail::splitmix64;
  std::uint64_t start_;
};

/// Returns a uniform number in [0, 1), a multiple of 2^-52.
constexpr double unit_interval(std::uint64_t hash) {
  return std::bit_cast<double>((hash >> 12) | 0x3ff0000000000000u) - 1.0;
}

constexpr std::int32_t magnitude_mask = 0x7fffffff;
constexpr std::int32_t infinity_bits = 0x7f800000;

constexpr std::int32_t magnitude_bits(float value) {
  return std::bit_cast<std::int32_t>(value) & magnitude_mask;
}

struct fp32_codec {
  using element = float;
  static constexpr float widen(float code) { return code; }
  static constexpr float narrow(float value) { return value; }
  static constexpr float narrow(float value, std::uint64_t) { return value; }
};

/// This codec is for formats (bf16, tf32) with fp32's exponents and `Dropped` fewer bits of
/// mantissa: subnormals and rounding to infinity need no case of their own. An element is the upper
/// part of the fp32 word; a 16-bit `Element` holds it shifted down, a 32-bit one in its place.
template <class Element, int Dropped>
struct truncated_codec {
  using element = Element;
  static constexpr int shift = 32 - std::numeric_limits<Element>::digits;
  static constexpr std::uint32_t low = (1u << Dropped) - 1;
  static constexpr std::uint32_t quiet = 0x00400000u;

  static constexpr Element kept(std::uint32_t magnitude, std::uint32_t rounded,
                                std::uint32_t sign) {
    const bool is_nan = static_cast<std::int32_t>(magnitude) > infinity_bits;
    const std::uint32_t value = (is_nan ? magnitude | quiet : rounded) & ~low;
    return static_cast<Element>((value | sign) >> shift);
  }

  static constexpr float widen(Element code) {
    if constexpr (shift == 0) return std::bit_cast<float>(narrow(std::bit_cast<float>(code)));
    return std::bit_cast<float>(static_cast<std::uint32_t>(code) << shift);
  }
  static constexpr Element narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    return kept(magnitude, magnitude + (low >> 1) + ((magnitude >> Dropped) & 1u),
                bits & 0x80000000u);
  }
  static constexpr Element narrow(float value, std::uint64_t hash) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    return kept(magnitude, magnitude + static_cast<std::uint32_t>(hash >> (64 - Dropped)),
                bits & 0x80000000u);
  }
};
using bf16_codec = truncated_codec<std::uint16_t, 16>;
using tf32_codec = truncated_codec<std::uint32_t, 13>;

/// This codec is for IEEE-like formats (fp16, fp8) with fewer bits of exponent than fp32. A
/// `Finite` format has no infinities: of the largest exponent only the last code is not finite, a
/// NaN.
template <class Element, int ExponentBits, int MantissaBits, bool Finite = false>
struct small_float_codec {
  using element = Element;
  static constexpr std::int32_t bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int shift = 23 - MantissaBits;
  static constexpr std::int32_t low = (1 << shift) - 1;
  static constexpr std::int32_t rebias = 127 - bias;
  /// The first code that is not finite.
  static constexpr std::int32_t infinity =
      Finite ? (1 << (ExponentBits + MantissaBits)) - 1 : ((1 << ExponentBits) - 1) << MantissaBits;
  static constexpr std::int32_t quiet_nan = Finite ? infinity : infinity | 1 << (MantissaBits - 1);
  static constexpr std::int32_t smallest_normal = (rebias + 1) << 23;  // as fp32 bits
  /// The bits of the float whose last place has the value of the format's smallest subnormal.
  /// Adding it to a number therefore counts the number in smallest subnormals.
  static constexpr std::int32_t counter = (rebias + 1 + shift) << 23;
  /// 1 divided by the smallest subnormal.
  static constexpr double per_unit =
      std::bit_cast<double>(std::uint64_t{1023 + bias - 1 + MantissaBits} << 52);

  static constexpr Element signed_code(float value, std::int32_t normal, std::int32_t subnormal) {
    const std::int32_t magnitude = magnitude_bits(value);
    const std::int32_t finite = magnitude < smallest_normal ? subnormal : normal;
    const std::int32_t bounded = finite < infinity ? finite : infinity;
    const std::int32_t code = magnitude > infinity_bits ? quiet_nan : bounded;
    const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 31;
    return static_cast<Element>(static_cast<std::uint32_t>(code) |
                                sign << (ExponentBits + MantissaBits));
  }

  static constexpr Element narrow(float value) {
    const std::int32_t magnitude = magnitude_bits(value);
    const auto up = static_cast<std::uint32_t>((low >> 1) + ((magnitude >> shift) & 1));
    const auto rounded = (static_cast<std::uint32_t>(magnitude) + up) >> shift;
    // The addition rounds to a whole number of smallest subnormals, ties to even.
    const float counted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(counter);
    return signed_code(value, static_cast<std::int32_t>(rounded) - (rebias << MantissaBits),
                       std::bit_cast<std::int32_t>(counted) - counter);
  }

  static constexpr Element narrow(float value, std::uint64_t hash) {
    const std::int32_t magnitude = magnitude_bits(value);
    const auto up = static_cast<std::uint32_t>(hash >> (64 - shift));
    const auto rounded = (static_cast<std::uint32_t>(magnitude) + up) >> shift;
    std::int32_t subnormal = 0;
    if (magnitude < smallest_normal) {
      const double exact = static_cast<double>(std::bit_cast<float>(magnitude)) * per_unit;
      subnormal = static_cast<std::int32_t>(exact);
      subnormal += unit_interval(hash) < exact - subnormal ? 1 : 0;
    }
    return signed_code(value, static_cast<std::int32_t>(rounded) - (rebias << MantissaBits),
                       subnormal);
  }

  static constexpr float widen(Element element) {
    const std::int32_t code = element & ((1 << (ExponentBits + MantissaBits)) - 1);
    const std::int32_t sign = element >> (ExponentBits + MantissaBits);
    const std::int32_t shifted = code << shift;
    const std::int32_t normal = shifted + (rebias << 23);
    // A subnormal is read with the exponent of the smallest normal number; subtracting that
    // number's leading one is exact.
    const float subnormal =
        std::bit_cast<float>(shifted + smallest_normal) - std::bit_cast<float>(smallest_normal);
    const std::int32_t finite =
        code < (1 << MantissaBits) ? std::bit_cast<std::int32_t>(subnormal) : normal;
    const std::int32_t beyond = Finite ? 0x7fc00000 : shifted | infinity_bits;
    const std::int32_t magnitude = code < infinity ? finite : beyond;
    return std::bit_cast<float>(static_cast<std::uint32_t>(magnitude) |
                                static_cast<std::uint32_t>(sign) << 31);
  }
};
using fp16_codec = small_float_codec<std::uint16_t, 5, 10>;
using fp8_e4m3_codec = small_float_codec<std::uint8_t, 4, 3>;
using fp8_e5m2_codec = small_float_codec<std::uint8_t, 5, 2>;
using fp8_e4m3fn_codec = small_float_codec<std::uint8_t, 4, 3, true>;

/// This codec saturates to integers of at most 32 bits. Floats are clamped first, since converting
/// one that is out of range is undefined.
template <class Element>
struct integer_codec {
  using element = Element;
  static constexpr std::int32_t least = std::numeric_limits<Element>::min();
  static constexpr std::int32_t most = std::numeric_limits<Element>::max();
  static constexpr float lower = static_cast<float>(least);
  /// The largest float in the range.
  static constexpr float upper = most > (1 << 24) ? 2147483520.0f : static_cast<float>(most);
  static constexpr float whole = 8388608.0f;  // 2^23: floats from here on are integers

  static constexpr float bounded(float value) {
    const float number = value == value ? value : 0.0f;
    const float from_below = number > lower ? number : lower;
    return from_below < upper ? from_below : upper;
  }
  static constexpr Element saturated(float value, std::int32_t inside) {
    return static_cast<Element>(value > upper ? most : inside);
  }

  static constexpr float widen(Element code) { return static_cast<float>(code); }
  static constexpr Element narrow(float value) {
    const float inside = bounded(value);
    const float size = inside < 0.0f ? -inside : inside;
    // Adding 2^23 rounds to a whole number, ties to even.
    const float rounded = size < whole ? (size + whole) - whole : size;
    return saturated(value, static_cast<std::int32_t>(inside < 0.0f ? -rounded : rounded));
  }
  static constexpr Element narrow(float value, std::uint64_t hash) {
    const float inside = bounded(value);
    const auto toward_zero = static_cast<std::int32_t>(inside);
    const double rest = static_cast<double>(inside) - toward_zero;
    const std::int32_t away = rest < 0 ? -1 : 1;
    const bool leaves = unit_interval(hash) < (rest < 0 ? -rest : rest);
    return saturated(value, leaves ? toward_zero + away : toward_zero);
  }
};
using int32_codec = integer_codec<std::int32_t>;
using uint8_codec = integer_codec<std::uint8_t>;

}  // namespace papilio::engine_detail

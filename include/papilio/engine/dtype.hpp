#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// Selects the type of an element of a tile or a device buffer. Multi-byte elements are in host
/// byte order.
///
///   name       bytes  bits of exponent, mantissa   largest finite
///   fp32       4      8, 23                        3.4028235e38
///   bf16       2      8, 7                         3.3895314e38
///   fp16       2      5, 10                        65504
///   tf32       4      8, 10 (an fp32 word whose 13 lowest bits are zero)
///   fp8_e4m3   1      4, 3 (IEEE-like: subnormals, infinities)   240
///   fp8_e5m2   1      5, 2 (IEEE-like: subnormals, infinities)   57344
///   fp8_e4m3fn 1      4, 3 (OCP: subnormals, one NaN, no infinities)   448
///   int32      4      two's complement
///   uint8      1
///
/// Packed types hold four numbers an element, the first in the lowest bits: operands of matmul_mx,
/// whose scales stand beside them (OCP Microscaling Formats 1.0).
///
///   fp8_e4m3fn_x4   4   four fp8_e4m3fn
///   fp8_e5m2_x4     4   four fp8_e5m2
///   fp4_e2m1fn_x4   2   four numbers of 2, 1 bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives
enum class dtype : std::uint8_t {
  fp32,
  bf16,
  fp16,
  tf32,
  fp8_e4m3,
  fp8_e5m2,
  int32,
  uint8,
  fp8_e4m3fn,
  fp8_e4m3fn_x4,
  fp8_e5m2_x4,
  fp4_e2m1fn_x4
};

/// Returns the bytes of one element.
constexpr std::size_t size_bytes(dtype type) noexcept {
  switch (type) {
    case dtype::fp32:
    case dtype::tf32:
    case dtype::int32:
    case dtype::fp8_e4m3fn_x4:
    case dtype::fp8_e5m2_x4:
      return 4;
    case dtype::bf16:
    case dtype::fp16:
    case dtype::fp4_e2m1fn_x4:
      return 2;
    case dtype::fp8_e4m3:
    case dtype::fp8_e5m2:
    case dtype::fp8_e4m3fn:
    case dtype::uint8:
      return 1;
  }
  return 0;
}

/// Returns whether an element holds four numbers.
constexpr bool is_packed(dtype type) noexcept { return type >= dtype::fp8_e4m3fn_x4; }
constexpr bool is_float(dtype type) noexcept {
  return type != dtype::int32 && type != dtype::uint8 && !is_packed(type);
}
constexpr bool is_integer(dtype type) noexcept {
  return type == dtype::int32 || type == dtype::uint8;
}
constexpr bool is_fp8(dtype type) noexcept {
  return type == dtype::fp8_e4m3 || type == dtype::fp8_e5m2 || type == dtype::fp8_e4m3fn;
}

/// Returns the enumerator's name: "fp32", "bf16", ...; a static string.
PAPILIO_API const char* to_string(dtype type);

/// Returns the dtype of that name. Throws invalid_argument, with the names there are, for any
/// other.
PAPILIO_API dtype parse_dtype(std::string_view name);

/// Writes `count` packed elements with the contents of unwritten memory: a quiet NaN for
/// floating-point types, the value 4 for integers, four numbers of 6 for fp4_e2m1fn_x4, which has
/// no NaN. Any alignment.
PAPILIO_API void fill_poison(dtype type, std::byte* to, std::size_t count);

enum class rounding_mode : std::uint8_t { nearest_even, stochastic };

/// Describes how a value is rounded to a narrower dtype.
///
/// nearest_even: IEEE 754's default. Beyond the largest finite value by half a gap or more becomes
///   infinity, in fp8_e4m3fn by more than half a gap NaN; subnormals are kept; zeros keep their
///   sign; NaN remains a (quiet) NaN.
/// stochastic: the upper of the two neighbours with a probability of the distance to the lower one
///   over the gap, to within 2^-52; what the dtype holds exactly stays as it is. The choice depends
///   on (seed, position) alone, never on thread or order. Above the largest finite value the upper
///   neighbour is infinity, and the gap that of the largest finite value; from one gap beyond it
///   on, and for NaN and infinities, as nearest_even.
///
/// Integers: values beyond the range saturate in both modes, and NaN becomes 0.
struct rounding {
  rounding_mode mode = rounding_mode::nearest_even;
  std::uint64_t seed = 0;  ///< of stochastic

  bool operator==(const rounding&) const = default;
};

/// Returns the value rounded to nearest even in `type`.
PAPILIO_API float round_to(dtype type, float value);

/// Returns the value rounded in `type`; `position` is the element's, as in store_row.
PAPILIO_API float round_to(dtype type, float value, const rounding& how, std::uint64_t position);

/// Reads `count` elements of `type`, the k-th at `from` + k `stride` size_bytes(type); `stride`
/// counts elements and may be 0 or negative. Exact, except that int32 is rounded to the nearest
/// float and a tf32 word with any of its 13 lowest bits set to the nearest tf32 value. Any
/// alignment; the ranges do not overlap. O(count), fastest at stride 1. Throws invalid_argument for
/// packed types, here and in store_row and round_to.
PAPILIO_API void load_row(dtype type, const std::byte* from, std::ptrdiff_t stride,
                          std::size_t count, float* to);

/// Writes `count` values as `type`, the k-th at `to` + k `stride` size_bytes(type); `stride` counts
/// elements and may be negative. The k-th has position `first_position` + k (modulo 2^64), so that
/// a row may be cut anywhere. Bit patterns are the same on every host; NaN is written quiet.
/// Any alignment of `to` serves; the ranges do not overlap. O(count), fastest at stride 1.
/// Throws invalid_argument for stride 0 with a count over 1.
PAPILIO_API void store_row(dtype type, const float* from, std::size_t count, std::byte* to,
                           std::ptrdiff_t stride, const rounding& how = {},
                           std::uint64_t first_position = 0);

}  // namespace papilio::engine

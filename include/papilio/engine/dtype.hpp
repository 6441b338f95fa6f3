#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// What an element of a tile or of a device buffer is. Multi-byte elements are in host byte order.
///
///   name       bytes  bits of exponent, mantissa   largest finite
///   fp32       4      8, 23                        3.4028235e38
///   bf16       2      8, 7                         3.3895314e38
///   fp16       2      5, 10                        65504
///   tf32       4      8, 10 (an fp32 word whose 13 lowest bits are zero)
///   fp8_e4m3   1      4, 3 (IEEE-like: subnormals, infinities)   240
///   fp8_e5m2   1      5, 2 (IEEE-like: subnormals, infinities)   57344
///   int32      4      two's complement
///   uint8      1
enum class dtype : std::uint8_t { fp32, bf16, fp16, tf32, fp8_e4m3, fp8_e5m2, int32, uint8 };

/// Bytes that one element takes in memory.
constexpr std::size_t size_bytes(dtype type) noexcept {
  switch (type) {
    case dtype::fp32:
    case dtype::tf32:
    case dtype::int32:
      return 4;
    case dtype::bf16:
    case dtype::fp16:
      return 2;
    case dtype::fp8_e4m3:
    case dtype::fp8_e5m2:
    case dtype::uint8:
      return 1;
  }
  return 0;
}

constexpr bool is_float(dtype type) noexcept {
  return type != dtype::int32 && type != dtype::uint8;
}

/// The enumerator's name: "fp32", "bf16", ...; a static string.
PAPILIO_API const char* to_string(dtype type);

/// The inverse of to_string. Throws invalid_argument, with the names there are, for any other text.
PAPILIO_API dtype parse_dtype(std::string_view name);

/// Writes `count` elements, packed, of what memory holds that no instruction has written: a quiet
/// NaN for floating-point types, the value 4 for integers. Any alignment serves.
PAPILIO_API void fill_poison(dtype type, std::byte* to, std::size_t count);

}  // namespace papilio::engine

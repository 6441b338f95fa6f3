#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace papilio::io_detail {

/// A numpy.bool_: true unless its byte is 0.
struct npy_truth {
  std::uint8_t byte = 0;
};

/// IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction.
struct npy_half {
  std::uint16_t bits = 0;
};

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// Converts exactly; a NaN keeps its payload.
inline float widened(npy_half half) {
  const std::uint32_t sign = std::uint32_t{half.bits & 0x8000u} << 16;
  const std::uint32_t exponent = half.bits >> 10 & 31u, fraction = half.bits & 1023u;
  if (exponent == 0) {  // multiples of 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign == 0 ? magnitude : -magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// The type of the elements that are handed out.
template <class From>
struct npy_value {
  using type = From;
};
template <>
struct npy_value<npy_truth> {
  using type = bool;
};
template <>
struct npy_value<npy_half> {
  using type = float;
};
template <class From>
using npy_value_of = typename npy_value<From>::type;

template <class To, class From>
To converted(const From& value) {
  if constexpr (std::is_same_v<From, npy_truth>) {
    return converted<To>(value.byte != 0);
  } else if constexpr (std::is_same_v<From, npy_half>) {
    return converted<To>(widened(value));
  } else if constexpr (is_complex<From>) {
    using R = typename To::value_type;
    return To(static_cast<R>(value.real()), static_cast<R>(value.imag()));
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// Bytes of a number whose order of bytes counts: an element, or a part of a complex one.
template <class T>
inline constexpr std::size_t scalar_bytes = is_complex<T> ? sizeof(T) / 2 : sizeof(T);

/// Reverses the bytes of every number of `count` elements of T, in place.
template <class T>
void swap_bytes(void* elements, std::size_t count) {
  constexpr std::size_t bytes = scalar_bytes<T>;
  if constexpr (bytes > 1) {
    using word = std::conditional_t<bytes == 2, std::uint16_t,
                                    std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>;
    auto* at = static_cast<unsigned char*>(elements);
    for (std::size_t i = 0; i < count * sizeof(T) / bytes; ++i, at += bytes) {
      word value;
      std::memcpy(&value, at, bytes);
      if constexpr (bytes == 2) value = __builtin_bswap16(value);
      if constexpr (bytes == 4) value = __builtin_bswap32(value);
      if constexpr (bytes == 8) value = __builtin_bswap64(value);
      std::memcpy(at, &value, bytes);
    }
  }
}

}  // namespace papilio::io_detail

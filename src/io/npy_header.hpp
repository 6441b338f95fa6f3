#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace papilio::io_detail {

template <class T>
constexpr std::string_view npy_type_code = "";
template <>
inline constexpr std::string_view npy_type_code<float> = "f4";
template <>
inline constexpr std::string_view npy_type_code<double> = "f8";
template <>
inline constexpr std::string_view npy_type_code<std::complex<float>> = "c8";
template <>
inline constexpr std::string_view npy_type_code<std::complex<double>> = "c16";
template <>
inline constexpr std::string_view npy_type_code<std::int32_t> = "i4";
template <>
inline constexpr std::string_view npy_type_code<std::int64_t> = "i8";
template <>
inline constexpr std::string_view npy_type_code<std::uint8_t> = "u1";
template <>
inline constexpr std::string_view npy_type_code<bool> = "b1";
template <>
inline constexpr std::string_view npy_type_code<std::int8_t> = "i1";
template <>
inline constexpr std::string_view npy_type_code<std::int16_t> = "i2";
template <>
inline constexpr std::string_view npy_type_code<std::uint16_t> = "u2";
template <>
inline constexpr std::string_view npy_type_code<std::uint32_t> = "u4";
template <>
inline constexpr std::string_view npy_type_code<std::uint64_t> = "u8";

/// "<f4": byte order and type code.
template <class T>
std::string npy_element_type() {
  const char order = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  return order + std::string(npy_type_code<T>);
}

/// The bytes before the data: `least_bytes` or more of them, a multiple of 64.
std::string npy_header(const std::string& element_type, std::span<const std::uint64_t> extents,
                       std::size_t least_bytes = 0);

}  // namespace papilio::io_detail

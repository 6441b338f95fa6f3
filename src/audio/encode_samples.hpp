#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

constexpr bool is_integer(sample_encoding encoding) {
  return encoding != sample_encoding::f32 && encoding != sample_encoding::f64;
}

/// The integers nearest to x 2^(bits-1), ties to even, within what `bits` bits hold; finite samples
/// only. Returns how many were beyond ±1.
template <class T>
std::uint64_t quantise(std::span<const T> samples, unsigned bits, std::span<std::int32_t> out);

/// Little-endian bytes of `samples`, sample_bytes(encoding) each. Returns how many were beyond ±1
/// in an integer encoding.
template <class T>
std::uint64_t encode(std::span<const T> samples, sample_encoding encoding, std::span<char> out);

}  // namespace papilio::audio_detail

#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace papilio::test {

/// 64 bits that depend on every bit that was added, and on the order. Each step is a bijection of
/// the state and of what is added, so that one changed word always changes the result.
class bit_hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio, odd
    state_ ^= state_ >> 29;
  }
  void add(std::string_view text) {
    for (const char c : text) add(std::uint64_t(static_cast<unsigned char>(c)));
    add(std::uint64_t(text.size()));
  }
  void add_bytes(const void* data, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t word = 0;
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    word = 0;
    std::memcpy(&word, at, count);
    add(word);
  }

  /// Numbers by their bits; of a long double the ten bytes that have a value.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void add_number(Number value) {
    if constexpr (std::integral<Number>)
      add(std::uint64_t(std::int64_t(value)));
    else if constexpr (sizeof(Number) <= sizeof(double))
      add(std::bit_cast<std::uint64_t>(double(value)));
    else
      add_bytes(&value, 10);
  }
  template <class Real>
  void add_number(const std::complex<Real>& value) {
    add_number(value.real());
    add_number(value.imag());
  }
  template <class Number>
  void add_numbers(std::span<const Number> values) {
    for (const Number& v : values) add_number(v);
  }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

/// 16 hexadecimal digits.
std::string to_text(std::uint64_t hash);

}  // namespace papilio::test

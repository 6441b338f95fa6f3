#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace papilio::base_detail {

/// A whole number at the beginning of a text, or one to the power of another, as "2^20".
struct whole_number {
  enum class fault_kind { none, no_digits, too_large };

  std::uint64_t value = 0;
  std::size_t length = 0;  ///< bytes that it takes; up to the fault where there is one
  fault_kind fault = fault_kind::none;
};

/// How every program and kernel reads sizes. Decimal digits, no sign; 0 is one too.
inline whole_number read_whole_number(std::string_view text) {
  using fault_kind = whole_number::fault_kind;
  const auto read = [&](whole_number number) {
    const char* const from = text.data() + number.length;
    const auto [stopped, fault] = std::from_chars(from, text.data() + text.size(), number.value);
    if (fault == std::errc::invalid_argument) number.fault = fault_kind::no_digits;
    if (fault == std::errc::result_out_of_range) number.fault = fault_kind::too_large;
    if (number.fault == fault_kind::none) number.length += std::size_t(stopped - from);
    return number;
  };
  const whole_number base = read({});
  if (base.fault != fault_kind::none || !text.substr(base.length).starts_with('^')) return base;
  whole_number power = read({.length = base.length + 1});
  if (power.fault != fault_kind::none) return power;
  const std::uint64_t exponent = power.value;
  power.value = 1;
  for (std::uint64_t i = 0; i < exponent && power.value > 0; ++i) {
    if (base.value == 1) break;
    if (__builtin_mul_overflow(power.value, base.value, &power.value)) {
      power.fault = fault_kind::too_large;
      break;
    }
  }
  return power;
}

}  // namespace papilio::base_detail

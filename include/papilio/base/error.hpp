#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "papilio/base/export.hpp"

namespace papilio {

/// Base class of papilio's exceptions, which name function, argument, bound and value.
class PAPILIO_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

/// Reports an argument outside its documented range.
class PAPILIO_API invalid_argument : public error {
 public:
  using error::error;
  ~invalid_argument() override;
};

/// Reports extents or strides of an operand that do not fit the operation.
class PAPILIO_API shape_error : public error {
 public:
  using error::error;
  ~shape_error() override;
};

/// Reports a file that cannot be opened, read, parsed or written. The message begins with its path.
class PAPILIO_API io_error : public error {
 public:
  io_error(std::string path, const std::string& reason)
      : error(path + ": " + reason), path_(std::move(path)) {}
  ~io_error() override;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Reports a request that the emulated accelerator refuses.
class PAPILIO_API device_error : public error {
 public:
  using error::error;
  ~device_error() override;
};

/// Reports a size that overflows, or memory that cannot be allocated.
class PAPILIO_API resource_error : public error {
 public:
  using error::error;
  ~resource_error() override;
};

namespace base_detail {

/// One argument of message(): text (which it does not own), a character or a number.
class message_part {
 public:
  template <std::convertible_to<std::string_view> Text>
  explicit message_part(const Text& text) : kind_(kind::text), text_(text) {}
  explicit message_part(char c) : kind_(kind::character), character_(c) {}
  explicit message_part(signed char c) : message_part(static_cast<char>(c)) {}
  explicit message_part(unsigned char c) : message_part(static_cast<char>(c)) {}
  template <std::signed_integral Number>
  explicit message_part(Number n) : kind_(kind::integer), integer_(n) {}
  template <std::unsigned_integral Number>
  explicit message_part(Number n) : kind_(kind::natural), natural_(n) {}
  explicit message_part(double x) : kind_(kind::real), real_(x) {}
  explicit message_part(long double x) : kind_(kind::long_real), long_real_(x) {}

  PAPILIO_API void append_to(std::string& text) const;

 private:
  enum class kind { text, character, integer, natural, real, long_real };
  kind kind_;
  union {
    std::string_view text_;
    char character_;
    long long integer_;
    unsigned long long natural_;
    double real_;
    long double long_real_;
  };
};

PAPILIO_API std::string joined(std::initializer_list<message_part> parts);

template <class... Parts>
std::string message(const Parts&... parts);

/// Form of an argument that message_part takes: a class with describe() as that text, a complex
/// number as "(real,imaginary)".
template <class Part>
decltype(auto) printed(const Part& part) {
  if constexpr (requires { part.describe(); })
    return part.describe();
  else if constexpr (requires { part.real(), part.imag(); })
    return message("(", part.real(), ",", part.imag(), ")");
  else
    return (part);
}

/// Concatenates its arguments, each as a stream prints it in the "C" locale: bool as 0 or 1,
/// numbers that are not whole with six digits; for messages only.
template <class... Parts>
std::string message(const Parts&... parts) {
  return joined({message_part(printed(parts))...});
}

}  // namespace base_detail

/// Returns a + b. Throws resource_error naming `what` if the result does not fit in T.
template <std::integral T>
T checked_add(T a, T b, const char* what) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    throw resource_error(base_detail::message(what, ": ", a, " + ", b, " overflows"));
  return result;
}

/// Returns a * b. Throws resource_error naming `what` if the result does not fit in T.
template <std::integral T>
T checked_multiply(T a, T b, const char* what) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    throw resource_error(base_detail::message(what, ": ", a, " * ", b, " overflows"));
  return result;
}

/// Returns `value` as To. Throws resource_error naming `what` if To cannot hold it.
template <std::integral To, std::integral From>
To checked_cast(From value, const char* what) {
  if (!std::in_range<To>(value))
    throw resource_error(base_detail::message(what, ": ", value, " is out of range"));
  return static_cast<To>(value);
}

/// Returns the product of the extents, which is 0 if any extent is 0, whatever the others are.
/// Throws resource_error naming `what` if it does not fit in std::size_t.
inline std::size_t checked_count(std::span<const std::size_t> extents, const char* what) {
  for (const std::size_t e : extents)
    if (e == 0) return 0;
  std::size_t count = 1;
  for (const std::size_t e : extents) count = checked_multiply(count, e, what);
  return count;
}

}  // namespace papilio

namespace papilio::base_detail {

/// A whole number at the beginning of a text, or one to the power of another, as "2^20".
struct whole_number {
  enum class fault_kind { none, no_digits, too_large };

  std::uint64_t value = 0;
  std::size_t length = 0;  ///< bytes that it takes; up to the fault where there is one
  fault_kind fault = fault_kind::none;
};

/// Reads a size as every program and kernel does: decimal digits without a sign; 0 is accepted.
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

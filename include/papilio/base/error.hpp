#pragma once

#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "papilio/base/export.hpp"

namespace papilio {

/// Root of everything papilio throws. The message names the function, the argument, the bound and
/// the value.
class PAPILIO_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

/// An argument outside its documented range.
class PAPILIO_API invalid_argument : public error {
 public:
  using error::error;
  ~invalid_argument() override;
};

/// Extents or strides of an operand that do not fit the operation.
class PAPILIO_API shape_error : public error {
 public:
  using error::error;
  ~shape_error() override;
};

/// A file that cannot be opened, read, understood or written. The message begins with its path.
class PAPILIO_API io_error : public error {
 public:
  io_error(std::string path, const std::string& reason)
      : error(path + ": " + reason), path_(std::move(path)) {}
  ~io_error() override;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A refusal of the emulated accelerator.
class PAPILIO_API device_error : public error {
 public:
  using error::error;
  ~device_error() override;
};

/// A size that overflows, or memory that cannot be had.
class PAPILIO_API resource_error : public error {
 public:
  using error::error;
  ~resource_error() override;
};

namespace base_detail {

/// One argument of message(): text, a character or a number. It refers to text, and owns none.
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

/// A class with a description stands for it, a complex number as "(real,imaginary)".
template <class Part>
decltype(auto) printed(const Part& part) {
  if constexpr (requires { part.describe(); })
    return part.describe();
  else if constexpr (requires { part.real(), part.imag(); })
    return message("(", part.real(), ",", part.imag(), ")");
  else
    return (part);
}

/// Concatenates its arguments, each as a stream prints it in the "C" locale: bool as 0 or 1, numbers
/// that are not whole with six digits; for messages only.
template <class... Parts>
std::string message(const Parts&... parts) {
  return joined({message_part(printed(parts))...});
}

}  // namespace base_detail
}  // namespace papilio

#include "papilio/base/error.hpp"

#include <charconv>
#include <limits>

namespace papilio {

// Out of line, so that each type's vtable and type_info live in the library alone and a catch
// clause matches across shared-library borders.
error::~error() = default;
invalid_argument::~invalid_argument() = default;
shape_error::~shape_error() = default;
io_error::~io_error() = default;
device_error::~device_error() = default;
resource_error::~resource_error() = default;

namespace base_detail {
namespace {

// Appends a number as "%g" prints it, in six digits.
template <std::floating_point Real>
void append_number(std::string& text, Real x) {
  char digits[32];
  const auto [end, fault] =
      std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general, 6);
  text.append(digits, end);
}

template <std::integral Number>
void append_number(std::string& text, Number n) {
  char digits[std::numeric_limits<Number>::digits10 + 2];
  const auto [end, fault] = std::to_chars(digits, digits + sizeof digits, n);
  text.append(digits, end);
}

}  // namespace

void message_part::append_to(std::string& text) const {
  switch (kind_) {
    case kind::text:
      text += text_;
      return;
    case kind::character:
      text += character_;
      return;
    case kind::integer:
      return append_number(text, integer_);
    case kind::natural:
      return append_number(text, natural_);
    case kind::real:
      return append_number(text, real_);
    case kind::long_real:
      return append_number(text, long_real_);
  }
}

std::string joined(std::initializer_list<message_part> parts) {
  std::string text;
  for (const message_part& part : parts) part.append_to(text);
  return text;
}

}  // namespace base_detail
}  // namespace papilio

#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio {

/// a + b, or resource_error naming `what` where the result does not fit.
template <std::integral T>
T checked_add(T a, T b, const char* what) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    throw resource_error(base_detail::message(what, ": ", a, " + ", b, " overflows"));
  return result;
}

/// a * b, or resource_error naming `what` where the result does not fit.
template <std::integral T>
T checked_multiply(T a, T b, const char* what) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    throw resource_error(base_detail::message(what, ": ", a, " * ", b, " overflows"));
  return result;
}

/// `value` as To, or resource_error naming `what` where To cannot hold it.
template <std::integral To, std::integral From>
To checked_cast(From value, const char* what) {
  if (!std::in_range<To>(value))
    throw resource_error(base_detail::message(what, ": ", value, " is out of range"));
  return static_cast<To>(value);
}

/// The number of elements, 0 where an extent is 0 whatever the others are; resource_error naming
/// `what` where it does not fit.
inline std::size_t checked_count(std::span<const std::size_t> extents, const char* what) {
  for (const std::size_t e : extents)
    if (e == 0) return 0;
  std::size_t count = 1;
  for (const std::size_t e : extents) count = checked_multiply(count, e, what);
  return count;
}

}  // namespace papilio

#pragma once

#include <type_traits>

#include "papilio/base/export.hpp"

namespace papilio {

enum class real_type { single_precision, double_precision, extended_precision };

/// The real_type of float, double or long double.
template <class T>
inline constexpr real_type real_type_of =
    std::is_same_v<T, float>    ? real_type::single_precision
    : std::is_same_v<T, double> ? real_type::double_precision
                                : real_type::extended_precision;

/// "float", "double" or "long double".
PAPILIO_API const char* to_string(real_type type);

}  // namespace papilio

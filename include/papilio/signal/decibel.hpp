#pragma once

#include <span>

#include "papilio/base/export.hpp"

namespace papilio {

/// 10 log10(power / reference), at least `floor_db`; a power of 0 is the floor (-infinity by
/// default). invalid_argument unless reference is finite and positive. NaN stays NaN.
PAPILIO_API double power_to_db(double power, double reference = 1.0);
PAPILIO_API double power_to_db(double power, double reference, double floor_db);

/// The same of every element, in float or double; out may be in. shape_error if lengths differ.
template <class T>
PAPILIO_API void power_to_db(std::span<const T> power, std::span<T> out, double reference,
                             double floor_db);

/// 20 log10(amplitude / reference) of the magnitude of `amplitude`.
PAPILIO_API double amplitude_to_db(double amplitude, double reference = 1.0);

}  // namespace papilio

#pragma once

#include <cstddef>

#include "papilio/base/error.hpp"
#include "papilio/signal/filters.hpp"

namespace papilio::filter_parts {

template <class Value>
void require(bool good, const char* function, const char* name, const char* bound, Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must be ", bound, ", got ", value));
}

/// Checks that edges ascend between 0 and rate_hz / 2.
void require_band(const char* function, const filter_band& band, double rate_hz);

/// Complete elliptic integral K, by the complementary modulus k' = sqrt(1 - m): pi / (2 AGM(1, k')).
double complete_integral(double complementary_modulus);

/// Returns the analog low-pass prototype with its edge at 1 radian a second: zeros and poles come in
/// pairs of conjugates to the bit. Options are checked.
zeros_poles_gain analog_prototype(const char* function, const iir_options& options);

}  // namespace papilio::filter_parts

#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/array.hpp"

namespace papilio::true_peak {

/// Samples that a phase weights.
inline constexpr std::size_t taps = 32;

/// Designs the filters that interpolate a signal to the rate of true peaks, [phases, taps]: phase p of
/// L - 1 gives the value at p + 1 Lths of the way from tap 15 to 16. None where L is 1.
array<double, 2> phases(double rate_hz);

/// Raises a peak to the largest magnitude of values; NaN is above all.
void raise(double& peak, std::span<const double> values);

/// Raises a peak to the largest magnitude between the samples of a line, behind which stand read_behind
/// more numbers, any ones. `phases` as above.
inline constexpr std::size_t read_behind = 7;
void raise_between(double& peak, view<const double, 2> phases, std::span<const double> line);

}  // namespace papilio::true_peak

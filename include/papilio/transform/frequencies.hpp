#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {
namespace transform_detail {

/// n as a length; invalid_argument unless n >= 1 and d is not 0.
PAPILIO_API std::size_t checked_frequencies(const char* function, std::ptrdiff_t n, double d);

}  // namespace transform_detail

/// numpy.fft.fftfreq: the frequency of each bin of a transform of length n of samples d apart, in
/// cycles per unit of d: 0, 1, ... (n - 1)/2, -n/2, ... -1, over n d.
/// invalid_argument: n below 1, d 0.
template <std::floating_point T = double>
array<T, 1> fftfreq(std::ptrdiff_t n, double d = 1) {
  const std::size_t count = transform_detail::checked_frequencies("fftfreq", n, d);
  array<T, 1> frequencies(count);
  const double length = static_cast<double>(n) * d;
  for (std::size_t k = 0; k < count; ++k) {
    const auto index = static_cast<double>(k);
    const double turns = k < count - count / 2 ? index : index - static_cast<double>(n);
    frequencies[k] = static_cast<T>(turns / length);
  }
  return frequencies;
}

/// numpy.fft.rfftfreq: the same for the n/2 + 1 bins of a half spectrum: 0, 1, ... n/2, over n d.
template <std::floating_point T = double>
array<T, 1> rfftfreq(std::ptrdiff_t n, double d = 1) {
  const std::size_t count = transform_detail::checked_frequencies("rfftfreq", n, d);
  array<T, 1> frequencies(count / 2 + 1);
  const double length = static_cast<double>(n) * d;
  for (std::size_t k = 0; k < frequencies.size(); ++k)
    frequencies[k] = static_cast<T>(static_cast<double>(k) / length);
  return frequencies;
}

}  // namespace papilio

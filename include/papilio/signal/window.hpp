#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"

namespace papilio {

enum class window_kind { rectangular, hann };

/// periodic: one period of length n, for spectral analysis (w[n] would equal w[0]);
/// symmetric: w[n-1] equals w[0], for filter design.
enum class window_symmetry { periodic, symmetric };

/// n >= 1 weights. hann: 0.5 - 0.5 cos(2 pi k / N), N = n (periodic) or n - 1 (symmetric); a single
/// weight is 1. T is float or double. invalid_argument if n is 0.
template <class T = double>
PAPILIO_API array<T, 1> make_window(window_kind kind, std::size_t n,
                                    window_symmetry symmetry = window_symmetry::periodic);

/// Sum of the weights: the peak magnitude of a unit complex exponential at a bin's centre.
template <class T>
PAPILIO_API double window_sum(std::span<const T> window);

/// "rectangular", "hann"; and back, invalid_argument naming the choices for any other name.
PAPILIO_API std::string_view to_string(window_kind kind);
PAPILIO_API window_kind parse_window_kind(std::string_view name);

}  // namespace papilio

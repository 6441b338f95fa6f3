#pragma once

#include <span>

#include "papilio/base/array.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// Options with window_length resolved, and n_fft weights with the window in their middle.
struct windowed_options {
  stft_options options;
  array<double, 1> window;
};

/// Resolves options. Throws invalid_argument naming the option, the bound and the value.
windowed_options resolved(const stft_options& options);

/// Resolves options with given weights of the window: 1 ... n_fft, as many as a window_length that
/// is not 0, all finite. Throws invalid_argument otherwise.
windowed_options resolved(stft_options options, std::span<const double> window);

/// Returns the factor of stft_scaling for the bins that have a mirror image. Throws
/// invalid_argument if the window's sum, or sum of squares, is 0 where the scaling divides by it.
double scaling_factor(const stft_options& checked, std::span<const double> window);

/// Returns the window times the factor in T. Throws invalid_argument unless all weights are 0 or
/// the largest leaves room for the divisor of the inverse.
template <class T>
array<T, 1> scaled_window(std::span<const double> window, double factor);

}  // namespace papilio::signal_detail

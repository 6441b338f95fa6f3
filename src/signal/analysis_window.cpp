#include "signal/analysis_window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "signal/stft_options.hpp"

namespace papilio::signal_detail {
namespace {

array<double, 1> centred(std::span<const double> window, std::size_t n) {
  array<double, 1> padded(n);
  std::ranges::copy(window, padded.begin() + (n - window.size()) / 2);
  return padded;
}

}  // namespace

windowed_options resolved(const stft_options& options) {
  const stft_options o = checked(options);
  return {o, centred(make_window<double>(o.window, o.window_length).flat(), o.n_fft)};
}

windowed_options resolved(stft_options options, std::span<const double> window) {
  if (window.empty()) throw invalid_argument("stft_plan: window must hold at least 1 value, got 0");
  if (options.window_length != 0 && options.window_length != window.size())
    throw invalid_argument(
        base_detail::message("stft_plan: options.window_length must be 0 or the window's ",
                             window.size(), ", got ", options.window_length));
  for (std::size_t i = 0; i < window.size(); ++i)
    if (!std::isfinite(window[i]))
      throw invalid_argument(
          base_detail::message("stft_plan: window[", i, "] must be finite, got ", window[i]));
  options.window_length = window.size();
  const stft_options o = checked(options);
  return {o, centred(window, o.n_fft)};
}

double scaling_factor(const stft_options& o, std::span<const double> window) {
  if (o.scaling == stft_scaling::none) return 1;
  double sum = 0, square = 0;
  for (const double w : window) {
    sum += w;
    square += w * w;
  }
  const bool by_sum = o.scaling == stft_scaling::magnitude || o.scaling == stft_scaling::dbfs;
  if ((by_sum ? sum : square) == 0)
    throw invalid_argument(base_detail::message("stft_plan: scaling divides by the window's ",
                                                by_sum ? "sum" : "sum of squares",
                                                ", which must not be 0"));
  switch (o.scaling) {
    case stft_scaling::none:
      break;
    case stft_scaling::magnitude:
      return 1 / sum;
    case stft_scaling::psd:
      return 1 / std::sqrt(o.rate_hz) / std::sqrt(square);
    case stft_scaling::orthonormal:
      return 1 / std::sqrt(square);
    case stft_scaling::dbfs:
      return 2 / sum;
  }
  return 1;
}

template <class T>
array<T, 1> scaled_window(std::span<const double> window, double factor) {
  double largest = 0;
  for (const double w : window) largest = std::max(largest, std::abs(w * factor));
  // The inverse divides by up to n times a sum of up to n squares, n at most 2^24.
  constexpr int exponent = std::numeric_limits<T>::max_exponent / 2 - 24;
  const double least = std::ldexp(1.0, -exponent), most = std::ldexp(1.0, exponent);
  if (largest != 0 && !(largest >= least && largest <= most))
    throw invalid_argument(
        base_detail::message("stft_plan: the scaled window's largest weight must be ", least,
                             " ... ", most, ", got ", largest));
  array<T, 1> scaled(window.size(), uninitialized);
  for (std::size_t j = 0; j < window.size(); ++j) scaled[j] = static_cast<T>(window[j] * factor);
  return scaled;
}

template array<float, 1> scaled_window(std::span<const double>, double);
template array<double, 1> scaled_window(std::span<const double>, double);

}  // namespace papilio::signal_detail

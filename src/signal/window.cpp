#include "papilio/signal/window.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"

namespace papilio {

template <class T>
array<T, 1> make_window(window_kind kind, std::size_t n, window_symmetry symmetry) {
  if (n == 0) throw invalid_argument("make_window: n must be at least 1, got 0");
  array<T, 1> window(n);
  const std::size_t period = symmetry == window_symmetry::periodic ? n : n - 1;
  for (std::size_t k = 0; k < n; ++k) {
    if (kind == window_kind::rectangular || n == 1) {
      window[k] = 1;
    } else {
      // 0.5 - 0.5 cos(2x) = sin(x)^2, which does not cancel near the ends. Both halves are computed
      // from the nearer end, so that they are equal to the bit.
      const std::size_t from_end = std::min(k, period - k);
      const double s = std::sin(std::numbers::pi *
                                (static_cast<double>(from_end) / static_cast<double>(period)));
      window[k] = static_cast<T>(s * s);
    }
  }
  return window;
}

template <class T>
double window_sum(std::span<const T> window) {
  double sum = 0;
  for (const T w : window) sum += static_cast<double>(w);
  return sum;
}

std::string_view to_string(window_kind kind) {
  return kind == window_kind::rectangular ? "rectangular" : "hann";
}

window_kind parse_window_kind(std::string_view name) {
  for (const window_kind kind : {window_kind::rectangular, window_kind::hann})
    if (name == to_string(kind)) return kind;
  throw invalid_argument(
      base_detail::message("window must be rectangular or hann, got \"", name, "\""));
}

template PAPILIO_API array<float, 1> make_window(window_kind, std::size_t, window_symmetry);
template PAPILIO_API array<double, 1> make_window(window_kind, std::size_t, window_symmetry);
template PAPILIO_API double window_sum(std::span<const float>);
template PAPILIO_API double window_sum(std::span<const double>);

}  // namespace papilio

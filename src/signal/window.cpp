#include "papilio/signal/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "papilio/base/error.hpp"
#include "signal/cosine_terms.hpp"
#include "signal/dpss.hpp"
#include "signal/window_parameter.hpp"

namespace papilio {
namespace {

// Returns a window's sum of cosines in powers of s = sin(x/2)^2, through cos(m x) = T_m(1 - 2 s):
// nothing cancels where the window goes to zero, and coefficients cancel in integers.
std::array<double, 5> sine_polynomial(const signal_detail::cosine_terms& a) {
  using signal_detail::cosine_terms;
  const cosine_terms exact{a[0] - a[1] + a[2] - a[3] + a[4],
                           2 * a[1] - 8 * a[2] + 18 * a[3] - 32 * a[4],
                           8 * a[2] - 48 * a[3] + 160 * a[4], 32 * a[3] - 256 * a[4], 128 * a[4]};
  std::array<double, 5> result{};
  for (std::size_t m = 0; m < exact.size(); ++m) result[m] = static_cast<double>(exact[m]) / 1e9;
  return result;
}

// Computes exp(-x) I0(x), x >= 0, by the power series, all of whose terms are positive; where
// exp(-x) makes that slow, by the asymptotic one, whose terms fall below an epsilon before they
// grow.
double scaled_bessel_i0(double x) {
  double sum = 1, term = 1;
  if (x < 40) {
    const double q = x * x / 4;
    for (double k = 1; term > 1e-18 * sum; ++k) sum += term *= q / (k * k);
    return sum * std::exp(-x);
  }
  for (double k = 1; term > 1e-18 * sum; ++k)
    sum += term *= (2 * k - 1) * (2 * k - 1) / (8 * k * x);
  return sum / (std::sqrt(2 * std::numbers::pi) * std::sqrt(x));
}

// Weight k <= N/2 of a window of period N (dpss apart).
class weight {
 public:
  weight(window_kind kind, double parameter, std::size_t period)
      : kind_(kind), parameter_(parameter), period_(static_cast<double>(period)) {
    if (kind == window_kind::tukey && parameter <= 0) kind_ = window_kind::rectangular;
    polynomial_ = sine_polynomial(signal_detail::cosine_terms_of(kind_));
    if (kind == window_kind::kaiser) kaiser_peak_ = scaled_bessel_i0(parameter);
  }

  double operator()(std::size_t k) const {
    const double position = static_cast<double>(k);
    switch (kind_) {
      case window_kind::kaiser:
        return kaiser(2 * position / period_);
      case window_kind::gaussian: {
        const double x = (position - period_ / 2) / parameter_;
        return std::exp(-0.5 * x * x);
      }
      case window_kind::tukey: {
        if (position > std::floor(parameter_ * period_ / 2)) return 1;
        const double s = std::sin(std::numbers::pi * (position / period_) / parameter_);
        return s * s;
      }
      default:
        return cosines(position / period_);
    }
  }

 private:
  double cosines(double cycles) const {
    const double s = std::sin(std::numbers::pi * cycles), square = s * s;
    double sum = polynomial_.back();
    for (std::size_t m = polynomial_.size() - 1; m-- > 0;) sum = sum * square + polynomial_[m];
    return sum;
  }
  double kaiser(double from_end) const {  // 0 at the end, 1 at the centre
    const double root = std::sqrt(from_end * (2 - from_end));
    const double distance = (1 - from_end) * (1 - from_end) / (1 + root);  // 1 - root
    return scaled_bessel_i0(parameter_ * root) / kaiser_peak_ * std::exp(-parameter_ * distance);
  }

  window_kind kind_;
  double parameter_, period_, kaiser_peak_ = 1;
  std::array<double, 5> polynomial_{};
};

template <class T>
void fill_dpss_window(std::span<T> window, double nw, std::size_t period) {
  array<double, 1> taper(period + 1);
  signal_detail::fill_dpss(taper.flat(), nw);
  const double points = static_cast<double>(taper.size());
  const double factor = taper.size() % 2 == 0 ? points * points / (points * points + nw) : 1;
  for (std::size_t k = 0; k < window.size(); ++k) window[k] = static_cast<T>(taper[k] * factor);
}

template <class T>
void require_weights(const char* function, std::span<const T> window) {
  if (window.empty())
    throw invalid_argument(
        base_detail::message(function, ": window must hold at least 1 weight, got 0"));
  const double sum = window_sum(window);
  if (!(sum != 0))
    throw invalid_argument(
        base_detail::message(function, ": the window's sum must not be 0, got ", sum));
}

}  // namespace

template <class T>
array<T, 1> make_window(window_spec window, std::size_t n, window_symmetry symmetry) {
  if (n == 0) throw invalid_argument("make_window: n must be at least 1, got 0");
  const std::size_t period = symmetry == window_symmetry::periodic ? n : n - 1;
  const double parameter = signal_detail::window_parameter("make_window", window, period);
  array<T, 1> weights(n);
  if (n == 1) {
    weights[0] = 1;
  } else if (window.kind == window_kind::dpss) {
    fill_dpss_window(weights.flat(), parameter, period);
  } else {
    const weight at(window.kind, parameter, period);
    // Weights are counted from the nearer end, so that both halves are equal to the bit.
    for (std::size_t k = 0; k < n; ++k)
      weights[k] = k > period - k ? weights[period - k] : static_cast<T>(at(k));
  }
  return weights;
}

template <class T>
double window_sum(std::span<const T> window) {
  double sum = 0;
  for (const T w : window) sum += static_cast<double>(w);
  return sum;
}

template <class T>
double coherent_gain(std::span<const T> window) {
  require_weights("coherent_gain", window);
  return window_sum(window) / static_cast<double>(window.size());
}

template <class T>
double equivalent_noise_bandwidth(std::span<const T> window) {
  require_weights("equivalent_noise_bandwidth", window);
  double squares = 0;
  for (const T w : window) squares += static_cast<double>(w) * static_cast<double>(w);
  const double sum = window_sum(window);
  return static_cast<double>(window.size()) * squares / (sum * sum);
}

template <class T>
double scalloping_loss_db(std::span<const T> window) {
  require_weights("scalloping_loss_db", window);
  double re = 0, im = 0;
  for (std::size_t k = 0; k < window.size(); ++k) {
    const double angle =
        std::numbers::pi * (static_cast<double>(k) / static_cast<double>(window.size()));
    re += static_cast<double>(window[k]) * std::cos(angle);
    im += static_cast<double>(window[k]) * std::sin(angle);
  }
  return -20 * std::log10(std::hypot(re, im) / std::abs(window_sum(window)));
}

template PAPILIO_API array<float, 1> make_window(window_spec, std::size_t, window_symmetry);
template PAPILIO_API array<double, 1> make_window(window_spec, std::size_t, window_symmetry);
template PAPILIO_API double window_sum(std::span<const float>);
template PAPILIO_API double window_sum(std::span<const double>);
template PAPILIO_API double coherent_gain(std::span<const float>);
template PAPILIO_API double coherent_gain(std::span<const double>);
template PAPILIO_API double equivalent_noise_bandwidth(std::span<const float>);
template PAPILIO_API double equivalent_noise_bandwidth(std::span<const double>);
template PAPILIO_API double scalloping_loss_db(std::span<const float>);
template PAPILIO_API double scalloping_loss_db(std::span<const double>);

}  // namespace papilio

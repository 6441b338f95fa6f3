#include "signal/window_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "signal/cosine_terms.hpp"
#include "signal/window_parameter.hpp"

namespace papilio::signal_detail {
namespace {
namespace transform_parts {

constexpr double pi = std::numbers::pi;
// Beyond the poles x = m of the closed form, m up to 4.
constexpr double regular_from = 4.5;

double sinc(double x) { return std::abs(x) < 1e-9 ? 1 : std::sin(pi * x) / (pi * x); }

}  // namespace transform_parts
}  // namespace

using namespace transform_parts;

window_transform::window_transform(const char* function, const window_spec& window)
    : is_kaiser_(window.kind == window_kind::kaiser) {
  using enum window_kind;
  if (window.kind == gaussian || window.kind == tukey || window.kind == dpss)
    throw invalid_argument(base_detail::message(
        function,
        ": window must have a transform in closed form (rectangular, hann, hamming, "
        "blackman, nuttall, blackman_harris, flat_top or kaiser), got ",
        to_string(window)));
  constexpr std::size_t any_period = 4096;
  beta_ = window_parameter(function, window, any_period);
  const cosine_terms terms = cosine_terms_of(window.kind);
  for (std::size_t m = 0; m < terms.size(); ++m) {
    terms_[m] =
        (m % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(terms[m]) / static_cast<double>(terms[0]);
    if (terms[m] != 0) count_ = m + 1;
  }
}

// sum_m (-1)^m a[m] x / (x^2 - m^2) / a[0], where no m is near x.
double window_transform::sum(double x) const {
  double total = 0;
  for (std::size_t m = 0; m < count_; ++m)
    total += terms_[m] * x / (x * x - static_cast<double>(m * m));
  return total;
}

double window_transform::operator()(double x) const {
  if (is_kaiser_) {
    const double square = pi * pi * x * x - beta_ * beta_;
    // beta / sinh(beta), without what overflows: exp(-beta) is taken to the other factor.
    const double scale = beta_ < 1e-9 ? 1 : 2 * beta_ / -std::expm1(-2 * beta_);
    const double z = std::sqrt(std::abs(square));
    if (square >= 0) return scale * std::exp(-beta_) * (z < 1e-9 ? 1 : std::sin(z) / z);
    return scale * std::exp(z - beta_) * (z < 1e-9 ? 1 : -std::expm1(-2 * z) / (2 * z));
  }
  if (std::abs(x) > regular_from) return std::sin(pi * x) / pi * sum(x);
  double total = 0;
  for (std::size_t m = 0; m < count_; ++m) {
    const double at = static_cast<double>(m);
    total += std::abs(terms_[m]) * (sinc(x - at) + sinc(x + at)) / 2;
  }
  return total;
}

double window_transform::envelope(double x) const {
  if (!is_kaiser_) return std::abs(sum(x)) / pi;
  const double z = std::sqrt(std::max(pi * pi * x * x - beta_ * beta_, 1.0));
  return (beta_ < 1e-9 ? 1 : 2 * beta_ / -std::expm1(-2 * beta_)) * std::exp(-beta_) / z;
}

double window_transform::reach(double tolerance) const {
  const double least = is_kaiser_ ? std::max(1.0, beta_ / pi) : regular_from;
  double far = 2 * least;
  // An envelope may pass through 0 once before it decays as 1 / x.
  while (std::max({envelope(far), envelope(1.5 * far), envelope(2 * far)}) > tolerance) far *= 2;
  while (far - 0.25 > least && envelope(far - 0.25) <= tolerance) far -= 0.25;
  return far;
}

template <class T>
void window_transform::fill(double first, double step, std::span<T> out) const {
  // Sines of a run's steps come from its first angle by the addition theorem.
  constexpr std::size_t run = 64;
  // Nearer to a pole of the closed form than this its factors lose digits.
  constexpr double near_pole = 1e-3;
  std::array<double, run> sines, cosines, values;
  for (std::size_t i = 0; i < run; ++i) {
    sines[i] = std::sin(pi * step * static_cast<double>(i)) / pi;
    cosines[i] = std::cos(pi * step * static_cast<double>(i)) / pi;
  }
  for (std::size_t from = 0; from < out.size(); from += run) {
    const std::size_t count = std::min(out.size() - from, run);
    const double x0 = first + static_cast<double>(from) * step;
    if (is_kaiser_) {
      for (std::size_t i = 0; i < count; ++i)
        out[from + i] = static_cast<T>((*this)(x0 + static_cast<double>(i) * step));
      continue;
    }
    values.fill(0);
    for (std::size_t m = 0; m < count_; ++m)
      for (std::size_t i = 0; i < run; ++i) {
        const double x = x0 + static_cast<double>(i) * step;
        values[i] += terms_[m] * x / (x * x - static_cast<double>(m * m));
      }
    const double s = std::sin(pi * x0), c = std::cos(pi * x0);
    for (std::size_t i = 0; i < count; ++i)
      out[from + i] = static_cast<T>((s * cosines[i] + c * sines[i]) * values[i]);
    const double end = x0 + static_cast<double>(count) * step;
    if (x0 > regular_from || end < -regular_from) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = x0 + static_cast<double>(i) * step;
      if (std::abs(x - std::nearbyint(x)) < near_pole) out[from + i] = static_cast<T>((*this)(x));
    }
  }
}

template void window_transform::fill(double, double, std::span<float>) const;
template void window_transform::fill(double, double, std::span<double>) const;

}  // namespace papilio::signal_detail

#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/signal/two_channel.hpp"

namespace papilio {
namespace {
namespace phase_parts {

constexpr double two_pi = 2 * std::numbers::pi;

// Steps from one bin to the next, -pi ... pi.
double step_between(double before, double behind) {
  return std::remainder(behind - before, two_pi);
}

}  // namespace phase_parts
}  // namespace

array<double, 1> phase(std::span<const std::complex<double>> response, bool unwrapped) {
  array<double, 1> out(response.size());
  double last = 0;
  bool is_first = true;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = std::arg(response[k]);
    if (!unwrapped || std::isnan(out[k])) continue;
    if (!is_first) out[k] = last + phase_parts::step_between(last, out[k]);
    last = out[k];
    is_first = false;
  }
  return out;
}

array<double, 1> group_delay_seconds(std::span<const std::complex<double>> response,
                                     double bin_hz) {
  if (!(bin_hz > 0 && std::isfinite(bin_hz)))
    throw invalid_argument(base_detail::message(
        "group_delay_seconds: bin_hz must be positive and finite, got ", bin_hz));
  const std::size_t n = response.size();
  array<double, 1> out(n);
  if (n < 2) return out;
  const double to_seconds = -1 / (phase_parts::two_pi * bin_hz);
  double before = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double behind =
        k + 1 < n ? phase_parts::step_between(std::arg(response[k]), std::arg(response[k + 1]))
                  : before;
    out[k] = to_seconds * (k == 0 ? behind : (before + behind) / 2);
    before = behind;
  }
  return out;
}

}  // namespace papilio

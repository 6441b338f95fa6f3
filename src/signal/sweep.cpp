#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/two_channel.hpp"
#include "papilio/transform/frequencies.hpp"

namespace papilio {
namespace {
namespace sweep_parts {

using base_detail::message;

constexpr std::size_t most_samples = std::size_t{1} << 23;

void require(const sweep_options& o) {
  const auto check = [](bool good, const char* name, const char* bound, auto value) {
    if (!good)
      throw invalid_argument(message("sweep_options: ", name, " must be ", bound, ", got ", value));
  };
  check(o.rate_hz > 0 && std::isfinite(o.rate_hz), "rate_hz", "positive and finite", o.rate_hz);
  check(o.low_hz > 0 && std::isfinite(o.low_hz), "low_hz", "positive and finite", o.low_hz);
  check(o.high_hz > o.low_hz && o.high_hz <= o.rate_hz / 2, "high_hz",
        "above low_hz and at most rate_hz / 2", o.high_hz);
  check(o.samples >= 2 && o.samples <= most_samples, "samples", "2 ... 8388608", o.samples);
  check(o.fade_in <= o.samples, "fade_in", "at most samples", o.fade_in);
  check(o.fade_out <= o.samples - o.fade_in, "fade_out", "at most samples - fade_in", o.fade_out);
}

/// Samples in which the frequency grows by e.
double growth_samples(const sweep_options& o) {
  return static_cast<double>(o.samples) / std::log(o.high_hz / o.low_hz);
}

/// Rising half of a Hann window at sample j of a fade.
double fade(std::size_t j, std::size_t count) {
  const double s =
      std::sin(0.5 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(count));
  return s * s;
}

// The spectrum of a signal with zeros behind.
template <class T>
array<std::complex<double>, 1> spectrum_of(const rfft_plan<double>& plan,
                                           std::span<const T> signal) {
  array<double, 1> padded(plan.size());
  std::ranges::copy(signal, padded.begin());
  array<std::complex<double>, 1> bins(plan.bins());
  plan.forward(padded.flat(), bins.flat());
  return bins;
}

template <class T>
void require_finite(const char* name, std::span<const T> signal) {
  if (signal.empty())
    throw invalid_argument(message("impulse_response: ", name, " must hold samples, got 0"));
  const auto wrong = std::ranges::find_if(signal, [](T x) { return !std::isfinite(x); });
  if (wrong != signal.end())
    throw invalid_argument(message("impulse_response: ", name, " must be finite, got ", *wrong,
                                   " at sample ", wrong - signal.begin()));
}

}  // namespace sweep_parts
}  // namespace

// Cycles are counted, so that their whole part leaves no rounding in the sine's argument.
array<double, 1> exponential_sweep(const sweep_options& options) {
  sweep_parts::require(options);
  const double growth = sweep_parts::growth_samples(options);
  const double cycles = options.low_hz / options.rate_hz * growth;
  array<double, 1> out(options.samples);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double at = cycles * std::expm1(static_cast<double>(j) / growth);
    out[j] = std::sin(2 * std::numbers::pi * (at - std::floor(at)));
  }
  for (std::size_t j = 0; j < options.fade_in; ++j) out[j] *= sweep_parts::fade(j, options.fade_in);
  for (std::size_t j = 0; j < options.fade_out; ++j)
    out[out.size() - 1 - j] *= sweep_parts::fade(j, options.fade_out);
  return out;
}

// By stationary phase |X(f)|^2 = L / (4 f) with L in samples and f in cycles a sample; the filter's
// amplitude is f / high at the sample that has frequency f, so that |X G| = L / (4 high)
// everywhere.
array<double, 1> inverse_sweep(const sweep_options& options) {
  array<double, 1> out = exponential_sweep(options);
  std::ranges::reverse(out);
  const double growth = sweep_parts::growth_samples(options);
  const double scale = 4 * options.high_hz / options.rate_hz / growth;
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] *= scale * std::exp(-static_cast<double>(j) / growth);
  return out;
}

double harmonic_lead(const sweep_options& options, std::size_t order) {
  sweep_parts::require(options);
  if (order < 1)
    throw invalid_argument(
        base_detail::message("harmonic_lead: order must be at least 1, got ", order));
  return sweep_parts::growth_samples(options) * std::log(static_cast<double>(order));
}

template <class T>
measured_impulse impulse_response(std::span<const T> recorded, std::span<const T> excitation,
                                  double regularization) {
  using base_detail::message;
  sweep_parts::require_finite("recorded", recorded);
  sweep_parts::require_finite("excitation", excitation);
  const std::size_t most = 2 * sweep_parts::most_samples;
  if (recorded.size() > most || excitation.size() > most - recorded.size())
    throw invalid_argument(message("impulse_response: recorded and excitation must be at most ",
                                   most, " samples together, got ", recorded.size(), " and ",
                                   excitation.size()));
  if (!(regularization > 0 && std::isfinite(regularization)))
    throw invalid_argument(message(
        "impulse_response: regularization must be positive and finite, got ", regularization));
  const std::size_t length = recorded.size() + excitation.size() - 1,
                    origin = excitation.size() - 1;
  const rfft_plan<double> plan(next_fast_len(static_cast<std::ptrdiff_t>(length), true));
  const array<std::complex<double>, 1> x = sweep_parts::spectrum_of(plan, excitation);
  array<std::complex<double>, 1> response = sweep_parts::spectrum_of(plan, recorded);
  double largest = 0;
  for (const std::complex<double>& bin : x) largest = std::max(largest, std::norm(bin));
  if (!(largest > 0 && std::isfinite(largest)))
    throw invalid_argument(
        message("impulse_response: excitation must have a finite power above 0, got ", largest));
  for (std::size_t k = 0; k < x.size(); ++k)
    response[k] *= std::conj(x[k]) / (std::norm(x[k]) + regularization * largest);
  array<double, 1> around(plan.size());
  plan.inverse(response.flat(), around.flat());
  measured_impulse made{.samples = array<double, 1>(length), .origin = origin};
  // Times before 0 stand at the end of the period.
  std::copy(around.end() - origin, around.end(), made.samples.begin());
  std::copy_n(around.begin(), recorded.size(), made.samples.begin() + origin);
  return made;
}

template PAPILIO_API measured_impulse impulse_response(std::span<const float>,
                                                       std::span<const float>, double);
template PAPILIO_API measured_impulse impulse_response(std::span<const double>,
                                                       std::span<const double>, double);

}  // namespace papilio

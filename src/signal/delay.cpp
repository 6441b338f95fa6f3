#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/two_channel.hpp"
#include "papilio/transform/frequencies.hpp"

namespace papilio {

using base_detail::message;

namespace {
namespace delay_parts {

constexpr std::size_t longest_segment = std::size_t{1} << 23;

/// Weighted cross-spectrum of n_fft / 2 + 1 bins, each counted as often as it stands for bins of
/// all n_fft, and the correlation at delay 0 of signals that are alike.
struct weighted_bins {
  array<std::complex<double>, 1> bins;
  double at_most = 0;
};

double sum_of(const array<double, 1>& power, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k <= n / 2; ++k) sum += power[k] * (k == 0 || 2 * k == n ? 1 : 2);
  return sum;
}

template <class T>
weighted_bins weighted(const cross_spectrum_stream<T>& spectra, delay_weighting weighting) {
  const welch_options& o = spectra.options();
  const std::size_t n = o.n_fft;
  array<double, 1> xx = spectra.x_power(), yy = spectra.y_power();
  const array<std::complex<double>, 1> cross = spectra.cross_spectrum();
  weighted_bins made{.bins = array<std::complex<double>, 1>(n / 2 + 1)};
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const double once = o.one_sided && k != 0 && 2 * k != n ? 0.5 : 1;
    made.bins[k] = once * cross[k];
    xx[k] *= once;
    yy[k] *= once;
  }
  const double x_sum = sum_of(xx, n), y_sum = sum_of(yy, n);
  for (const auto& [name, sum] : {std::pair("x", x_sum), std::pair("y", y_sum)})
    if (!(sum > 0 && std::isfinite(sum)))
      throw invalid_argument(
          message("find_delay: ", name, " must be finite and vary, got a power of ", sum));
  made.at_most = std::sqrt(x_sum) * std::sqrt(y_sum);
  if (weighting == delay_weighting::none) return made;
  double largest = 0;
  for (const std::complex<double>& bin : made.bins) largest = std::max(largest, std::abs(bin));
  if (largest == 0)
    throw invalid_argument("find_delay: x and y must have a frequency in common, got none");
  made.at_most = 0;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const double size = std::abs(made.bins[k]);
    const bool counts = size > 1e-12 * largest;
    made.bins[k] = counts ? made.bins[k] / size : 0;
    if (counts) made.at_most += k == 0 || 2 * k == n ? 1 : 2;
  }
  return made;
}

/// Correlation and its first two derivatives at a delay in samples.
struct correlation_at {
  double value = 0, slope = 0, curvature = 0;

  // Factors exp(i omega delay) of neighbours differ by one turn; every 64th is computed anew, so
  // that roundings do not add up.
  correlation_at(const weighted_bins& of, std::size_t n, double delay) {
    const double bin = 2 * std::numbers::pi / static_cast<double>(n);
    const std::complex<double> turn = std::polar(1.0, bin * delay);
    double re = 1, im = 0;
    for (std::size_t k = 0; k < of.bins.size(); ++k) {
      const double count = k == 0 || 2 * k == n ? 1 : 2, omega = bin * static_cast<double>(k);
      if (k % 64 == 0) {
        re = std::cos(omega * delay);
        im = std::sin(omega * delay);
      }
      const double a = count * of.bins[k].real(), b = count * of.bins[k].imag();
      const double real = a * re - b * im, imaginary = a * im + b * re;
      value += real;
      slope -= omega * imaginary;
      curvature -= omega * omega * real;
      const double next = re * turn.real() - im * turn.imag();
      im = re * turn.imag() + im * turn.real();
      re = next;
    }
  }
};

}  // namespace delay_parts
}  // namespace

welch_options delay_segments(std::size_t samples, std::size_t longest) {
  if (samples < 1)
    throw invalid_argument(message("delay_segments: samples must be at least 1, got ", samples));
  if (longest < 1 || longest > delay_parts::longest_segment)
    throw invalid_argument(message("delay_segments: longest must be 1 ... ",
                                   delay_parts::longest_segment, ", got ", longest));
  const std::size_t segments = (samples - 1) / longest + 1, length = samples / segments;
  return {.segment_length = length,
          .overlap = 0,
          .n_fft = next_fast_len(static_cast<std::ptrdiff_t>(2 * length), true),
          .window = window_kind::rectangular};
}

template <class T>
delay_estimate find_delay(const cross_spectrum_stream<T>& spectra, const delay_options& options) {
  const std::size_t n = spectra.options().n_fft;
  if (options.max_delay > n / 2)
    throw invalid_argument(message("find_delay: max_delay must be at most n_fft / 2, ", n / 2,
                                   ", got ", options.max_delay));
  const delay_parts::weighted_bins bins = delay_parts::weighted(spectra, options.weighting);
  array<double, 1> correlation(n);
  rfft_plan<double>(n, {.norm = normalization::none}).inverse(bins.bins.flat(), correlation.flat());

  // Delays below 0 stand at the end.
  const std::size_t most = options.max_delay > 0 ? options.max_delay : n / 2;
  std::size_t place = 0;
  const auto look_at = [&](std::size_t k) {
    if (std::abs(correlation[k]) > std::abs(correlation[place])) place = k;
  };
  for (std::size_t k = 1; k <= most; ++k) look_at(k);
  for (std::size_t k = 1; k <= std::min(most, (n - 1) / 2); ++k) look_at(n - k);
  const auto length = static_cast<std::ptrdiff_t>(n);
  const auto best = static_cast<std::ptrdiff_t>(place) - (2 * place > n ? length : 0);
  const auto at = [&](std::ptrdiff_t delay) {
    return correlation[static_cast<std::size_t>((delay + length) % length)];
  };

  // Correlations with a sign that makes the peak a maximum.
  const double sign = at(best) < 0 ? -1 : 1;
  const double before = sign * at(best - 1), peak = sign * at(best), behind = sign * at(best + 1);
  const double bend = before - 2 * peak + behind;
  const double vertex = bend < 0 ? 0.5 * (before - behind) / bend : 0;
  const double middle = static_cast<double>(best);
  double offset = std::clamp(vertex, -0.5, 0.5);
  for (int step = 0; step < 20; ++step) {
    const delay_parts::correlation_at here(bins, n, middle + offset);
    if (!(sign * here.curvature < 0)) break;
    const double next = std::clamp(offset - here.slope / here.curvature, -1.0, 1.0);
    const bool is_found = std::abs(next - offset) < 1e-9;
    offset = next;
    if (is_found) break;
  }
  const double value = delay_parts::correlation_at(bins, n, middle + offset).value;
  return {.samples = middle + offset, .correlation = value / bins.at_most};
}

template <class T>
delay_estimate find_delay(std::span<const T> x, std::span<const T> y,
                          const delay_options& options) {
  if (x.size() != y.size() || x.empty())
    throw shape_error(message("find_delay: x and y must have equal lengths of at least 1, got ",
                              x.size(), " and ", y.size(), " samples"));
  cross_spectrum_stream<T> spectra(delay_segments(x.size()));
  spectra.push(x, y);
  return find_delay(spectra, options);
}

template PAPILIO_API delay_estimate find_delay(const cross_spectrum_stream<float>&,
                                               const delay_options&);
template PAPILIO_API delay_estimate find_delay(const cross_spectrum_stream<double>&,
                                               const delay_options&);
template PAPILIO_API delay_estimate find_delay(std::span<const float>, std::span<const float>,
                                               const delay_options&);
template PAPILIO_API delay_estimate find_delay(std::span<const double>, std::span<const double>,
                                               const delay_options&);

}  // namespace papilio

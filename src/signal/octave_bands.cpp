// Octave bands and their fractions: middles, names, and Butterworth filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"
#include "signal/filter_prototypes.hpp"

namespace papilio {
namespace {
namespace octave_steps {

using filter_parts::require;

/// Octave ratio G of IEC 61260-1, to a power.
double octaves(double power) { return std::pow(10.0, 0.3 * power); }

double nominal_of(double mid_hz, std::size_t fraction, long index) {
  constexpr std::array names{1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0};
  if (fraction == 1 || fraction == 3) {
    const long tenths = (fraction == 1 ? 3 * index : index) + 30;  // of a decade, from 1 Hz
    const long decade = tenths >= 0 ? tenths / 10 : -((9 - tenths) / 10);
    const double name = names[static_cast<std::size_t>(tenths - 10 * decade)];
    return decade >= 0 ? name * std::pow(10.0, decade) : name / std::pow(10.0, -decade);
  }
  const double decade = std::floor(std::log10(mid_hz));
  const double places = mid_hz / std::pow(10.0, decade) < 5 ? 2 : 1;  // behind the first digit
  const double power = std::pow(10.0, std::abs(places - decade));
  return places >= decade ? std::round(mid_hz * power) / power : std::round(mid_hz / power) * power;
}

octave_band band_of(std::size_t fraction, long index) {
  const double b = static_cast<double>(fraction), k = static_cast<double>(index);
  const double mid_hz = 1000 * octaves(fraction % 2 == 1 ? k / b : (2 * k + 1) / (2 * b));
  const double half = octaves(1 / (2 * b));
  return {nominal_of(mid_hz, fraction, index), mid_hz, mid_hz / half, mid_hz * half};
}

/// Order with which the lower slope is that of an analog filter of order 3. Its attenuation is 10
/// log10(1 + x^(2 order)), x the distance from the middle in halves of the band, which the bilinear
/// transformation lessens; compared where a band of one octave has the mask's point at G (IEC
/// 61260-1).
std::size_t order_of(const octave_band& band, double rate_hz) {
  constexpr double least = 3, tolerated = 0.05;  // of an order: 1 % of the decibels
  const double half_band = std::log10(band.high_hz / band.low_hz) / 2;
  const double point = 1 + (std::pow(10.0, half_band) - 1) / (octaves(0.5) - 1) * (octaves(1) - 1);
  const auto warped = [&](double hz) { return std::tan(std::numbers::pi * hz / rate_hz); };
  const double low = warped(band.low_hz), high = warped(band.high_hz);
  const double at = warped(band.mid_hz / point);
  const double analog = (point - 1 / point) / ((band.high_hz - band.low_hz) / band.mid_hz);
  const double digital = (low * high - at * at) / (at * (high - low));
  const double wanted = least * std::log(analog) / std::log(digital);
  return static_cast<std::size_t>(std::max(least, std::ceil(wanted - tolerated)));
}

}  // namespace octave_steps
}  // namespace

std::vector<octave_band> octave_bands(std::size_t fraction, double low_hz, double high_hz,
                                      double rate_hz) {
  using namespace octave_steps;
  constexpr const char* function = "octave_bands";
  require(fraction >= 1 && fraction <= 48, function, "fraction", "1 ... 48", fraction);
  require(low_hz > 0 && std::isfinite(low_hz), function, "low_hz", "above 0", low_hz);
  require(high_hz >= low_hz && high_hz <= 1e9, function, "high_hz",
          "at least low_hz and at most 1e9", high_hz);
  require(rate_hz > 0, function, "rate_hz", "above 0", rate_hz);
  const double b = static_cast<double>(fraction);
  const long first = std::lround(std::floor(b * std::log10(low_hz / 1000) / 0.3)) - 1;
  std::vector<octave_band> bands;
  for (long k = first;; ++k) {
    const octave_band band = band_of(fraction, k);
    if (band.nominal_hz > high_hz || !(band.high_hz < rate_hz / 2)) return bands;
    if (band.nominal_hz >= low_hz) bands.push_back(band);
  }
}

std::vector<sos_section> octave_band_sections(const octave_band& band, double rate_hz) {
  using namespace octave_steps;
  constexpr const char* function = "octave_band_sections";
  require(rate_hz > 0 && std::isfinite(rate_hz), function, "rate_hz", "positive and finite",
          rate_hz);
  require(band.low_hz > 0, function, "low_hz", "above 0", band.low_hz);
  require(band.mid_hz > band.low_hz, function, "mid_hz", "above low_hz", band.mid_hz);
  require(band.high_hz > band.mid_hz, function, "high_hz", "above mid_hz", band.high_hz);
  if (!(band.high_hz < rate_hz / 2))
    throw invalid_argument(base_detail::message(function, ": high_hz must be below half the rate, ",
                                                rate_hz / 2, " Hz, got ", band.high_hz));
  return iir_sections(
      {.order = order_of(band, rate_hz), .band = filter_band::band_pass(band.low_hz, band.high_hz)},
      rate_hz);
}

}  // namespace papilio

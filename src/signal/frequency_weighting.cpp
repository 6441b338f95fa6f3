// Frequency weightings A, C and Z: analog gains, and sections whose magnitude is fitted to them.
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"
#include "signal/filter_prototypes.hpp"

namespace papilio {
namespace {
namespace weighting_steps {

constexpr double pi = std::numbers::pi, reference_hz = 1000;

/// Frequencies of the analog poles, Hz: the first and the last ones are double.
struct pole_frequencies {
  double first, second, third, last;
};

/// IEC 61672-1, annex E: C is -3.01 dB at 10^1.5 and 10^3.9 Hz and 0 dB at 1 kHz, which makes the
/// squares of the first and the last frequency the roots of f^2 + b f + c; A has two more
/// high-passes, at 10^2.45 (3 -+ sqrt 5) / 2 Hz.
pole_frequencies pole_frequencies_of_standard() {
  const double low2 = 1e3, high2 = std::pow(10.0, 7.8), reference2 = reference_hz * reference_hz;
  const double half = std::sqrt(0.5), c = low2 * high2;
  const double b = (reference2 + c / reference2 - half * (low2 + high2)) / (1 - half);
  // The small root is a quotient, since a difference would cancel.
  const double large = (-b + std::sqrt(b * b - 4 * c)) / 2, small = c / large;
  const double middle = std::pow(10.0, 2.45), root = std::sqrt(5.0);
  return {std::sqrt(small), (3 - root) / 2 * middle, (3 + root) / 2 * middle, std::sqrt(large)};
}

std::vector<double> high_passes(frequency_weighting weighting, const pole_frequencies& f) {
  if (weighting == frequency_weighting::c) return {f.first, f.first};
  return {f.first, f.first, f.second, f.third};
}

double square(double x) { return x * x; }

/// Squared analog gain, but for the factor that makes it 1 at 1 kHz.
double squared_gain(frequency_weighting weighting, const pole_frequencies& f, double hz) {
  double gain = 1 / square(1 + square(hz / f.last));
  for (const double pole : high_passes(weighting, f))
    gain *= square(hz) / (square(hz) + square(pole));
  return gain;
}

void require_weighting(const char* function, frequency_weighting weighting) {
  filter_parts::require(
      weighting == frequency_weighting::a || weighting == frequency_weighting::c ||
          weighting == frequency_weighting::z,
      function, "weighting", "one of frequency_weighting", static_cast<int>(weighting));
}

/// Section with (1 - 1/z)^2 over the poles p and q.
sos_section high_pass_section(double p, double q) { return {1, -2, 1, -(p + q), p * q}; }

/// Sections whose last one, N / (1 - p / z)^2, makes the squared gain that of the analog filter at
/// three frequencies. With s = sin^2(pi f / rate), |N|^2 = n0 (1 - s) + n1 s + 4 n2 s (1 - s): n0
/// and n1 are its values at 0 Hz and at half the rate.
std::vector<sos_section> fitted_sections(frequency_weighting weighting, double rate_hz) {
  const pole_frequencies f = pole_frequencies_of_standard();
  const double scale = 1 / squared_gain(weighting, f, reference_hz);
  const std::vector<double> passes = high_passes(weighting, f);
  const double angle = 2 * pi / rate_hz, last = std::exp(-angle * f.last);
  const auto below = [&](double s, double pole) {  // |1 - pole / z|^2
    return square(1 - pole) + 4 * pole * s;
  };
  const auto wanted = [&](double hz) {
    const double s = square(std::sin(pi * hz / rate_hz));
    double value = scale * squared_gain(weighting, f, hz) * square(below(s, last));
    for (const double pass : passes) value *= below(s, std::exp(-angle * pass)) / (4 * s);
    return value;
  };
  // Towards 0 Hz each high-pass is f / pole, and (2 pi f / rate) / (1 - exp(-2 pi pole / rate)).
  double n0 = scale * square(square(1 - last));
  for (const double pass : passes) n0 *= square(std::expm1(-angle * pass) / (angle * pass));
  const auto equation = [&](double turns, double& s, double& rest) {
    s = square(std::sin(pi * turns));
    rest = (wanted(turns * rate_hz) - n0 * (1 - s)) / s;  // n1 + 4 (1 - s) n2
  };
  double s1, s2, rest1, rest2;
  equation(0.3, s1, rest1);
  equation(0.45, s2, rest2);
  const double n2 = (rest1 - rest2) / (4 * (s2 - s1)), n1 = rest1 - 4 * (1 - s1) * n2;
  const double sum = (std::sqrt(n0) + std::sqrt(n1)) / 2;  // b0 + b2
  const double b0 = (sum + std::sqrt(square(sum) + n2)) / 2;
  const double b1 = (std::sqrt(n0) - std::sqrt(n1)) / 2, b2 = -n2 / (4 * b0);
  std::vector<sos_section> sections;
  for (std::size_t i = 0; i < passes.size(); i += 2)
    sections.push_back(
        high_pass_section(std::exp(-angle * passes[i]), std::exp(-angle * passes[i + 1])));
  sections.push_back({b0, b1, b2, -2 * last, last * last});
  return sections;
}

}  // namespace weighting_steps
}  // namespace

double weighting_gain_db(frequency_weighting weighting, double hz) {
  using namespace weighting_steps;
  constexpr const char* function = "weighting_gain_db";
  require_weighting(function, weighting);
  filter_parts::require(hz >= 0 && std::isfinite(hz), function, "hz", "finite and at least 0", hz);
  if (weighting == frequency_weighting::z) return 0;
  const pole_frequencies f = pole_frequencies_of_standard();
  return 10 * std::log10(squared_gain(weighting, f, hz) / squared_gain(weighting, f, reference_hz));
}

std::vector<sos_section> weighting_sections(frequency_weighting weighting, double rate_hz) {
  using namespace weighting_steps;
  constexpr const char* function = "weighting_sections";
  require_weighting(function, weighting);
  filter_parts::require(rate_hz >= 1000 && rate_hz <= 1e7, function, "rate_hz", "1000 ... 1e7",
                        rate_hz);
  if (weighting == frequency_weighting::z) return {{}};
  return fitted_sections(weighting, rate_hz);
}

}  // namespace papilio

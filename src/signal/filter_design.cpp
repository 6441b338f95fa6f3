#include "papilio/signal/filters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "papilio/base/error.hpp"
#include "signal/filter_prototypes.hpp"

namespace papilio {
namespace {
namespace filter_steps {

using complex = std::complex<double>;
using filter_parts::require;
constexpr double pi = std::numbers::pi;

double product_of_differences(double from, const std::vector<complex>& values) {
  complex product = 1;
  for (const complex& v : values) product *= from - v;
  return product.real();
}
double product_of_negatives(const std::vector<complex>& values) {
  return product_of_differences(0, values);
}

/// Replaces each root r by r' + sqrt(r'^2 - centre^2) and r' - ..., r' = to(r).
template <class Function>
void split_roots(std::vector<complex>& roots, double centre, const Function& to) {
  const std::size_t n = roots.size();
  roots.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const complex r = to(roots[i]), root = std::sqrt(r * r - centre * centre);
    roots[i] = r + root;
    roots[n + i] = r - root;
  }
}

/// Moves the prototype's edge from 1 to the band's, in radians a second: s becomes s / edge, edge / s,
/// (s^2 + centre^2) / (s width), or its inverse.
void move_to_band(zeros_poles_gain& f, band_kind kind, double edge, double upper) {
  const std::size_t degree = f.poles.size() - f.zeros.size();
  const double width = upper - edge, centre = std::sqrt(edge * upper);
  switch (kind) {
    case band_kind::low_pass:
      for (complex& z : f.zeros) z *= edge;
      for (complex& p : f.poles) p *= edge;
      f.gain *= std::pow(edge, static_cast<double>(degree));
      break;
    case band_kind::high_pass:
      f.gain *= product_of_negatives(f.zeros) / product_of_negatives(f.poles);
      for (complex& z : f.zeros) z = edge / z;
      for (complex& p : f.poles) p = edge / p;
      f.zeros.insert(f.zeros.end(), degree, 0.0);
      break;
    case band_kind::band_pass: {
      const auto scaled = [&](complex r) { return r * (width / 2); };
      split_roots(f.zeros, centre, scaled);
      split_roots(f.poles, centre, scaled);
      f.zeros.insert(f.zeros.end(), degree, 0.0);
      f.gain *= std::pow(width, static_cast<double>(degree));
      break;
    }
    case band_kind::band_stop: {
      const auto inverse = [&](complex r) { return (width / 2) / r; };
      f.gain *= product_of_negatives(f.zeros) / product_of_negatives(f.poles);
      split_roots(f.zeros, centre, inverse);
      split_roots(f.poles, centre, inverse);
      f.zeros.insert(f.zeros.end(), degree, complex(0, centre));
      f.zeros.insert(f.zeros.end(), degree, complex(0, -centre));
      break;
    }
  }
}

/// Transforms by z = (4 + s) / (4 - s): two samples a second.
void transform_bilinearly(zeros_poles_gain& f) {
  const std::size_t degree = f.poles.size() - f.zeros.size();
  f.gain *= product_of_differences(4, f.zeros) / product_of_differences(4, f.poles);
  for (complex& z : f.zeros) z = (4.0 + z) / (4.0 - z);
  for (complex& p : f.poles) p = (4.0 + p) / (4.0 - p);
  f.zeros.insert(f.zeros.end(), degree, -1.0);
}

/// Returns one of each pair of conjugates, its imaginary part above 0, then the real values: pairs by
/// ascending real part (and imaginary part where that is equal), as are the real values. Values
/// within 100 roundings are taken for equal.
std::vector<complex> one_of_each_pair(std::vector<complex> values, const char* name) {
  constexpr const char* function = "to_sections";
  constexpr double tolerance = 100 * std::numeric_limits<double>::epsilon();
  const auto is_real = [](const complex& v) {
    return std::abs(v.imag()) <= tolerance * std::abs(v);
  };
  std::ranges::stable_sort(values, [](const complex& a, const complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : std::abs(a.imag()) < std::abs(b.imag());
  });
  std::vector<complex> upper, lower, real;
  for (const complex& v : values) {
    if (!std::isfinite(v.real()) || !std::isfinite(v.imag()))
      throw invalid_argument(
          base_detail::message(function, ": ", name, " must be finite, got ", v));
    if (is_real(v))
      real.emplace_back(v.real(), 0.0);
    else
      (v.imag() > 0 ? upper : lower).push_back(v);
  }
  const auto sort_runs = [&](std::vector<complex>& some) {
    for (std::size_t first = 0; first < some.size();) {
      std::size_t last = first + 1;
      while (last < some.size() &&
             some[last].real() - some[last - 1].real() <= tolerance * std::abs(some[last - 1]))
        ++last;
      std::sort(some.begin() + static_cast<std::ptrdiff_t>(first),
                some.begin() + static_cast<std::ptrdiff_t>(last),
                [](const complex& a, const complex& b) {
                  return std::abs(a.imag()) < std::abs(b.imag());
                });
      first = last;
    }
  };
  sort_runs(upper);
  sort_runs(lower);
  if (upper.size() != lower.size())
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must come with their conjugates, got ",
                             upper.size(), " above the real axis and ", lower.size(), " below"));
  std::vector<complex> kept;
  for (std::size_t i = 0; i < upper.size(); ++i) {
    const complex pair = std::conj(lower[i]);
    if (std::abs(upper[i] - pair) > tolerance * std::abs(lower[i]))
      throw invalid_argument(base_detail::message(
          function, ": ", name, " must come with their conjugates, got ", upper[i], " without"));
    kept.push_back((upper[i] + pair) / 2.0);
  }
  kept.insert(kept.end(), real.begin(), real.end());
  return kept;
}

bool is_real(const complex& v) { return v.imag() == 0; }
std::size_t real_values(const std::vector<complex>& values) {
  return static_cast<std::size_t>(std::ranges::count_if(values, is_real));
}

enum class among { any, real, not_real };

/// Takes out the value that `distance` is least of, the first of equal ones.
template <class Distance>
complex take_least(std::vector<complex>& values, among kind, const Distance& distance) {
  auto best = values.end();
  for (auto at = values.begin(); at != values.end(); ++at) {
    if (kind != among::any && is_real(*at) != (kind == among::real)) continue;
    if (best == values.end() || distance(*at) < distance(*best)) best = at;
  }
  if (best == values.end())
    throw invalid_argument("to_sections: zeros and poles must pair up to real sections");
  const complex value = *best;
  values.erase(best);
  return value;
}
complex take_nearest(std::vector<complex>& values, among kind, complex to) {
  return take_least(values, kind, [&](const complex& v) { return std::abs(v - to); });
}
complex take_worst(std::vector<complex>& values, among kind) {
  return take_least(values, kind, [](const complex& v) { return std::abs(1 - std::abs(v)); });
}

sos_section section_of(complex z1, complex z2, complex p1, complex p2) {
  return {1, -(z1 + z2).real(), (z1 * z2).real(), -(p1 + p2).real(), (p1 * p2).real()};
}

/// Takes the worst pole with its partner, and the zeros nearest to it.
sos_section take_section(std::vector<complex>& zeros, std::vector<complex>& poles) {
  const complex p1 = take_worst(poles, among::any);
  if (is_real(p1)) {
    const complex p2 = take_worst(poles, among::real);
    const complex z1 = take_nearest(zeros, among::any, p1);
    return section_of(z1, is_real(z1) ? take_nearest(zeros, among::real, p1) : std::conj(z1), p1,
                      p2);
  }
  // A single real zero stays for a single real pole.
  const bool keeps_real =
      poles.size() + 1 == zeros.size() && real_values(poles) == 1 && real_values(zeros) == 1;
  const complex z1 = take_nearest(zeros, keeps_real ? among::not_real : among::any, p1);
  return section_of(z1, is_real(z1) ? take_nearest(zeros, among::real, p1) : std::conj(z1), p1,
                    std::conj(p1));
}

}  // namespace filter_steps
}  // namespace

zeros_poles_gain iir_zeros_poles(const iir_options& options, double rate_hz) {
  using namespace filter_steps;
  constexpr const char* function = "iir_zeros_poles";
  filter_parts::require_band(function, options.band, rate_hz);
  zeros_poles_gain made = filter_parts::analog_prototype(function, options);
  const auto prewarped = [&](double hz) { return 4 * std::tan(pi * (2 * hz / rate_hz) / 2); };
  move_to_band(made, options.band.kind, prewarped(options.band.edge_hz),
               prewarped(options.band.upper_edge_hz));
  transform_bilinearly(made);
  for (const complex& p : made.poles)
    require(std::abs(p) < 1, function, "band",
            "wide enough for its order that poles are inside the unit circle", std::abs(p));
  require(std::isfinite(made.gain) && made.gain != 0, function, "order",
          "such that the gain is a normal double", made.gain);
  return made;
}

std::vector<sos_section> iir_sections(const iir_options& options, double rate_hz) {
  return to_sections(iir_zeros_poles(options, rate_hz));
}

std::vector<sos_section> to_sections(const zeros_poles_gain& filter) {
  using namespace filter_steps;
  require(std::isfinite(filter.gain), "to_sections", "gain", "finite", filter.gain);
  require(filter.zeros.size() <= filter.poles.size(), "to_sections", "zeros",
          "no more than the poles", filter.zeros.size());
  if (filter.poles.empty()) return {{filter.gain, 0, 0, 0, 0}};
  std::vector<complex> zeros = filter.zeros, poles = filter.poles;
  if (poles.size() % 2 == 1) poles.emplace_back(0);
  zeros.resize(poles.size());
  zeros = one_of_each_pair(std::move(zeros), "zeros");
  poles = one_of_each_pair(std::move(poles), "poles");
  std::vector<sos_section> sections((filter.poles.size() + 1) / 2);
  for (std::size_t i = sections.size(); i > 0; --i) sections[i - 1] = take_section(zeros, poles);
  sections[0].b0 *= filter.gain;
  sections[0].b1 *= filter.gain;
  sections[0].b2 *= filter.gain;
  return sections;
}

std::complex<double> frequency_response(std::span<const sos_section> sections, double hz,
                                        double rate_hz) {
  const std::complex<double> delay = std::polar(1.0, -2 * std::numbers::pi * hz / rate_hz);
  std::complex<double> response = 1;
  for (const sos_section& s : sections)
    response *= (s.b0 + delay * (s.b1 + delay * s.b2)) / (1.0 + delay * (s.a1 + delay * s.a2));
  return response;
}

array<double, 1> firwin(std::size_t n, const filter_band& band, double rate_hz, window_spec window,
                        bool scale) {
  using namespace filter_steps;
  filter_parts::require_band("firwin", band, rate_hz);
  require(n >= 1 && n <= (std::size_t{1} << 24), "firwin", "taps", "1 ... 16777216", n);
  const bool passes_end = band.kind == band_kind::high_pass || band.kind == band_kind::band_stop;
  require(n % 2 == 1 || !passes_end, "firwin", "taps",
          "odd where half the rate is passed, since its response is 0 there", n);
  const double edge = 2 * band.edge_hz / rate_hz, upper = 2 * band.upper_edge_hz / rate_hz;
  array<double, 1> taps = make_window<double>(window, n, window_symmetry::symmetric);
  const double middle = (static_cast<double>(n) - 1) / 2;
  // Ideal low-pass of edge f, in halves of the rate, `at` samples from its middle.
  const auto low_pass = [](double f, double at) {
    return at == 0 ? f : f * (std::sin(pi * f * at) / (pi * f * at));
  };
  const auto whole = [](double at) { return at == 0 ? 1.0 : 0.0; };  // n is odd
  double first_passed = 0;
  if (band.kind == band_kind::high_pass) first_passed = 1;
  if (band.kind == band_kind::band_pass) first_passed = (edge + upper) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) - middle;
    double ideal = 0;
    switch (band.kind) {
      case band_kind::low_pass:
        ideal = low_pass(edge, at);
        break;
      case band_kind::high_pass:
        ideal = whole(at) - low_pass(edge, at);
        break;
      case band_kind::band_pass:
        ideal = low_pass(upper, at) - low_pass(edge, at);
        break;
      case band_kind::band_stop:
        ideal = low_pass(edge, at) + whole(at) - low_pass(upper, at);
        break;
    }
    taps[i] *= ideal;
    sum += taps[i] * std::cos(pi * at * first_passed);
  }
  if (scale)
    for (double& tap : taps) tap /= sum;
  return taps;
}

}  // namespace papilio

#include "signal/filter_prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace papilio::filter_parts {
namespace {

using complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

/// Power ratio of a level less 1, 10^(db / 10) - 1, without the difference.
double excess_of(double db) { return std::expm1(db / 10 * std::numbers::ln10); }

/// Product of -x over real numbers and pairs of conjugates, which is real.
double product_of_negatives(const std::vector<complex>& values) {
  complex product = 1;
  for (const complex& v : values) product *= -v;
  return product.real();
}

/// Angles pi m / (2 n), m = 1 - n, 3 - n ... n - 1: those of the poles from the negative real axis.
std::vector<double> pole_angles(std::size_t n) {
  std::vector<double> angles(n);
  for (std::size_t i = 0; i < n; ++i)
    angles[i] = pi * (2 * static_cast<double>(i) + 1 - static_cast<double>(n)) /
                (2 * static_cast<double>(n));
  return angles;
}

zeros_poles_gain butterworth_prototype(std::size_t n) {
  zeros_poles_gain made;
  for (const double angle : pole_angles(n))
    made.poles.emplace_back(-std::cos(angle), -std::sin(angle));
  return made;
}

// Poles lie on an ellipse, those of Butterworth's circle with half axes sinh(mu) and cosh(mu).
zeros_poles_gain chebyshev1_prototype(std::size_t n, double ripple_db) {
  zeros_poles_gain made;
  const double excess = excess_of(ripple_db),
               mu = std::asinh(1 / std::sqrt(excess)) / static_cast<double>(n);
  for (const double angle : pole_angles(n))
    made.poles.emplace_back(-std::sinh(mu) * std::cos(angle), -std::cosh(mu) * std::sin(angle));
  made.gain = product_of_negatives(made.poles);
  if (n % 2 == 0) made.gain /= std::sqrt(1 + excess);
  return made;
}

// Poles are inverses of such an ellipse's, and zeros those of the Chebyshev polynomial's on the axis.
zeros_poles_gain chebyshev2_prototype(std::size_t n, double attenuation_db) {
  zeros_poles_gain made;
  const double mu = std::asinh(std::sqrt(excess_of(attenuation_db))) / static_cast<double>(n);
  for (const double angle : pole_angles(n)) {
    const complex circle(-std::cos(angle), -std::sin(angle));
    made.poles.push_back(1.0 /
                         complex(std::sinh(mu) * circle.real(), std::cosh(mu) * circle.imag()));
    if (angle != 0) made.zeros.emplace_back(0, 1 / std::sin(angle));
  }
  made.gain = product_of_negatives(made.poles) / product_of_negatives(made.zeros);
  return made;
}

struct jacobi {
  double sn, cn, dn;
};

/// Jacobi's functions of u by descending Landen transformations (Abramowitz and Stegun 16.4), m the
/// parameter and rest = 1 - m.
jacobi jacobi_functions(double u, double m, double rest) {
  double a = 1, b = std::sqrt(rest), c = std::sqrt(m), scale = 1;
  double ratios[40];
  int steps = 0;
  while (steps < 40 && std::abs(c) > 1e-17 * a) {
    c = (a - b) / 2;
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
    ratios[steps++] = c / a;
    scale *= 2;
  }
  double phi = scale * a * u;
  while (steps > 0)
    phi = (phi + std::asin(std::clamp(ratios[--steps] * std::sin(phi), -1.0, 1.0))) / 2;
  const double s = std::sin(phi), cosine = std::cos(phi);
  return {s, cosine, std::sqrt(cosine * cosine + rest * s * s)};
}

/// Carlson's R_F(x, y, z) by duplication, its series to the fifth order.
double carlson_rf(double x, double y, double z) {
  double mean = (x + y + z) / 3, dx = 0, dy = 0, dz = 0;
  for (int i = 0; i < 60; ++i) {
    mean = (x + y + z) / 3;
    dx = 1 - x / mean;
    dy = 1 - y / mean;
    dz = 1 - z / mean;
    if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 1e-3) break;
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z),
                 lambda = rx * (ry + rz) + ry * rz;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
  }
  const double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
  return (1 + (e2 / 24 - 0.1 - 3 * e3 / 44) * e2 + e3 / 14) / std::sqrt(mean);
}

/// Parameter m = (theta2 / theta3)^4 of a nome q <= exp(-pi), m <= 1/2, by a few terms of the series.
double parameter_of_nome(double q) {
  double theta2 = 0, theta3 = 1;
  for (int i = 0; i < 8; ++i) theta2 += std::pow(q, i * (i + 1));
  for (int i = 1; i < 8; ++i) theta3 += 2 * std::pow(q, i * i);
  return 16 * q * std::pow(theta2 / theta3, 4);
}

/// Parameter m, and rest = 1 - m, whose nome is the n-th root of that of m1: log q = -pi K1' / (n K1),
/// and the complementary nome q' has log q log q' = pi^2. The smaller one gives both without a difference.
struct degree_parameter {
  double m, rest;
};
degree_parameter solve_degree_equation(std::size_t n, double k1, double complementary_k1) {
  const double exponent =
      pi * complete_integral(k1) / complete_integral(complementary_k1) / static_cast<double>(n);
  if (exponent >= pi) {
    const double m = parameter_of_nome(std::exp(-exponent));
    return {m, 1 - m};
  }
  const double rest = parameter_of_nome(std::exp(-pi * pi / exponent));
  return {1 - rest, rest};
}

// Zeros and poles are those of the elliptic rational function: at i / (k sn(j K / n)) and
// i sn(j K / n + i v0), where sc(v n K1 / K, m1') = 1 / ripple gives v0.
zeros_poles_gain elliptic_prototype(const char* function, std::size_t n, double ripple_db,
                                    double attenuation_db) {
  zeros_poles_gain made;
  const double excess = excess_of(ripple_db), m1 = excess / excess_of(attenuation_db);
  if (n == 1) {
    made.poles.emplace_back(-std::sqrt(1 / excess), 0.0);
    made.gain = -made.poles[0].real();
    return made;
  }
  require(m1 > 0 && std::isfinite(m1), function, "attenuation_db",
          "such that the ripples' ratio is above 0 in double", attenuation_db);
  const double k1 = std::sqrt(m1), complementary_k1 = std::sqrt(1 - m1);
  const auto [m, rest] = solve_degree_equation(n, k1, complementary_k1);
  require(m > 0 && rest > 0, function, "ripple_db and attenuation_db",
          "such that the pass and the stop band are apart in double", attenuation_db);
  const double quarter = complete_integral(std::sqrt(rest)), w = 1 / std::sqrt(excess),
               inverse_sc = w * carlson_rf(1, 1 + m1 * w * w, 1 + w * w),
               v0 = quarter * inverse_sc /
                    (static_cast<double>(n) * complete_integral(complementary_k1));
  const jacobi v = jacobi_functions(v0, rest, m);
  const auto add_pair = [](std::vector<complex>& to, complex value) {
    to.push_back(value);
    to.push_back(std::conj(value));
  };
  for (std::size_t j = 1 - n % 2; j < n; j += 2) {
    const jacobi u =
        jacobi_functions(static_cast<double>(j) * quarter / static_cast<double>(n), m, rest);
    const double below = 1 - u.dn * v.sn * u.dn * v.sn;
    const complex pole(-u.cn * u.dn * v.sn * v.cn / below, -u.sn * v.dn / below);
    if (j == 0) {
      made.poles.emplace_back(pole.real(), 0.0);
    } else {
      add_pair(made.zeros, {0, 1 / (std::sqrt(m) * u.sn)});
      add_pair(made.poles, pole);
    }
  }
  made.gain = product_of_negatives(made.poles) / product_of_negatives(made.zeros);
  if (n % 2 == 0) made.gain /= std::sqrt(1 + excess);
  return made;
}

/// Number as an unevaluated sum of two doubles, 106 bits (Dekker 1971, Knuth's sums).
struct twofold {
  double high = 0, low = 0;

  static twofold sum(double a, double b) {
    const double s = a + b, part = s - a;
    return {s, (a - (s - part)) + (b - part)};
  }
  friend twofold operator+(const twofold& a, const twofold& b) {
    const twofold s = sum(a.high, b.high);
    return sum(s.high, s.low + a.low + b.low);
  }
  friend twofold operator-(const twofold& a, const twofold& b) {
    return a + twofold{-b.high, -b.low};
  }
  friend twofold operator*(const twofold& a, const twofold& b) {
    const double p = a.high * b.high;
    return sum(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
  }
};
struct twofold_complex {
  twofold real, imag;

  friend twofold_complex operator*(const twofold_complex& a, const twofold_complex& b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  complex rounded() const { return {real.high, imag.high}; }
};

/// Reverse Bessel polynomial theta_n and its derivative at s, by theta_n = (2n - 1) theta_(n-1) +
/// s^2 theta_(n-2) and theta_n' = theta_n - s theta_(n-1). Near the roots values are up to 10^13 times
/// smaller than their terms, of order 25: twofold sums leave 19 digits.
struct bessel_value {
  complex value, derivative;
};
bessel_value reverse_bessel(std::size_t n, complex s) {
  const twofold_complex at{{s.real(), 0}, {s.imag(), 0}}, square = at * at;
  twofold_complex before{{1, 0}, {}}, value{twofold::sum(s.real(), 1), {s.imag(), 0}};
  for (std::size_t i = 2; i <= n; ++i) {
    const twofold factor{static_cast<double>(2 * i - 1), 0};
    const twofold_complex far = square * before;
    before = value;
    value = {factor * value.real + far.real, factor * value.imag + far.imag};
  }
  return {value.rounded(), value.rounded() - s * before.rounded()};
}

/// Roots of theta_n by simultaneous Newton steps (Aberth and Ehrlich).
std::vector<complex> bessel_roots(std::size_t n) {
  const auto degree = static_cast<double>(n);
  std::vector<complex> roots(n);
  for (std::size_t i = 0; i < n; ++i)
    roots[i] = std::polar(degree, pi * (0.5 + (static_cast<double>(i) + 0.5) / degree));
  for (int pass = 0; pass < 200; ++pass) {
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bessel_value at = reverse_bessel(n, roots[i]);
      complex repulsion = 0;
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) repulsion += 1.0 / (roots[i] - roots[j]);
      const complex newton = at.value / at.derivative, step = newton / (1.0 - newton * repulsion);
      roots[i] -= step;
      change = std::max(change, std::abs(step) / std::abs(roots[i]));
    }
    if (change < std::numeric_limits<double>::epsilon()) break;
  }
  return roots;
}

/// Frequency at which prod |i w - poles|^2 is twice its value at 0, by Newton steps from below: its
/// logarithm is convex in log w where the magnitude of a Bessel filter falls.
double half_power_frequency(const std::vector<complex>& poles) {
  double w = 1;
  for (int pass = 0; pass < 100; ++pass) {
    double level = -std::numbers::ln2, slope = 0;
    for (const complex& p : poles) {
      const double square = std::norm(complex(0, w) - p);
      level += std::log(square / std::norm(p));
      slope += 2 * (w - p.imag()) / square;
    }
    const double step = level / slope;
    w = std::max(w - step, w / 2);
    if (std::abs(step) < 1e-16 * w) break;
  }
  return w;
}

zeros_poles_gain bessel_prototype(std::size_t n, bessel_norm norm) {
  std::vector<complex> roots = bessel_roots(n);
  double constant = 1;  // theta_n(0) = 1 3 5 ... (2n - 1)
  for (std::size_t i = 1; i <= n; ++i) constant *= static_cast<double>(2 * i - 1);
  const auto degree = static_cast<double>(n);
  double scale = 1;
  if (norm == bessel_norm::phase) scale = std::pow(constant, -1 / degree);
  if (norm == bessel_norm::magnitude) scale = 1 / half_power_frequency(roots);
  zeros_poles_gain made;
  std::ranges::sort(roots, {}, [](const complex& r) { return r.imag(); });
  for (std::size_t i = 0; i < n / 2; ++i) {
    const complex pole = scale * (roots[i] + std::conj(roots[n - 1 - i])) / 2.0;
    made.poles.emplace_back(pole);
    made.poles.emplace_back(std::conj(pole));
  }
  if (n % 2 == 1) made.poles.emplace_back(scale * roots[n / 2].real(), 0.0);
  made.gain = norm == bessel_norm::phase ? 1.0 : constant * std::pow(scale, degree);
  return made;
}

}  // namespace

double complete_integral(double complementary_modulus) {
  double a = 1, b = complementary_modulus;
  for (int i = 0; i < 40 && std::abs(a - b) > 1e-16 * a; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return pi / (2 * a);
}

void require_band(const char* function, const filter_band& band, double rate_hz) {
  require(rate_hz > 0 && std::isfinite(rate_hz), function, "rate_hz", "positive and finite",
          rate_hz);
  const auto require_edge = [&](const char* name, double hz) {
    if (!(hz > 0 && hz < rate_hz / 2))
      throw invalid_argument(base_detail::message(function, ": ", name,
                                                  " must be above 0 and below half the rate, ",
                                                  rate_hz / 2, " Hz, got ", hz));
  };
  require_edge("edge_hz", band.edge_hz);
  if (band.kind == band_kind::low_pass || band.kind == band_kind::high_pass) {
    require(band.upper_edge_hz == 0, function, "upper_edge_hz", "0 of low_pass and high_pass",
            band.upper_edge_hz);
    return;
  }
  require_edge("upper_edge_hz", band.upper_edge_hz);
  if (!(band.upper_edge_hz > band.edge_hz))
    throw invalid_argument(base_detail::message(function, ": upper_edge_hz must be above edge_hz, ",
                                                band.edge_hz, ", got ", band.upper_edge_hz));
}

zeros_poles_gain analog_prototype(const char* function, const iir_options& o) {
  const bool is_elliptic = o.family == filter_family::elliptic;
  const bool is_bessel = o.family == filter_family::bessel;
  require(o.order >= 1 && o.order <= (is_bessel ? 25 : 64), function, "order",
          is_bessel ? "1 ... 25" : "1 ... 64", o.order);
  if (is_elliptic || o.family == filter_family::chebyshev1)
    require(o.ripple_db > 0 && std::isfinite(o.ripple_db), function, "ripple_db",
            "positive and finite", o.ripple_db);
  if (is_elliptic || o.family == filter_family::chebyshev2)
    require(o.attenuation_db > 0 && std::isfinite(o.attenuation_db), function, "attenuation_db",
            "positive and finite", o.attenuation_db);
  if (is_elliptic)
    require(o.attenuation_db > o.ripple_db, function, "attenuation_db", "above ripple_db",
            o.attenuation_db);
  switch (o.family) {
    case filter_family::butterworth:
      return butterworth_prototype(o.order);
    case filter_family::chebyshev1:
      return chebyshev1_prototype(o.order, o.ripple_db);
    case filter_family::chebyshev2:
      return chebyshev2_prototype(o.order, o.attenuation_db);
    case filter_family::elliptic:
      return elliptic_prototype(function, o.order, o.ripple_db, o.attenuation_db);
    case filter_family::bessel:
      return bessel_prototype(o.order, o.norm);
  }
  throw invalid_argument(base_detail::message(function, ": family is none of filter_family"));
}

}  // namespace papilio::filter_parts

// The lowest order comes from the prototype's stop edge, its pass edge at 1: the nearest of the band's
// stop edges, moved to the prototype as its poles are moved to the band.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "papilio/base/error.hpp"
#include "signal/filter_prototypes.hpp"

namespace papilio {
namespace {
namespace order_steps {

using edges = std::array<double, 2>;  // the second is 0 of low_pass and high_pass
using filter_parts::require;

/// 10^(ripple / 10) - 1 and 10^(attenuation / 10) - 1.
struct excesses {
  double pass, stop;
  double ratio_root() const { return std::sqrt(stop / pass); }
};

double stop_edge(band_kind kind, const edges& pass, const edges& stop) {
  const auto of_band = [&](double s) {
    const double up = s * s - pass[0] * pass[1], down = s * (pass[0] - pass[1]);
    return std::abs(kind == band_kind::band_pass ? up / down : down / up);
  };
  if (kind == band_kind::low_pass) return stop[0] / pass[0];
  if (kind == band_kind::high_pass) return pass[0] / stop[0];
  return std::min(of_band(stop[0]), of_band(stop[1]));
}

/// Order as a fraction; that of a whole order is the next one.
double order_of(filter_family family, double edge, const excesses& of) {
  switch (family) {
    case filter_family::butterworth:
      return std::log10(of.stop / of.pass) / (2 * std::log10(edge));
    case filter_family::elliptic: {
      const double k = 1 / edge, k1 = 1 / of.ratio_root();
      const auto integral = [](double modulus) {
        return filter_parts::complete_integral(std::sqrt(1 - modulus * modulus));
      };
      return integral(k) * filter_parts::complete_integral(k1) /
             (filter_parts::complete_integral(k) * integral(k1));
    }
    default:
      return std::acosh(of.ratio_root()) / std::acosh(edge);
  }
}

/// Moves each pass edge of a band_stop towards its stop edge to where the order is least, by golden
/// sections to 1e-5 of their prewarped distance.
void widen_stop(filter_family family, edges& pass, const edges& stop, const excesses& of) {
  for (std::size_t i = 0; i < 2; ++i) {
    const auto order_at = [&](double at) {
      edges moved = pass;
      moved[i] = at;
      return order_of(family, stop_edge(band_kind::band_stop, moved, stop), of);
    };
    const double step = 1 / std::numbers::phi;
    double low = std::min(pass[i], stop[i]), high = std::max(pass[i], stop[i]);
    const double enough = 1e-5 * (high - low);
    while (high - low > enough) {
      const double a = high - step * (high - low), b = low + step * (high - low);
      (order_at(a) <= order_at(b) ? high : low) = order_at(a) <= order_at(b) ? b : a;
    }
    pass[i] = (low + high) / 2;
  }
}

/// Edges of the band whose prototype has its edge at `scale` in the place of 1.
edges scaled(band_kind kind, const edges& pass, double scale) {
  if (kind == band_kind::low_pass) return {pass[0] * scale, 0};
  if (kind == band_kind::high_pass) return {pass[0] / scale, 0};
  const double half = (kind == band_kind::band_pass ? scale : 1 / scale) * (pass[1] - pass[0]) / 2,
               high = half + std::sqrt(half * half + pass[0] * pass[1]);
  return {pass[0] * pass[1] / high, high};
}

edges prewarped(const filter_band& band, double rate_hz) {
  return {std::tan(std::numbers::pi * band.edge_hz / rate_hz),
          std::tan(std::numbers::pi * band.upper_edge_hz / rate_hz)};
}

void require_apart(const char* function, const filter_band& pass, const filter_band& stop) {
  const bool rises = pass.kind == band_kind::low_pass || pass.kind == band_kind::band_stop;
  const auto require_side = [&](double passed, double stopped, bool is_above) {
    if (is_above ? !(stopped > passed) : !(stopped < passed))
      throw invalid_argument(base_detail::message(function, ": stop must have its edge ",
                                                  is_above ? "above" : "below", " that of pass, ",
                                                  passed, " Hz, got ", stopped));
  };
  require_side(pass.edge_hz, stop.edge_hz, rises);
  if (pass.upper_edge_hz > 0) require_side(pass.upper_edge_hz, stop.upper_edge_hz, !rises);
}

}  // namespace order_steps
}  // namespace

iir_options lowest_order(filter_family family, const filter_band& pass, const filter_band& stop,
                         double ripple_db, double attenuation_db, double rate_hz) {
  using namespace order_steps;
  constexpr const char* function = "lowest_order";
  require(family != filter_family::bessel, function, "family", "one with a bound of its ripples",
          "bessel");
  filter_parts::require_band(function, pass, rate_hz);
  filter_parts::require_band(function, stop, rate_hz);
  if (pass.kind != stop.kind)
    throw invalid_argument(base_detail::message(function, ": stop must be of the kind of pass"));
  require_apart(function, pass, stop);
  require(ripple_db > 0 && std::isfinite(ripple_db), function, "ripple_db", "positive and finite",
          ripple_db);
  require(attenuation_db > ripple_db && std::isfinite(attenuation_db), function, "attenuation_db",
          "finite and above ripple_db", attenuation_db);
  const auto excess = [](double db) { return std::expm1(db / 10 * std::numbers::ln10); };
  const excesses of{excess(ripple_db), excess(attenuation_db)};
  edges at = prewarped(pass, rate_hz);
  const edges end = prewarped(stop, rate_hz);
  if (pass.kind == band_kind::band_stop) widen_stop(family, at, end, of);
  const double exact = std::ceil(order_of(family, stop_edge(pass.kind, at, end), of));
  require(exact <= 64, function, "order", "1 ... 64, which pass and stop are too near for", exact);
  const double order = std::max(1.0, exact);
  filter_band band = pass;
  double scale = 1;
  if (family == filter_family::butterworth) scale = std::pow(of.pass, -1 / (2 * order));
  if (family == filter_family::chebyshev2) scale = std::cosh(std::acosh(of.ratio_root()) / order);
  if (scale != 1 || pass.kind == band_kind::band_stop) {
    at = scaled(pass.kind, at, scale);
    band.edge_hz = std::atan(at[0]) * rate_hz / std::numbers::pi;
    band.upper_edge_hz = std::atan(at[1]) * rate_hz / std::numbers::pi;
  }
  return {.family = family,
          .order = static_cast<std::size_t>(order),
          .band = band,
          .ripple_db = ripple_db,
          .attenuation_db = attenuation_db};
}

}  // namespace papilio

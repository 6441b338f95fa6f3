#include "papilio/signal/decibel.hpp"

#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

void require_positive(double reference) {
  if (!(reference > 0) || !std::isfinite(reference))
    throw invalid_argument(
        base_detail::message("decibel: reference must be finite and above 0, got ", reference));
}

// max() with a NaN kept: a missing measurement must not turn into silence.
double at_least(double floor_db, double level) { return level < floor_db ? floor_db : level; }

}  // namespace

double power_to_db(double power, double reference) {
  return power_to_db(power, reference, -std::numeric_limits<double>::infinity());
}

double power_to_db(double power, double reference, double floor_db) {
  require_positive(reference);
  return at_least(floor_db, 10 * (std::log10(power) - std::log10(reference)));
}

template <class T>
void power_to_db(std::span<const T> power, std::span<T> out, double reference, double floor_db) {
  require_positive(reference);
  if (power.size() != out.size())
    throw shape_error(base_detail::message("power_to_db: power has ", power.size(),
                                           " elements, out ", out.size()));
  const T offset = static_cast<T>(10 * std::log10(reference)), floor = static_cast<T>(floor_db);
  for (std::size_t i = 0; i < power.size(); ++i) {
    const T level = 10 * std::log10(power[i]) - offset;
    out[i] = level < floor ? floor : level;
  }
}

double amplitude_to_db(double amplitude, double reference) {
  require_positive(reference);
  return 20 * (std::log10(std::abs(amplitude)) - std::log10(reference));
}

template PAPILIO_API void power_to_db(std::span<const float>, std::span<float>, double, double);
template PAPILIO_API void power_to_db(std::span<const double>, std::span<double>, double, double);

}  // namespace papilio

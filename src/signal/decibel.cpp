#include "papilio/signal/mel.hpp"

#include <algorithm>
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

struct level_rule {
  double factor, floor, reference;  // 10 or 20, of log10(value)
};

template <class T>
level_rule rule_for(std::span<const T> values, const decibel_options& o) {
  const bool amplitude = o.quantity == decibel_of::amplitude;
  level_rule rule{amplitude ? 20.0 : 10.0, o.floor.value_or(amplitude ? 1e-5 : 1e-10), 0};
  using limits = std::numeric_limits<T>;
  if (!(rule.floor >= static_cast<double>(limits::denorm_min()) &&
        rule.floor <= static_cast<double>(limits::max())))
    throw invalid_argument(
        base_detail::message("to_decibel: floor must be finite and above 0 as a ",
                             sizeof(T) == 4 ? "float" : "double", ", got ", rule.floor));
  if (o.reference && (!(*o.reference > 0) || !std::isfinite(*o.reference)))
    throw invalid_argument(base_detail::message(
        "to_decibel: reference must be finite and above 0, got ", *o.reference));
  if (o.top_db && !(*o.top_db >= 0))
    throw invalid_argument(
        base_detail::message("to_decibel: top_db must be at least 0, got ", *o.top_db));
  rule.reference = rule.floor;
  if (o.reference)
    rule.reference = std::max(rule.floor, *o.reference);
  else
    for (const T v : values) {
      const double x = static_cast<double>(amplitude ? std::abs(v) : v);
      if (x > rule.reference && std::isfinite(x)) rule.reference = x;
    }
  return rule;
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
  constexpr T an_octave_db = static_cast<T>(3.0102999566398119521);
  for (std::size_t i = 0; i < power.size(); ++i) {
    // Within 2 roundings; the logarithm to the base 10 of floats takes twice the time.
    const T level = an_octave_db * std::log2(power[i]) - offset;
    out[i] = level < floor ? floor : level;
  }
}

void power_to_db(std::span<const double> power, std::span<float> out, double reference,
                 double floor_db) {
  if (power.size() != out.size())
    throw shape_error(base_detail::message("power_to_db: power has ", power.size(),
                                           " elements, out ", out.size()));
  std::ranges::transform(power, out.begin(), [](double p) { return static_cast<float>(p); });
  power_to_db<float>(out, out, reference, floor_db);
  using limits = std::numeric_limits<float>;
  for (std::size_t i = 0; i < power.size(); ++i)
    if (power[i] > double{limits::max()} || (power[i] > 0 && power[i] < double{limits::min()}))
      out[i] = static_cast<float>(power_to_db(power[i], reference, floor_db));
}

double amplitude_to_db(double amplitude, double reference) {
  require_positive(reference);
  return 20 * (std::log10(std::abs(amplitude)) - std::log10(reference));
}

template <class T>
void to_decibel(std::span<const T> values, std::span<T> out, const decibel_options& options) {
  if (values.size() != out.size())
    throw shape_error(base_detail::message("to_decibel: values has ", values.size(),
                                           " elements, out ", out.size()));
  const level_rule rule = rule_for(values, options);
  const T floor = static_cast<T>(rule.floor), factor = static_cast<T>(rule.factor);
  const T offset = static_cast<T>(rule.factor * std::log10(rule.reference));
  const bool amplitude = options.quantity == decibel_of::amplitude;
  T highest = -std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T x = amplitude ? std::abs(values[i]) : values[i];
    out[i] = factor * std::log10(x < floor ? floor : x) - offset;
    if (out[i] > highest && std::isfinite(out[i])) highest = out[i];
  }
  if (!options.top_db) return;
  const T lowest = highest - static_cast<T>(*options.top_db);
  for (T& level : out)
    if (level < lowest) level = lowest;
}

template PAPILIO_API void to_decibel(std::span<const float>, std::span<float>,
                                     const decibel_options&);
template PAPILIO_API void to_decibel(std::span<const double>, std::span<double>,
                                     const decibel_options&);
template PAPILIO_API void power_to_db(std::span<const float>, std::span<float>, double, double);
template PAPILIO_API void power_to_db(std::span<const double>, std::span<double>, double, double);

}  // namespace papilio

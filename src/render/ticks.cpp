#include "papilio/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "papilio/base/error.hpp"
#include "render/axis.hpp"

namespace papilio {
namespace {

constexpr double most_ticks = 100000;
constexpr double step_slack = 1e-9;  // of a step: what rounding may add to a position

constexpr double day_seconds = 86400;
constexpr std::array<tick_step, 14> clock_steps{{{10, 2},
                                                 {15, 5},
                                                 {30, 10},
                                                 {60, 10},
                                                 {120, 30},
                                                 {300, 60},
                                                 {600, 120},
                                                 {900, 300},
                                                 {1800, 600},
                                                 {3600, 600},
                                                 {7200, 1800},
                                                 {10800, 3600},
                                                 {21600, 3600},
                                                 {43200, 10800}}};

void require_positive(const char* function, const char* argument, double value) {
  if (!(std::isfinite(value) && value > 0))
    throw invalid_argument(
        base_detail::message(function, ": ", argument, " must be finite and above 0, not ", value));
}

/// 10^exponent, correctly rounded where a double can be: negative powers by division.
double power_of_ten(int exponent) {
  return exponent >= 0 ? std::pow(10.0, exponent) : 1 / std::pow(10.0, -exponent);
}

double scaled(double factor, int exponent) {
  return exponent >= 0 ? factor * power_of_ten(exponent) : factor / power_of_ten(-exponent);
}

/// Decimals that a multiple of `step` needs (at most 12).
int decimals_of(double step) {
  double unit = std::abs(step);
  for (int decimals = 0; decimals < 12; ++decimals, unit *= 10)
    if (std::abs(unit - std::round(unit)) <= 1e-6 * unit && std::round(unit) >= 1) return decimals;
  return 12;
}

bool is_zero(double value, double step) { return std::abs(value) < step_slack * std::abs(step); }

std::string clock_text(double seconds, int decimals, bool with_hours) {
  // Counted in units of the last decimal, so that 59.96 with one decimal carries to the minute.
  const auto scale = static_cast<std::uint64_t>(std::llround(power_of_ten(decimals)));
  const auto units =
      static_cast<std::uint64_t>(std::llround(std::abs(seconds) * static_cast<double>(scale)));
  const std::uint64_t whole = units / scale, minutes = whole / 60;
  std::string text = with_hours
                         ? fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, whole % 60)
                         : fmt::format("{}:{:02}", minutes, whole % 60);
  if (decimals > 0) text += fmt::format(".{:0{}}", units % scale, decimals);
  return text;
}

}  // namespace

tick_step nice_step(double minimum) {
  require_positive("nice_step", "minimum", minimum);
  constexpr std::array<tick_step, 3> steps{{{1, 0.2}, {2, 0.5}, {5, 1}}};
  const int exponent = static_cast<int>(std::floor(std::log10(minimum)));
  for (int e = exponent - 1; e <= exponent + 1; ++e)
    for (const tick_step& s : steps)
      if (scaled(s.major, e) >= minimum * (1 - step_slack))
        return {scaled(s.major, e), scaled(s.minor, e)};
  return {scaled(1, exponent + 2), scaled(0.2, exponent + 2)};
}

tick_step nice_time_step(double minimum_seconds) {
  require_positive("nice_time_step", "minimum_seconds", minimum_seconds);
  if (minimum_seconds <= 5) return nice_step(minimum_seconds);
  for (const tick_step& s : clock_steps)
    if (s.major >= minimum_seconds * (1 - step_slack)) return s;
  const tick_step days = nice_step(std::max(minimum_seconds / day_seconds, 1.0));
  if (days.major == 1) return {day_seconds, day_seconds / 4};
  return {days.major * day_seconds, days.minor * day_seconds};
}

std::vector<double> ticks_between(double low, double high, double step) {
  require_positive("ticks_between", "step", step);
  if (!(std::isfinite(low) && std::isfinite(high) && low <= high))
    throw invalid_argument(base_detail::message(
        "ticks_between: low and high must be finite and low <= high, not ", low, " and ", high));
  const double first = std::ceil(low / step - step_slack),
               last = std::floor(high / step + step_slack);
  if (!(last - first < most_ticks))
    throw invalid_argument(base_detail::message("ticks_between: at most ", most_ticks,
                                                " ticks; a step of ", step, " gives ",
                                                last - first + 1));
  // A step below one is the reciprocal of a rounder number: dividing by that keeps 3 * 0.1 at 0.3.
  const double reciprocal = std::round(1 / step);
  const bool divides = step < 1 && std::abs(reciprocal * step - 1) < 1e-12;
  std::vector<double> ticks;
  for (double k = first; k <= last; ++k)
    ticks.push_back((divides ? k / reciprocal : k * step) + 0.0);
  return ticks;
}

std::string format_tick(double value, double step) {
  if (is_zero(value, step)) return fmt::format("{:.{}f}", 0.0, 0);
  return (value < 0 ? render_detail::minus_sign : "") +
         fmt::format("{:.{}f}", std::abs(value), decimals_of(step));
}

time_format time_format_for(double largest_seconds) {
  if (largest_seconds > 3600 * (1 - 1e-12)) return time_format::hours;
  if (largest_seconds > 60) return time_format::minutes;
  if (largest_seconds > 0.1) return time_format::seconds;
  if (largest_seconds > 1e-4) return time_format::milliseconds;
  return largest_seconds > 1e-7 ? time_format::microseconds : time_format::nanoseconds;
}

double unit_seconds(time_format format) {
  switch (format) {
    case time_format::nanoseconds:
      return 1e-9;
    case time_format::microseconds:
      return 1e-6;
    case time_format::milliseconds:
      return 1e-3;
    case time_format::seconds:
    case time_format::minutes:
    case time_format::hours:
      break;
  }
  return 1;
}

std::string_view unit_label(time_format format) {
  switch (format) {
    case time_format::nanoseconds:
      return "ns";
    case time_format::microseconds:
      return "\u00b5s";
    case time_format::milliseconds:
      return "ms";
    case time_format::seconds:
      return "s";
    case time_format::minutes:
      return "m:ss";
    case time_format::hours:
      break;
  }
  return "h:mm:ss";
}

std::string format_time_tick(double seconds, double step_seconds, time_format format) {
  if (format != time_format::minutes && format != time_format::hours)
    return format_tick(seconds / unit_seconds(format), step_seconds / unit_seconds(format));
  const std::string text =
      clock_text(seconds, std::min(decimals_of(step_seconds), 9), format == time_format::hours);
  return seconds < 0 && !is_zero(seconds, step_seconds) ? render_detail::minus_sign + text : text;
}

}  // namespace papilio

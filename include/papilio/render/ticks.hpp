#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// Distance of labelled ticks, and of the finer unlabelled ones between them (a divisor of it).
struct tick_step {
  double major = 1, minor = 0.2;
};

/// Smallest step of 1, 2 or 5 times a power of ten that is at least `minimum`.
/// invalid_argument unless `minimum` is finite and positive.
PAPILIO_API tick_step nice_step(double minimum);

/// Smallest step for a time axis that is at least `minimum_seconds`: 1, 2, 5 times a power of ten
/// up to 10 s; 15 s, 30 s; 1, 2, 5, 10, 15, 30 min; 1, 2, 3, 6, 12, 24 h; then 2, 5, 10, 20, ...
/// days. invalid_argument unless `minimum_seconds` is finite and positive.
PAPILIO_API tick_step nice_time_step(double minimum_seconds);

/// The multiples of `step` in [low, high], ascending; those within 1e-9 steps of an end count as
/// in. Zero is exactly zero. invalid_argument unless all are finite, low <= high and step > 0, and
/// if there would be more than 100000 ticks.
PAPILIO_API std::vector<double> ticks_between(double low, double high, double step);

/// `value` with as many decimals as multiples of `step` need, and U+2212 as its minus sign.
/// Never "-0".
PAPILIO_API std::string format_tick(double value, double step);

/// How a time axis is labelled: in units of a second, or as minutes or hours with seconds.
enum class time_format { nanoseconds, microseconds, milliseconds, seconds, minutes, hours };

/// The format for an axis whose largest absolute time is `largest_seconds`: seconds up to a minute
/// ("42"), m:ss below an hour ("3:05"), h:mm:ss beyond ("1:03:05"); milliseconds up to 0.1 s,
/// microseconds up to 0.1 ms, nanoseconds up to 0.1 us.
PAPILIO_API time_format time_format_for(double largest_seconds);

/// Seconds in one unit of the format: 1 for seconds, minutes and hours, 1e-3 for milliseconds, ...
PAPILIO_API double unit_seconds(time_format format);

/// What stands in the axis title: "s", "ms", "m:ss", ...
PAPILIO_API std::string_view unit_label(time_format format);

/// Label of the time `seconds` in that format, with as many decimals as `step_seconds` needs.
PAPILIO_API std::string format_time_tick(double seconds, double step_seconds, time_format format);

}  // namespace papilio

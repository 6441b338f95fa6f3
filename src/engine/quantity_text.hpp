#pragma once

#include <string>

#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// Returns a time as "213.8 ms": four digits, in the unit that leaves 1 to 3 before the point.
std::string seconds_text(double seconds);
/// Returns bytes as "6582249472 B", followed by "(6.582 GB)" from 10 kB on.
std::string bytes_text(double bytes);
/// Returns a fraction as "96.45 %".
std::string fraction_text(double fraction);
std::string quantity_text(double value, engine::quantity of);

}  // namespace papilio::engine_detail

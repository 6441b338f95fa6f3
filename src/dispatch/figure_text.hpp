#pragma once

#include <string>

#include "base/internal.hpp"

namespace papilio::dispatch_detail {

/// A time with a unit, such as "12.3 ms".
PAPILIO_INTERNAL std::string seconds_text(double seconds);
/// A number of bytes with a unit, such as "12.3 MB"; MB is 1e6 bytes.
std::string bytes_text(double bytes);
/// A number with a prefix, such as "6.55 M", to be followed by a unit.
PAPILIO_INTERNAL std::string scaled_text(double value);
/// `text` with every line but the first indented by so many spaces, without its last end of line.
std::string indented(const std::string& text, std::size_t spaces);

}  // namespace papilio::dispatch_detail

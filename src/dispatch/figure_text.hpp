#pragma once

#include <string>

#include "base/internal.hpp"

namespace papilio::dispatch_detail {

/// "12.3 ms".
PAPILIO_INTERNAL std::string seconds_text(double seconds);
/// "12.3 MB"; MB is 1e6 bytes.
std::string bytes_text(double bytes);
/// "6.55 M", before a unit.
PAPILIO_INTERNAL std::string scaled_text(double value);
/// Every line of `text` but the first behind so many spaces, without an end of line.
std::string indented(const std::string& text, std::size_t spaces);

}  // namespace papilio::dispatch_detail

#pragma once

#include <string>

namespace papilio::dispatch_detail {

/// "12.3 ms".
std::string seconds_text(double seconds);
/// "12.3 MB"; MB is 1e6 bytes.
std::string bytes_text(double bytes);
/// "6.55 M", before a unit.
std::string scaled_text(double value);
/// Every line of `text` but the first behind so many spaces, without an end of line.
std::string indented(const std::string& text, std::size_t spaces);

}  // namespace papilio::dispatch_detail

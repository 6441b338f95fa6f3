#pragma once

#include <string>
#include <string_view>

namespace papilio::cli {

/// Text from outside (names, tags, messages that hold them) as one line that a terminal only shows:
/// control characters, marks and overrides of direction, invisible characters and bytes that are
/// not UTF-8 become \xNN, byte by byte.
std::string printable(std::string_view text);
/// The same of each of its lines: for messages of several, with a caret under the fault.
std::string printable_lines(std::string_view text);

}  // namespace papilio::cli

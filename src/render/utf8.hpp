#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace papilio::render_detail {

/// `text` as well-formed UTF-8 on one line: control characters (C0, DEL, C1, U+2028, U+2029) become
/// spaces, and every malformed byte U+FFFD; cut after `most` code points.
std::string one_line_utf8(std::string_view text, std::size_t most);

/// Number of bytes of the first `count` code points of well-formed UTF-8, or of all.
std::size_t prefix_bytes(std::string_view well_formed, std::size_t count);

/// Number of code points of well-formed UTF-8.
std::size_t code_points(std::string_view well_formed);

}  // namespace papilio::render_detail

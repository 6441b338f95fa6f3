#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace papilio::cli {

/// Values of one option of a verb in the file of defaults.
struct file_default {
  std::string verb, name;
  std::vector<std::string> values;
};

/// Options by verb, in TOML's form: "[VERB]", and under it lines "name = value", or "name" for true.
/// Several values stand in brackets, on one line or more, or have commas or spaces between them;
/// # or ; begins a comment. `file` is named by the usage_error, which names the line too.
std::vector<file_default> defaults_in(std::string_view text, const std::string& file);

/// Reads such a file; no options where there is none. usage_error as above, and where it cannot be
/// read, is no regular file (one that would keep the reader waiting), or is too long.
std::vector<file_default> read_defaults(const std::string& file);

}  // namespace papilio::cli

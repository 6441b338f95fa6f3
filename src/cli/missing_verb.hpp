#pragma once

#include <string>
#include <vector>

#include "cli/flags.hpp"

namespace papilio::cli {

/// "mp2 is not in this build, which has no PAPILIO_TENSOR; configure with -DPAPILIO_TENSOR=ON", of
/// the options that are off.
std::string not_in_this_build(const std::string& what, const std::vector<std::string>& options);

/// A verb that --help lists as not in this build, and that only says so.
void add_missing_verb(program& app, const std::string& name,
                      const std::vector<std::string>& options);

}  // namespace papilio::cli

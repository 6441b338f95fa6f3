#pragma once

#include "cli/flags.hpp"

namespace papilio::cli {

/// What this build has, as in "core, fft, signal".
extern const char* const built_components;

/// Adds every verb, in the order of --help; those whose components are off refuse.
void add_verbs(program& app);

}  // namespace papilio::cli

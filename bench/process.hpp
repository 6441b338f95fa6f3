#pragma once

#include <string>
#include <vector>

namespace papilio::bench {

/// What a finished process used.
struct usage {
  double wall_seconds, cpu_seconds, peak_mib;
};

/// Runs a command to its end, without input and output; NAN everywhere if it failed or is not there
/// (said on stderr if it failed).
usage run(const std::vector<std::string>& command);

}  // namespace papilio::bench

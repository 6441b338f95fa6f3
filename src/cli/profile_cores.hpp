#pragma once

#include <string>
#include <vector>

#include "papilio/engine.hpp"

namespace papilio::cli {

/// What profile was asked about a group of cores.
struct cores_request {
  std::string kernel = {};
  std::vector<std::string> settings = {};
  int cores = 1;
  engine::program_start start = engine::program_start::warm;
  bool json = false;
};

/// Prints what the kernel takes on the cores and on one of them. usage_error for a kernel that is
/// not split.
int run_on_cores(const cores_request& request, const engine::machine_spec& machine,
                 const engine::runtime_spec& runtime);

}  // namespace papilio::cli

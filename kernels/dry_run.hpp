#pragma once

#include <optional>

#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::kernels_detail {

/// The profile of what work(core) issues, in a dry run on a machine of its own. Empty where the
/// machine refuses it; where it refuses all that there is to choose from, the launch says why.
template <class Work>
std::optional<engine::profile> dry_run(const engine::machine_spec& machine, const Work& work) {
  try {
    engine::core nc(machine, {.mode = engine::run_mode::dry_run, .strict = false});
    work(nc);
    return nc.summary();
  } catch (const engine::kernel_error&) {
    return {};
  }
}

}  // namespace papilio::kernels_detail

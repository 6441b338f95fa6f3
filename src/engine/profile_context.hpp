#pragma once

#include <optional>
#include <string>

#include "engine/record.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// The least work that a kernel's result needs on any schedule, as the kernel stated it by
/// core::state_floor.
struct least_work {
  double hbm_bytes = 0, tensor_cycles = 0;
};

/// The facts of a profile that the counts of instructions do not contain.
struct profile_context {
  std::string kernel;
  double input_bytes = 0, output_bytes = 0;  // of the tensors that enter and leave the program
  std::optional<least_work> least = {};      // empty where the kernel stated none
};

engine::profile make_profile(const run_record& record, const engine::machine_spec& machine,
                             const profile_context& context);

}  // namespace papilio::engine_detail

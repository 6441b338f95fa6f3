#pragma once

#include <optional>
#include <string>

#include "engine/record.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// What a kernel said that its result needs.
struct least_work {
  double hbm_bytes = 0, tensor_cycles = 0;
};

/// What a profile says that no instruction knows.
struct profile_context {
  std::string kernel;
  double input_bytes = 0, output_bytes = 0;  // tensors that the program is given, and gives
  std::optional<least_work> least = {};      // by core::state_floor
};

engine::profile make_profile(const run_record& record, const engine::machine_spec& machine,
                             const profile_context& context);

}  // namespace papilio::engine_detail

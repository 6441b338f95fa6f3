#pragma once

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli::profile_verb {

/// One dispatch of a kernel on inputs that are made for it, the same in every run; or dry, without
/// values. device_error where its tensors do not fit the device.
engine::launch_result run_on_made_inputs(engine::device& device, const kernels::sized_kernel& sized,
                                         bool dry_run);

}  // namespace papilio::cli::profile_verb

#pragma once

#include "papilio/dispatch/accelerator.hpp"

namespace papilio::engine_detail {

/// How operations run on devices: what the device component's kernels bring, which stand above the
/// engine and define it.
const device_backend& operations_of_devices();

}  // namespace papilio::engine_detail

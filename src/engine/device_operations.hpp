#pragma once

#include "papilio/dispatch/accelerator.hpp"

namespace papilio::engine_detail {

/// Returns the implementation of operations on devices. The device component, which is built on the
/// engine, defines this function with its kernels.
const device_backend& operations_of_devices();

}  // namespace papilio::engine_detail

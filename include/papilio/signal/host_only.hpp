#pragma once

#include "papilio/base/export.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio::signal_detail {

/// Of an operation without a kernel, in the name of `function`: policy::device is a device_error
/// with the reason, automatic the host. invalid_argument for what the host does not do: another
/// backend, another precision, threads below 0. Where nothing is thrown, last_run() tells of it.
/// `operation` as in "welch"; it lasts for ever.
PAPILIO_API void require_host(const char* function, const char* operation, const char* reason,
                              const execution& on);

}  // namespace papilio::signal_detail

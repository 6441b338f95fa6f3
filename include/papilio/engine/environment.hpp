#pragma once

#include <memory>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/engine/device.hpp"

namespace papilio {

/// A device of the machine and the runtime, each a preset's name or a file; empty: trainium1 and
/// sdk_2_24. Errors as engine::load_machine and engine::load_runtime.
PAPILIO_API std::unique_ptr<engine::device> make_device(const std::string& machine,
                                                        const std::string& runtime);

/// What the environment says of where operations run, for programs that let it: PAPILIO_POLICY
/// (host, device or automatic; host where it is not set), and the device of PAPILIO_MACHINE (a
/// preset or a JSON file) with PAPILIO_RUNTIME (the same of runtimes), null where neither is set.
/// Read once; the device lasts as long as the program. invalid_argument, that names the variable,
/// for another policy; errors as make_device.
PAPILIO_API execution execution_from_environment();

}  // namespace papilio

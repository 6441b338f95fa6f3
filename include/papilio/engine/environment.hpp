#pragma once

#include <memory>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/engine/device.hpp"

namespace papilio {

/// Makes a device of a machine and a runtime, each a preset's name or a file; empty: trainium1 and
/// sdk_2_24. Throws as engine::load_machine and engine::load_runtime.
PAPILIO_API std::unique_ptr<engine::device> make_device(const std::string& machine,
                                                        const std::string& runtime);

/// Returns the execution that the environment asks for. PAPILIO_POLICY: host (the default), device
/// or automatic. PAPILIO_MACHINE and PAPILIO_RUNTIME, each a preset or a JSON file, describe the
/// device, null if neither is set. Read once; the device lasts as long as the program.
/// Throws invalid_argument, naming the variable, for another policy; as make_device otherwise.
PAPILIO_API execution execution_from_environment();

}  // namespace papilio

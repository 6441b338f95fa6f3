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

/// Makes the accelerator of so many cores: a device of one, a device_group of more. Throws as
/// make_device and device_group.
PAPILIO_API std::unique_ptr<accelerator> make_accelerator(const std::string& machine,
                                                          const std::string& runtime, int cores);

/// Returns PAPILIO_CORES, 1 where it is not set. Throws invalid_argument, naming the variable, for
/// what is not a whole number of 1 to link_model::cores_max.
PAPILIO_API int cores_from_environment();

/// Returns the execution that the environment asks for. PAPILIO_POLICY: host (the default), device
/// or automatic. PAPILIO_MACHINE and PAPILIO_RUNTIME, each a preset or a JSON file, and
/// PAPILIO_CORES describe the accelerator, null if none is set. Read once; the accelerator lasts as
/// long as the program.
/// Throws invalid_argument, naming the variable, for another policy; as cores_from_environment and
/// make_accelerator otherwise.
PAPILIO_API execution execution_from_environment();

}  // namespace papilio

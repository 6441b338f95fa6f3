#pragma once

#include <filesystem>
#include <optional>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio {

/// The model on which estimates of the host rest: what use_host() was given, else what
/// host_calibration_file() holds, where that is there, else host_from_features(). Found at the
/// first call, by whichever thread; nothing that runs under policy::host calls it. io_error as
/// load_host() where the file is there and is not good: a bad calibration is never replaced by
/// another in silence, and the next call reads it anew.
PAPILIO_API host_model current_host();

/// Lets later estimates rest on `host`. invalid_argument naming the first field out of its bounds.
PAPILIO_API void use_host(const host_model& host);

/// Where a calibration is looked for: what the environment's PAPILIO_CALIBRATION names, else
/// papilio/host.json in $XDG_CONFIG_HOME, else in ~/.config. None where PAPILIO_CALIBRATION is
/// "off" or there is no such folder. The environment is read once.
PAPILIO_API std::optional<std::filesystem::path> host_calibration_file();

/// Writes a calibrated model as JSON, one member for each field; the file appears whole or not at
/// all, and so do missing folders before it. invalid_argument where it was never measured or a
/// field is out of its bounds, io_error where the file cannot be written.
PAPILIO_API void save_host(const std::filesystem::path& path, const host_model& host);

/// Reads what save_host() wrote on this processor with this instruction set; `cores` is what this
/// process may use. io_error with the path and the field where a field is missing, unknown, given
/// twice, not of its type or out of its bounds, or where the file is of another processor.
PAPILIO_API host_model load_host(const std::filesystem::path& path);

}  // namespace papilio

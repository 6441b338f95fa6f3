#pragma once

#include <optional>
#include <string>

#include "calibration/mp2_steps.hpp"
#include "cli/report.hpp"

namespace papilio::cli {

/// "512x64x448x1536"; nothing for another text.
std::optional<calibration::mp2_sizes> mp2_sizes_of(const std::string& text);

/// A table, and what fusing does to the whole by Amdahl's law.
report steps_report(const calibration::mp2_steps& all);

}  // namespace papilio::cli

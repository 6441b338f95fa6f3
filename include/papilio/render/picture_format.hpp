#pragma once

#include <filesystem>

#include "papilio/base/export.hpp"

namespace papilio {

enum class picture_format { png, svg, pdf };

/// The format that a path's extension (.png, .svg, .pdf in any case) names; invalid_argument for
/// any other.
PAPILIO_API picture_format picture_format_of(const std::filesystem::path& path);

}  // namespace papilio

#pragma once

#include <optional>
#include <string>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// The descriptor that /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names.
PAPILIO_INTERNAL std::optional<int> named_descriptor(const std::string& path);

}  // namespace papilio::base_detail

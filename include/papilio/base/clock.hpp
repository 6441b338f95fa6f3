#pragma once

#include "papilio/base/export.hpp"

namespace papilio::base_detail {

/// Seconds of a clock that only goes forward.
PAPILIO_API double wall_seconds();
/// Seconds of this thread on a core: what others take while it waits for one does not count.
PAPILIO_API double thread_seconds();

}  // namespace papilio::base_detail

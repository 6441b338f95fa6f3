#pragma once

#include <cstddef>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// Bytes of this computer's data or unified cache of a level, 1 to 3; `otherwise` where the system
/// names none.
PAPILIO_INTERNAL std::size_t cache_bytes(int level, std::size_t otherwise);

/// From so many bytes on, a result that is made line by line is written past the caches: memory is
/// then not read only to be overwritten, and the result would have left the caches before it is
/// read. Half of the third cache, between 16 and 64 MiB. Measured with 32 MiB of it: from 16 MiB on,
/// lines of 16 to 16384 points take 0.7 to 1.0 of the time. Tests lower it.
PAPILIO_INTERNAL std::size_t& least_streamed_bytes();

}  // namespace papilio::base_detail

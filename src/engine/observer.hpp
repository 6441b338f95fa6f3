#pragma once

#include <cstdint>
#include <functional>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"

// A window into programs for tests/digest, which holds every instruction against a committed file.
// Not installed.
namespace papilio::engine_detail {

/// An instruction that was accepted, and for transfers the queue that it went to.
using observer = std::function<void(const engine::instruction& issued, int dma_queue)>;

/// Calls `see` after each instruction that the core accepts from now on, in the order of issue.
PAPILIO_API void observe(engine::core& core, observer see);

/// First byte of the view's tile within each partition, to which offset_bytes() counts.
PAPILIO_API std::int64_t tile_address_bytes(const engine::tile_view& view);

}  // namespace papilio::engine_detail

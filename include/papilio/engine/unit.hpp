#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// What executes an instruction: the engines of a core, each in order, and its DMA queues.
enum class unit : std::uint8_t { tensor, vector, scalar, gpsimd, sync, collective, dma };
inline constexpr int unit_count = 7;

/// "tensor", "vector", ...
PAPILIO_API const char* to_string(unit u);

}  // namespace papilio::engine

#pragma once

#include <variant>

#include "papilio/engine/isa/activation.hpp"
#include "papilio/engine/isa/dma_copy.hpp"
#include "papilio/engine/isa/matmul.hpp"
#include "papilio/engine/isa/semaphore.hpp"
#include "papilio/engine/isa/tensor_copy.hpp"
#include "papilio/engine/isa/tensor_tensor.hpp"
#include "papilio/engine/isa/transpose.hpp"

namespace papilio::engine {

/// Everything that a core executes.
using instruction = std::variant<tensor_tensor, tensor_copy, activation, matmul, transpose,
                                 dma_copy, semaphore_signal, semaphore_wait>;

/// Cycles of the engine's clock that the cost table gives, with the start of a gpsimd instruction
/// and without the static cost of any. 0 for transfers, whose cost is in nanoseconds.
PAPILIO_API double documented_cycles(const instruction& i, const machine_spec& machine);
/// Nanoseconds from start to end where nothing else is under way; a transfer with its latency.
PAPILIO_API double cost_ns(const instruction& i, const machine_spec& machine);
PAPILIO_API const char* opcode(const instruction& i);

}  // namespace papilio::engine

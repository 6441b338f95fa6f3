#pragma once

#include "engine/operand_list.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// What one of these units takes for every instruction of whatever kind; null for the others.
const engine::lane_engine_spec* lane_engine(engine::unit on, const engine::machine_spec& machine);

/// Nanoseconds that an instruction keeps its engine: its cycles, twice as many where an operand has
/// far strides, start and static cost of the engine, and what is fixed. Without the tensor engine's
/// LoadStationary; not for transfers.
double length_ns(const operand_list& list, const engine::instruction_cost& cost, engine::unit on,
                 const engine::machine_spec& machine);

/// LoadStationary of an instruction of the tensor engine.
double load_ns(const engine::instruction_cost& cost, const engine::machine_spec& machine);

/// What a DMA engine takes for one buffer of a transfer.
double buffer_ns(const engine::instruction_cost& cost, const engine::dma_spec& dma);
/// What gpsimd takes for the descriptors of a transfer; 0 where it writes none.
double descriptors_ns(const engine::instruction_cost& cost, const engine::machine_spec& machine);

}  // namespace papilio::engine_detail

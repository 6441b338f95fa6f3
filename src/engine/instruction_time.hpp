#pragma once

#include "engine/operand_list.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// Cost of an instruction: none where it has no cost().
template <class Instruction>
engine::instruction_cost cost_of(const Instruction& i, const engine::machine_spec& machine) {
  if constexpr (requires { i.cost(machine); })
    return i.cost(machine);
  else
    return {};
}

/// What one of these units takes for every instruction of whatever kind; null for the others.
const engine::lane_engine_spec* lane_engine(engine::unit on, const engine::machine_spec& machine);

/// Nanoseconds that an instruction keeps its engine: its cycles, twice as many where an operand has
/// far strides (of the tensor engine: what the multiply reads), start and static cost of the engine,
/// and what is fixed. Without the tensor engine's LoadStationary; not for transfers.
double length_ns(const operand_list& list, const engine::instruction_cost& cost, engine::unit on,
                 const engine::machine_spec& machine);

/// LoadStationary of an instruction of the tensor engine, twice as long from far strides.
double load_ns(const operand_list& list, const engine::instruction_cost& cost,
               const engine::machine_spec& machine);

/// From the start of an instruction to that of the next of this unit where the next reads its
/// result; 0 where documents have no such time.
double dependent_interval_ns(engine::unit on, const engine::machine_spec& machine);

/// What a DMA engine takes for one buffer of a transfer: at its rate, and at its share of what HBM
/// gives a core, which a transfer from HBM to HBM uses twice.
double buffer_ns(const operand_list& list, const engine::instruction_cost& cost,
                 const engine::machine_spec& machine);
/// Time of gpsimd for the descriptors of a transfer; 0 where it writes none.
double descriptors_ns(const engine::instruction_cost& cost, const engine::machine_spec& machine);

}  // namespace papilio::engine_detail

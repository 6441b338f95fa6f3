#pragma once

#include "engine/operand_list.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// Returns the cost of an instruction, which is zero where the instruction has no cost().
template <class Instruction>
engine::instruction_cost cost_of(const Instruction& i, const engine::machine_spec& machine) {
  if constexpr (requires { i.cost(machine); })
    return i.cost(machine);
  else
    return {};
}

/// Returns the clock and the fixed cost of each instruction on an engine that works on all
/// partitions at once (vector, scalar, gpsimd); null for the other units.
const engine::lane_engine_spec* lane_engine(engine::unit on, const engine::machine_spec& machine);

/// Returns the nanoseconds that an instruction occupies its engine: its own cycles, times
/// far_stride_factor where an operand has far strides (on the tensor engine, an operand that the
/// multiply reads), plus start and static cycles of the engine, plus fixed_ns. It excludes the
/// tensor engine's LoadStationary (load_ns) and does not apply to transfers (buffer_ns).
double length_ns(const operand_list& list, const engine::instruction_cost& cost, engine::unit on,
                 const engine::machine_spec& machine);

/// Returns the nanoseconds of LoadStationary before a multiply, times far_stride_factor where the
/// stationary operand has far strides.
double load_ns(const operand_list& list, const engine::instruction_cost& cost,
               const engine::machine_spec& machine);

/// Returns the least time between the starts of two instructions of one unit where the second reads
/// the first one's result; 0 where documents give no such time.
double dependent_interval_ns(engine::unit on, const engine::machine_spec& machine);

/// Returns the time of one DMA engine for one buffer of a transfer. It is the longest of the time
/// at the engine's own rate, the time at its share of the core's HBM bandwidth (which a transfer
/// from HBM to HBM uses twice), and the time for a descriptor.
double buffer_ns(const operand_list& list, const engine::instruction_cost& cost,
                 const engine::machine_spec& machine);
/// Returns the time in which gpsimd writes the descriptors of a transfer; 0 where it writes none.
double descriptors_ns(const engine::instruction_cost& cost, const engine::machine_spec& machine);

}  // namespace papilio::engine_detail

#include "engine/instruction_time.hpp"

#include <algorithm>
#include <cstdlib>

#include "papilio/engine/instruction.hpp"

namespace papilio::engine_detail {

using engine::instruction_cost;
using engine::machine_spec;
using engine::tile_view;
using engine::unit;

namespace {

constexpr double ns_per_s = 1e9;

bool has_far_stride(const tile_view& view, std::int64_t far_bytes) {
  for (std::size_t i = view.dims().size(); i-- > 0;) {
    const engine::pattern_dim& d = view.dims()[i];
    if (d.extent > 1) return std::abs(d.stride) * std::int64_t(size_bytes(view.type())) > far_bytes;
  }
  return false;
}

// A port serves neighbours that are further apart at half its rate (A1).
bool is_far(const named_operand& o, const machine_spec& machine) {
  return o.tile != nullptr && has_far_stride(*o.tile, machine.access.far_stride_bytes);
}

}  // namespace

const engine::lane_engine_spec* lane_engine(unit on, const machine_spec& machine) {
  switch (on) {
    case unit::vector:
      return &machine.vector;
    case unit::scalar:
      return &machine.scalar;
    case unit::gpsimd:
      return &machine.gpsimd;
    case unit::tensor:
    case unit::sync:
    case unit::collective:
    case unit::dma:
      break;
  }
  return nullptr;
}

double length_ns(const operand_list& list, const instruction_cost& cost, unit on,
                 const machine_spec& machine) {
  const double far = machine.access.far_stride_factor;
  if (const engine::lane_engine_spec* const e = lane_engine(on, machine)) {
    const bool slow =
        std::ranges::any_of(list, [&](const named_operand& o) { return is_far(o, machine); });
    const double cycles = cost.cycles * (slow ? far : 1);
    return (cycles + e->start_cycles + e->static_cycles) / e->clock_hz * ns_per_s + cost.fixed_ns;
  }
  if (on != unit::tensor) return cost.cycles / machine.base_clock_hz * ns_per_s + cost.fixed_ns;
  const bool slow = std::ranges::any_of(list, [&](const named_operand& o) {
    return o.reads && !o.writes && !o.loads && is_far(o, machine);
  });
  return cost.cycles * (slow ? far : 1) / machine.tensor.clock_hz * ns_per_s + cost.fixed_ns;
}

double load_ns(const operand_list& list, const instruction_cost& cost,
               const machine_spec& machine) {
  const bool slow = std::ranges::any_of(
      list, [&](const named_operand& o) { return o.loads && is_far(o, machine); });
  return cost.load_cycles * (slow ? machine.access.far_stride_factor : 1) /
         machine.tensor.clock_hz * ns_per_s;
}

double dependent_interval_ns(unit on, const machine_spec& machine) {
  if (on != unit::scalar) return 0;
  return machine.scalar.dependent_interval_cycles / machine.scalar.clock_hz * ns_per_s;
}

double buffer_ns(const operand_list& list, const instruction_cost& cost,
                 const machine_spec& machine) {
  const engine::dma_spec& dma = machine.dma;
  const auto uses =
      double(std::ranges::count_if(list, [](const named_operand& o) { return o.hbm != nullptr; }));
  const double each_use = uses / (machine.hbm_bytes_per_ns() / dma.engines);
  const double descriptor_ns = cost.dma_descriptor_ns > 0 ? cost.dma_descriptor_ns
                               : cost.dma_buffer_bytes < double(dma.short_row_bytes)
                                   ? dma.short_descriptor_ns
                                   : dma.descriptor_ns;
  return std::max({cost.dma_buffer_bytes / (dma.bytes_per_ns * cost.dma_rate_factor),
                   cost.dma_buffer_bytes * each_use, descriptor_ns});
}

double descriptors_ns(const instruction_cost& cost, const machine_spec& machine) {
  if (cost.descriptor_cycles <= 0) return 0;
  return length_ns({}, {.cycles = cost.descriptor_cycles}, unit::gpsimd, machine);
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

using namespace engine_detail;

double documented_cycles(const instruction& i, const machine_spec& machine) {
  return std::visit(
      [&](const auto& one) {
        const instruction_cost cost = cost_of(one, machine);
        const lane_engine_spec* const lane_engine_of_it = lane_engine(one.runs_on(), machine);
        return std::max(cost.cycles, cost.load_cycles) +
               (lane_engine_of_it ? lane_engine_of_it->start_cycles : 0);
      },
      i);
}

double cost_ns(const instruction& i, const machine_spec& machine) {
  return std::visit(
      [&]<class Instruction>(const Instruction& one) {
        if constexpr (std::is_same_v<Instruction, semaphore_signal> ||
                      std::is_same_v<Instruction, semaphore_wait>)
          return 0.0;
        const instruction_cost cost = cost_of(one, machine);
        operand_list list;
        list_operands(one, list);
        if (one.runs_on() == unit::dma) {
          const auto engines = std::uint64_t(machine.dma.engines);
          const std::uint64_t share = (cost.dma_buffers + engines - 1) / engines;
          return cost.fixed_ns + descriptors_ns(cost, machine) + machine.dma.start_ns +
                 double(share) * buffer_ns(list, cost, machine);
        }
        return load_ns(list, cost, machine) + length_ns(list, cost, one.runs_on(), machine);
      },
      i);
}

}  // namespace papilio::engine

#include "papilio/engine/isa/data_movement.hpp"

#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost collective::cost(const machine_spec& machine) const {
  const link_model links(machine, cores);
  const std::int64_t part = bytes / cores + (bytes % cores != 0);
  if (kind == collective_kind::all_to_all) {
    double all_ns = 0;
    for (int distance = 1; distance < cores; ++distance) all_ns += links.shift_ns(distance, part);
    return {.fixed_ns = all_ns};
  }
  if (cores == 1) return {};
  const int steps = (kind == collective_kind::all_reduce ? 2 : 1) * (cores - 1);
  return {.fixed_ns = steps * links.shift_ns(1, part)};
}

}  // namespace papilio::engine

#include "papilio/engine/isa/synchronization.hpp"

#include "engine/checker.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

using namespace engine_detail;

void core_barrier::validate(const checker& check) const { check.keeps(isa_rule::barrier_exists); }

instruction_cost core_barrier::cost(const machine_spec& machine) const {
  const link_model links(machine, cores);
  double all_ns = 0;
  for (std::int64_t distance = 1; distance < cores; distance *= 2)
    all_ns += links.shift_ns(int(distance), 0);
  return {.fixed_ns = all_ns};
}

}  // namespace papilio::engine

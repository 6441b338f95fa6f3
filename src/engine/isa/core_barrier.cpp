#include "papilio/engine/isa/core_barrier.hpp"

#include "engine/checker.hpp"
#include "engine/link_cost.hpp"
#include "engine/operand_list.hpp"

namespace papilio::engine {

using namespace engine_detail;

void core_barrier::operands(operand_list&) const {}

void core_barrier::validate(const checker& check) const {
  check.that(cores >= 1, "cores", "must be at least 1, got ", cores);
}

instruction_cost core_barrier::cost(const machine_spec& machine) const {
  int rounds = 0;
  for (std::int64_t reached = 1; reached < cores; reached *= 2) ++rounds;
  return {.fixed_ns = rounds * link_among(cores, machine).hop_ns};
}

void core_barrier::execute(execution&) const {}

}  // namespace papilio::engine

#include "papilio/engine/isa/data_movement.hpp"

#include "engine/checker.hpp"
#include "engine/operand_list.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

using namespace engine_detail;

const char* to_string(collective_kind kind) {
  switch (kind) {
    case collective_kind::all_reduce:
      return "all_reduce";
    case collective_kind::all_gather:
      return "all_gather";
    case collective_kind::reduce_scatter:
      return "reduce_scatter";
    case collective_kind::all_to_all:
      return "all_to_all";
  }
  return "?";
}

void collective::operands(operand_list&) const {}

void collective::validate(const checker& check) const {
  check.that(cores >= 1, "cores", "must be at least 1, got ", cores);
  check.at_most("cores", "cores", cores, link_model::cores_max);
  check.that(bytes >= 0, "bytes", "must be at least 0, got ", bytes);
}

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

void collective::execute(instruction_run&) const {}

}  // namespace papilio::engine

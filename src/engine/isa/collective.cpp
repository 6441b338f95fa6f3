#include "papilio/engine/isa/collective.hpp"

#include "engine/checker.hpp"
#include "engine/link_cost.hpp"
#include "engine/operand_list.hpp"

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
  check.that(bytes >= 0, "bytes", "must be at least 0, got ", bytes);
}

instruction_cost collective::cost(const machine_spec& machine) const {
  const link_cost link = link_among(cores, machine);
  const double steps = (kind == collective_kind::all_reduce ? 2.0 : 1.0) * (cores - 1);
  return {.fixed_ns = steps * (link.hop_ns + double(bytes) / cores / link.bytes_per_ns)};
}

void collective::execute(execution&) const {}

}  // namespace papilio::engine

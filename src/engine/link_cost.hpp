#pragma once

#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// What the slowest link among `cores` neighbouring cores is like: that within a chip, between the
/// chips of a node, or between nodes.
struct link_cost {
  double hop_ns, bytes_per_ns;
};

inline link_cost link_among(int cores, const engine::machine_spec& machine) {
  const engine::link_spec& link = machine.link;
  if (cores <= machine.cores_per_chip) return {link.core_hop_ns, link.core_bytes_per_ns};
  if (cores <= machine.cores_per_chip * link.chips_per_node)
    return {link.chip_hop_ns, link.chip_bytes_per_ns};
  return {link.node_hop_ns, link.node_bytes_per_ns};
}

}  // namespace papilio::engine_detail

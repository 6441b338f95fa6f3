#pragma once

#include <cstddef>
#include <span>

#include "papilio/engine/runtime_spec.hpp"

namespace papilio::operations_detail {

/// How arrays of the host go up for a launch, and its results come back.
struct host_copies {
  /// Arrays are gathered into one copy, results come back in one: engine::graph does so.
  bool packed = false;
  std::size_t up = 0, down = 0;  ///< copies
  double upload_seconds = 0, fetch_seconds = 0;
};

/// All arrays in one copy up, and in one back.
host_copies packed_copies(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                          std::span<const double> bytes_out);

/// The cheaper one of a copy for each and one for all. Each copy costs a latency, but a large one
/// may be slower per byte than several.
host_copies copies_of(const engine::runtime_spec& runtime, std::span<const double> bytes_in,
                      std::span<const double> bytes_out);

}  // namespace papilio::operations_detail

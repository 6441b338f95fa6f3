#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// Assigns each slice of a trace to a track on which no other slice overlaps it.
struct track_plan {
  struct track {
    int id;  // from 1, in the order of display
    std::string name;
  };
  std::vector<track> tracks;
  std::vector<int> of_slice;  // track ids
};

track_plan plan_tracks(const engine::trace& trace);

/// Rounds a time to the whole nanoseconds of the trace. Both ends of a slice are rounded, so that
/// slices that touched still do.
std::int64_t whole_ns(double ns);

}  // namespace papilio::engine_detail

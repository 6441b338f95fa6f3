#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// Which track each slice of a trace is drawn on, so that slices of one track do not overlap.
struct track_plan {
  struct track {
    int id;  // from 1, in the order of display
    std::string name;
  };
  std::vector<track> tracks;
  std::vector<int> of_slice;  // track ids
};

track_plan plan_tracks(const engine::trace& trace);

/// Times of viewers are whole nanoseconds: rounding both ends keeps neighbours neighbours.
std::int64_t whole_ns(double ns);

}  // namespace papilio::engine_detail

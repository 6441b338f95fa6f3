#pragma once

#include <cstdint>

#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// The bytes that an access touches: partitions, a range of bytes, and, where the pattern repeats,
/// the part of each period. What it says is never less than what is touched.
struct region {
  std::int32_t first_partition, end_partition;
  std::int64_t lo, hi;                      // bytes
  std::int64_t period, phase_lo, phase_hi;  // bytes; period 0: all of [lo, hi)

  bool operator==(const region&) const = default;
};

region region_of(const engine::tile_view& view);
region region_of(const engine::hbm_view& view);

bool overlap(const region& a, const region& b);
/// Whether every byte of `inner` is in `outer`; may say no where it is.
bool contains(const region& outer, const region& inner);

}  // namespace papilio::engine_detail

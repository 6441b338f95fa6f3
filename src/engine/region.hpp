#pragma once

#include <cstdint>
#include <span>

#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// The bytes that an access touches: partitions, a range of bytes, and, where the pattern repeats,
/// the part of each period: of the shortest one, and of the longest where there are several (rows
/// of a block, and blocks of rows); a part that ends behind the period goes on at its beginning.
/// What it says is never less than what is touched.
struct region {
  std::int32_t first_partition, end_partition;
  std::int64_t lo, hi;                                        // bytes
  std::int64_t period, phase_lo, phase_hi;                    // bytes; period 0: all of [lo, hi)
  std::int64_t outer_period = 0, outer_lo = 0, outer_hi = 0;  // the same; 0: none

  bool operator==(const region&) const = default;
};

region region_of(const engine::tile_view& view);
region region_of(const engine::hbm_view& view);

/// Whether the levels of a pattern lie in one another's gaps, so that no element comes twice.
bool is_nested(std::span<const engine::pattern_dim> dims);

/// Of regions of which one has a period.
bool phases_overlap(const region& a, const region& b);

inline bool overlap(const region& a, const region& b) {
  if (a.lo >= b.hi || b.lo >= a.hi) return false;
  if (a.first_partition >= b.end_partition || b.first_partition >= a.end_partition) return false;
  return (a.period | b.period) == 0 || phases_overlap(a, b);
}

/// Whether every byte of `inner` is in `outer`; may say no where it is.
inline bool contains(const region& outer, const region& inner) {
  if (inner.lo < outer.lo || inner.hi > outer.hi) return false;
  if (inner.first_partition < outer.first_partition || inner.end_partition > outer.end_partition)
    return false;
  if (outer.outer_period != 0 &&
      (inner.outer_period != outer.outer_period || inner.outer_lo < outer.outer_lo ||
       inner.outer_hi > outer.outer_hi))
    return false;
  return outer.period == 0 || (inner.period == outer.period && inner.phase_lo >= outer.phase_lo &&
                               inner.phase_hi <= outer.phase_hi);
}

}  // namespace papilio::engine_detail

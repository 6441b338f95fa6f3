#pragma once

#include <cstdint>
#include <span>

#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// A superset of the bytes that an access touches: a range of partitions, a range of bytes [lo, hi)
/// in each and, where the pattern repeats, a range of phases [phase_lo, phase_hi) in each period. A
/// pattern with several periods (rows of a block, and blocks of rows) has the shortest as `period`
/// and the longest as `outer_period`. Phases beyond the period's end continue at its beginning.
struct region {
  std::int32_t first_partition, end_partition;
  std::int64_t lo, hi;                                        // bytes
  std::int64_t period, phase_lo, phase_hi;                    // bytes; period 0: all of [lo, hi)
  std::int64_t outer_period = 0, outer_lo = 0, outer_hi = 0;  // bytes; period 0: none

  bool operator==(const region&) const = default;
};

region region_of(const engine::tile_view& view);
region region_of(const engine::hbm_view& view);

/// Returns whether each level of a pattern fits into the stride of the next slower one, so that no
/// element occurs twice.
bool is_nested(std::span<const engine::pattern_dim> dims);
/// Whether no two elements of the pattern are in one place: at once where levels are nested, else
/// in time and memory of its reach.
bool is_injective(std::span<const engine::pattern_dim> dims);

/// Returns whether two regions may overlap by their phases, where at least one has a period. It
/// returns true where the periods do not allow a decision.
bool phases_overlap(const region& a, const region& b);

inline bool overlap(const region& a, const region& b) {
  if (a.lo >= b.hi || b.lo >= a.hi) return false;
  if (a.first_partition >= b.end_partition || b.first_partition >= a.end_partition) return false;
  return (a.period | b.period) == 0 || phases_overlap(a, b);
}

/// Returns true only if every byte of `inner` is in `outer`; false leaves it open.
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

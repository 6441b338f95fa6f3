#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"

namespace papilio {

/// How much the cache of plans behind the transforms may hold.
struct plan_cache_bound {
  std::size_t plans = 256;
  std::size_t bytes = std::size_t{256} << 20;  ///< of tables
};

/// Counts since the program began; what is held now.
struct plan_cache_counts {
  std::size_t hits = 0;
  std::size_t misses = 0;     ///< each built a plan
  std::size_t evictions = 0;  ///< dropped for want of room; not those that clear_plan_cache drops
  std::size_t plans = 0;
  std::size_t bytes = 0;  ///< of tables, as the backends reckon them
};

/// The transforms keep the plans they build, the least recently used going first where either bound
/// is reached; a plan that exceeds the bound alone is used and not kept. All functions may be
/// called from any number of threads. A plan is built without holding the lock: two threads that
/// need the same new plan at once may both build it, and one of the two is kept.
PAPILIO_API plan_cache_counts plan_cache_statistics();
PAPILIO_API plan_cache_bound plan_cache_limit();
/// Drops at once what is beyond. Either bound 0: nothing is kept.
PAPILIO_API void set_plan_cache_limit(plan_cache_bound bound);
/// Drops all of them. What last_run() tells stays, without the plan that it is about.
PAPILIO_API void clear_plan_cache();

}  // namespace papilio

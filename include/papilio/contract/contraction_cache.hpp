#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"

namespace papilio {

/// How much the cache of contraction plans may hold.
struct contraction_cache_bound {
  std::size_t plans = 512;
  std::size_t bytes = std::size_t{256} << 20;  ///< of the memory that plans keep for executions
};

/// Counts since the program began; what is held now.
struct contraction_cache_counts {
  std::size_t hits = 0;
  std::size_t misses = 0;     ///< each made a plan
  std::size_t evictions = 0;  ///< for want of room
  std::size_t plans = 0;
  std::size_t bytes = 0;
};

/// einsum and plan_contraction keep their plans, by all that decides them: subscripts, element
/// type, extents and strides of operands and result, conjugates, the search and its options,
/// rounding and execution. The least recently used go first. Any number of threads may call; two
/// that need the same new plan at once may both make it, and one is kept.
PAPILIO_API contraction_cache_counts contraction_cache_statistics();
PAPILIO_API contraction_cache_bound contraction_cache_limit();
/// Drops at once what is beyond. Either bound 0: nothing is kept.
PAPILIO_API void set_contraction_cache_limit(contraction_cache_bound bound);
PAPILIO_API void clear_contraction_cache();

}  // namespace papilio

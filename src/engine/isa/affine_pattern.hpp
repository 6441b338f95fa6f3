#pragma once

#include <cstdint>

#include "engine/checker.hpp"
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine_detail {

/// Refuses extents that are not positive or whose product is not the elements of `out`, and values
/// outside [lo, hi].
void check_affine(const checker& check, const engine::affine_pattern& pattern,
                  const engine::tile_view& out, std::int64_t lo, std::int64_t hi);

/// Calls put(element, value) for the elements of partition p in their order.
template <class Put>
void for_each_affine(const engine::affine_pattern& pattern, int p, const Put& put) {
  const auto& [a, b, c, d] = pattern.levels;
  const std::int64_t first = pattern.base + p * pattern.partition_step;
  std::size_t at = 0;
  for (std::int64_t i = 0; i < a.extent; ++i)
    for (std::int64_t j = 0; j < b.extent; ++j)
      for (std::int64_t k = 0; k < c.extent; ++k) {
        std::int64_t value = first + i * a.stride + j * b.stride + k * c.stride;
        for (std::int64_t l = 0; l < d.extent; ++l, value += d.stride) put(at++, value);
      }
}

}  // namespace papilio::engine_detail

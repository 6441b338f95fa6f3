#pragma once

#include <algorithm>
#include <cstdint>

#include "papilio/base/vocabulary.hpp"

namespace papilio::base_detail {

/// Returns which of `count` >= 1 samples stands at i of a signal that is padded by `lead` at both
/// ends, i counted from its first sample; `count` for a zero.
inline std::int64_t padded_place(std::int64_t i, std::int64_t count, std::int64_t lead,
                                 edge_padding padding) {
  if (i >= 0 && i < count) return i;
  if (padding == edge_padding::zero || i < -lead || i >= count + lead) return count;
  if (padding == edge_padding::edge || count == 1) return i < 0 ? 0 : count - 1;
  const std::int64_t period = 2 * (count - 1);
  const std::int64_t within = (i % period + period) % period;
  return std::min(within, period - within);
}

}  // namespace papilio::base_detail

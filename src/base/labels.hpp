#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace papilio::base_detail {

/// Whether a tensor with these labels has the label.
inline bool has(const std::vector<int>& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

/// The sliced labels of the loop that a step is in; empty where it is in none. Loop is that of a
/// contraction.
template <class Loop>
const std::vector<int>& sliced_around(const std::vector<Loop>& loops, std::size_t step) {
  static const std::vector<int> none;
  const auto around =
      std::ranges::find_if(loops, [&](const Loop& l) { return l.first <= step && step <= l.last; });
  return around == loops.end() ? none : around->labels;
}

}  // namespace papilio::base_detail

#pragma once

#include <algorithm>
#include <vector>

namespace papilio::base_detail {

/// Whether a tensor with these labels has the label.
inline bool has(const std::vector<int>& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

}  // namespace papilio::base_detail

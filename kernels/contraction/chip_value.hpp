#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "papilio/engine/operand.hpp"

// Results that stay in SBUF for the step that reads them.
namespace papilio::kernels_detail {

/// How a value lies there, by labels: some on partitions, whole ones and a part of one more, the
/// others along them.
struct chip_layout {
  std::vector<int> whole = {};  ///< the last is the fastest
  int cut = -1;                 ///< label; -1: none
  std::int64_t chunk = 1;
  std::map<int, std::int64_t> steps = {};  ///< elements; of the cut label those of a chunk
  std::int64_t plane = 0, words = 1;       ///< of a partition

  /// 0 of a label of one value.
  std::int64_t step(int label) const {
    const auto found = steps.find(label);
    return found == steps.end() ? 0 : found->second;
  }
  auto fields() const { return std::tie(whole, cut, chunk, steps, plane, words); }
};

struct chip_value {
  engine::tile memory;
  chip_layout layout;
};

}  // namespace papilio::kernels_detail

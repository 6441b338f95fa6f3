#pragma once

#include <cstddef>
#include <vector>

namespace papilio::contract_detail {

/// An operand of a step as it lies in memory: of each axis its label, its extent and its stride in
/// elements. A label that repeats stands for the diagonal. Axes of extent 1 that are broadcast are
/// left out beforehand.
struct layout {
  std::vector<int> labels;
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;

  bool operator==(const layout&) const = default;
};

}  // namespace papilio::contract_detail

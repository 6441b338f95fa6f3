#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio::contract_detail {

/// Places for results of steps in one piece of memory, by first fit: what was read for the last
/// time makes room.
class workspace_plan {
 public:
  /// Elements are rounded up, so that every place begins at a cache line.
  static constexpr std::size_t granule = 16;

  std::size_t reserve(std::size_t elements) {
    const std::size_t wanted =
        checked_add(std::max<std::size_t>(elements, 1), granule - 1, "contraction: workspace") /
        granule * granule;
    std::size_t at = 0;
    auto next = taken_.begin();
    for (; next != taken_.end() && next->first - at < wanted; ++next) at = next->last;
    const std::size_t end = checked_add(at, wanted, "contraction: workspace");
    taken_.insert(next, {at, end});
    size_ = std::max(size_, end);
    return at;
  }
  void release(std::size_t offset) {
    std::erase_if(taken_, [&](const place& p) { return p.first == offset; });
  }
  std::size_t size() const { return size_; }

 private:
  struct place {
    std::size_t first, last;
  };
  std::vector<place> taken_;  // in rising order
  std::size_t size_ = 0;
};

}  // namespace papilio::contract_detail

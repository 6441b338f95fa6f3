#pragma once

#include <algorithm>
#include <cstdint>

namespace papilio::kernels_detail {

/// A part of an array [outer, count] on partitions, one for each chunk of a line: `lines` lines
/// from `line` on, `chunks` chunks of `length` elements of each from `first` on.
struct line_region {
  std::int64_t line = 0, lines = 1, first = 0, chunks = 1, length = 1;

  int partitions() const { return int(lines * chunks); }
};

/// Calls use(region) until all of [outer, count] is covered, chunks of at most `longest`.
template <class Use>
void for_regions(std::int64_t outer, std::int64_t count, std::int64_t longest,
                 std::int64_t partitions, const Use& use) {
  const std::int64_t whole = count / longest;
  for (std::int64_t c = 0; c < whole; c += partitions) {
    const std::int64_t chunks = std::min(partitions, whole - c), most = partitions / chunks;
    for (std::int64_t l = 0; l < outer; l += most)
      use(line_region{l, std::min(most, outer - l), c * longest, chunks, longest});
  }
  if (count % longest == 0) return;
  for (std::int64_t l = 0; l < outer; l += partitions)
    use(line_region{l, std::min(partitions, outer - l), whole * longest, 1, count % longest});
}

}  // namespace papilio::kernels_detail

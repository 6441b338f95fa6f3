#pragma once

#include "path_searches.hpp"

namespace papilio::path_detail {

struct sliced_path {
  named_path path = {};
  std::vector<int> sliced = {};
};

/// An order, and labels to loop over, with which no result but the last has more than `largest`
/// elements; `path` is where it starts from. The result has no more than that.
sliced_path slice_path(const contraction_network& network, const named_path& path,
                       std::size_t largest, std::uint64_t seed, const refinement& options);

}  // namespace papilio::path_detail

#pragma once

#include "path_network.hpp"
#include "path_random.hpp"

namespace papilio::path_detail {

/// What a greedy order looks for: the smallest of size(result) / weight - weight * (size(a) +
/// size(b)), on a logarithmic scale with Gumbel noise where the temperature is above 0.
struct greedy_weights {
  double weight = 1, temperature = 0;
};

/// Pairs that share labels first, the best of them next; what is left in outer products, the two
/// smallest first. O(p log p) time for p pairs of operands that share a label.
named_path greedy_path(const search_network& network, const greedy_weights& weights = {},
                       random_source* random = nullptr);

}  // namespace papilio::path_detail

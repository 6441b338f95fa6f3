#pragma once

#include "path_network.hpp"
#include "path_random.hpp"
#include "path_reconfigure.hpp"

namespace papilio::path_detail {

/// Weights of the greedy choice: the next pair has the smallest size(result) / weight - weight *
/// (size(a) + size(b)), on a logarithmic scale with Gumbel noise where the temperature is above 0.
struct greedy_weights {
  double weight = 1, temperature = 0;
};

struct greedy_order {
  double flops = 0;  ///< of all steps
  named_path path = {};
};

/// Finds an order in which pairs that share labels come first, always the best of them; what is
/// left is multiplied as outer products, the two smallest first. O(p log p) time for p pairs of
/// operands that share a label, and for each step the labels of its two operands. At `end` the rest
/// is multiplied as it is, the two smallest first; with `random` the search gives up, and the path
/// is empty.
greedy_order greedy_path(const search_network& network, clock::time_point end,
                         const greedy_weights& weights = {}, random_source* random = nullptr);

}  // namespace papilio::path_detail

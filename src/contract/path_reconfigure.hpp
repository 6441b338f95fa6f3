#pragma once

#include "path_random.hpp"
#include "path_subsets.hpp"
#include "path_tree.hpp"

namespace papilio::path_detail {

/// Limits on the improvement of a tree; nothing that it makes is above `largest` elements, unless
/// it was.
struct refinement {
  double largest = largest_cost;
  clock::time_point end = clock::time_point::max();

  bool is_over() const { return clock::now() >= end; }
  /// When what has to be there, however short the time, is ended too.
  clock::time_point last_end() const {
    constexpr std::chrono::milliseconds grace{300};
    return end > clock::time_point::max() - grace ? end : end + grace;
  }
};

/// Replaces subtrees of up to `leaves` leaves by the best of them, until none gets better.
/// O(3^leaves) time per subtree at worst. True if any did.
bool reconfigure(path_tree& tree, std::size_t leaves, random_source& random,
                 const refinement& options = {});

/// Random changes of ((a, b), c) to ((a, c), b) by the Metropolis rule on the logarithm of the two
/// steps' cost, at falling temperature, each step of the tree once a sweep.
void anneal(path_tree& tree, std::size_t sweeps, double hottest, double coldest,
            random_source& random, const refinement& options = {});

}  // namespace papilio::path_detail

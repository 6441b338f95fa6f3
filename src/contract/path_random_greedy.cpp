// Greedy orders with weights and temperatures drawn at random (as in Gray and Kourtis, "Hyper-
// optimized tensor network contraction", 2021); the best are refined in rounds of annealing by
// rotations and of optimal search of subtrees.
#include <algorithm>
#include <cmath>

#include "path_greedy.hpp"
#include "path_searches.hpp"

namespace papilio::path_detail {
namespace {

constexpr std::size_t quick_leaves = 7, thorough_leaves = 9;

// Most bytes of all trees together, but the first.
constexpr std::size_t most_tree_bytes = std::size_t{1} << 30;

std::size_t trees_that_fit(const search_network& network) {
  return most_tree_bytes / (2 * network.operands * network.words * sizeof(word));
}

// The cheapest of `trials` greedy orders, without repetitions of a cost, the best first. The first
// order is there at any time limit.
std::vector<greedy_order> greedy_trials(const search_network& network, std::size_t trials,
                                        std::size_t kept, random_source& random,
                                        const refinement& options) {
  std::vector<greedy_order> best;
  for (std::size_t i = 0; i < trials && (i == 0 || !options.is_over()); ++i) {
    greedy_weights weights;
    if (i > 0)
      weights = {.weight = 0.1 + 3.9 * random.uniform(),
                 .temperature = std::pow(10.0, -3 * random.uniform())};
    greedy_order found = i > 0 ? greedy_path(network, options.end, weights, &random)
                               : greedy_path(network, options.last_end());
    if (found.path.empty()) break;
    const auto at = std::ranges::lower_bound(best, found.flops, {}, &greedy_order::flops);
    if (at != best.end() && at->flops == found.flops) continue;
    if (at == best.end() && best.size() == kept) continue;
    best.insert(at, std::move(found));
    if (best.size() > kept) best.pop_back();
  }
  return best;
}

}  // namespace

double flops_of(const search_network& network, const named_path& path) {
  return path.empty() ? 0 : path_tree(network, path).total();
}

named_path quick_path(const search_network& network, std::uint64_t seed,
                      const refinement& options) {
  random_source random(seed);
  const std::vector<greedy_order> starts = greedy_trials(network, 16, 2, random, options);
  named_path best = starts.front().path;
  double least = std::numeric_limits<double>::infinity();
  if (trees_that_fit(network) == 0) return best;
  for (const greedy_order& start : starts) {
    if (options.is_over()) break;
    path_tree tree(network, start.path);
    if (network.operands > 2) reconfigure(tree, quick_leaves, random, options);
    if (tree.total() >= least) continue;
    least = tree.total();
    best = tree.path();
  }
  return best;
}

named_path random_greedy_path(const search_network& network, std::uint64_t seed,
                              const refinement& options) {
  random_source random(seed);
  const std::size_t n = network.operands;
  const std::size_t kept = std::min<std::size_t>(trees_that_fit(network), 8);
  const std::vector<greedy_order> starts =
      greedy_trials(network, 128, std::max<std::size_t>(kept, 1), random, options);
  std::vector<path_tree> trees;
  for (const greedy_order& start : starts) {
    if (kept == 0 || options.is_over()) break;
    trees.emplace_back(network, start.path);
    reconfigure(trees.back(), quick_leaves, random, options);
  }
  if (trees.empty()) return starts.front().path;
  std::ranges::stable_sort(trees, {}, [](const path_tree& t) { return t.total(); });
  path_tree best = trees.front();
  double least = best.total();
  const std::size_t rounds = 12, patience = 6;
  std::size_t idle = 0;
  for (std::size_t round = 0; n > 3 && round < rounds && idle < patience && !options.is_over();
       ++round) {
    path_tree tree = round % 2 ? best : trees[round / 2 % trees.size()];
    const std::size_t sweeps = 1000;
    anneal(tree, sweeps, round % 2 ? 0.5 : 1.0, 0.02, random, options);
    reconfigure(tree, thorough_leaves, random, options);
    const double total = tree.total();
    ++idle;
    if (total >= least) continue;
    if (total < least * (1 - 1e-9)) idle = 0;
    least = total;
    best = std::move(tree);
  }
  return best.path();
}

}  // namespace papilio::path_detail

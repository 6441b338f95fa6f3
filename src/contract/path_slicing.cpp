// Labels are sliced one after another, always the one that adds least to the flops for what it
// takes off the results that are too large. Between choices the order is improved for the network
// that is left, and at the end labels are given back that are no longer needed.
#include "path_slicing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace papilio::path_detail {
namespace {

class slicing {
 public:
  slicing(const contraction_network& network, double largest, std::uint64_t seed,
          const refinement& options)
      : network_(network), largest_(largest), random_(seed), options_(options) {}

  sliced_path run(named_path path) {
    sliced_ = {};
    path = refined(std::move(path));
    while (tree_of(path, sliced_).largest() > largest_) {
      if (options_.is_over() || !slice_next(path)) slice_more(*tree_);
      path = refined(std::move(path));
    }
    give_back(path);
    return {std::move(path), sliced_};
  }

  double flops(const sliced_path& found) {
    double flops = tree_of(found.path, found.sliced).total();
    for (const int label : found.sliced) flops *= size_of(label);
    return flops;
  }

 private:
  double size_of(int label) const {
    return static_cast<double>(network_.sizes[std::size_t(label)]);
  }

  // A tree refers to its network, so both are members.
  path_tree& tree_of(const named_path& path, const std::vector<int>& sliced) {
    reduced_ = search_network_of(network_, sliced);
    tree_.emplace(reduced_, path);
    return *tree_;
  }

  named_path refined(named_path path) {
    if (path.size() < 2 || options_.is_over()) return path;
    path_tree& tree = tree_of(path, sliced_);
    refinement limits = options_;
    limits.largest = std::max(largest_, tree.largest());
    reconfigure(tree, 8, random_, limits);
    // Another order may avoid results that are too large at little cost.
    path_tree other = tree;
    limits.largest = largest_;
    anneal(other, 200, 0.3, 0.02, random_, limits);
    limits.largest = std::max(largest_, other.largest());
    reconfigure(other, 8, random_, limits);
    const double a = tree.largest(), b = other.largest();
    const bool better = std::max(a, largest_) == std::max(b, largest_)
                            ? other.total() < tree.total()
                            : b < a && other.total() < 1.5 * tree.total();
    return better ? other.path() : tree.path();
  }

  // How far the results are above the limit, in logarithms.
  double excess(const path_tree& tree) const {
    double sum = 0;
    for (std::size_t node = tree.operands(); node < tree.left.size(); ++node) {
      if (int(node) == tree.root) continue;
      const double size = tree.network->size_of(tree.set(int(node)));
      if (size > largest_) sum += std::log(size / largest_);
    }
    return sum;
  }

  // Labels of the results that are too large.
  std::vector<int> candidates(const path_tree& tree) const {
    std::vector<word> wanted(tree.network->words);
    for (std::size_t node = tree.operands(); node < tree.left.size(); ++node) {
      const word* const set = tree.set(int(node));
      if (int(node) == tree.root || tree.network->size_of(set) <= largest_) continue;
      for (std::size_t w = 0; w < wanted.size(); ++w) wanted[w] |= set[w];
    }
    std::vector<int> found;
    for_each_bit(wanted.data(), wanted.size(), [&](std::size_t kind) {
      for (const int label : tree.network->members[kind])
        if (network_.sizes[std::size_t(label)] > 1) found.push_back(label);
    });
    return found;
  }

  // Slices the best label; returns false, and slices none, if time is over before all were tried.
  bool slice_next(const named_path& path) {
    const path_tree& tree = tree_of(path, sliced_);
    const std::vector<int> choice = candidates(tree);
    const double flops = tree.total(), above = excess(tree);
    double least = std::numeric_limits<double>::infinity();
    int best = choice.front();
    for (const int label : choice) {
      if (options_.is_over()) {
        tree_of(path, sliced_);
        return false;
      }
      std::vector<int> sliced = sliced_;
      sliced.push_back(label);
      const path_tree& then = tree_of(path, sliced);
      const double more = std::log(then.total() * size_of(label) / flops);
      const double score = more / (above - excess(then));
      if (score < least) least = score, best = label;
    }
    sliced_.push_back(best);
    return true;
  }

  // Slices without a look at the cost until all fit: always the kind of labels that is on the most of
  // the results that are still too large.
  void slice_more(const path_tree& tree) {
    const search_network& network = *tree.network;
    std::vector<std::size_t> counts(network.labels);
    std::vector<std::pair<double, const word*>> large;  // logarithms of sizes
    for (std::size_t node = tree.operands(); node < tree.left.size(); ++node) {
      const word* const set = tree.set(int(node));
      if (int(node) == tree.root || network.size_of(set) <= largest_) continue;
      double size = 0;
      for_each_bit(set, network.words, [&](std::size_t kind) {
        size += std::log(network.sizes[kind]);
        if (network.sizes[kind] > 1) ++counts[kind];
      });
      large.push_back({size, set});
    }
    const double most = std::log(largest_) + 1e-9;  // what rounding hides is seen by the next call
    while (!large.empty()) {
      const auto kind = std::size_t(std::ranges::max_element(counts) - counts.begin());
      for (const int label : network.members[kind])
        if (size_of(label) > 1) sliced_.push_back(label);
      counts[kind] = 0;
      std::erase_if(large, [&](auto& of) {
        if (!(of.second[kind / 64] >> kind % 64 & 1)) return false;
        of.first -= std::log(network.sizes[kind]);
        if (of.first > most) return false;
        for_each_bit(of.second, network.words, [&](std::size_t other) {
          if (counts[other] > 0) --counts[other];
        });
        return true;
      });
    }
  }

  void give_back(const named_path& path) {
    for (std::size_t i = 0; i < sliced_.size() && !options_.is_over();) {
      std::vector<int> fewer = sliced_;
      fewer.erase(fewer.begin() + std::ptrdiff_t(i));
      if (tree_of(path, fewer).largest() <= largest_)
        sliced_ = fewer;
      else
        ++i;
    }
  }

  const contraction_network& network_;
  double largest_;
  random_source random_;
  refinement options_;
  search_network reduced_;
  std::optional<path_tree> tree_;
  std::vector<int> sliced_;
};

}  // namespace

sliced_path slice_path(const contraction_network& network, const named_path& path,
                       std::size_t largest, std::uint64_t seed, const refinement& options) {
  slicing search(network, static_cast<double>(largest), seed, options);
  sliced_path best = search.run(path);
  double least = search.flops(best);
  constexpr int tries = 4;
  for (int i = 1; i < tries && !options.is_over(); ++i) {
    sliced_path other = search.run(path);
    const double flops = search.flops(other);
    if (flops < least) {
      least = flops;
      best = std::move(other);
    }
  }
  return best;
}

}  // namespace papilio::path_detail

#include "path_reconfigure.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace papilio::path_detail {
namespace {

class reconfiguration {
 public:
  reconfiguration(path_tree& tree, std::size_t leaves, random_source& random,
                  const refinement& options)
      : tree_(tree), leaves_(leaves), random_(random), options_(options) {}

  bool run() {
    bool any = false;
    for (bool gained = true; gained;) {
      gained = false;
      std::vector<int> roots(tree_.operands() - 1);
      std::iota(roots.begin(), roots.end(), int(tree_.operands()));
      std::ranges::sort(roots, [&](int a, int b) {
        const double x = tree_.cost[std::size_t(a)], y = tree_.cost[std::size_t(b)];
        return x != y ? x > y : a < b;
      });
      for (const int root : roots) {
        if (options_.is_over()) return any;
        if (improve(root)) gained = any = true;
      }
    }
    return any;
  }

 private:
  // The leaves of a subtree: always the dearest step of those at its border is opened next.
  double choose_border(int root) {
    border_ = {root};
    inside_.clear();
    double cost = 0;
    while (border_.size() < leaves_) {
      std::size_t dearest = border_.size();
      double most = -1;
      for (std::size_t i = 0; i < border_.size(); ++i) {
        if (!tree_.is_step(border_[i])) continue;
        const double c = tree_.cost[std::size_t(border_[i])];
        if (c > most) most = c, dearest = i;
      }
      if (dearest == border_.size()) break;
      const auto node = std::size_t(border_[dearest]);
      cost += tree_.cost[node];
      inside_.push_back(int(node));
      border_[dearest] = tree_.left[node];
      border_.push_back(tree_.right[node]);
    }
    return cost;
  }

  bool improve(int root) {
    const double cost = choose_border(root);
    if (border_.size() < 3) return false;
    std::ranges::sort(border_);
    std::vector<int> key = border_;
    key.push_back(root);
    if (!tried_.insert(std::move(key)).second) return false;
    sets_.clear();
    for (const int node : border_) sets_.push_back(tree_.set(node));
    const named_path best =
        search_.run(*tree_.network, sets_, tree_.set(root), cost * (1 - 1e-12), options_.largest);
    if (best.empty()) return false;
    rebuild(root, best);
    return true;
  }

  void rebuild(int root, const named_path& path) {
    const std::size_t words = tree_.network->words;
    // The root keeps its name, and so its parent and its labels.
    std::erase(inside_, root);
    inside_.push_back(root);
    std::vector<int> nodes = border_;
    nodes.insert(nodes.end(), inside_.begin(), inside_.end());
    for (std::size_t i = 0; i < path.size(); ++i) {
      const int node = nodes[border_.size() + i];
      const int a = nodes[std::size_t(path[i][0])], b = nodes[std::size_t(path[i][1])];
      tree_.left[std::size_t(node)] = a;
      tree_.right[std::size_t(node)] = b;
      tree_.parent[std::size_t(a)] = tree_.parent[std::size_t(b)] = node;
      if (node == root) continue;
      for (std::size_t w = 0; w < words; ++w)
        tree_.set(node)[w] = tree_.set(a)[w] | tree_.set(b)[w];
    }
    for (std::size_t i = path.size(); i-- > 0;) narrow(nodes[border_.size() + i]);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto node = std::size_t(nodes[border_.size() + i]);
      tree_.cost[node] = tree_.flops(tree_.left[node], tree_.right[node], tree_.set(int(node)));
    }
  }

  // Takes from the inner children what neither the sibling nor the node's result needs.
  void narrow(int node) {
    const std::size_t words = tree_.network->words;
    const int a = tree_.left[std::size_t(node)], b = tree_.right[std::size_t(node)];
    const auto inner = [&](int child) {
      return std::ranges::find(inside_, child) != inside_.end();
    };
    const bool narrow_a = inner(a), narrow_b = inner(b);
    for (std::size_t w = 0; w < words; ++w) {
      const word x = tree_.set(a)[w], y = tree_.set(b)[w], kept = tree_.set(node)[w];
      if (narrow_a) tree_.set(a)[w] = x & (y | kept);
      if (narrow_b) tree_.set(b)[w] = y & (x | kept);
    }
  }

  path_tree& tree_;
  std::size_t leaves_;
  random_source& random_;
  refinement options_;
  subset_search search_;
  std::vector<int> border_, inside_;
  std::vector<const word*> sets_;
  std::set<std::vector<int>> tried_;
};

}  // namespace

bool reconfigure(path_tree& tree, std::size_t leaves, random_source& random,
                 const refinement& options) {
  return reconfiguration(tree, leaves, random, options).run();
}

}  // namespace papilio::path_detail

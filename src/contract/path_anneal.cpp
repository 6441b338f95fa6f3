// Rotations leave all but two steps of the tree as they are: of ((a, b), c) = p, only the inner
// result and the two costs change. A label of a and c is needed outside of them where b has it or
// the result p.
#include <algorithm>
#include <cmath>

#include "path_reconfigure.hpp"

namespace papilio::path_detail {
namespace {

constexpr std::size_t turns_between_looks = 256;  // at the clock

class annealer {
 public:
  annealer(path_tree& tree, random_source& random, const refinement& options)
      : tree_(tree), random_(random), options_(options), inner_set_(tree.network->words) {}

  // False where the time is over.
  bool sweep(double temperature) {
    const int steps = int(tree_.operands()) - 1;
    for (int i = 0; i < steps; ++i) {
      if (turns_++ % turns_between_looks == 0 && options_.is_over()) return false;
      turn(int(tree_.operands()) + i, temperature);
    }
    return true;
  }

 private:
  // Tries one of the (up to four) rotations at a node.
  void turn(int node, double temperature) {
    const std::uint64_t choice = random_.bits();
    int inner = tree_.left[std::size_t(node)], c = tree_.right[std::size_t(node)];
    if (!tree_.is_step(inner) || (tree_.is_step(c) && choice & 1)) std::swap(inner, c);
    if (!tree_.is_step(inner)) return;
    int a = tree_.left[std::size_t(inner)], b = tree_.right[std::size_t(inner)];
    if (choice & 2) std::swap(a, b);
    const std::size_t words = tree_.network->words;
    const word *x = tree_.set(a), *y = tree_.set(b), *z = tree_.set(c), *p = tree_.set(node);
    bool inner_sums = false, sums = false;
    double inner_size = 1, size = 1;
    const double* const sizes = tree_.network->sizes.data();
    for (std::size_t w = 0; w < words; ++w, x++, y++, z++, p++) {
      const word both = *x | *z, kept = both & (*y | *p), all = kept | *y;
      inner_set_[w] = kept;
      inner_sums |= kept != both;
      sums |= all != *p;
      for (word rest = both; rest; rest &= rest - 1)
        inner_size *= sizes[w * 64 + std::size_t(std::countr_zero(rest))];
      for (word rest = all; rest; rest &= rest - 1)
        size *= sizes[w * 64 + std::size_t(std::countr_zero(rest))];
    }
    const double now = tree_.cost[std::size_t(inner)] + tree_.cost[std::size_t(node)];
    const double inner_cost = step_flops(inner_size, inner_sums), cost = step_flops(size, sums);
    const double then = inner_cost + cost;
    if (then > now &&
        (temperature <= 0 ||
         random_.uniform() >= std::exp((std::log(now) - std::log(then)) / temperature)))
      return;
    if (options_.largest < largest_cost &&
        tree_.network->size_of(inner_set_.data()) >
            std::max(options_.largest, tree_.network->size_of(tree_.set(inner))))
      return;
    std::copy(inner_set_.begin(), inner_set_.end(), tree_.set(inner));
    tree_.left[std::size_t(inner)] = a;
    tree_.right[std::size_t(inner)] = c;
    tree_.left[std::size_t(node)] = inner;
    tree_.right[std::size_t(node)] = b;
    tree_.parent[std::size_t(c)] = inner;
    tree_.parent[std::size_t(b)] = node;
    tree_.cost[std::size_t(inner)] = inner_cost;
    tree_.cost[std::size_t(node)] = cost;
  }

  path_tree& tree_;
  random_source& random_;
  refinement options_;
  std::vector<word> inner_set_;
  std::size_t turns_ = 0;
};

}  // namespace

void anneal(path_tree& tree, std::size_t sweeps, double hottest, double coldest,
            random_source& random, const refinement& options) {
  annealer process(tree, random, options);
  for (std::size_t i = 0; i < sweeps; ++i) {
    const double at = sweeps > 1 ? double(i) / double(sweeps - 1) : 1;
    if (!process.sweep(hottest * std::pow(coldest / hottest, at))) return;
  }
}

}  // namespace papilio::path_detail

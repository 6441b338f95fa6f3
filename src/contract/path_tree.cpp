#include "path_tree.hpp"

#include <algorithm>

namespace papilio::path_detail {

path_tree::path_tree(const search_network& searched, const named_path& path)
    : network(&searched), root(int(searched.operands + path.size()) - 1) {
  const std::size_t nodes = 2 * searched.operands - 1, words = searched.words;
  left.assign(nodes, -1);
  right.assign(nodes, -1);
  parent.assign(nodes, -1);
  cost.assign(nodes, 0);
  labels.assign(nodes * words, 0);
  std::copy(searched.inputs.begin(), searched.inputs.end(), labels.begin());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::size_t node = searched.operands + i;
    left[node] = path[i][0];
    right[node] = path[i][1];
    for (const int child : path[i]) parent[std::size_t(child)] = int(node);
    for (std::size_t w = 0; w < words; ++w)
      set(int(node))[w] = set(path[i][0])[w] | set(path[i][1])[w];
  }
  // Labels are found from the root down: what is needed outside of a child is what its sibling has,
  // or its parent's result. The sibling's set may still be of all labels below it, which are as
  // good for this.
  std::copy(searched.output.begin(), searched.output.end(), set(root));
  std::vector<word> needed(words);
  for (int node = root; node >= int(searched.operands); --node) {
    const int a = left[std::size_t(node)], b = right[std::size_t(node)];
    const std::vector<word> of_a(set(a), set(a) + words);
    for (std::size_t w = 0; w < words; ++w) {
      if (is_step(a)) set(a)[w] &= set(b)[w] | set(node)[w];
      if (is_step(b)) set(b)[w] &= of_a[w] | set(node)[w];
    }
  }
  for (int node = int(searched.operands); node <= root; ++node)
    cost[std::size_t(node)] = flops(left[std::size_t(node)], right[std::size_t(node)], set(node));
}

double path_tree::flops(int a, int b, const word* result) const {
  const word *x = set(a), *y = set(b);
  bool sums = false;
  for (std::size_t w = 0; w < network->words; ++w) sums |= (x[w] | y[w]) != result[w];
  return step_flops(network->size_of_union(x, y), sums);
}

double path_tree::total() const {
  double sum = 0;
  for (const double c : cost) sum += c;
  return sum;
}

double path_tree::largest() const {
  double most = 0;
  for (std::size_t node = operands(); node < left.size(); ++node)
    if (int(node) != root) most = std::max(most, network->size_of(set(int(node))));
  return most;
}

named_path path_tree::path() const {
  std::vector<int> order;  // parents before children
  if (is_step(root)) order.push_back(root);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const int child : {left[std::size_t(order[i])], right[std::size_t(order[i])]})
      if (is_step(child)) order.push_back(child);
  std::vector<int> name(left.size());
  for (std::size_t i = 0; i < operands(); ++i) name[i] = int(i);
  named_path steps;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    name[std::size_t(*node)] = int(operands() + steps.size());
    steps.push_back({name[std::size_t(left[std::size_t(*node)])],
                     name[std::size_t(right[std::size_t(*node)])]});
  }
  return steps;
}

}  // namespace papilio::path_detail

#pragma once

#include "path_network.hpp"

namespace papilio::path_detail {

/// An order as a binary tree that can be changed in place: nodes 0 ... n - 1 are the operands, the
/// others steps. At least two operands.
struct path_tree {
  path_tree(const search_network& searched, const named_path& path);

  const search_network* network;
  std::vector<int> left, right, parent;  ///< -1 where there is none
  std::vector<word> labels;              ///< of each node's tensor
  std::vector<double> cost;              ///< of each step, in flops
  int root;

  std::size_t operands() const { return network->operands; }
  bool is_step(int node) const { return left[std::size_t(node)] >= 0; }
  word* set(int node) { return labels.data() + std::size_t(node) * network->words; }
  const word* set(int node) const { return labels.data() + std::size_t(node) * network->words; }

  /// Flops of a step between two of the nodes, that leaves these labels.
  double flops(int a, int b, const word* result) const;
  /// Flops of all steps.
  double total() const;
  /// Elements of the largest result but the last.
  double largest() const;
  /// Steps, each after those it needs.
  named_path path() const;
};

}  // namespace papilio::path_detail

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::decompose_detail {

/// Program of an accelerator for the product of one mode (see mode_products).
struct product_plan {
  contraction_problem problem;        ///< its results are `kept`, then the product [rank, extent]
  std::optional<std::size_t> source;  ///< node that it begins with; none: the array itself
  std::vector<std::size_t> factors;   ///< modes, in the order of the operands after the source
  std::vector<std::size_t> kept;      ///< nodes that stay there for modes to come
};

/// Returns one plan for each mode, along a binary tree over the modes: the array of a node has been
/// multiplied by the factors of all modes but its own. It is computed at its first mode, from the
/// node above it, and stays until its last. So a sweep takes two products with the whole array, and
/// each mode one program. No node is larger than a product with the longest factor that leaves
/// would make it. Nodes are numbered from 0.
std::vector<product_plan> product_plans(std::span<const std::size_t> extents, std::size_t rank);

}  // namespace papilio::decompose_detail

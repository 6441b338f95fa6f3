#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/dispatch/operation.hpp"

namespace papilio::decompose_detail {

/// A product along an axis by the transpose of a matrix [extent, rank].
struct axis_product {
  std::size_t axis = 0, rank = 1;
};
/// Axes [first, last), none of them: rows of an unfolding.
struct axis_range {
  std::size_t first = 0, last = 0;
  bool is_empty() const { return first == last; }
};

/// An array multiplied along axes, one product after the other, and then the Gram matrix of an
/// unfolding, [rows..., rows...]. Operands: the array, the matrices. Results: the array after the
/// products, if there are any, and the Gram matrix, if rows are named.
contraction_problem projection_problem(std::span<const std::size_t> extents,
                                       std::span<const axis_product> products,
                                       const axis_range& rows);

/// Extents after the products.
std::vector<std::size_t> projected_extents(std::span<const std::size_t> extents,
                                           std::span<const axis_product> products);

}  // namespace papilio::decompose_detail

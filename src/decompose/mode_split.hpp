#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

/// Row-major array seen as [left, extent, right]: the modes before one, it, and those after it. Its
/// unfolding is the matrix [extent, left * right].
struct mode_split {
  std::size_t left = 1, extent = 1, right = 1;

  std::size_t columns() const { return left * right; }
};

inline std::size_t product_of(std::span<const std::size_t> extents) {
  std::size_t product = 1;
  for (const std::size_t e : extents) product = checked_multiply(product, e, "decompose: size");
  return product;
}

/// Returns the split at the modes [first, last), taken together as one.
inline mode_split split_at(std::span<const std::size_t> extents, std::size_t first,
                           std::size_t last) {
  return {product_of(extents.first(first)), product_of(extents.subspan(first, last - first)),
          product_of(extents.subspan(last))};
}
inline mode_split split_at(std::span<const std::size_t> extents, std::size_t mode) {
  return split_at(extents, mode, mode + 1);
}

}  // namespace papilio::decompose_detail

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "decompose/mode_products.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// mode_products by the host. What is shared between modes is computed once. The array is
/// multiplied by the factor that changed last, which serves the next order - 1 modes, and over
/// their range there is a binary tree: for its first half the factors of the second are multiplied
/// in, which do not change meanwhile, and then the other way round. So a sweep takes order / (order
/// - 1) products with the whole array.
///
/// Partial products are [rank, remaining modes...]: each rank is an array of its own, and a factor
/// is multiplied into it as a vector.
template <class T>
class partial_products final : public mode_products<T> {
 public:
  /// `x` must outlive it.
  partial_products(const prepared_operand<T>& x, std::size_t rank, int threads);

  const T* at(std::size_t position, std::span<const array<T, 2>> factors) override;

 private:
  struct node {
    std::size_t first = 0, last = 0;  // positions [first, last) that it serves
    std::vector<std::size_t> modes;   // that are left, rising
    array<T, 1> values;
  };

  std::size_t size_of(std::span<const std::size_t> modes) const;
  T* room(array<T, 1>& values, std::size_t size) const;
  void start(std::size_t position, std::span<const array<T, 2>> factors);
  void descend(std::size_t position, std::span<const array<T, 2>> factors);
  void multiply_whole(std::size_t mode, const array<T, 2>& factor, T* out);
  const T* mode_first(std::size_t mode);

  const prepared_operand<T>& x_;
  std::size_t rank_;
  int threads_;
  std::vector<node> nodes_;  // from the root; the first `depth_` are alive
  std::size_t depth_ = 0;
  array<T, 1> scratch_[2];
  std::map<std::size_t, array<T, 1>> turned_;  // of small arrays: with a middle mode first
};

}  // namespace papilio::decompose_detail

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contract/step_axes.hpp"
#include "papilio/base/export.hpp"

namespace papilio::contract_detail {

/// Products of matrices in loops: for each index of `outer` a C [m, n], the sum over `summed` of
/// A [m, k] B [k, n]. Strides of the matrices are such that BLAS can be told of them.
struct PAPILIO_API gemm_nest {
  step_axes outer = {};   ///< kept
  step_axes summed = {};  ///< beside k; right and left only
  step_axis m, n, k;      ///< a missing one has extent 1

  /// Whether BLAS has words for the strides of A, of B and of C.
  bool is_left_expressible() const;
  bool is_right_expressible() const;
  bool is_out_expressible() const;
  double calls() const;
  /// Time, in that of one multiply-add of a large product of matrices.
  double cost() const;
  /// What is to be added where copies may choose how matrices lie: sums along the fast axis of both
  /// A and B are what the kernels of BLAS for small matrices do slowest.
  double cost_of_form() const;

  bool operator==(const gemm_nest&) const = default;
};

template <class T>
struct gemm_operands {
  const T* left = nullptr;
  const T* right = nullptr;
  T* out = nullptr;
  T alpha = T(1), beta = T(0);
  bool conjugate_left = false, conjugate_right = false;
};

/// No extent may be 0. beta = 0 never reads out. The result does not depend on `threads`.
template <class T>
void run(const gemm_nest& nest, const gemm_operands<T>& operands, int threads);

/// Products of one shape and layout on operands of their own: what BLAS is told of them is made up
/// once. All items conjugate the same operands.
template <class T>
struct gemm_batch {
  const gemm_nest* nest = nullptr;
  std::vector<gemm_operands<T>> items = {};
};

/// As `run` of each item, to the bit, with threads over the blocks of all batches together.
template <class T>
void run(std::span<const gemm_batch<T>> batches, int threads);

}  // namespace papilio::contract_detail

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contract/step_axes.hpp"
#include "papilio/base/export.hpp"

namespace papilio::contract_detail {

/// Loops of matrix products: for each index of `outer`, C [m, n] is the sum over `summed` of A [m,
/// k] B [k, n]. The strides of the matrices are such that BLAS can express them.
struct PAPILIO_API gemm_nest {
  step_axes outer = {};   ///< axes of the result
  step_axes summed = {};  ///< axes beside k, which the result does not have
  step_axis m, n, k;      ///< a missing one has extent 1

  /// Whether BLAS can express the strides of A, of B and of C.
  bool is_left_expressible() const;
  bool is_right_expressible() const;
  bool is_out_expressible() const;
  double calls() const;
  /// Estimated time, in units of one multiply-add of a large product of matrices.
  double cost() const;
  /// Time to be added to cost() where copies may choose how matrices lie. Kernels of BLAS for small
  /// matrices are slowest if sums run along the fast axis of both A and B.
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

/// Computes the products. No extent may be 0. beta = 0 never reads out. The result does not depend
/// on `threads`.
template <class T>
void run(const gemm_nest& nest, const gemm_operands<T>& operands, int threads);

/// Products of one shape and layout on several sets of operands, so that arguments of BLAS are
/// found once. All items conjugate the same operands.
template <class T>
struct gemm_batch {
  const gemm_nest* nest = nullptr;
  std::vector<gemm_operands<T>> items = {};
};

/// Computes to the bit what `run` of each item does, with threads over the blocks of all batches
/// together.
template <class T>
void run(std::span<const gemm_batch<T>> batches, int threads);

}  // namespace papilio::contract_detail

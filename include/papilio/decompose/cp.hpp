#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/decompose/operand.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// A sum of `rank` outer products:
///   x[i, j, k] = sum over r of weights[r] factors[0](i, r) factors[1](j, r) factors[2](k, r).
template <class T>
struct cp_model {
  array<T, 1> weights;               ///< [rank]
  std::vector<array<T, 2>> factors;  ///< of each mode [extent, rank]

  std::size_t order() const { return factors.size(); }
  std::size_t rank() const { return weights.size(); }
  std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    for (const array<T, 2>& f : factors) result.push_back(f.extent(0));
    return result;
  }
  /// Numbers that it consists of, the weights among them.
  std::size_t parameters() const {
    std::size_t count = weights.size();
    for (const array<T, 2>& f : factors) count += f.size();
    return count;
  }
  /// Elements of the array over parameters.
  double compression_ratio() const {
    double elements = 1;
    for (const array<T, 2>& f : factors) elements *= static_cast<double>(f.extent(0));
    return elements / static_cast<double>(parameters());
  }
};

/// A cp_model as cp_als leaves it: columns of the factors have length 1, weights are >= 0 and
/// descending, and in all modes but the last the largest element of a column is positive.
template <class T>
struct cp_result : cp_model<T> {
  /// |x - model| / |x| in the Euclidean norm, over the elements that are there; 0 of zeros.
  double relative_error = 0;
  iteration_record iteration;
};

/// Where the factors begin.
enum class cp_start {
  random,  ///< normally distributed, of non-negative factors their magnitudes
  svd      ///< the leading left singular vectors of each unfolding; further columns are random
};

template <class T>
struct cp_options {
  std::size_t max_iterations = 100;  ///< at least 1
  /// Ends the iteration when the relative error changes by less in a sweep; 0: never.
  double tolerance = 1e-6;
  bool nonnegative = false;  ///< all factors >= 0
  cp_start start = cp_start::random;
  std::uint64_t seed = 0;  ///< the same seed gives the same bits
  /// Of x's extents: elements that are false are missing and not looked at.
  std::optional<tensor_view<const bool>> mask = {};
  /// Factors to begin with instead of `start`; only their directions count, but with
  /// `nonnegative`, where negative elements become 0 and weights count.
  const cp_model<T>* warm_start = nullptr;
  /// Threads of the host: 0 is every core, of small problems one; the result does not depend on it.
  /// An accelerator computes the products with x, in float; a mask is of the host only. Precision
  /// is native.
  execution on = {};
  progress_callback progress = {};
};

namespace decompose_detail {
template <class T>
PAPILIO_API cp_result<T> cp_als(const tensor_view<const T>& x, std::size_t rank,
                                const cp_options<T>& options);
}  // namespace decompose_detail

/// CP (CANDECOMP, PARAFAC) by alternating least squares: one mode after the other is the solution
/// of the normal equations F V = M, V the elementwise product of the Gram matrices of the other
/// factors, M the unfolding times their Khatri-Rao product. Partial products are shared between
/// modes; V is accumulated and solved in double, by its eigenvectors (least norm) where it is
/// singular to the precision of T. Non-negative factors by three passes of coordinate descent
/// (HALS) in each update. With a mask each row of a factor has normal equations of its own, over
/// what is there of its slice: an exact least squares step, nothing is imputed.
///
/// The error comes from M and V, without the model's elements; where it is small enough for that
/// difference to cancel, from the residual itself. x: extents of two or more modes, each at least
/// 1. A rank above the extents is allowed.
///
/// Time for each sweep: at most order / (order - 1) products of x with a factor, 2 size rank FLOPs
/// each, and less beside; with a mask size rank (rank + 3) order. Memory: x once more if it is not
/// row-major (or its largest magnitude is far from 1), size / shortest extent * rank; with a mask
/// that in double, and longest extent * rank^2 / 2.
///
/// On an accelerator x goes up once and stays there, and each mode's M is one dispatch: the factors
/// that it takes go up, M comes back; 2 size rank FLOPs twice a sweep, and less beside. Gram
/// matrices of the factors, the normal equations and the residual are the host's, in double: for
/// these there is no instruction. Under `automatic` all max_iterations count. recorded() has the
/// sum of all dispatches.
///
/// invalid_argument: rank or max_iterations 0, a tolerance that is neither 0 nor at least epsilon
/// of T, an element that is not finite (its index is named), a mask without any element, a warm
/// start that is not finite; shape_error: order below 2, an extent of 0, a mask or a warm start of
/// other extents or rank; resource_error. With policy::device: a mask is an invalid_argument, as
/// are a precision that is not native and a call inside capture(); device_error as execution says,
/// for double too. Kolda, Bader: Tensor Decompositions and Applications, SIAM Review 51
/// (2009), 3.4; Cichocki, Phan, IEICE E92-A (2009) 708 (HALS); Ma, Solomonik, arXiv:2010.12056
/// (shared partial products).
template <class X>
  requires(decompose_detail::operand<X>)
cp_result<decompose_detail::element_of<X>> cp_als(
    const X& x, std::size_t rank, const cp_options<decompose_detail::element_of<X>>& options = {}) {
  return decompose_detail::cp_als<decompose_detail::element_of<X>>(x, rank, options);
}

/// All elements of the model, in the sums of T. O(size rank). shape_error, invalid_argument where
/// factors and weights do not fit each other; resource_error.
template <class T>
PAPILIO_API tensor<T> reconstruct(const cp_model<T>& model);

/// Elements at `indices` [count, order], summed in double. O(count order rank). invalid_argument
/// for an index that is outside.
template <class T>
PAPILIO_API array<T, 1> reconstruct_at(const cp_model<T>& model,
                                       view<const std::size_t, 2> indices);

namespace decompose_detail {
template <class T>
PAPILIO_API double relative_error(const tensor_view<const T>& x, const cp_model<T>& model);
}

/// |x - model| / |x| in the Euclidean norm, with the residual formed piece by piece in double; of
/// zeros |x - model|. shape_error, invalid_argument as above.
template <class X>
  requires(decompose_detail::operand<X>)
double relative_error(const X& x, const cp_model<decompose_detail::element_of<X>>& model) {
  return decompose_detail::relative_error<decompose_detail::element_of<X>>(x, model);
}

}  // namespace papilio

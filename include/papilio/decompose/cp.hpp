#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/decompose/operand.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Holds a CP model, a sum of `rank` outer products:
///   x[i, j, k] = sum over r of weights[r] factors[0](i, r) factors[1](j, r) factors[2](k, r).
template <class T>
struct cp_model {
  array<T, 1> weights;               ///< [rank]
  std::vector<array<T, 2>> factors;  ///< per mode [extent, rank]

  std::size_t order() const { return factors.size(); }
  std::size_t rank() const { return weights.size(); }
  std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    for (const array<T, 2>& f : factors) result.push_back(f.extent(0));
    return result;
  }
  /// Returns the count of stored numbers, weights included.
  std::size_t parameters() const {
    std::size_t count = weights.size();
    for (const array<T, 2>& f : factors) count += f.size();
    return count;
  }
  /// Returns the elements of the array divided by parameters().
  double compression_ratio() const {
    double elements = 1;
    for (const array<T, 2>& f : factors) elements *= static_cast<double>(f.extent(0));
    return elements / static_cast<double>(parameters());
  }
};

/// Holds a CP model as cp_als returns it: columns of the factors have length 1, weights are >= 0
/// and descending, and in all modes but the last the largest element of a column is positive.
template <class T>
struct cp_result : cp_model<T> {
  /// x - model| / |x| in the Euclidean norm, over the elements that are not masked; 0 for zeros.
  double relative_error = 0;
  iteration_record iteration;
};

/// Selects the initial factors.
enum class cp_start {
  random,  ///< normally distributed; their magnitudes if nonnegative
  svd      ///< the leading left singular vectors of each unfolding; further columns are random
};

/// Options of `cp_als`.
template <class T>
struct cp_options {
  std::size_t max_iterations = 100;  ///< at least 1
  /// Ends the iteration when the relative error changes by less in a sweep; 0: never.
  double tolerance = 1e-6;
  bool nonnegative = false;  ///< all factors >= 0
  cp_start start = cp_start::random;
  std::uint64_t seed = 0;  ///< the same seed gives the same bits
  /// Extents as x: elements that are false are missing and not read.
  std::optional<tensor_view<const bool>> mask = {};
  /// Initial factors instead of `start`. Only their directions count, except with `nonnegative`,
  /// where negative elements become 0 and weights count.
  const cp_model<T>* warm_start = nullptr;
  /// Where to run. Host threads: 0 is every core, for small problems one; the result does not
  /// depend on it. An accelerator computes the products with x, in float; a mask needs the host.
  /// Precision is native.
  execution on = {};
  progress_callback progress = {};
};

namespace decompose_detail {
template <class T>
PAPILIO_API cp_result<T> cp_als(const tensor_view<const T>& x, std::size_t rank,
                                const cp_options<T>& options);
}  // namespace decompose_detail

/// Computes the CP decomposition (CANDECOMP, PARAFAC) of x by alternating least squares. x has two
/// or more modes, each extent at least 1; a rank above the extents is allowed.
/// - Each mode in turn solves the normal equations F V = M: V is the elementwise product of the
///   other factors' Gram matrices, M the unfolding times their Khatri-Rao product. Modes share
///   partial products. V is accumulated and solved in double, by its eigenvectors (least norm) if
///   it is singular to the precision of T.
/// - Non-negative factors take three passes of coordinate descent (HALS) in each update.
/// - With a mask each row of a factor has normal equations of its own, over the elements present in
///   its slice: an exact least squares step without imputation.
/// - The error comes from M and V, or from the residual itself where that difference would cancel.
///
/// Time per sweep: at most order / (order - 1) products of x with a factor, 2 size rank FLOPs each,
/// and less for the rest; with a mask size rank (rank + 3) order. Memory: a copy of x if it is not
/// row-major (or its largest magnitude is far from 1), and size / shortest extent * rank; with a
/// mask that in double, and longest extent * rank^2 / 2.
///
/// On an accelerator x is uploaded once. Each mode's M is one dispatch, which uploads the factors
/// that it needs and downloads M; 2 size rank FLOPs twice a sweep, and less for the rest. The host
/// computes the factors' Gram matrices, the normal equations and the residual in double.
/// `automatic` counts all max_iterations. recorded() has the sum of all dispatches.
/// Sources: Kolda, Bader, SIAM Review 51 (2009), 3.4; Cichocki, Phan, IEICE E92-A (2009) 708
/// (HALS); Ma, Solomonik, arXiv:2010.12056 (shared partial products).
///
/// Throws invalid_argument if rank or max_iterations is 0, the tolerance is neither 0 nor at least
/// epsilon of T, an element (named by its index) or the warm start is not finite, a mask has no
/// element, threads are negative, precision is not native, a mask meets policy::device, or an
/// accelerator is called inside capture(); shape_error for an order below 2, an extent of 0, or a
/// mask or warm start of other extents or rank; resource_error if there is no memory; device_error
/// as execution says, for double too.
template <class X>
  requires(decompose_detail::operand<X>)
cp_result<decompose_detail::element_of<X>> cp_als(
    const X& x, std::size_t rank, const cp_options<decompose_detail::element_of<X>>& options = {}) {
  return decompose_detail::cp_als<decompose_detail::element_of<X>>(x, rank, options);
}

/// Computes all elements of the model, summed in T, on the host as one product; O(size rank). With
/// another policy it is an einsum, where `on` says, on an accelerator in one dispatch.
/// Throws shape_error if factors and weights do not fit each other, resource_error if there is no
/// memory; with `on` as einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct(const cp_model<T>& model, const execution& on = {});

/// Computes the gradient of a real loss by all numbers of the model, a model of the same extents,
/// from that by the elements that `reconstruct` computes: einsum_vjp, with its cost, where `on` says.
/// Throws shape_error as reconstruct, and for a gradient of other extents than the array's; else as
/// einsum.
template <class T>
PAPILIO_API cp_model<T> reconstruct_vjp(const cp_model<T>& model,
                                        const std::type_identity_t<tensor_view<const T>>& gradient,
                                        const execution& on = {});

/// Computes the derivative of the elements that `reconstruct` computes along a change of all numbers
/// of the model, `tangent`: the sum of reconstructions with one part's change in its place, by one
/// einsum of about twice the products of reconstruct, where `on` says.
/// Throws shape_error as reconstruct, and for a tangent of other extents than the model's; else as
/// einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct_jvp(const cp_model<T>& model,
                                      const std::type_identity_t<cp_model<T>>& tangent,
                                      const execution& on = {});

/// Computes the elements at `indices` [count, order], summed in double. O(count order rank).
/// Throws shape_error as above or for other extents of indices, invalid_argument for an index out
/// of range.
template <class T>
PAPILIO_API array<T, 1> reconstruct_at(const cp_model<T>& model,
                                       view<const std::size_t, 2> indices);

namespace decompose_detail {
template <class T>
PAPILIO_API double relative_error(const tensor_view<const T>& x, const cp_model<T>& model);
}

/// Returns |x - model| / |x| in the Euclidean norm, or |x - model| if x is zero, with the residual
/// formed piece by piece in double.
/// Throws shape_error if the extents do not fit, invalid_argument if an element of x is not finite.
template <class X>
  requires(decompose_detail::operand<X>)
double relative_error(const X& x, const cp_model<decompose_detail::element_of<X>>& model) {
  return decompose_detail::relative_error<decompose_detail::element_of<X>>(x, model);
}

}  // namespace papilio

#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/decompose/operand.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Holds a tensor train, a product of matrices that the indices select:
///   x[i, j, k] = cores[0](0, i, :) cores[1](:, j, :) cores[2](:, k, 0).
template <class T>
struct tensor_train {
  std::vector<array<T, 3>> cores;  ///< per mode [bond before, extent, bond after]

  std::size_t order() const { return cores.size(); }
  std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    for (const array<T, 3>& core : cores) result.push_back(core.extent(1));
    return result;
  }
  /// Returns the ranks of all bonds, order + 1 of them; the first and the last are 1.
  std::vector<std::size_t> ranks() const {
    std::vector<std::size_t> result;
    for (const array<T, 3>& core : cores) result.push_back(core.extent(0));
    if (!cores.empty()) result.push_back(cores.back().extent(2));
    return result;
  }
  /// Returns the count of stored numbers.
  std::size_t parameters() const {
    std::size_t count = 0;
    for (const array<T, 3>& core : cores) count += core.size();
    return count;
  }
  /// Returns the elements of the array divided by parameters().
  double compression_ratio() const {
    double elements = 1;
    for (const array<T, 3>& core : cores) elements *= static_cast<double>(core.extent(1));
    return elements / static_cast<double>(parameters());
  }
};

template <class T>
struct tt_result : tensor_train<T> {
  /// x - train| / |x| in the Euclidean norm; 0 for zeros.
  double relative_error = 0;
};

/// Options of `tt_svd` and `tt_round`: the truncation. With both bounds, ranks limit what the
/// tolerance takes, and the result's relative_error shows whether it was met; with neither, the
/// tolerance is the least one.
struct tt_options {
  /// Bounds on the ranks of the inner bonds, at least 1: one for all, or one for each.
  std::vector<std::size_t> max_ranks = {};
  /// Bound on relative_error of the whole: from 8 order epsilon of T, below 1.
  std::optional<double> tolerance = {};
  /// Where to run. Host threads: 0 is every core, for small problems one; the result does not
  /// depend on it. An accelerator computes products and Gram matrices of tt_svd, in float; tt_round
  /// needs the host. Precision is native.
  execution on = {};
};

namespace decompose_detail {
template <class T>
PAPILIO_API tt_result<T> tt_svd(const tensor_view<const T>& x, const tt_options& options);
template <class T>
PAPILIO_API double relative_error(const tensor_view<const T>& x, const tensor_train<T>& train);
}  // namespace decompose_detail

/// Computes the tensor train of an array by SVDs of its unfoldings from the first mode to the last.
/// All cores but the last are orthonormal as matrices [bond before * extent, bond after]. The error
/// is at most sqrt(order - 1) times the best one of these ranks. Singular vectors are computed as
/// in tucker_sthosvd, of the shorter extent of each unfolding. On an accelerator the truncation of
/// one bond and the Gram matrix of the next are one dispatch, and the host does the QR of tall
/// matrices.
///
/// Time: size times the shorter extent of the first unfolding, less for the others. Memory: a copy
/// of x if it is not row-major, and the array after the first truncation.
/// Source: Oseledets, SIAM J. Sci. Comput. 33 (2011) 2295.
///
/// Throws invalid_argument for a rank of 0, a tolerance below 8 order epsilon or not below 1, or an
/// element that is not finite (named by its index); shape_error for an order below 2, an extent of
/// 0, or a number of ranks that is neither 1 nor order - 1; resource_error if there is no memory.
/// Execution errors as cp_als.
template <class X>
  requires(decompose_detail::operand<X>)
tt_result<decompose_detail::element_of<X>> tt_svd(const X& x, const tt_options& options = {}) {
  return decompose_detail::tt_svd<decompose_detail::element_of<X>>(x, options);
}

/// Computes a tensor train of lower ranks near `train` without forming its array: QR from the last
/// core to the first, then SVDs from the first to the last, all in double. relative_error is
/// against `train`. O(order extent rank^3).
/// Throws as tt_svd, shape_error if the cores do not fit each other, device_error for
/// policy::device.
template <class T>
PAPILIO_API tt_result<T> tt_round(const tensor_train<T>& train, const tt_options& options = {});

/// Computes all elements, summed in T, on the host core by core from both ends. With another policy
/// it is an einsum, where `on` says, on an accelerator in one dispatch.
/// Throws shape_error if the cores do not fit each other, resource_error if there is no memory; with
/// `on` as einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct(const tensor_train<T>& train, const execution& on = {});

/// Computes the gradient of a real loss by all numbers of the model, a model of the same extents,
/// from that by the elements that `reconstruct` computes: einsum_vjp, with its cost, where `on` says.
/// Throws shape_error as reconstruct, and for a gradient of other extents than the array's; else as
/// einsum.
template <class T>
PAPILIO_API tensor_train<T> reconstruct_vjp(
    const tensor_train<T>& train, const std::type_identity_t<tensor_view<const T>>& gradient,
    const execution& on = {});

/// Computes the derivative of the elements that `reconstruct` computes along a change of all numbers
/// of the model, `tangent`: the sum of reconstructions with one part's change in its place, by one
/// einsum of about twice the products of reconstruct, where `on` says.
/// Throws shape_error as reconstruct, and for a tangent of other extents than the model's; else as
/// einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct_jvp(const tensor_train<T>& train,
                                      const std::type_identity_t<tensor_train<T>>& tangent,
                                      const execution& on = {});

/// Computes the elements at `indices` [count, order], summed in double. O(order rank^2) each.
/// Throws shape_error as above or for other extents of indices, invalid_argument for an index out
/// of range.
template <class T>
PAPILIO_API array<T, 1> reconstruct_at(const tensor_train<T>& train,
                                       view<const std::size_t, 2> indices);

/// Returns |x - train| / |x| in the Euclidean norm, or |x - train| if x is zero, with the residual
/// formed piece by piece in double.
/// Throws shape_error if the extents do not fit, invalid_argument if an element of x is not finite.
template <class X>
  requires(decompose_detail::operand<X>)
double relative_error(const X& x, const tensor_train<decompose_detail::element_of<X>>& train) {
  return decompose_detail::relative_error<decompose_detail::element_of<X>>(x, train);
}

}  // namespace papilio

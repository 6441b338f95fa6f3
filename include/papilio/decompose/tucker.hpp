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

/// Holds a Tucker model, a core multiplied by a matrix along each mode:
///   x[i, j, k] = sum over a, b, c of core[a, b, c] factors[0](i, a) factors[1](j, b) ...
template <class T>
struct tucker_model {
  tensor<T> core;                    ///< [ranks...]
  std::vector<array<T, 2>> factors;  ///< per mode [extent, rank], orthonormal columns

  std::size_t order() const { return factors.size(); }
  std::vector<std::size_t> ranks() const { return {core.extents().begin(), core.extents().end()}; }
  std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    for (const array<T, 2>& f : factors) result.push_back(f.extent(0));
    return result;
  }
  /// Returns the count of stored numbers.
  std::size_t parameters() const {
    std::size_t count = core.size();
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

template <class T>
struct tucker_result : tucker_model<T> {
  /// x - model| / |x| in the Euclidean norm; 0 for zeros.
  double relative_error = 0;
};

template <class T>
struct hooi_result : tucker_result<T> {
  iteration_record iteration;
};

/// Options of `tucker_sthosvd`: the truncation, by at least one of ranks and tolerance. With both,
/// ranks limit what the tolerance takes, and the result's relative_error shows whether it was met.
struct tucker_options {
  std::vector<std::size_t> ranks = {};  ///< one per mode, from 1 to its extent
  /// Bound on relative_error of the whole: from 8 order epsilon of T, below 1.
  std::optional<double> tolerance = {};
  /// Where to run. Host threads: 0 is every core, for small problems one; the result does not
  /// depend on it. An accelerator computes products and Gram matrices, in float. Precision is
  /// native.
  execution on = {};
};

/// Options of `tucker_hooi`.
struct hooi_options {
  std::vector<std::size_t> ranks = {};   ///< as in tucker_options
  std::optional<double> tolerance = {};  ///< as in tucker_options: decides the ranks
  std::size_t max_iterations = 50;       ///< at least 1
  /// Ends the iteration when the relative error changes by less in a sweep; 0: never.
  double change = 1e-6;
  execution on = {};  ///< as in tucker_options
  progress_callback progress = {};
};

namespace decompose_detail {
template <class T>
PAPILIO_API tucker_result<T> tucker_sthosvd(const tensor_view<const T>& x,
                                            const tucker_options& options);
template <class T>
PAPILIO_API hooi_result<T> tucker_hooi(const tensor_view<const T>& x, const hooi_options& options);
template <class T>
PAPILIO_API double relative_error(const tensor_view<const T>& x, const tucker_model<T>& model);
}  // namespace decompose_detail

/// Computes the Tucker decomposition by the sequentially truncated higher-order SVD. Mode by mode,
/// in the cheapest order, the factor is the leading left singular vectors of the unfolding of the
/// remaining array, which the factor then shortens to its rank. The error is at most sqrt(order)
/// times the best one of these ranks. The largest element of each column is positive.
///
/// Singular vectors come from the unfolding's Gram matrix, accumulated in double. Its eigenvalues
/// are squares, so singular values below 1e-8 of the largest are lost in rounding; where the
/// tolerance or a kept singular value is too small for that, a QR and an SVD in T replace it. The
/// relative error is that of what is cut off, or that of the residual itself where rounding could
/// affect it.
///
/// On an accelerator x is uploaded once. Each Gram matrix, in float, is one dispatch with the
/// product before it: the factor is uploaded, the Gram matrix downloaded, and the remaining array
/// stays. The host computes the eigenvectors. For n rows and an error e of the accelerator's sums,
/// about 2.5e-8 sqrt(64 + columns / 256), singular values below sqrt(2 sqrt(n) e) of the largest
/// are lost. Where that could affect the result, the host fetches that step's array and computes
/// its vectors, so that tolerances are met there too; steps of recorded() show it. The relative
/// error is then that of |x|^2 - |core|^2, or of the residual itself. `automatic` estimates as if a
/// tolerance cut nothing off. recorded() has the sum of all dispatches.
///
/// Time: size times the first mode's extent for its Gram matrix, less for the others. Memory: a
/// copy of x if it is not row-major, and the array after the first truncation.
/// Source: Vannieuwenhoven, Vandebril, Meerbergen, SIAM J. Sci. Comput. 34 (2012) A1027.
///
/// Throws invalid_argument for neither ranks nor tolerance, a rank of 0 or above its extent, a
/// tolerance below 8 order epsilon or not below 1, or an element that is not finite (named by its
/// index); shape_error for an order below 2, an extent of 0, or a number of ranks that is not the
/// order; resource_error if there is no memory. Execution errors as cp_als.
template <class X>
  requires(decompose_detail::operand<X>)
tucker_result<decompose_detail::element_of<X>> tucker_sthosvd(const X& x,
                                                              const tucker_options& options) {
  return decompose_detail::tucker_sthosvd<decompose_detail::element_of<X>>(x, options);
}

/// Computes the Tucker decomposition by higher-order orthogonal iteration, starting from
/// tucker_sthosvd: each sweep makes every factor the best one for the others. The error never
/// rises.
/// Source: De Lathauwer, De Moor, Vandewalle, SIAM J. Matrix Anal. Appl. 21 (2000) 1324.
/// Throws as tucker_sthosvd, and invalid_argument if max_iterations is 0 or change is neither 0 nor
/// at least epsilon of T.
template <class X>
  requires(decompose_detail::operand<X>)
hooi_result<decompose_detail::element_of<X>> tucker_hooi(const X& x, const hooi_options& options) {
  return decompose_detail::tucker_hooi<decompose_detail::element_of<X>>(x, options);
}

/// Computes all elements of the model, summed in T, on the host mode by mode. With another policy it
/// is an einsum, where `on` says, on an accelerator in one dispatch.
/// Throws shape_error if factors and core do not fit each other, resource_error if there is no
/// memory; with `on` as einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct(const tucker_model<T>& model, const execution& on = {});

/// Computes the gradient of a real loss by all numbers of the model, a model of the same extents,
/// from that by the elements that `reconstruct` computes: einsum_vjp, with its cost, where `on` says.
/// Throws shape_error as reconstruct, and for a gradient of other extents than the array's; else as
/// einsum.
template <class T>
PAPILIO_API tucker_model<T> reconstruct_vjp(
    const tucker_model<T>& model, const std::type_identity_t<tensor_view<const T>>& gradient,
    const execution& on = {});

/// Computes the derivative of the elements that `reconstruct` computes along a change of all numbers
/// of the model, `tangent`: the sum of reconstructions with one part's change in its place, by one
/// einsum of about twice the products of reconstruct, where `on` says.
/// Throws shape_error as reconstruct, and for a tangent of other extents than the model's; else as
/// einsum.
template <class T>
PAPILIO_API tensor<T> reconstruct_jvp(const tucker_model<T>& model,
                                      const std::type_identity_t<tucker_model<T>>& tangent,
                                      const execution& on = {});

/// Computes the elements at `indices` [count, order], summed in double. O(core) each.
/// Throws shape_error as above or for other extents of indices, invalid_argument for an index out
/// of range.
template <class T>
PAPILIO_API array<T, 1> reconstruct_at(const tucker_model<T>& model,
                                       view<const std::size_t, 2> indices);

/// Returns |x - model| / |x| in the Euclidean norm, or |x - model| if x is zero, with the residual
/// formed piece by piece in double.
/// Throws shape_error if the extents do not fit, invalid_argument if an element of x is not finite.
template <class X>
  requires(decompose_detail::operand<X>)
double relative_error(const X& x, const tucker_model<decompose_detail::element_of<X>>& model) {
  return decompose_detail::relative_error<decompose_detail::element_of<X>>(x, model);
}

}  // namespace papilio

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/decompose/operand.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// A core multiplied by a matrix along each mode:
///   x[i, j, k] = sum over a, b, c of core[a, b, c] factors[0](i, a) factors[1](j, b) ...
template <class T>
struct tucker_model {
  tensor<T> core;                    ///< [ranks...]
  std::vector<array<T, 2>> factors;  ///< of each mode [extent, rank], orthonormal columns

  std::size_t order() const { return factors.size(); }
  std::vector<std::size_t> ranks() const { return {core.extents().begin(), core.extents().end()}; }
  std::vector<std::size_t> extents() const {
    std::vector<std::size_t> result;
    for (const array<T, 2>& f : factors) result.push_back(f.extent(0));
    return result;
  }
  /// Numbers that it consists of.
  std::size_t parameters() const {
    std::size_t count = core.size();
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

template <class T>
struct tucker_result : tucker_model<T> {
  /// |x - model| / |x| in the Euclidean norm; 0 of zeros.
  double relative_error = 0;
};

template <class T>
struct hooi_result : tucker_result<T> {
  iteration_record iteration;
};

/// How far to truncate. At least one of the two; with both, ranks bound what the tolerance takes,
/// and the result's relative_error tells whether it was met.
struct tucker_options {
  std::vector<std::size_t> ranks = {};  ///< one for each mode, from 1 to its extent
  /// Of the whole: relative_error is at most this. From 8 order epsilon of T, below 1.
  std::optional<double> tolerance = {};
  /// Threads of the host: 0 is every core, of small problems one; the result does not depend on it.
  /// An accelerator computes products and Gram matrices, in float. Precision is native.
  execution on = {};
};

struct hooi_options {
  std::vector<std::size_t> ranks = {};   ///< as of tucker_options
  std::optional<double> tolerance = {};  ///< as of tucker_options: decides the ranks
  std::size_t max_iterations = 50;       ///< at least 1
  /// Ends the iteration when the relative error changes by less in a sweep; 0: never.
  double change = 1e-6;
  execution on = {};  ///< as of tucker_options
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

/// Tucker by the sequentially truncated higher-order SVD: mode by mode, in the order that costs
/// least, the leading left singular vectors of the unfolding of what is left, which then becomes as
/// short as its rank. The error is at most sqrt(order) times the best one of these ranks.
///
/// Singular vectors come from the Gram matrix of the unfolding, accumulated in double. Its
/// eigenvalues are squares, so that singular values below 1e-8 of the largest drown in rounding:
/// where the tolerance or the singular values that are kept are too small for that, they come from
/// QR and an SVD instead, in T. The relative error is that of what is cut off, and where rounding
/// could be seen in it, of the residual itself. The largest element of each column is positive.
///
/// On an accelerator x goes up once, and each Gram matrix, in float, is one dispatch, together with
/// the product before it: the factor goes up, the Gram matrix comes back, and what is left of the
/// array stays. Eigenvectors are the host's. Of n rows and an error e of the accelerator's sums,
/// about 2.5e-8 sqrt(64 + columns / 256), singular values below sqrt(2 sqrt(n) e) of the largest
/// drown: where that could be seen in the result, the array of that step is fetched and its vectors
/// come from the host, so that tolerances are met there too; steps of recorded() say so. The
/// relative error is then that of |x|^2 - |core|^2, or of the residual itself. Under `automatic` a
/// tolerance counts as though it cut nothing off. recorded() has the sum of all dispatches.
///
/// Time: size extent of the first mode for its Gram matrix, less for the others. Memory: x once
/// more if it is not row-major, and the array after the first truncation.
///
/// invalid_argument: no ranks and no tolerance, a rank of 0 or above its extent, a tolerance below
/// 8 order epsilon or not below 1, an element that is not finite (its index is named); shape_error:
/// order below 2, an extent of 0, a number of ranks that is not the order; resource_error. Of an
/// accelerator as cp_als.
/// Vannieuwenhoven, Vandebril, Meerbergen, SIAM J. Sci. Comput. 34 (2012) A1027.
template <class X>
  requires(decompose_detail::operand<X>)
tucker_result<decompose_detail::element_of<X>> tucker_sthosvd(const X& x,
                                                              const tucker_options& options) {
  return decompose_detail::tucker_sthosvd<decompose_detail::element_of<X>>(x, options);
}

/// Tucker by higher-order orthogonal iteration, from tucker_sthosvd: each sweep makes every factor
/// the best one for the others. The error never rises. Errors as tucker_sthosvd's, and
/// invalid_argument: max_iterations 0, a change that is neither 0 nor at least epsilon of T.
/// De Lathauwer, De Moor, Vandewalle, SIAM J. Matrix Anal. Appl. 21 (2000) 1324.
template <class X>
  requires(decompose_detail::operand<X>)
hooi_result<decompose_detail::element_of<X>> tucker_hooi(const X& x, const hooi_options& options) {
  return decompose_detail::tucker_hooi<decompose_detail::element_of<X>>(x, options);
}

/// All elements of the model, in the sums of T. shape_error where factors and core do not fit each
/// other; resource_error.
template <class T>
PAPILIO_API tensor<T> reconstruct(const tucker_model<T>& model);

/// Elements at `indices` [count, order], summed in double. O(core) each. invalid_argument for an
/// index that is outside.
template <class T>
PAPILIO_API array<T, 1> reconstruct_at(const tucker_model<T>& model,
                                       view<const std::size_t, 2> indices);

/// |x - model| / |x| in the Euclidean norm, with the residual formed piece by piece in double; of
/// zeros |x - model|. shape_error as above.
template <class X>
  requires(decompose_detail::operand<X>)
double relative_error(const X& x, const tucker_model<decompose_detail::element_of<X>>& model) {
  return decompose_detail::relative_error<decompose_detail::element_of<X>>(x, model);
}

}  // namespace papilio

#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

struct gemm_options {
  matrix_op a = matrix_op::none;  ///< op(A)
  matrix_op b = matrix_op::none;  ///< op(B)
  int threads = 0;                ///< 0: every core. The result does not depend on it.

  bool operator==(const gemm_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void gemm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                      const gemm_options& options);
}  // namespace blas_detail

/// C = alpha op(A) op(B) + beta C for float, double and both complex types: op(A) is [m, k], op(B)
/// [k, n], C [m, n], each a view of any strides (transposed, reversed, broadcast by stride 0; C
/// without shared elements) or an array.
///
/// beta = 0 never reads C, alpha = 0 and k = 0 never read A and B. An operand is copied only where
/// BLAS cannot express its strides: neither of them 1, negative or 0, or rows that overlap.
/// Large products are cut, each piece the work of one serial call of OpenBLAS; how many threads
/// share the pieces is chosen by the size of the problem, at most `options.threads`. The result
/// does not depend on them. Small ones are one call, and nothing is allocated.
///
/// shape_error where extents do not fit or elements of C share an address, invalid_argument where C
/// shares memory with A or B or threads are negative, resource_error where a copy or partial sums
/// cannot be had; all before C is written. O(m n k).
template <class C>
  requires(blas_detail::output<C, 2>)
void gemm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemm<T>(alpha, a, b, beta, view<T, 2>(c), options);
}

}  // namespace papilio

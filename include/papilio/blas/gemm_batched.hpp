#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void gemm_batched(T alpha, view<const T, 3> a, view<const T, 3> b, T beta, view<T, 3> c,
                              const gemm_options& options);
}  // namespace blas_detail

/// C[i] = alpha op(A[i]) op(B[i]) + beta C[i] for every i: as `gemm` on each item, to the bit, with
/// threads over items and blocks. A, B and C are [batch, ., .]; an operand that all items share has
/// stride 0 along the batch. Errors as `gemm`'s. O(batch m n k).
template <class C>
  requires(blas_detail::output<C, 3>)
void gemm_batched(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 3> a,
                  view<const blas_detail::element_of<C>, 3> b, blas_detail::element_of<C> beta,
                  C&& c, const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemm_batched<T>(alpha, a, b, beta, view<T, 3>(c), options);
}

}  // namespace papilio

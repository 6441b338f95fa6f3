#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void gemmt(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                       matrix_triangle triangle, const gemm_options& options);
}  // namespace blas_detail

/// One half of C = alpha op(A) op(B) + beta C, C [n, n], where the product is known to be symmetric
/// or the other half is of no interest; that is neither read nor written. Otherwise, and in its
/// errors, as `gemm`; half of its work. A C that BLAS cannot take is copied block by block.
template <class C>
  requires(blas_detail::output<C, 2>)
void gemmt(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
           matrix_triangle triangle = matrix_triangle::upper, const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemmt<T>(alpha, a, b, beta, view<T, 2>(c), triangle, options);
}

}  // namespace papilio

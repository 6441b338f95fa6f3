#pragma once

#include <complex>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"
#include "papilio/blas/syrk.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void syr2k(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                       const syrk_options& options, bool hermitian);
}  // namespace blas_detail

/// One half of C = alpha A B^T + alpha B A^T + beta C, or of C = alpha A^T B + alpha B^T A + beta C
/// where options.a is transpose. Otherwise, and in its errors, as `syrk`. O(n^2 k).
template <class C>
  requires(blas_detail::output<C, 2>)
void syr2k(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
           const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syr2k<T>(alpha, a, b, beta, view<T, 2>(c), options, false);
}

/// One half of C = alpha A B^H + conj(alpha) B A^H + beta C, or of
/// C = alpha A^H B + conj(alpha) B^H A + beta C, with a real beta; the diagonal's imaginary parts
/// become 0. Otherwise as `syr2k`.
template <class C>
  requires(blas_detail::output<C, 2>)
void her2k(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b,
           decltype(std::abs(blas_detail::element_of<C>())) beta, C&& c,
           const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syr2k<T>(alpha, a, b, T(beta), view<T, 2>(c), options, true);
}

}  // namespace papilio

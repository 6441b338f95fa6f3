#pragma once

#include <complex>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

struct syrk_options {
  /// none: A A^T; transpose: A^T A. Of herk conjugate_transpose: A^H A.
  matrix_op a = matrix_op::none;
  matrix_triangle triangle = matrix_triangle::upper;  ///< the half of C that is written
  int threads = 0;  ///< 0: every core. The result does not depend on it.

  bool operator==(const syrk_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void syrk(T alpha, view<const T, 2> a, T beta, view<T, 2> c,
                      const syrk_options& options);
template <class T>
PAPILIO_API void herk(decltype(std::abs(T())) alpha, view<const T, 2> a,
                      decltype(std::abs(T())) beta, view<T, 2> c, const syrk_options& options);
}  // namespace blas_detail

/// One half of C = alpha A A^T + beta C or alpha A^T A + beta C; the other half is left as it is.
/// Any strides; copies only where BLAS cannot express them. beta = 0 never reads C. shape_error,
/// invalid_argument (C shares memory with A; an operation that is not of the two),
/// resource_error (an extent above 2^31 - 1). O(n^2 k).
template <class C>
  requires(blas_detail::output<C, 2>)
void syrk(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          blas_detail::element_of<C> beta, C&& c, const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syrk<T>(alpha, a, beta, view<T, 2>(c), options);
}

/// One half of C = alpha A A^H + beta C or alpha A^H A + beta C with real alpha and beta; the
/// diagonal's imaginary parts become 0. Otherwise as `syrk`.
template <class C>
  requires(blas_detail::output<C, 2>)
void herk(decltype(std::abs(blas_detail::element_of<C>())) alpha,
          view<const blas_detail::element_of<C>, 2> a, decltype(alpha) beta, C&& c,
          const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::herk<T>(alpha, a, beta, view<T, 2>(c), options);
}

}  // namespace papilio

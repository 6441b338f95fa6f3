#pragma once

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/factorization.hpp"

// The factorisations of every item of a batch [batch, rows, columns] of any strides: as those of
// the items, to the bit, with threads over items; `threads` at most, 0: every core. Errors as
// theirs, the first item that is at fault named by its index.
namespace papilio {

/// A[i] = Q[i] R[i]; k = min(m, n).
template <class T>
struct batched_qr_factors {
  array<T, 3> q;  ///< [batch, m, k]
  array<T, 3> r;  ///< [batch, k, n]
};

/// A[i] = U[i] diag(s[i]) V[i]^H.
template <class T>
struct batched_svd_factors {
  array<T, 3> u;                   ///< [batch, m, k] or [batch, m, m]; empty without vectors
  array<real_of_element<T>, 2> s;  ///< [batch, k], descending
  array<T, 3> vh;                  ///< [batch, k, n] or [batch, n, n]; empty without vectors
};

/// A[i] = V[i] diag(w[i]) V[i]^H.
template <class T>
struct batched_eigh_factors {
  array<real_of_element<T>, 2> values;  ///< [batch, n], ascending
  array<T, 3> vectors;                  ///< [batch, n, n]; empty without vectors
};

namespace blas_detail {
template <class T>
PAPILIO_API batched_qr_factors<T> qr_batched(view<const T, 3> a, int threads);
template <class T>
PAPILIO_API batched_svd_factors<T> svd_batched(view<const T, 3> a, svd_vectors vectors,
                                               int threads);
template <class T>
PAPILIO_API batched_eigh_factors<T> eigh_batched(view<const T, 3> a, eigen_vectors vectors,
                                                 matrix_triangle triangle, int threads);
template <class T>
PAPILIO_API array<T, 3> cholesky_batched(view<const T, 3> a, matrix_triangle triangle, int threads);
template <class T>
PAPILIO_API array<T, 3> solve_batched(view<const T, 3> a, view<const T, 3> b, int threads);

template <class A>
view<const element_of<A>, 3> as_batch(const A& a) {
  static_assert(is_element<element_of<A>>);
  return a;
}
}  // namespace blas_detail

/// `qr` of each item.
template <class A>
auto qr_batched(const A& a, int threads = 0) {
  return blas_detail::qr_batched(blas_detail::as_batch(a), threads);
}

/// `svd` of each item.
template <class A>
auto svd_batched(const A& a, svd_vectors vectors = svd_vectors::reduced, int threads = 0) {
  return blas_detail::svd_batched(blas_detail::as_batch(a), vectors, threads);
}

/// `eigh` of each item.
template <class A>
auto eigh_batched(const A& a, eigen_vectors vectors = eigen_vectors::all,
                  matrix_triangle triangle = matrix_triangle::lower, int threads = 0) {
  return blas_detail::eigh_batched(blas_detail::as_batch(a), vectors, triangle, threads);
}

/// `cholesky` of each item.
template <class A>
auto cholesky_batched(const A& a, matrix_triangle triangle = matrix_triangle::lower,
                      int threads = 0) {
  return blas_detail::cholesky_batched(blas_detail::as_batch(a), triangle, threads);
}

/// `solve` of each item: X[i] of A[i] X[i] = B[i], A [batch, n, n], B [batch, n, columns]; an
/// operand that all items share has stride 0 along the batch.
template <class A>
auto solve_batched(const A& a, view<const blas_detail::element_of<A>, 3> b, int threads = 0) {
  return blas_detail::solve_batched(blas_detail::as_batch(a), b, threads);
}

}  // namespace papilio

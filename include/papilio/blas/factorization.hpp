#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"

// Dense factorisations through LAPACK of float, double and both complex types. Operands are views
// of any strides and are only read. One thread. Each function throws invalid_argument if an element
// that it reads is not finite, or the factorisation does not exist or does not converge;
// shape_error if the extents do not fit; resource_error if an extent is above 2^31 - 1 or there is
// no memory.
namespace papilio {

/// Names the real type of an element: T itself, or the R of complex<R>.
template <class T>
using real_of_element = decltype(std::abs(T()));

/// Holds the factors of A = Q R, A [m, n], k = min(m, n).
template <class T>
struct qr_factors {
  array<T, 2> q;  ///< [m, k], orthonormal columns
  array<T, 2> r;  ///< [k, n], upper triangular; the diagonal may have any sign
};

/// Selects the singular vectors: the first k = min(m, n), a full basis, or none.
enum class svd_vectors { reduced, full, none };

/// Holds the factors of A = U diag(s) V^H, A [m, n], k = min(m, n).
template <class T>
struct svd_factors {
  array<T, 2> u;                   ///< [m, k] or [m, m]; empty without vectors
  array<real_of_element<T>, 1> s;  ///< [k], descending
  array<T, 2> vh;                  ///< [k, n] or [n, n]; empty without vectors
};

/// Holds the factors of A = V diag(w) V^H, A [n, n].
template <class T>
struct eigh_factors {
  array<real_of_element<T>, 1> values;  ///< [n], ascending
  array<T, 2> vectors;                  ///< [n, n], columns; empty without vectors
};

/// Selects whether eigenvectors are computed.
enum class eigen_vectors { all, none };

namespace blas_detail {
template <class T>
PAPILIO_API qr_factors<T> qr(view<const T, 2> a);
template <class T>
PAPILIO_API svd_factors<T> svd(view<const T, 2> a, svd_vectors vectors);
template <class T>
PAPILIO_API eigh_factors<T> eigh(view<const T, 2> a, eigen_vectors vectors,
                                 matrix_triangle triangle);
template <class T>
PAPILIO_API array<T, 2> cholesky(view<const T, 2> a, matrix_triangle triangle);
template <class T>
PAPILIO_API array<T, 2> solve(view<const T, 2> a, view<const T, 2> b);

template <class A>
view<const element_of<A>, 2> as_matrix(const A& a) {
  static_assert(is_element<element_of<A>>);
  return a;
}
}  // namespace blas_detail

/// Computes the QR factorisation of a [m, n] by Householder reflections. O(m n k).
template <class A>
auto qr(const A& a) {
  return blas_detail::qr(blas_detail::as_matrix(a));
}

/// Computes the singular value decomposition of a [m, n] by divide and conquer. O(m n k).
template <class A>
auto svd(const A& a, svd_vectors vectors = svd_vectors::reduced) {
  return blas_detail::svd(blas_detail::as_matrix(a), vectors);
}

/// Computes eigenvalues and eigenvectors of a symmetric or Hermitian matrix a [n, n] by divide and
/// conquer. Only the given triangle is read. O(n^3).
template <class A>
auto eigh(const A& a, eigen_vectors vectors = eigen_vectors::all,
          matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::eigh(blas_detail::as_matrix(a), vectors, triangle);
}

/// Returns the Cholesky factor L of A = L L^H, with zeros above its diagonal, for a symmetric or
/// Hermitian positive definite a [n, n]. Only the given triangle of A is read. O(n^3 / 3).
/// Throws invalid_argument, with the order of the first leading minor that is not positive
/// definite.
template <class A>
auto cholesky(const A& a, matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::cholesky(blas_detail::as_matrix(a), triangle);
}

/// Solves A X = B for X by elimination with partial pivoting, a [n, n], b and X [n, columns].
/// O(n^3).
/// Throws invalid_argument if A is exactly singular.
template <class A>
auto solve(const A& a, view<const blas_detail::element_of<A>, 2> b) {
  return blas_detail::solve(blas_detail::as_matrix(a), b);
}

}  // namespace papilio

// Batched factorisations: each factorises every item of a batch [batch, rows, columns] of any
// strides, and each item has the bits of the single call. Threads share the items: at most
// `threads`, 0 for every core.
// Each function throws as the single call, invalid_argument with the index of the first item at
// fault, and invalid_argument if threads are negative.
namespace papilio {

/// Holds the factors of A[i] = Q[i] R[i], A [batch, m, n], k = min(m, n).
template <class T>
struct batched_qr_factors {
  array<T, 3> q;  ///< [batch, m, k]
  array<T, 3> r;  ///< [batch, k, n]
};

/// Holds the factors of A[i] = U[i] diag(s[i]) V[i]^H, A [batch, m, n], k = min(m, n).
template <class T>
struct batched_svd_factors {
  array<T, 3> u;                   ///< [batch, m, k] or [batch, m, m]; empty without vectors
  array<real_of_element<T>, 2> s;  ///< [batch, k], descending
  array<T, 3> vh;                  ///< [batch, k, n] or [batch, n, n]; empty without vectors
};

/// Holds the factors of A[i] = V[i] diag(w[i]) V[i]^H, A [batch, n, n].
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

/// Computes `qr` of each item.
template <class A>
auto qr_batched(const A& a, int threads = 0) {
  return blas_detail::qr_batched(blas_detail::as_batch(a), threads);
}

/// Computes `svd` of each item.
template <class A>
auto svd_batched(const A& a, svd_vectors vectors = svd_vectors::reduced, int threads = 0) {
  return blas_detail::svd_batched(blas_detail::as_batch(a), vectors, threads);
}

/// Computes `eigh` of each item.
template <class A>
auto eigh_batched(const A& a, eigen_vectors vectors = eigen_vectors::all,
                  matrix_triangle triangle = matrix_triangle::lower, int threads = 0) {
  return blas_detail::eigh_batched(blas_detail::as_batch(a), vectors, triangle, threads);
}

/// Computes `cholesky` of each item.
template <class A>
auto cholesky_batched(const A& a, matrix_triangle triangle = matrix_triangle::lower,
                      int threads = 0) {
  return blas_detail::cholesky_batched(blas_detail::as_batch(a), triangle, threads);
}

/// Solves A[i] X[i] = B[i] for each item as `solve`, a [batch, n, n], b and X [batch, n, columns].
/// An operand that all items share has stride 0 along the batch.
template <class A>
auto solve_batched(const A& a, view<const blas_detail::element_of<A>, 3> b, int threads = 0) {
  return blas_detail::solve_batched(blas_detail::as_batch(a), b, threads);
}

namespace blas_detail {
template <class T>
PAPILIO_API eigh_factors<T> eigh_leading(view<const T, 2> a, std::size_t count,
                                         matrix_triangle triangle);
}

/// Computes the `count` largest eigenvalues of a symmetric real matrix a [n, n], descending, and
/// their eigenvectors [n, count], by multiple relatively robust representations. Faster than `eigh`
/// for small counts. Only the given triangle is read. One thread. O(n^3).
/// Throws as `eigh`, and invalid_argument if count > n.
template <class A>
auto eigh_leading(const A& a, std::size_t count,
                  matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::eigh_leading(blas_detail::as_matrix(a), count, triangle);
}

}  // namespace papilio

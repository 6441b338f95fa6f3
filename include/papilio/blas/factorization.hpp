#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

// Dense factorisations through LAPACK, for float, double and both complex types, of views of any
// strides, which are read only. One thread. invalid_argument where the matrix is not finite or
// where the factorisation does not exist or does not converge; shape_error; resource_error where an
// extent is above 2^31 - 1 or memory cannot be had.
namespace papilio {

/// Real type of an element: itself, or that of its parts.
template <class T>
using real_of_element = decltype(std::abs(T()));

/// A = Q R; k = min(m, n).
template <class T>
struct qr_factors {
  array<T, 2> q;  ///< [m, k], orthonormal columns
  array<T, 2> r;  ///< [k, n], upper triangular; the diagonal may have any sign
};

/// Which singular vectors: the first k = min(m, n), a full basis, or none.
enum class svd_vectors { reduced, full, none };

/// A = U diag(s) V^H.
template <class T>
struct svd_factors {
  array<T, 2> u;                   ///< [m, k] or [m, m]; empty without vectors
  array<real_of_element<T>, 1> s;  ///< [k], descending
  array<T, 2> vh;                  ///< [k, n] or [n, n]; empty without vectors
};

/// A = V diag(w) V^H.
template <class T>
struct eigh_factors {
  array<real_of_element<T>, 1> values;  ///< [n], ascending
  array<T, 2> vectors;                  ///< [n, n], columns; empty without vectors
};

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

/// QR by Householder reflections. O(m n k).
template <class A>
auto qr(const A& a) {
  return blas_detail::qr(blas_detail::as_matrix(a));
}

/// Singular value decomposition by divide and conquer. O(m n k).
template <class A>
auto svd(const A& a, svd_vectors vectors = svd_vectors::reduced) {
  return blas_detail::svd(blas_detail::as_matrix(a), vectors);
}

/// Eigenvalues and vectors of a symmetric or Hermitian matrix by divide and conquer. Only one
/// triangle is read. O(n^3).
template <class A>
auto eigh(const A& a, eigen_vectors vectors = eigen_vectors::all,
          matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::eigh(blas_detail::as_matrix(a), vectors, triangle);
}

/// L of A = L L^H, zeros above its diagonal, of a symmetric or Hermitian positive definite matrix;
/// invalid_argument naming the first leading minor that is not. Only one triangle of A is read.
/// O(n^3 / 3).
template <class A>
auto cholesky(const A& a, matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::cholesky(blas_detail::as_matrix(a), triangle);
}

/// X of A X = B, A [n, n], B [n, columns], by elimination with partial pivoting; invalid_argument
/// where A is exactly singular. O(n^3).
template <class A>
auto solve(const A& a, view<const blas_detail::element_of<A>, 2> b) {
  return blas_detail::solve(blas_detail::as_matrix(a), b);
}

}  // namespace papilio

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

namespace blas_detail {
template <class T>
PAPILIO_API eigh_factors<T> eigh_leading(view<const T, 2> a, std::size_t count,
                                         matrix_triangle triangle);
}

/// The `count` largest eigenvalues of a symmetric real matrix, descending, and their vectors
/// [n, count]: by multiple relatively robust representations, which is faster than `eigh` where few
/// are wanted. Only one triangle is read. One thread. Errors as `eigh`'s, and invalid_argument for
/// a count above n. O(n^3).
template <class A>
auto eigh_leading(const A& a, std::size_t count,
                  matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::eigh_leading(blas_detail::as_matrix(a), count, triangle);
}

}  // namespace papilio

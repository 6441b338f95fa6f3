#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
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

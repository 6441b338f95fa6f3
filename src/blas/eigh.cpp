#include <complex>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::blas_detail {

// LAPACK sees the transpose, which is the conjugate: the other triangle, and conjugate vectors.
template <class T>
eigh_factors<T> eigh(view<const T, 2> a, eigen_vectors vectors, matrix_triangle triangle) {
  constexpr const char* who = "eigh";
  const std::size_t n = square_extent(who, a);
  const bool is_lower = triangle == matrix_triangle::lower;
  array<T, 2> work =
      finite_copy(who, a, [&](std::size_t i, std::size_t j) { return is_lower ? j <= i : j >= i; });
  eigh_factors<T> result;
  result.values = array<real_of_element<T>, 1>(n);
  const bool has_vectors = vectors == eigen_vectors::all;
  if (has_vectors) result.vectors = array<T, 2>({n, n}, uninitialized);
  if (n == 0) return result;
  use_serial_blas();
  const int info = lapack_heevd(has_vectors ? 'V' : 'N', is_lower ? 'U' : 'L', static_cast<int>(n),
                                work.data(), pitch_of(n), result.values.data());
  check_info(who, info);
  if (info > 0) throw invalid_argument("eigh: does not converge");
  if (!has_vectors) return result;
  strided_matrix<T> by_rows{result.vectors.view()};
  copy_matrix(strided_matrix<const T>(std::as_const(work).view()).transposed(), by_rows);
  for (T& x : result.vectors) x = conjugated(x);
  return result;
}

#define PAPILIO_INSTANTIATE(T) \
  template PAPILIO_API eigh_factors<T> eigh(view<const T, 2>, eigen_vectors, matrix_triangle)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail

#include "papilio/blas/factorization.hpp"

#include <vector>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"

namespace papilio::blas_detail {
namespace {

// Computes eigenvalues `first` to n, counted from 1 and rising, with their vectors. `a` and z are
// column-major.
int lapack_syevr(char uplo, int n, float* a, int first, int* found, float* w, float* z, int* s) {
  return LAPACKE_ssyevr(LAPACK_COL_MAJOR, 'V', 'I', uplo, n, a, n, 0, 0, first, n, 0, found, w, z,
                        n, s);
}
int lapack_syevr(char uplo, int n, double* a, int first, int* found, double* w, double* z, int* s) {
  return LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', uplo, n, a, n, 0, 0, first, n, 0, found, w, z,
                        n, s);
}

}  // namespace

// LAPACK sees the transpose of a row-major matrix, so it is told the other triangle.
template <class T>
eigh_factors<T> eigh_leading(view<const T, 2> a, std::size_t count, matrix_triangle triangle) {
  constexpr const char* who = "eigh_leading";
  const std::size_t n = square_extent(who, a);
  if (count > n)
    throw invalid_argument(
        base_detail::message(who, ": count must be at most ", n, ", got ", count));
  const bool is_lower = triangle == matrix_triangle::lower;
  array<T, 2> work =
      finite_copy(who, a, [&](std::size_t i, std::size_t j) { return is_lower ? j <= i : j >= i; });
  eigh_factors<T> result{array<T, 1>(count), array<T, 2>({n, count})};
  if (count == 0) return result;
  use_serial_blas();
  array<T, 1> values(n, uninitialized);
  array<T, 2> columns({count, n}, uninitialized);
  std::vector<int> support(2 * n);
  int found = 0;
  const int info = lapack_syevr(is_lower ? 'U' : 'L', static_cast<int>(n), work.data(),
                                static_cast<int>(n - count + 1), &found, values.data(),
                                columns.data(), support.data());
  check_info(who, info);
  if (info > 0 || found != static_cast<int>(count))
    throw invalid_argument("eigh_leading: does not converge");
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t from = count - 1 - r;
    result.values.data()[r] = values.data()[from];
    for (std::size_t i = 0; i < n; ++i)
      result.vectors.data()[i * count + r] = columns.data()[from * n + i];
  }
  return result;
}

template PAPILIO_API eigh_factors<float> eigh_leading(view<const float, 2>, std::size_t,
                                                      matrix_triangle);
template PAPILIO_API eigh_factors<double> eigh_leading(view<const double, 2>, std::size_t,
                                                       matrix_triangle);

}  // namespace papilio::blas_detail

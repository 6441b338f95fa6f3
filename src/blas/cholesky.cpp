#include <algorithm>
#include <complex>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::blas_detail {

// LAPACK sees conj(A) = U^H U with U column-major upper, which row-major is the lower L = U^T of
// A = L L^H. The upper triangle of A is the lower one of A^H.
template <class T>
array<T, 2> cholesky(view<const T, 2> a, matrix_triangle triangle) {
  constexpr const char* who = "cholesky";
  const std::size_t n = square_extent(who, a);
  const bool is_lower = triangle == matrix_triangle::lower;
  const view<const T, 2> lower =
      is_lower ? a : view<const T, 2>(a.data(), {n, n}, {a.stride(1), a.stride(0)});
  array<T, 2> factor = finite_copy(who, lower, [](std::size_t i, std::size_t j) { return j <= i; });
  if (n == 0) return factor;
  if (!is_lower)
    for (T& x : factor) x = conjugated(x);
  use_serial_blas();
  const int info = lapack_potrf('U', static_cast<int>(n), factor.data(), pitch_of(n));
  check_info(who, info);
  if (info > 0)
    throw invalid_argument(base_detail::message(
        who, ": a is not positive definite: its leading minor of order ", info, " is not"));
  return factor;
}

template PAPILIO_API array<float, 2> cholesky(view<const float, 2>, matrix_triangle);
template PAPILIO_API array<double, 2> cholesky(view<const double, 2>, matrix_triangle);
template PAPILIO_API array<std::complex<float>, 2> cholesky(view<const std::complex<float>, 2>,
                                                            matrix_triangle);
template PAPILIO_API array<std::complex<double>, 2> cholesky(view<const std::complex<double>, 2>,
                                                             matrix_triangle);

}  // namespace papilio::blas_detail

#include <algorithm>
#include <complex>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::blas_detail {

// LAPACK sees A^T = L Q'; so A = Q'^T L^T, and both factors come out row-major.
template <class T>
qr_factors<T> qr(view<const T, 2> a) {
  constexpr const char* who = "qr";
  array<T, 2> work = finite_copy(who, a);
  const std::size_t m = a.extent(0), n = a.extent(1), k = std::min(m, n);
  qr_factors<T> result{array<T, 2>({m, k}), array<T, 2>({k, n})};
  if (k == 0) return result;
  use_serial_blas();
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), rank = static_cast<int>(k);
  array<T, 1> tau(k, uninitialized);
  check_info(who, lapack_gelqf(rows, columns, work.data(), rows, tau.data()));
  for (std::size_t i = 0; i < k; ++i) std::copy_n(&work(i, i), n - i, &result.r(i, i));
  // Q' is [k, m] column-major: the first k rows of what is there.
  for (std::size_t j = 0; j < m; ++j) std::copy_n(work.data() + j * n, k, result.q.data() + j * k);
  check_info(who, lapack_unglq(rank, columns, rank, result.q.data(), rank, tau.data()));
  return result;
}

template PAPILIO_API qr_factors<float> qr(view<const float, 2>);
template PAPILIO_API qr_factors<double> qr(view<const double, 2>);
template PAPILIO_API qr_factors<std::complex<float>> qr(view<const std::complex<float>, 2>);
template PAPILIO_API qr_factors<std::complex<double>> qr(view<const std::complex<double>, 2>);

}  // namespace papilio::blas_detail

#include <algorithm>
#include <complex>

#include "blas/lapack_calls.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/serial_blas.hpp"
#include "papilio/blas/factorization.hpp"

namespace papilio::blas_detail {
namespace {

template <class T>
void fill_identity(array<T, 2>& x) {
  for (std::size_t i = 0; i < std::min(x.extent(0), x.extent(1)); ++i) x(i, i) = T(1);
}

}  // namespace

// LAPACK sees A^T = conj(V) S U^T: its left vectors are our right ones, and row-major both are as
// they must be.
template <class T>
svd_factors<T> svd(view<const T, 2> a, svd_vectors vectors) {
  constexpr const char* who = "svd";
  array<T, 2> work = finite_copy(who, a);
  const std::size_t m = a.extent(0), n = a.extent(1), k = std::min(m, n);
  const bool is_full = vectors == svd_vectors::full, has_none = vectors == svd_vectors::none;
  svd_factors<T> result;
  result.s = array<real_of_element<T>, 1>(k);
  if (!has_none) {
    result.u = array<T, 2>({m, is_full ? m : k});
    result.vh = array<T, 2>({is_full ? n : k, n});
  }
  if (k == 0) {
    fill_identity(result.u);
    fill_identity(result.vh);
    return result;
  }
  use_serial_blas();
  const char job = has_none ? 'N' : is_full ? 'A' : 'S';
  const int info = lapack_gesdd(job, static_cast<int>(n), static_cast<int>(m), work.data(),
                                pitch_of(n), result.s.data(), result.vh.data(), pitch_of(n),
                                result.u.data(), has_none ? 1 : pitch_of(result.u.extent(1)));
  check_info(who, info);
  if (info > 0) throw invalid_argument("svd: does not converge");
  return result;
}

#define PAPILIO_INSTANTIATE(T) \
  template PAPILIO_API svd_factors<T> svd(view<const T, 2>, svd_vectors)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail

#include "papilio/blas/symmetric.hpp"

#include <complex>

#include "blas/gemm_check.hpp"
#include "blas/lapack_matrix.hpp"
#include "blas/vector_pieces.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::blas_detail {

// Two products of which one half is computed. The second adds to what the first has written.
template <class T>
void syr2k(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
           const syrk_options& options, bool hermitian) {
  hermitian = hermitian && is_complex<T>;
  const char* const who = hermitian ? "her2k" : "syr2k";
  const matrix_op star = hermitian ? matrix_op::conjugate_transpose : matrix_op::transpose;
  const bool starred = is_complex<T> ? options.a == star : transposes(options.a);
  if (is_complex<T> && !starred && options.a != matrix_op::none)
    throw invalid_argument(base_detail::message(who, ": op of a must be none or ",
                                                hermitian ? "conjugate_transpose" : "transpose"));
  const std::size_t n = a.extent(starred ? 1 : 0);
  if (b.extents() != a.extents() || c.extent(0) != n || c.extent(1) != n)
    throw shape_error(base_detail::message(
        who, ": a is ", a.extent(0), " x ", a.extent(1), ", b is ", b.extent(0), " x ", b.extent(1),
        ", c is ", c.extent(0), " x ", c.extent(1), "; must be ", n, " x ", n, ", b as a"));
  check_threads(who, options.threads);
  check_memory(who, a, b, c);
  const gemm_options product{starred ? star : matrix_op::none, starred ? matrix_op::none : star,
                             options.threads};
  gemmt(alpha, a, b, beta, c, options.triangle, product);
  gemmt(hermitian ? conjugated(alpha) : alpha, b, a, T(1), c, options.triangle, product);
  if (hermitian)
    for (std::size_t i = 0; i < n; ++i) c(i, i) = T(std::real(c(i, i)));
}

#define PAPILIO_INSTANTIATE(T)                                                          \
  template PAPILIO_API void syr2k(T, view<const T, 2>, view<const T, 2>, T, view<T, 2>, \
                                  const syrk_options&, bool)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::blas_detail

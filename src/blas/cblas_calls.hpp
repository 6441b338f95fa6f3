#pragma once

#include <cblas.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>

// CBLAS functions, overloaded by element type. Real scalars are passed by value, complex ones by
// address.
namespace papilio::blas_detail {

inline float passed(const float& x) { return x; }
inline double passed(const double& x) { return x; }
inline const void* passed(const std::complex<float>& x) { return &x; }
inline const void* passed(const std::complex<double>& x) { return &x; }

// sscal of OpenBLAS 0.3.21 takes a factor that is not a number for 0, and so do the functions that
// scale their result by it first. Factors that are not finite are multiplied here.
template <class S>
bool is_finite_factor(const S& x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}
template <class S, class T>
void scale_each(std::size_t n, S factor, T* x, int step) {
  for (std::size_t i = 0; i < n; ++i) x[i * static_cast<std::size_t>(std::abs(step))] *= factor;
}
/// Scales a result y before a call, if that is needed, and returns the factor that is left for the
/// call.
template <class T>
T factor_left(int n, T beta, T* y, int step) {
  if (is_finite_factor(beta)) return beta;
  scale_each(static_cast<std::size_t>(n), beta, y, step);
  return T(1);
}
/// Scales one half of a square matrix C likewise.
template <class S, class T>
S factor_left(CBLAS_ORDER order, CBLAS_UPLO half, int n, S beta, T* c, int pitch) {
  if (is_finite_factor(beta)) return beta;
  const bool begins_at_diagonal = (half == CblasUpper) == (order == CblasRowMajor);
  const auto size = static_cast<std::size_t>(n), lines = static_cast<std::size_t>(pitch);
  for (std::size_t i = 0; i < size; ++i)
    scale_each(begins_at_diagonal ? size - i : i + 1, beta,
               c + i * lines + (begins_at_diagonal ? i : 0), 1);
  return S(1);
}

// Functions whose arguments are alike in all four types are defined here.
#define PAPILIO_CALLS(T, p)                                                                        \
  inline void call_axpy(int n, T alpha, const T* x, int sx, T* y, int sy) {                        \
    cblas_##p##axpy(n, passed(alpha), x, sx, y, sy);                                               \
  }                                                                                                \
  inline void call_scal(int n, T alpha, T* x, int sx) {                                            \
    if (is_finite_factor(alpha))                                                                   \
      cblas_##p##scal(n, passed(alpha), x, sx);                                                    \
    else                                                                                           \
      scale_each(static_cast<std::size_t>(n), alpha, x, sx);                                       \
  }                                                                                                \
  inline std::size_t call_iamax(int n, const T* x, int sx) { return cblas_i##p##amax(n, x, sx); }  \
  inline void call_gemv(CBLAS_ORDER o, CBLAS_TRANSPOSE t, int m, int n, T alpha, const T* a,       \
                        int lda, const T* x, int sx, T beta, T* y, int sy) {                       \
    beta = factor_left(t == CblasNoTrans ? m : n, beta, y, sy);                                    \
    cblas_##p##gemv(o, t, m, n, passed(alpha), a, lda, x, sx, passed(beta), y, sy);                \
  }                                                                                                \
  inline void call_trmv(CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, int n,       \
                        const T* a, int lda, T* x, int sx) {                                       \
    cblas_##p##trmv(o, u, t, d, n, a, lda, x, sx);                                                 \
  }                                                                                                \
  inline void call_trsv(CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, CBLAS_DIAG d, int n,       \
                        const T* a, int lda, T* x, int sx) {                                       \
    cblas_##p##trsv(o, u, t, d, n, a, lda, x, sx);                                                 \
  }                                                                                                \
  inline void call_symm(CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, int m, int n, T alpha,          \
                        const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {         \
    cblas_##p##symm(o, s, u, m, n, passed(alpha), a, lda, b, ldb, passed(beta), c, ldc);           \
  }                                                                                                \
  inline void call_trmm(CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t,              \
                        CBLAS_DIAG d, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) { \
    cblas_##p##trmm(o, s, u, t, d, m, n, passed(alpha), a, lda, b, ldb);                           \
  }                                                                                                \
  inline void call_trsm(CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, CBLAS_TRANSPOSE t,              \
                        CBLAS_DIAG d, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) { \
    cblas_##p##trsm(o, s, u, t, d, m, n, passed(alpha), a, lda, b, ldb);                           \
  }                                                                                                \
  inline void call_gemm(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n,       \
                        int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,    \
                        int ldc) {                                                                 \
    cblas_##p##gemm(o, ta, tb, m, n, k, passed(alpha), a, lda, b, ldb, passed(beta), c, ldc);      \
  }                                                                                                \
  inline void call_syrk(CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, int n, int k, T alpha,     \
                        const T* a, int lda, T beta, T* c, int ldc) {                              \
    beta = factor_left(o, u, n, beta, c, ldc);                                                     \
    cblas_##p##syrk(o, u, t, n, k, passed(alpha), a, lda, passed(beta), c, ldc);                   \
  }
PAPILIO_CALLS(float, s)
PAPILIO_CALLS(double, d)
PAPILIO_CALLS(std::complex<float>, c)
PAPILIO_CALLS(std::complex<double>, z)
#undef PAPILIO_CALLS

// Functions that differ for complex types are defined here for real ones, whose Hermitian
// operations are the symmetric ones.
#define PAPILIO_REAL_CALLS(T, p)                                                                   \
  inline T call_nrm2(int n, const T* x, int sx) { return cblas_##p##nrm2(n, x, sx); }              \
  inline T call_asum(int n, const T* x, int sx) { return cblas_##p##asum(n, x, sx); }              \
  inline T call_dot(bool, int n, const T* x, int sx, const T* y, int sy) {                         \
    return cblas_##p##dot(n, x, sx, y, sy);                                                        \
  }                                                                                                \
  inline void call_ger(bool, CBLAS_ORDER o, int m, int n, T alpha, const T* x, int sx, const T* y, \
                       int sy, T* a, int lda) {                                                    \
    cblas_##p##ger(o, m, n, alpha, x, sx, y, sy, a, lda);                                          \
  }                                                                                                \
  inline void call_hemv(CBLAS_ORDER o, CBLAS_UPLO u, int n, T alpha, const T* a, int lda,          \
                        const T* x, int sx, T beta, T* y, int sy) {                                \
    beta = factor_left(n, beta, y, sy);                                                            \
    cblas_##p##symv(o, u, n, alpha, a, lda, x, sx, beta, y, sy);                                   \
  }                                                                                                \
  inline void call_hemm(CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, int m, int n, T alpha,          \
                        const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {         \
    cblas_##p##symm(o, s, u, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                           \
  }                                                                                                \
  inline void call_herk(CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, int n, int k, T alpha,     \
                        const T* a, int lda, T beta, T* c, int ldc) {                              \
    beta = factor_left(o, u, n, beta, c, ldc);                                                     \
    cblas_##p##syrk(o, u, t, n, k, alpha, a, lda, beta, c, ldc);                                   \
  }
PAPILIO_REAL_CALLS(float, s)
PAPILIO_REAL_CALLS(double, d)
#undef PAPILIO_REAL_CALLS

// Gapless complex numbers are summed as real ones: scasum of OpenBLAS 0.3.21 is wrong with its
// kernels for Cooper Lake.
#define PAPILIO_COMPLEX_CALLS(R, p, norm)                                                         \
  inline R call_nrm2(int n, const std::complex<R>* x, int sx) {                                   \
    return cblas_##norm##nrm2(n, x, sx);                                                          \
  }                                                                                               \
  inline R call_asum(int n, const std::complex<R>* x, int sx) {                                   \
    const R* const parts = reinterpret_cast<const R*>(x);                                         \
    return sx == 1 ? call_asum(n, parts, 1) + call_asum(n, parts + n, 1)                          \
                   : cblas_##norm##asum(n, x, sx);                                                \
  }                                                                                               \
  inline std::complex<R> call_dot(bool conjugated, int n, const std::complex<R>* x, int sx,       \
                                  const std::complex<R>* y, int sy) {                             \
    std::complex<R> result;                                                                       \
    (conjugated ? cblas_##p##dotc_sub : cblas_##p##dotu_sub)(n, x, sx, y, sy, &result);           \
    return result;                                                                                \
  }                                                                                               \
  inline void call_ger(bool conjugated, CBLAS_ORDER o, int m, int n, std::complex<R> alpha,       \
                       const std::complex<R>* x, int sx, const std::complex<R>* y, int sy,        \
                       std::complex<R>* a, int lda) {                                             \
    (conjugated ? cblas_##p##gerc : cblas_##p##geru)(o, m, n, &alpha, x, sx, y, sy, a, lda);      \
  }                                                                                               \
  inline void call_hemv(CBLAS_ORDER o, CBLAS_UPLO u, int n, std::complex<R> alpha,                \
                        const std::complex<R>* a, int lda, const std::complex<R>* x, int sx,      \
                        std::complex<R> beta, std::complex<R>* y, int sy) {                       \
    beta = factor_left(n, beta, y, sy);                                                           \
    cblas_##p##hemv(o, u, n, &alpha, a, lda, x, sx, &beta, y, sy);                                \
  }                                                                                               \
  inline void call_hemm(CBLAS_ORDER o, CBLAS_SIDE s, CBLAS_UPLO u, int m, int n,                  \
                        std::complex<R> alpha, const std::complex<R>* a, int lda,                 \
                        const std::complex<R>* b, int ldb, std::complex<R> beta,                  \
                        std::complex<R>* c, int ldc) {                                            \
    cblas_##p##hemm(o, s, u, m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);                        \
  }                                                                                               \
  inline void call_herk(CBLAS_ORDER o, CBLAS_UPLO u, CBLAS_TRANSPOSE t, int n, int k, R alpha,    \
                        const std::complex<R>* a, int lda, R beta, std::complex<R>* c, int ldc) { \
    beta = factor_left(o, u, n, beta, c, ldc);                                                    \
    cblas_##p##herk(o, u, t, n, k, alpha, a, lda, beta, c, ldc);                                  \
  }
PAPILIO_COMPLEX_CALLS(float, c, sc)
PAPILIO_COMPLEX_CALLS(double, z, dz)
#undef PAPILIO_COMPLEX_CALLS

/// Multiplies row-major matrices, as the column-major product of their transposes: OpenBLAS has a
/// shortcut for small row-major products, whose sums have another order than those of larger ones.
template <class T>
void call_row_major_gemm(CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k, T alpha,
                         const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  call_gemm(CblasColMajor, op_b, op_a, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
}

}  // namespace papilio::blas_detail

#pragma once

#include <complex>

// The complex types of LAPACKE are those of C++, before its header chooses those of C.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

// LAPACKE, column-major, under one name for the four types; returns info.
namespace papilio::blas_detail {

#define PAPILIO_LAPACK(T, p)                                                                \
  inline int lapack_gelqf(int m, int n, T* a, int lda, T* tau) {                            \
    return LAPACKE_##p##gelqf(LAPACK_COL_MAJOR, m, n, a, lda, tau);                         \
  }                                                                                         \
  inline int lapack_potrf(char uplo, int n, T* a, int lda) {                                \
    return LAPACKE_##p##potrf(LAPACK_COL_MAJOR, uplo, n, a, lda);                           \
  }                                                                                         \
  inline int lapack_getrf(int n, T* a, int lda, int* pivots) {                              \
    return LAPACKE_##p##getrf(LAPACK_COL_MAJOR, n, n, a, lda, pivots);                      \
  }                                                                                         \
  inline int lapack_getrs(int n, int columns, const T* a, int lda, const int* pivots, T* b, \
                          int ldb) {                                                        \
    return LAPACKE_##p##getrs(LAPACK_COL_MAJOR, 'N', n, columns, a, lda, pivots, b, ldb);   \
  }
PAPILIO_LAPACK(float, s)
PAPILIO_LAPACK(double, d)
PAPILIO_LAPACK(std::complex<float>, c)
PAPILIO_LAPACK(std::complex<double>, z)
#undef PAPILIO_LAPACK

#define PAPILIO_LAPACK(T, R, p, or_un, sy_he)                                                \
  inline int lapack_unglq(int m, int n, int k, T* a, int lda, const T* tau) {                \
    return LAPACKE_##p##or_un##glq(LAPACK_COL_MAJOR, m, n, k, a, lda, tau);                  \
  }                                                                                          \
  inline int lapack_gesdd(char job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* vh, \
                          int ldvh) {                                                        \
    return LAPACKE_##p##gesdd(LAPACK_COL_MAJOR, job, m, n, a, lda, s, u, ldu, vh, ldvh);     \
  }                                                                                          \
  inline int lapack_heevd(char job, char uplo, int n, T* a, int lda, R* w) {                 \
    return LAPACKE_##p##sy_he##evd(LAPACK_COL_MAJOR, job, uplo, n, a, lda, w);               \
  }
PAPILIO_LAPACK(float, float, s, or, sy)
PAPILIO_LAPACK(double, double, d, or, sy)
PAPILIO_LAPACK(std::complex<float>, float, c, un, he)
PAPILIO_LAPACK(std::complex<double>, double, z, un, he)
#undef PAPILIO_LAPACK

}  // namespace papilio::blas_detail

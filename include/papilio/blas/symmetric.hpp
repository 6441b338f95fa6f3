#pragma once

#include <complex>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Options of `symm` and `hemm`.
struct symm_options {
  matrix_side side = matrix_side::left;               ///< of the symmetric matrix
  matrix_triangle triangle = matrix_triangle::upper;  ///< the triangle of A that is read
  int threads = 0;  ///< at most so many, 0: every core; the result is the same

  bool operator==(const symm_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void symm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                      const symm_options& options, bool hermitian);
template <class T>
PAPILIO_API void symm_placed(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                             const symm_options& options, const execution& on);
PAPILIO_API shared_tensor symm_on_device(float alpha, const shared_tensor& a,
                                         const shared_tensor& b, const symm_options& options,
                                         const execution& on);
template <class T>
PAPILIO_API void symv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y,
                      matrix_triangle triangle, bool hermitian);
}  // namespace blas_detail

/// Computes C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric with one
/// triangle read. Any strides; copies only where BLAS cannot express them. beta = 0 never reads C.
/// Throws shape_error if extents do not fit or elements of C share an address, invalid_argument if
/// C shares memory with A or B or threads are negative, resource_error if an extent is above
/// 2^31 - 1.
template <class C>
  requires(blas_detail::output<C, 2>)
void symm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const symm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::symm<T>(alpha, a, b, beta, view<T, 2>(c), options, false);
}

/// Computes `symm` where an execution says: on the host, with its threads (options.threads must be
/// 0), or in one launch of an accelerator, to which the matrices are copied and from which C comes
/// back. recorded() returns what ran.
///
/// An accelerator takes float; alpha and beta are part of its program, and alpha = 0 multiplies all
/// the same. Under `automatic` the host computes what it refuses. Its sums have the error of its
/// gemm.
/// Throws as symm, and invalid_argument and device_error as execution says.
template <class C>
  requires(blas_detail::output<C, 2>)
void symm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const symm_options& options, const execution& on) {
  using T = blas_detail::element_of<C>;
  blas_detail::symm_placed<T>(alpha, a, b, beta, view<T, 2>(c), options, on);
}

/// Computes alpha A B (left) or alpha B A (right) of device arrays on their accelerator, in one
/// launch, whatever the policy; the result stays there.
/// Throws shape_error if extents do not fit, and as the operations of device_array.
inline device_array<float, 2> symm(float alpha, const device_array<float, 2>& a,
                                   const device_array<float, 2>& b,
                                   const symm_options& options = {}, const execution& on = {}) {
  return device_array<float, 2>(
      blas_detail::symm_on_device(alpha, a.tensor("symm"), b.tensor("symm"), options, on));
}

/// Computes `symm` with a Hermitian A; the imaginary parts of its diagonal are not read.
template <class C>
  requires(blas_detail::output<C, 2>)
void hemm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const symm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::symm<T>(alpha, a, b, beta, view<T, 2>(c), options, true);
}

/// Computes y = alpha A x + beta y, A symmetric. One thread. Throws as `symm`.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void symv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<Y>;
  blas_detail::symv<T>(alpha, a, x, beta, view<T, 1>(y), triangle, false);
}

/// Computes y = alpha A x + beta y, A Hermitian. One thread. Throws as `symm`.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void hemv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<Y>;
  blas_detail::symv<T>(alpha, a, x, beta, view<T, 1>(y), triangle, true);
}

/// Options of `syrk`, `herk`, `syr2k` and `her2k`.
struct syrk_options {
  /// none: A A^T; transpose: A^T A. For herk conjugate_transpose: A^H A.
  matrix_op a = matrix_op::none;
  matrix_triangle triangle = matrix_triangle::upper;  ///< the triangle of C that is written
  int threads = 0;  ///< at most so many, 0: every core; the result is the same

  bool operator==(const syrk_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void syrk(T alpha, view<const T, 2> a, T beta, view<T, 2> c,
                      const syrk_options& options);
template <class T>
PAPILIO_API void syrk_placed(T alpha, view<const T, 2> a, T beta, view<T, 2> c,
                             const syrk_options& options, const execution& on);
template <class T>
PAPILIO_API void herk(decltype(std::abs(T())) alpha, view<const T, 2> a,
                      decltype(std::abs(T())) beta, view<T, 2> c, const syrk_options& options);
}  // namespace blas_detail

/// Computes one triangle of C = alpha A A^T + beta C or alpha A^T A + beta C, C [n, n]; the other
/// is neither read nor written. Any strides; copies only where BLAS cannot express them. beta = 0
/// never reads C. O(n^2 k).
/// Throws shape_error if extents do not fit or elements of C share an address, invalid_argument if
/// C shares memory with A, threads are negative or, for complex types, options.a is not one of the
/// two, resource_error if an extent is above 2^31 - 1.
template <class C>
  requires(blas_detail::output<C, 2>)
void syrk(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          blas_detail::element_of<C> beta, C&& c, const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syrk<T>(alpha, a, beta, view<T, 2>(c), options);
}

/// Computes `syrk` where an execution says, as `symm` does. On an accelerator only the blocks of 128
/// that touch the triangle are computed and copied back. einsum<2>("ik,jk->ij", a, a) has the whole
/// of A A^T of a device array.
template <class C>
  requires(blas_detail::output<C, 2>)
void syrk(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          blas_detail::element_of<C> beta, C&& c, const syrk_options& options,
          const execution& on) {
  using T = blas_detail::element_of<C>;
  blas_detail::syrk_placed<T>(alpha, a, beta, view<T, 2>(c), options, on);
}

/// Computes one triangle of C = alpha A A^H + beta C or alpha A^H A + beta C with real alpha and
/// beta. The diagonal's imaginary parts become 0. Otherwise as `syrk`.
template <class C>
  requires(blas_detail::output<C, 2>)
void herk(decltype(std::abs(blas_detail::element_of<C>())) alpha,
          view<const blas_detail::element_of<C>, 2> a, decltype(alpha) beta, C&& c,
          const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::herk<T>(alpha, a, beta, view<T, 2>(c), options);
}

namespace blas_detail {
template <class T>
PAPILIO_API void syr2k(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                       const syrk_options& options, bool hermitian);
}  // namespace blas_detail

/// Computes one triangle of C = alpha A B^T + alpha B A^T + beta C or, where options.a is
/// transpose, of
///   C = alpha A^T B + alpha B^T A + beta C.
/// Otherwise as `syrk`, and C may not share memory with B either. O(n^2 k).
template <class C>
  requires(blas_detail::output<C, 2>)
void syr2k(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
           const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syr2k<T>(alpha, a, b, beta, view<T, 2>(c), options, false);
}

/// Computes one triangle of C = alpha A B^H + conj(alpha) B A^H + beta C or, where options.a is
/// conjugate_transpose, of
///   C = alpha A^H B + conj(alpha) B^H A + beta C, beta real.
/// The diagonal's imaginary parts become 0. Otherwise as `syr2k`.
template <class C>
  requires(blas_detail::output<C, 2>)
void her2k(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b,
           decltype(std::abs(blas_detail::element_of<C>())) beta, C&& c,
           const syrk_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::syr2k<T>(alpha, a, b, T(beta), view<T, 2>(c), options, true);
}

}  // namespace papilio

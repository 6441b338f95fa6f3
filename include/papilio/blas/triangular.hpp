#pragma once

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Describes op(A) of a triangular matrix; `triangle` is that of A as stored, before op.
struct triangular_options {
  matrix_triangle triangle = matrix_triangle::upper;
  matrix_op op = matrix_op::none;
  matrix_diagonal diagonal = matrix_diagonal::stored;

  bool operator==(const triangular_options&) const = default;
};

namespace blas_detail {
enum class triangular_use { product, solution };
template <class T>
PAPILIO_API void triangular(triangular_use use, T alpha, view<const T, 2> a, view<T, 2> b,
                            matrix_side side, const triangular_options& options, int threads);
template <class T>
PAPILIO_API void triangular_placed(triangular_use use, T alpha, view<const T, 2> a, view<T, 2> b,
                                   matrix_side side, const triangular_options& options,
                                   const execution& on);
PAPILIO_API shared_tensor triangular_on_device(triangular_use use, float alpha,
                                               const shared_tensor& a, const shared_tensor& b,
                                               matrix_side side, const triangular_options& options,
                                               const execution& on);
template <class T>
PAPILIO_API void triangular(triangular_use use, view<const T, 2> a, view<T, 1> x,
                            const triangular_options& options);
}  // namespace blas_detail

/// Computes B = alpha op(A) B (left) or alpha B op(A) (right), A triangular. Any strides; copies
/// only where BLAS cannot express them. At most `threads` threads (0: every core) share columns
/// (left) or rows (right) of B; the result does not depend on their number.
/// Throws shape_error if extents do not fit or elements of B share an address, invalid_argument if
/// B shares memory with A or threads are negative, resource_error if an extent is above 2^31 - 1.
template <class B>
  requires(blas_detail::output<B, 2>)
void trmm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b,
          const triangular_options& options = {}, int threads = 0) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular<T>(blas_detail::triangular_use::product, alpha, a, view<T, 2>(b), side,
                             options, threads);
}

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for X, which replaces B. A zero on
/// the diagonal gives infinities. Otherwise as `trmm`.
template <class B>
  requires(blas_detail::output<B, 2>)
void trsm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b,
          const triangular_options& options = {}, int threads = 0) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular<T>(blas_detail::triangular_use::solution, alpha, a, view<T, 2>(b), side,
                             options, threads);
}

/// Computes trmm where an execution says: on the host, or in one launch of an accelerator, to which
/// A and B are copied and from which the result comes back. recorded() returns what ran.
///
///   trmm(matrix_side::left, 1.0F, a, b, {.triangle = matrix_triangle::lower},
///        {.where = policy::device, .on = &dev});
///
/// An accelerator takes float and a finite alpha, which is part of its program; alpha = 0 multiplies
/// all the same, and an element that is not finite makes NaN of more than what depends on it: up to
/// the rest of its block of 128.
/// Under `automatic` the host computes what it refuses. Its sums have the error of its gemm.
/// Throws as trmm, and invalid_argument and device_error as execution says.
template <class B>
  requires(blas_detail::output<B, 2>)
void trmm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b, const triangular_options& options,
          const execution& on) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular_placed<T>(blas_detail::triangular_use::product, alpha, a, view<T, 2>(b),
                                    side, options, on);
}

/// Computes trsm where an execution says, as trmm does. An accelerator solves by blocks of 128 with
/// the inverses of those on the diagonal, and refines each once: as stable as substitution as long
/// as no such block is worse conditioned than about 10^5 (kernels::trsm_kernel). alpha = 0 gives
/// zeros.
template <class B>
  requires(blas_detail::output<B, 2>)
void trsm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b, const triangular_options& options,
          const execution& on) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular_placed<T>(blas_detail::triangular_use::solution, alpha, a, view<T, 2>(b),
                                    side, options, on);
}

/// Computes alpha op(A) B (left) or alpha B op(A) (right) of device arrays on their accelerator, in
/// one launch, whatever the policy; the result stays there.
/// Throws shape_error if extents do not fit, and as the operations of device_array.
inline device_array<float, 2> trmm(matrix_side side, float alpha, const device_array<float, 2>& a,
                                   const device_array<float, 2>& b,
                                   const triangular_options& options = {},
                                   const execution& on = {}) {
  return device_array<float, 2>(
      blas_detail::triangular_on_device(blas_detail::triangular_use::product, alpha,
                                        a.tensor("trmm"), b.tensor("trmm"), side, options, on));
}

/// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) of device arrays, as trmm.
inline device_array<float, 2> trsm(matrix_side side, float alpha, const device_array<float, 2>& a,
                                   const device_array<float, 2>& b,
                                   const triangular_options& options = {},
                                   const execution& on = {}) {
  return device_array<float, 2>(
      blas_detail::triangular_on_device(blas_detail::triangular_use::solution, alpha,
                                        a.tensor("trsm"), b.tensor("trsm"), side, options, on));
}

/// Computes x = op(A) x, A triangular. One thread. Throws as `trmm`.
template <class X>
  requires(blas_detail::output<X, 1>)
void trmv(view<const blas_detail::element_of<X>, 2> a, X&& x,
          const triangular_options& options = {}) {
  using T = blas_detail::element_of<X>;
  blas_detail::triangular<T>(blas_detail::triangular_use::product, a, view<T, 1>(x), options);
}

/// Solves op(A) y = x for y, which replaces x; A triangular. One thread. Throws as `trmm`.
template <class X>
  requires(blas_detail::output<X, 1>)
void trsv(view<const blas_detail::element_of<X>, 2> a, X&& x,
          const triangular_options& options = {}) {
  using T = blas_detail::element_of<X>;
  blas_detail::triangular<T>(blas_detail::triangular_use::solution, a, view<T, 1>(x), options);
}

}  // namespace papilio

#pragma once

#include <complex>
#include <type_traits>

#include "papilio/base/export.hpp"
#include "papilio/base/split_view.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio {

/// Complex matrix stored as two real ones of equal extents and any strides.
template <class T>
class split_matrix {
 public:
  /// shape_error if the parts differ in extents.
  split_matrix(view<T, 2> re, view<T, 2> im) : re_(re), im_(im) {
    if (re.extents() != im.extents())
      throw shape_error(base_detail::message("split_matrix: re is ", re.extent(0), " x ",
                                             re.extent(1), ", im ", im.extent(0), " x ",
                                             im.extent(1)));
  }
  /// The elements of `parts` as a row-major matrix; shape_error if they are not rows x columns.
  split_matrix(split_view<T> parts, const extents_type<2>& extents)
      : re_(parts.re().data(), extents), im_(parts.im().data(), extents) {
    if (checked_multiply(extents[0], extents[1], "split_matrix: size") != parts.size())
      throw shape_error(base_detail::message("split_matrix: ", parts.size(), " elements are not ",
                                             extents[0], " x ", extents[1]));
  }
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>)
  split_matrix(const split_matrix<U>& other) : re_(other.re()), im_(other.im()) {}

  view<T, 2> re() const { return re_; }
  view<T, 2> im() const { return im_; }

 private:
  view<T, 2> re_, im_;
};

/// A complex product as real ones. Four: Ar Br - Ai Bi and Ar Bi + Ai Br. Three: Ar Br, Ai Bi and
/// (Ar + Ai) (Br + Bi): a quarter fewer operations, for sums of the operands in memory; each part's
/// error is relative to the magnitude of the whole element, not of that part (Higham, Accuracy and
/// Stability of Numerical Algorithms, 23.2.4).
enum class complex_product { four, three };

struct gemm_split_options {
  matrix_op a = matrix_op::none;  ///< op(A)
  matrix_op b = matrix_op::none;  ///< op(B)
  complex_product product = complex_product::four;
  int threads = 0;  ///< 0: every core. The result does not depend on it.

  bool operator==(const gemm_split_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void gemm_split(const char* who, std::complex<T> alpha, split_matrix<const T> a,
                            split_matrix<const T> b, std::complex<T> beta, split_matrix<T> c,
                            const gemm_split_options& options);
template <class T>
PAPILIO_API void gemm_three_products(std::complex<T> alpha, view<const std::complex<T>, 2> a,
                                     view<const std::complex<T>, 2> b, std::complex<T> beta,
                                     view<std::complex<T>, 2> c, const gemm_options& options);
}  // namespace blas_detail

/// C = alpha op(A) op(B) + beta C on complex matrices in split storage, T = float or double, by
/// real products. Extents, beta = 0, alpha = 0, threads and errors as `gemm`'s; the parts of C must
/// not share memory either. O(m n k).
template <class T>
void gemm_split(std::type_identity_t<std::complex<T>> alpha,
                std::type_identity_t<split_matrix<const T>> a,
                std::type_identity_t<split_matrix<const T>> b,
                std::type_identity_t<std::complex<T>> beta, split_matrix<T> c,
                const gemm_split_options& options = {}) {
  blas_detail::gemm_split<T>("gemm_split", alpha, a, b, beta, c, options);
}

/// `gemm` on interleaved complex matrices by three real products instead of four; copies the parts
/// of both operands and their sums.
template <class C>
  requires(blas_detail::output<C, 2> && !std::is_floating_point_v<blas_detail::element_of<C>>)
void gemm_three_products(blas_detail::element_of<C> alpha,
                         view<const blas_detail::element_of<C>, 2> a,
                         view<const blas_detail::element_of<C>, 2> b,
                         blas_detail::element_of<C> beta, C&& c, const gemm_options& options = {}) {
  using Z = blas_detail::element_of<C>;
  blas_detail::gemm_three_products<typename Z::value_type>(alpha, a, b, beta, view<Z, 2>(c),
                                                           options);
}

}  // namespace papilio

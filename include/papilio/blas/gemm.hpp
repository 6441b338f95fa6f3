#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/element.hpp"

namespace papilio {

/// Options of `gemm` and its variants.
struct gemm_options {
  matrix_op a = matrix_op::none;  ///< op(A)
  matrix_op b = matrix_op::none;  ///< op(B)
  int threads = 0;                ///< at most so many, 0: every core; the result is the same

  bool operator==(const gemm_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void gemm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                      const gemm_options& options);
}  // namespace blas_detail

/// Computes C = alpha op(A) op(B) + beta C on the host, for float, double and both complex types:
/// op(A) is [m, k], op(B) [k, n], C [m, n]. Each is an array or a view of any strides: transposed,
/// reversed or broadcast by stride 0 (C without shared elements). contract.hpp has products without
/// alpha and beta that also run on an accelerator.
///
/// - beta = 0 never reads C; alpha = 0 and k = 0 never read A and B.
/// - An operand is copied only where BLAS cannot express its strides: neither of them 1, negative
///   or 0, or overlapping rows.
/// - Large products are cut into pieces, each one serial call of OpenBLAS, which threads share.
///   Small ones are one call and allocate nothing.
///
/// O(m n k).
/// Throws shape_error if extents do not fit or elements of C share an address, invalid_argument if
/// C shares memory with A or B or threads are negative, resource_error if there is no memory for a
/// copy or partial sums; all before C is written.
template <class C>
  requires(blas_detail::output<C, 2>)
void gemm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemm<T>(alpha, a, b, beta, view<T, 2>(c), options);
}

namespace blas_detail {
template <class T>
PAPILIO_API void gemm_batched(T alpha, view<const T, 3> a, view<const T, 3> b, T beta, view<T, 3> c,
                              const gemm_options& options);
}  // namespace blas_detail

/// Computes C[i] = alpha op(A[i]) op(B[i]) + beta C[i] for every i. A, B and C are [batch, ., .];
/// an operand that all items share has stride 0 along the batch. Each item has the bits of `gemm`.
/// Threads share items and blocks. O(batch m n k).
/// Throws as `gemm`.
template <class C>
  requires(blas_detail::output<C, 3>)
void gemm_batched(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 3> a,
                  view<const blas_detail::element_of<C>, 3> b, blas_detail::element_of<C> beta,
                  C&& c, const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemm_batched<T>(alpha, a, b, beta, view<T, 3>(c), options);
}

/// Holds a finished block of a product: values(i, j) is the element (row + i, column + j) of C.
template <class T>
struct gemm_block {
  std::size_t index = 0;  ///< 0 ... gemm_block_count - 1
  std::size_t row = 0, column = 0;
  view<T, 2> values = {};
};

/// Returns the number of blocks that [m, n] = [m, k] [k, n] is cut into. It depends only on these
/// extents and the type.
template <class T>
PAPILIO_API std::size_t gemm_block_count(std::size_t m, std::size_t n, std::size_t k);

/// Computes alpha op(A) op(B) block by block and calls `visit` with each block. `visit` may change
/// the values but must not keep the view. Several threads may call it at once, in any order.
/// Memory: one block per thread.
/// Throws as `gemm`, and what `visit` throws.
template <class T>
PAPILIO_API void gemm_for_blocks(T alpha, view<const T, 2> a, view<const T, 2> b,
                                 function_ref<void(const gemm_block<T>&)> visit,
                                 const gemm_options& options = {});

namespace blas_detail {
template <class T>
PAPILIO_API void gemm_then(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                           function_ref<void(const gemm_block<T>&)> finish,
                           const gemm_options& options);
}  // namespace blas_detail

/// Computes C(i, j) = epilogue(x, i, j), x = (alpha op(A) op(B) + beta C)(i, j), in each block of C
/// while it is in cache. The epilogue is called once for each element, by several threads at once.
/// If it throws, C is left partly written. Otherwise as `gemm`.
template <class C, class Epilogue>
  requires(blas_detail::output<C, 2>)
void gemm_epilogue(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
                   view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta,
                   C&& c, const Epilogue& epilogue, const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  const auto finish = [&](const gemm_block<T>& block) {
    // Along the smaller stride, so that a column-major C is walked through as it lies.
    const auto [outer, inner] = block.values.extents();
    if (block.values.stride(1) == 1 || block.values.stride(0) != 1) {
      for (std::size_t i = 0; i < outer; ++i)
        for (std::size_t j = 0; j < inner; ++j)
          block.values(i, j) = epilogue(block.values(i, j), block.row + i, block.column + j);
    } else {
      for (std::size_t j = 0; j < inner; ++j)
        for (std::size_t i = 0; i < outer; ++i)
          block.values(i, j) = epilogue(block.values(i, j), block.row + i, block.column + j);
    }
  };
  blas_detail::gemm_then<T>(alpha, a, b, beta, view<T, 2>(c), finish, options);
}

/// Describes one product of `gemm_grouped`: c = alpha op_a(a) op_b(b) + beta c.
template <class T>
struct gemm_item {
  T alpha = T(1);
  view<const T, 2> a = {};
  view<const T, 2> b = {};
  T beta = T(0);
  view<T, 2> c = {};
  matrix_op op_a = matrix_op::none;
  matrix_op op_b = matrix_op::none;
};

/// Computes products of any shapes at once. Each has the bits of `gemm`. At most `threads` threads
/// share problems and blocks; 0: every core.
/// Throws as `gemm`, with the index of the problem, and invalid_argument if a C shares memory with
/// an operand of another problem; all before anything is written.
template <class T>
PAPILIO_API void gemm_grouped(std::span<const gemm_item<T>> problems, int threads = 0);

/// Computes combine over all (i, j) of map(x(i, j), i, j), x = alpha op(A) op(B), without storing
/// x.
/// - `map(T, std::size_t, std::size_t)` returns a Result.
/// - `combine(Result, Result)` joins two results.
/// - `identity` is the neutral element of combine, and the result of an empty product.
///
/// Several threads call both at once. The order of combination depends only on the extents: row by
/// row within each block, then block by block.
/// Throws as `gemm`.
template <class A, class Result, class Map, class Combine>
  requires(blas_detail::is_element<blas_detail::element_of<A>>)
Result gemm_reduce(blas_detail::element_of<A> alpha, const A& a,
                   view<const blas_detail::element_of<A>, 2> b, Result identity, const Map& map,
                   const Combine& combine, const gemm_options& options = {}) {
  using T = blas_detail::element_of<A>;
  const view<const T, 2> left(a);
  const auto columns_of = [](matrix_op op) {
    return op == matrix_op::transpose || op == matrix_op::conjugate_transpose ? 0u : 1u;
  };
  const std::size_t side_a = columns_of(options.a), side_b = columns_of(options.b);
  struct partial {  // Its own cache line; and a vector of bool would not be written by threads.
    alignas(64) Result value;
  };
  std::vector<partial> partials(
      gemm_block_count<T>(left.extent(1 - side_a), b.extent(side_b), left.extent(side_a)),
      partial{identity});
  const auto visit = [&](const gemm_block<T>& block) {
    Result result = identity;
    for (std::size_t i = 0; i < block.values.extent(0); ++i)
      for (std::size_t j = 0; j < block.values.extent(1); ++j)
        result = combine(result, map(block.values(i, j), block.row + i, block.column + j));
    partials[block.index].value = result;
  };
  gemm_for_blocks<T>(alpha, left, b, visit, options);
  Result result = identity;
  for (const partial& p : partials) result = combine(result, p.value);
  return result;
}

/// Refers to a complex matrix stored as two real matrices of equal extents and any strides.
template <class T>
class split_matrix {
 public:
  /// Throws shape_error if the two planes differ in extents.
  split_matrix(view<T, 2> re, view<T, 2> im) : re_(re), im_(im) {
    if (re.extents() != im.extents())
      throw shape_error(base_detail::message("split_matrix: re is ", re.extent(0), " x ",
                                             re.extent(1), ", im ", im.extent(0), " x ",
                                             im.extent(1)));
  }
  /// Views the elements of `parts` as a row-major matrix. Throws shape_error unless there are
  /// rows x columns of them.
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

/// Selects how a complex product is made of real ones.
/// - Four: Ar Br - Ai Bi and Ar Bi + Ai Br.
/// - Three: Ar Br, Ai Bi and (Ar + Ai) (Br + Bi). A quarter fewer operations, but sums of the
///   operands in memory. Errors of real and imaginary parts are relative to the magnitude of the
///   whole element (Higham, Accuracy and Stability of Numerical Algorithms, 23.2.4).
enum class complex_product { four, three };

/// Options of `gemm_split`.
struct gemm_split_options {
  matrix_op a = matrix_op::none;  ///< op(A)
  matrix_op b = matrix_op::none;  ///< op(B)
  complex_product product = complex_product::four;
  int threads = 0;  ///< at most so many, 0: every core; the result is the same

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

/// Computes C = alpha op(A) op(B) + beta C on complex matrices in split storage, T = float or
/// double, by real products. Extents, beta = 0, alpha = 0 and threads are as in `gemm`. O(m n k).
/// Throws as `gemm`, and invalid_argument if the planes of C share memory.
template <class T>
void gemm_split(std::type_identity_t<std::complex<T>> alpha,
                std::type_identity_t<split_matrix<const T>> a,
                std::type_identity_t<split_matrix<const T>> b,
                std::type_identity_t<std::complex<T>> beta, split_matrix<T> c,
                const gemm_split_options& options = {}) {
  blas_detail::gemm_split<T>("gemm_split", alpha, a, b, beta, c, options);
}

/// Computes `gemm` on interleaved complex matrices by three real products instead of four. Copies
/// the real and imaginary planes of both operands and their sums.
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

namespace blas_detail {
template <class T>
PAPILIO_API void gemmt(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                       matrix_triangle triangle, const gemm_options& options);
}  // namespace blas_detail

/// Computes one triangle of C = alpha op(A) op(B) + beta C, C [n, n], for half the work of `gemm`.
/// Use it where the product is known to be symmetric or the other triangle is not needed; that one
/// is neither read nor written. A C that BLAS cannot take is copied block by block.
/// Throws as `gemm`, and shape_error if C is not square.
template <class C>
  requires(blas_detail::output<C, 2>)
void gemmt(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
           view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
           matrix_triangle triangle = matrix_triangle::upper, const gemm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::gemmt<T>(alpha, a, b, beta, view<T, 2>(c), triangle, options);
}

}  // namespace papilio

#pragma once

#include "blas/gemm_check.hpp"
#include "blas/vector_pieces.hpp"
#include "papilio/blas/symmetric.hpp"
#include "papilio/blas/triangular.hpp"

// Argument checks of products and systems with triangles, for host and device alike. `who` begins
// the messages.
namespace papilio::blas_detail {

template <class T>
void check_square(const char* who, const view<const T, 2>& a, std::size_t n) {
  if (a.extent(0) != n || a.extent(1) != n)
    throw shape_error(base_detail::message(who, ": a is ", a.extent(0), " x ", a.extent(1),
                                           "; must be ", n, " x ", n));
}

template <class T>
void check_triangular(const char* who, const view<const T, 2>& a, const view<T, 2>& b,
                      matrix_side side, int threads) {
  check_square(who, a, b.extent(side == matrix_side::left ? 0 : 1));
  check_threads(who, threads);
  require_distinct_elements(who, b);
  check_apart(who, "a", a, "b", b);
}

template <class T>
void check_symmetric(const char* who, const view<const T, 2>& a, const view<const T, 2>& b,
                     const view<T, 2>& c, const symm_options& options) {
  const std::size_t n = c.extent(options.side == matrix_side::left ? 0 : 1);
  if (b.extents() != c.extents() || a.extent(0) != n || a.extent(1) != n)
    throw shape_error(base_detail::message(
        who, ": a is ", a.extent(0), " x ", a.extent(1), ", b is ", b.extent(0), " x ", b.extent(1),
        ", c is ", c.extent(0), " x ", c.extent(1), "; a must be square and fit, c be as b"));
  check_threads(who, options.threads);
  check_memory(who, a, b, c);
}

/// `n` rows of op(A) must be those of C.
template <class T>
void check_update(const char* who, const view<const T, 2>& a, const view<T, 2>& c, std::size_t n,
                  int threads) {
  if (c.extent(0) != n || c.extent(1) != n)
    throw shape_error(base_detail::message(who, ": a is ", a.extent(0), " x ", a.extent(1),
                                           ", c is ", c.extent(0), " x ", c.extent(1), "; must be ",
                                           n, " x ", n));
  check_threads(who, threads);
  require_distinct_elements(who, c);
  check_apart(who, "a", a, "c", c);
}

}  // namespace papilio::blas_detail

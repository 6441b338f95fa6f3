#pragma once

#include <cstddef>

#include "blas/gemm_core.hpp"
#include "blas/shared_memory.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::blas_detail {

/// Refuses extents that do not fit. `who` begins the message.
template <class T>
void check_shapes(const char* who, const gemm_product<T>& p) {
  using base_detail::message;
  if (p.a.rows != p.c.rows || p.a.columns != p.b.rows || p.b.columns != p.c.columns)
    throw shape_error(message(who, ": op(a) is ", p.a.rows, " x ", p.a.columns, ", op(b) is ",
                              p.b.rows, " x ", p.b.columns, ", c is ", p.c.rows, " x ", p.c.columns,
                              "; must be m x k, k x n, m x n"));
}

inline void check_threads(const char* who, int threads) {
  if (threads < 0)
    throw invalid_argument(
        base_detail::message(who, ": threads must be at least 0, got ", threads));
}

/// Throws shape_error where elements of an output share an address.
template <class T, std::size_t Rank>
void require_distinct_elements(const char* who, const view<T, Rank>& c) {
  if constexpr (Rank == 2)  // without allocating, where the strides are those of BLAS
    if (is_expressible(strided_matrix<T>(c))) return;
  base_detail::require_distinct(who, c);
}

template <class T, std::size_t Rank>
void check_memory(const char* who, const view<const T, Rank>& a, const view<const T, Rank>& b,
                  const view<T, Rank>& c) {
  const auto set_a = elements_of(base_detail::any_rank(a));
  const auto set_b = elements_of(base_detail::any_rank(b));
  const auto set_c = elements_of(base_detail::any_rank(c));
  require_distinct_elements(who, c);
  if (shares_memory(set_a, set_c))
    throw invalid_argument(base_detail::message(who, ": c shares memory with a"));
  if (shares_memory(set_b, set_c))
    throw invalid_argument(base_detail::message(who, ": c shares memory with b"));
}

}  // namespace papilio::blas_detail

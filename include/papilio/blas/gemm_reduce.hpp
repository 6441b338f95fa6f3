#pragma once

#include <cstddef>
#include <vector>

#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/gemm_blocks.hpp"

namespace papilio {

/// combine over all (i, j) of map(x(i, j), i, j), x = alpha op(A) op(B), which is never stored
/// whole. `map(T, std::size_t, std::size_t)` gives a Result, `combine(Result, Result)` joins two;
/// `identity` is combine's neutral element and what an empty product gives. Both are called by
/// several threads at once. The order of combination depends on the extents alone: row by row
/// within each block, then block by block. Errors as `gemm`'s.
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

}  // namespace papilio

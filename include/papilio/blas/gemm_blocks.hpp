#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio {

/// A finished block of a product: values(i, j) is the element (row + i, column + j) of C.
template <class T>
struct gemm_block {
  std::size_t index = 0;  ///< 0 ... gemm_block_count - 1
  std::size_t row = 0, column = 0;
  view<T, 2> values = {};
};

/// Into how many blocks [m, n] = [m, k] [k, n] is cut. It depends on these extents and the type
/// alone.
template <class T>
PAPILIO_API std::size_t gemm_block_count(std::size_t m, std::size_t n, std::size_t k);

/// alpha op(A) op(B) block by block, never whole: calls `visit` with each, which may change the
/// values and must keep none of them. Several threads may call it at once, in no certain order.
/// Errors as `gemm`'s; what `visit` throws. Memory: a block for each thread.
template <class T>
PAPILIO_API void gemm_for_blocks(T alpha, view<const T, 2> a, view<const T, 2> b,
                                 function_ref<void(const gemm_block<T>&)> visit,
                                 const gemm_options& options = {});

}  // namespace papilio

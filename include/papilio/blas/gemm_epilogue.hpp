#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"
#include "papilio/base/function_ref.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/gemm.hpp"
#include "papilio/blas/gemm_blocks.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void gemm_then(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                           function_ref<void(const gemm_block<T>&)> finish,
                           const gemm_options& options);
}  // namespace blas_detail

/// C(i, j) = epilogue(x, i, j), x = (alpha op(A) op(B) + beta C)(i, j): applied to each block of C
/// while it is in cache. The epilogue is called once for each element, by several threads at once.
/// Where it throws, C is left partly written. Otherwise as `gemm`.
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

}  // namespace papilio

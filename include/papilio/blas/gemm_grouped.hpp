#pragma once

#include <span>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

/// One of the products of `gemm_grouped`: c = alpha op_a(a) op_b(b) + beta c.
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

/// Products of any shapes at once: as `gemm` on each, to the bit, with threads over problems and
/// blocks. `threads` at most, 0: every core.
///
/// Errors as `gemm`'s, the problem named by its index, all before anything is written; further
/// invalid_argument where a C shares memory with an operand of another problem.
template <class T>
PAPILIO_API void gemm_grouped(std::span<const gemm_item<T>> problems, int threads = 0);

}  // namespace papilio

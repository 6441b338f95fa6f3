#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/resident.hpp"

namespace papilio {

/// Of products that run where an execution says.
struct product_options {
  matrix_op a = matrix_op::none;  ///< op(A)
  matrix_op b = matrix_op::none;  ///< op(B)
  execution on = {};
};

namespace contract_detail {

template <class T>
PAPILIO_API void product(const char* function, view<const T, 3> a, view<const T, 3> b, view<T, 3> c,
                         const product_options& options);
PAPILIO_API shared_tensor resident_product(const char* function, const shared_tensor& a,
                                           const shared_tensor& b, const product_options& options);

/// op(A)'s rows and columns, of the last two axes.
inline std::size_t rows_of(const extents_type<3>& e, matrix_op op) {
  return op == matrix_op::none || op == matrix_op::conjugate ? e[1] : e[2];
}
inline std::size_t columns_of(const extents_type<3>& e, matrix_op op) {
  return op == matrix_op::none || op == matrix_op::conjugate ? e[2] : e[1];
}

template <class T>
view<T, 3> as_batch(const view<T, 2>& v) {
  return {v.data(), {1, v.extent(0), v.extent(1)}, {0, v.stride(0), v.stride(1)}};
}
template <class T>
view<T, 3> as_batch(const view<T, 3>& v) {
  return v;
}

template <class T, std::size_t Rank>
std::integral_constant<std::size_t, Rank> rank_tag(const view<T, Rank>&);
template <class T, std::size_t Rank>
std::integral_constant<std::size_t, Rank> rank_tag(const array<T, Rank>&);
std::integral_constant<std::size_t, 0> rank_tag(...);
template <class Operand>
inline constexpr std::size_t rank_of = decltype(rank_tag(std::declval<const Operand&>()))::value;

/// A view or an array of float, double or their complex types, of 2 or 3 axes.
template <class Operand>
concept matrix_operand = (rank_of<Operand> == 2 || rank_of<Operand> == 3) &&
                         blas_detail::is_element<blas_detail::element_of<Operand>>;

}  // namespace contract_detail

/// C = op(A) op(B) into memory that is there, where options.on says: on the host by `gemm` of
/// blas.hpp, on an accelerator by one launch. Operands are matrices, or batches of them, [batch,
/// rows, columns], of which A or B may have a batch of 1 for all; float, double and both complex
/// types, any strides; C may not overlap A or B.
///
/// An accelerator takes float and complex<float>; transposes are copies of the
/// host there, and conjugates are refused (device_error; under `automatic` the host does them).
/// shape_error where extents do not fit; invalid_argument, device_error as execution says.
/// last_run() tells what ran. O(batch m n k).
template <contract_detail::matrix_operand A, contract_detail::matrix_operand B, class T,
          std::size_t Rank>
void gemm_into(const A& a, const B& b, const view<T, Rank>& c,
               const product_options& options = {}) {
  const view<const T, contract_detail::rank_of<A>> left = a;
  const view<const T, contract_detail::rank_of<B>> right = b;
  contract_detail::product<T>("gemm_into", contract_detail::as_batch(left),
                              contract_detail::as_batch(right), contract_detail::as_batch(c),
                              options);
}

/// op(A) op(B) as a new array, of 3 axes if one of the operands has 3.
template <contract_detail::matrix_operand A, contract_detail::matrix_operand B>
auto gemm(const A& a, const B& b, const product_options& options = {}) {
  using namespace contract_detail;
  using T = blas_detail::element_of<A>;
  const view<const T, rank_of<A>> left = a;
  const view<const T, rank_of<B>> right = b;
  const view<const T, 3> from = as_batch(left), by = as_batch(right);
  const std::size_t m = rows_of(from.extents(), options.a);
  const std::size_t n = columns_of(by.extents(), options.b);
  if constexpr (rank_of<A> == 2 && rank_of<B> == 2) {
    array<T, 2> c({m, n});
    product<T>("gemm", from, by, as_batch(c.view()), options);
    return c;
  } else {
    array<T, 3> c({from.extent(0) == 1 ? by.extent(0) : from.extent(0), m, n});
    product<T>("gemm", from, by, c.view(), options);
    return c;
  }
}

/// The same of operands that lie on an accelerator; the result stays there. Only op none: there are
/// no copies of the host that could transpose (device_error).
template <resident_element T, std::size_t RankA, std::size_t RankB>
  requires((RankA == 2 || RankA == 3) && (RankB == 2 || RankB == 3))
auto gemm(const resident<T, RankA>& a, const resident<T, RankB>& b,
          const product_options& options = {}) {
  return resident < T, RankA == 2 && RankB == 2
                           ? 2
                           : 3 > (contract_detail::resident_product("gemm", a.tensor("gemm"),
                                                                    b.tensor("gemm"), options));
}

}  // namespace papilio

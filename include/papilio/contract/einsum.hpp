#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

namespace contract_detail {

template <class T>
PAPILIO_API tensor<T> einsum(std::string_view subscripts,
                             std::span<const tensor_view<const T>> operands,
                             const einsum_options& options);
template <class T>
PAPILIO_API void einsum_into(std::string_view subscripts, const tensor_view<T>& out,
                             std::span<const tensor_view<const T>> operands,
                             const einsum_options& options);
template <class T>
PAPILIO_API tensor<T> einsum(const einsum_labels& labels,
                             std::span<const tensor_view<const T>> operands,
                             const einsum_options& options);
template <class T>
PAPILIO_API void einsum_into(const einsum_labels& labels, const tensor_view<T>& out,
                             std::span<const tensor_view<const T>> operands,
                             const einsum_options& options);

PAPILIO_API shared_tensor einsum_on_device(std::string_view subscripts,
                                           std::span<const shared_tensor> operands,
                                           std::size_t rank, const einsum_options& options);

}  // namespace contract_detail

/// einsum("ij,jk->ik", a, b) in numpy's grammar (`parse_einsum` says it whole): the sum of products
/// over the labels that the result has not, as a new row-major tensor. An einsum_options may follow
/// the operands. Instead of a text, labels may be numbers: einsum(einsum_labels{{{0, 1}, {1, 2}},
/// {{0, 2}}}, a, b).
///
/// Operands are views of any strides, arrays or tensors of float, double or their complex types;
/// where types differ, the others are converted to the one that holds them all. More than two are
/// contracted pairwise in the order that options.path finds. Each pair is lowered to one product of
/// matrices, or a batch of them, without copies where BLAS can express the strides; on an
/// accelerator (options.on) all steps are one program and one dispatch, of float and
/// complex<float>. Plans are kept (`contraction_cache_statistics`); the result does not depend on
/// threads.
///
/// invalid_argument, shape_error for subscripts and extents as parse_einsum; invalid_argument for
/// an imaginary alpha or beta of real operands, conjugate flags beyond the operands, and as
/// find_path, path_of and execution say; resource_error where memory cannot be had.
template <class... Arguments>
auto einsum(std::string_view subscripts, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::einsum<T>(subscripts, operands, options);
      },
      arguments...);
}
template <class... Arguments>
auto einsum(const einsum_labels& labels, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::einsum<T>(labels, operands, options);
      },
      arguments...);
}

/// The same of operands in a list.
template <class T>
tensor<T> einsum(std::string_view subscripts, std::span<const tensor_view<const T>> operands,
                 const einsum_options& options = {}) {
  return contract_detail::einsum<T>(subscripts, operands, options);
}

/// The same into memory that is there: out = alpha sum(products) + beta out. The element type is
/// that of `out`, which operands must not exceed. shape_error unless out has the result's extents
/// and no two of its elements share an address; invalid_argument where it shares memory with an
/// operand; all before it is written.
template <class Out, class... Arguments>
void einsum_into(std::string_view subscripts, Out&& out, const Arguments&... arguments) {
  using T = blas_detail::element_of<Out>;
  static_assert(std::is_same_v<T, typename contract_detail::common_element<
                                      T, contract_detail::operands_element<Arguments...>>::type>,
                "the result's type must hold the operands'");
  const tensor_view<T> to = out;
  contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        contract_detail::einsum_into<T>(subscripts, to, operands, options);
      },
      arguments...);
}
template <class Out, class... Arguments>
void einsum_into(const einsum_labels& labels, Out&& out, const Arguments&... arguments) {
  using T = blas_detail::element_of<Out>;
  static_assert(std::is_same_v<T, typename contract_detail::common_element<
                                      T, contract_detail::operands_element<Arguments...>>::type>,
                "the result's type must hold the operands'");
  const tensor_view<T> to = out;
  contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        contract_detail::einsum_into<T>(labels, to, operands, options);
      },
      arguments...);
}

/// The same of operands that lie on an accelerator, all of one type: einsum<2>("ij,jk->ik", a, b).
/// It runs there, whatever the policy, in one launch, and the result, of Rank axes (at least one,
/// as device arrays have), stays there. shape_error where the result has another number of axes;
/// invalid_argument for alpha, beta and rounding, which are the host's, and for operands on two
/// accelerators; device_error where it has no elements, or an accelerator is gone.
template <std::size_t Rank, class First, class... Rest>
  requires(contract_detail::device_array_traits<First>::value)
auto einsum(std::string_view subscripts, const First& first, const Rest&... rest) {
  static_assert(Rank > 0, "a device array has at least one axis");
  using T = typename contract_detail::device_array_traits<First>::element;
  std::vector<shared_tensor> operands;
  einsum_options options;
  const auto take = [&](const auto& argument) {
    using Argument = std::remove_cvref_t<decltype(argument)>;
    if constexpr (contract_detail::is_options<Argument>) {
      options = argument;
    } else {
      static_assert(std::is_same_v<typename Argument::value_type, T>,
                    "operands on an accelerator are all real or all complex");
      operands.push_back(argument.tensor("einsum"));
    }
  };
  take(first);
  (take(rest), ...);
  return device_array<T, Rank>(
      contract_detail::einsum_on_device(subscripts, operands, Rank, options));
}

/// One einsum of several.
template <class T>
struct contraction {
  std::string subscripts;
  std::vector<tensor_view<const T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as einsum_options says
};

struct contract_many_options {
  path_options path = {};
  execution on = {};
};

/// What contractions had in common.
struct contraction_sharing {
  std::size_t steps = 0;          ///< of all contractions, each for itself
  std::size_t distinct = 0;       ///< that ran
  std::size_t shared_copies = 0;  ///< copies of operands for BLAS that an earlier step had made
  std::size_t grouped = 0;        ///< products of matrices that ran together with others
  /// Batched products that those were: one for all of one shape and layout that are ready at once.
  std::size_t batches = 0;
  bool operator==(const contraction_sharing&) const = default;
};

/// The results of einsum for each contraction, to the bit if each runs alone; T is float, double or
/// one of their complex types. Steps that several contractions have in common (the same operands in
/// memory, the same labels) run once; copies of operands that BLAS needs are made once. Products of
/// matrices that do not depend on each other run together: those of one shape and layout as one
/// batched product, threads over the blocks of all. Steps that are no product of matrices, or that
/// copy for themselves, run side by side where they are small. On the host what is in slices runs
/// for itself.
///
/// An accelerator runs all of them in one launch: operands are copied there once, and all results
/// come back together; under `automatic` the whole is compared. Slices are loops of its program: of
/// contractions in slices, those that are alike as wholes run once. Results of common steps are
/// held until the last that needs them. Errors as einsum's, the contraction named by its index,
/// before anything runs.
template <class T>
PAPILIO_API std::vector<tensor<T>> contract_many(std::span<const contraction<T>> contractions,
                                                 const contract_many_options& options = {},
                                                 contraction_sharing* sharing = nullptr);

/// One einsum of several, of operands that lie on an accelerator.
template <device_element T>
struct device_contraction {
  std::string subscripts;
  std::vector<device_ndarray<T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as einsum_options says
};

/// The same where the operands lie, whatever the policy, in one launch: results, of at least one
/// axis each, stay there, and equal ones are one. `sharing`, if not null, gets the number of steps and of those that differ. invalid_argument
/// for operands on two accelerators, and where the execution names another; shape_error for a
/// result without axes; device_error for an empty device array or one whose accelerator is gone, and
/// for a precision that it has not; the contraction named by its index, before anything runs.
template <class T>
PAPILIO_API std::vector<device_ndarray<T>> contract_many(
    std::span<const device_contraction<T>> contractions, const contract_many_options& options = {},
    contraction_sharing* sharing = nullptr);

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
PAPILIO_API shared_tensor product_on_device(const char* function, const shared_tensor& a,
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

/// C = op(A) op(B) into memory that is there: gemm with alpha = 1 and beta = 0, run where options.on
/// says, on the host or on an accelerator, by one launch. Operands are matrices, or batches of them,
/// [batch, rows, columns], of which A or B may have a batch of 1 for all; float, double and both
/// complex types, any strides; C may not overlap A or B.
///
/// An accelerator takes float and complex<float>; transposes are copies of the
/// host there, and conjugates are refused (device_error; under `automatic` the host does them).
/// shape_error where extents do not fit; invalid_argument, device_error as execution says.
/// recorded() returns what ran. O(batch m n k).
template <contract_detail::matrix_operand A, contract_detail::matrix_operand B, class T,
          std::size_t Rank>
void gemm(const A& a, const B& b, const view<T, Rank>& c, const product_options& options = {}) {
  const view<const T, contract_detail::rank_of<A>> left = a;
  const view<const T, contract_detail::rank_of<B>> right = b;
  contract_detail::product<T>("gemm", contract_detail::as_batch(left),
                              contract_detail::as_batch(right), contract_detail::as_batch(c),
                              options);
}

/// The same as a new array, of 3 axes if one of the operands has 3.
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
template <device_element T, std::size_t RankA, std::size_t RankB>
  requires((RankA == 2 || RankA == 3) && (RankB == 2 || RankB == 3))
auto gemm(const device_array<T, RankA>& a, const device_array<T, RankB>& b,
          const product_options& options = {}) {
  return device_array < T, RankA == 2 && RankB == 2
                               ? 2
                               : 3 > (contract_detail::product_on_device(
                                         "gemm", a.tensor("gemm"), b.tensor("gemm"), options));
}

}  // namespace papilio

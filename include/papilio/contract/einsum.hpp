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

/// Computes an einsum, einsum("ij,jk->ik", a, b), as a new row-major tensor: the sum of products
/// over the labels that the result lacks. The grammar is numpy's (`parse_einsum`). Labels may be
/// numbers: einsum(einsum_labels{{{0, 1}, {1, 2}}, {{0, 2}}}, a, b). An einsum_options may follow
/// the operands.
///
/// - Operands are views of any strides, arrays or tensors of float, double or their complex types.
///   If types differ, all are converted to the type that holds them all.
/// - More than two operands are contracted pairwise in the order that options.path finds.
/// - Each pair becomes one product of matrices, or a batch of them, without copies where BLAS can
///   express the strides.
/// - On an accelerator (options.on; float and complex<float>) all steps are one program and one
///   dispatch.
/// - Plans are cached (`contraction_cache_statistics`). The result does not depend on threads.
///
/// Throws invalid_argument and shape_error as parse_einsum; invalid_argument for an imaginary alpha
/// or beta with real operands, a beta other than 0, conjugate flags beyond the operands, and as
/// find_path, path_of and execution say; resource_error if options.pairs exceed
/// path.largest_intermediate or there is no memory.
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

/// Computes the einsum of a list of operands.
template <class T>
tensor<T> einsum(std::string_view subscripts, std::span<const tensor_view<const T>> operands,
                 const einsum_options& options = {}) {
  return contract_detail::einsum<T>(subscripts, operands, options);
}

/// Computes out = alpha sum(products) + beta out into existing memory, otherwise as einsum. The
/// element type is that of `out`, which must hold the operands' types.
/// Throws as einsum, but takes any beta; shape_error unless out has the result's extents and
/// distinct elements, invalid_argument if it shares memory with an operand; all before it is
/// written.
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

/// Computes an einsum of device arrays of one type, einsum<2>("ij,jk->ik", a, b), on their
/// accelerator in one launch, whatever the policy. The result, of Rank axes (at least one), stays
/// there.
/// Throws shape_error if the result has another number of axes; invalid_argument for alpha, beta or
/// rounding (host only), and for operands on two accelerators; device_error if an operand is empty
/// or its accelerator is gone.
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

/// Describes one einsum of several.
template <class T>
struct contraction {
  std::string subscripts;
  std::vector<tensor_view<const T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as in einsum_options
};

/// Options of `contract_many`.
struct contract_many_options {
  path_options path = {};
  execution on = {};
};

/// Counts what contractions have in common.
struct contraction_sharing {
  std::size_t steps = 0;          ///< of all contractions, each by itself
  std::size_t distinct = 0;       ///< steps that ran
  std::size_t shared_copies = 0;  ///< copies of operands for BLAS that were reused
  std::size_t grouped = 0;        ///< products of matrices that ran in a batch
  /// Batches of those products; a batch has the ready products of one shape and layout.
  std::size_t batches = 0;
  bool operator==(const contraction_sharing&) const = default;
};

/// Computes several einsums, each with the bits that it has alone; T is float, double or one of
/// their complex types.
/// - Steps that several contractions share (the same operands in memory, the same labels) run once,
///   and copies of operands that BLAS needs are made once.
/// - Independent products of matrices of one shape and layout run as one batched product, threads
///   over the blocks of all.
/// - Small steps that are no product of matrices, or that make a copy of their own, run side by
///   side.
/// - On the host a sliced contraction runs by itself.
/// - An accelerator runs all contractions in one launch: operands are uploaded once and all results
///   are downloaded together. `automatic` compares the whole. Slices are loops of its program; of
///   sliced contractions, identical ones run once. Results of shared steps are kept until their
///   last use.
///
/// Throws as einsum, with the index of the contraction, before anything runs.
template <class T>
PAPILIO_API std::vector<tensor<T>> contract_many(std::span<const contraction<T>> contractions,
                                                 const contract_many_options& options = {},
                                                 contraction_sharing* sharing = nullptr);

/// Describes one einsum of several, of device arrays.
template <device_element T>
struct device_contraction {
  std::string subscripts;
  std::vector<device_ndarray<T>> operands;
  std::vector<bool> conjugate = {};  ///< by operand, as einsum_options says
};

/// Computes several einsums of device arrays on their accelerator in one launch, whatever the
/// policy. Results, of at least one axis each, stay there; equal ones are one array. `sharing`, if
/// not null, gets `steps` and `distinct`.
/// Throws, before anything runs and with the index of the contraction, invalid_argument for
/// operands on two accelerators or on another than the execution names; shape_error for a result
/// without axes; device_error for an empty device array, an accelerator that is gone, or a
/// precision that it lacks.
template <class T>
PAPILIO_API std::vector<device_ndarray<T>> contract_many(
    std::span<const device_contraction<T>> contractions, const contract_many_options& options = {},
    contraction_sharing* sharing = nullptr);

/// Computes the gradients of a real loss by all operands of an einsum from that by its result, one
/// tensor for each, einsum_vjp("ij,jk->ik", gradient, a, b): contraction_plan::vjp. Of operands of
/// several types they have the type that holds them all; of a real operand among complex ones take
/// the real part. The derivative along changes of the operands (jvp) is the sum over them of the
/// einsum with one's change in its place.
/// Throws as einsum and contraction_plan::vjp.
template <class Subscripts, class Gradient, class... Arguments>
  requires(std::is_convertible_v<const Subscripts&, std::string_view> ||
           std::is_same_v<Subscripts, einsum_labels>)
auto einsum_vjp(const Subscripts& subscripts, const Gradient& gradient,
                const Arguments&... arguments) {
  using T = typename contract_detail::common_element<
      blas_detail::element_of<Gradient>, contract_detail::operands_element<Arguments...>>::type;
  const contract_detail::converted_operand<T> converted(gradient);
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::plan<T>("einsum_vjp", subscripts, operands, options)
            .vjp(converted.view(), operands);
      },
      arguments...);
}

/// Options of the products that run where an execution says.
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

/// Returns the rows or columns of op(A), of the last two axes.
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

/// Names a view or an array of float, double or their complex types, of 2 or 3 axes.
template <class Operand>
concept matrix_operand = (rank_of<Operand> == 2 || rank_of<Operand> == 3) &&
                         blas_detail::is_element<blas_detail::element_of<Operand>>;

}  // namespace contract_detail

/// Computes C = op(A) op(B) into existing memory, on the host or, in one launch, on an accelerator,
/// as options.on says. Operands are matrices or batches [batch, rows, columns], of which A or B may
/// have a batch of 1 for all; float, double and both complex types, any strides. C may not overlap
/// A or B. recorded() returns what ran. O(batch m n k).
///
/// An accelerator takes float and complex<float>; the host makes transposed copies for it. It
/// refuses conjugates with device_error; under `automatic` the host computes those.
/// Throws shape_error if extents do not fit; invalid_argument and device_error as execution says.
template <contract_detail::matrix_operand A, contract_detail::matrix_operand B, class T,
          std::size_t Rank>
void gemm(const A& a, const B& b, const view<T, Rank>& c, const product_options& options = {}) {
  const view<const T, contract_detail::rank_of<A>> left = a;
  const view<const T, contract_detail::rank_of<B>> right = b;
  contract_detail::product<T>("gemm", contract_detail::as_batch(left),
                              contract_detail::as_batch(right), contract_detail::as_batch(c),
                              options);
}

/// Returns the product as a new array, of 3 axes if one of the operands has 3.
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

namespace contract_detail {
/// Subscripts of an operand whose op has these, and whether it conjugates.
inline std::string op_subscripts(std::size_t rank, matrix_op op, const char* rows_columns) {
  std::string s(rank == 3 ? "b" : "");
  const bool swaps = op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
  s += rows_columns[swaps ? 1 : 0];
  return s += rows_columns[swaps ? 0 : 1];
}
inline bool conjugates(matrix_op op) {
  return op == matrix_op::conjugate || op == matrix_op::conjugate_transpose;
}
}  // namespace contract_detail

/// Computes the gradients of a real loss by A and B, in their extents, from that by C = op(A)
/// op(B): G op(B)^H and op(A)^H G, as op(A) and op(B) take them, summed over the batch for an
/// operand that the batch shares. They are an einsum_vjp, and run where the options say.
template <contract_detail::matrix_operand A, contract_detail::matrix_operand B,
          contract_detail::matrix_operand Gradient>
auto gemm_vjp(const A& a, const B& b, const Gradient& gradient,
              const product_options& options = {}) {
  using namespace contract_detail;
  const std::string text = op_subscripts(rank_of<A>, options.a, "ik") + "," +
                           op_subscripts(rank_of<B>, options.b, "kj") + "->" +
                           (rank_of<A> == 2 && rank_of<B> == 2 ? "ij" : "bij");
  return einsum_vjp(text, gradient, a, b,
                    einsum_options{.conjugate = {conjugates(options.a), conjugates(options.b)},
                                   .on = options.on});
}

/// Computes the product of device arrays on their accelerator; the result, of 3 axes if one operand
/// has 3, stays there. Throws device_error for an op other than none.
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

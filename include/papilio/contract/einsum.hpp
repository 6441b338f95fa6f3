#pragma once

#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/contract/einsum_options.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/tensor_operand.hpp"
#include "papilio/dispatch/resident.hpp"

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

PAPILIO_API shared_tensor resident_einsum(std::string_view subscripts,
                                          std::span<const shared_tensor> operands, std::size_t rank,
                                          const einsum_options& options);

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
/// as residents have), stays there. shape_error where the result has another number of axes;
/// invalid_argument for alpha, beta and rounding, which are the host's, and for operands on two
/// accelerators; device_error where it has no elements, or an accelerator is gone.
template <std::size_t Rank, class First, class... Rest>
  requires(contract_detail::resident_traits<First>::value)
auto einsum(std::string_view subscripts, const First& first, const Rest&... rest) {
  static_assert(Rank > 0, "a resident array has at least one axis");
  using T = typename contract_detail::resident_traits<First>::element;
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
  return resident<T, Rank>(contract_detail::resident_einsum(subscripts, operands, Rank, options));
}

}  // namespace papilio

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/planner.hpp"
#include "papilio/contract/einsum.hpp"

namespace papilio::contract_detail {

/// One contraction of several, on views or device arrays, with the order in which it is to be
/// computed.
template <class Operand>
struct ordered_contraction {
  std::string subscripts;
  std::vector<Operand> operands;
  std::vector<bool> conjugate;
  /// Numeric labels of the operands, then of the result, which replace the subscripts; or none.
  std::vector<std::vector<int>> labels;
  /// Pairs as in contraction_path, which replace the search; or none.
  std::vector<std::array<std::size_t, 2>> pairs;

  /// Returns the subscripts for the planner; numeric labels are stored in `held`.
  einsum_subscripts planned_subscripts(einsum_labels& held) const {
    if (labels.empty()) return std::string_view(subscripts);
    held = {{labels.begin(), labels.end() - 1}, labels.back()};
    return &held;
  }
  std::optional<std::vector<std::array<std::size_t, 2>>> planned_pairs() const {
    if (pairs.empty()) return std::nullopt;
    return pairs;
  }
};

template <class T>
using host_contraction = ordered_contraction<tensor_view<const T>>;

/// Computes contract_many for contractions in given orders.
template <class T>
std::vector<tensor<T>> contract_ordered(std::span<const host_contraction<T>> contractions,
                                        const contract_many_options& options,
                                        contraction_sharing* sharing);
template <class T>
std::vector<device_ndarray<T>> contract_ordered(
    std::span<const ordered_contraction<device_ndarray<T>>> contractions,
    const contract_many_options& options, contraction_sharing* sharing);

/// Returns contractions without an order, for which a search finds one.
template <class Contraction>
auto searched(std::span<const Contraction> contractions) {
  using operands = decltype(Contraction::operands);
  std::vector<ordered_contraction<typename operands::value_type>> all;
  for (const Contraction& c : contractions)
    all.push_back({c.subscripts, c.operands, c.conjugate, {}, {}});
  return all;
}

}  // namespace papilio::contract_detail

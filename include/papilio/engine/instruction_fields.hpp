#pragma once

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "papilio/engine/instruction.hpp"

// The fields of any instruction: visited in their order, and compared.
namespace papilio::engine {

/// Returns references to the fields of an instruction, in their order, as a tuple.
template <class Instruction>
constexpr auto field_tuple(Instruction& i) {
  constexpr std::size_t count = std::size(Instruction::fields);
  static_assert(count >= 1 && count <= 13);
  if constexpr (count == 1) {
    auto& [a] = i;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = i;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = i;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = i;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = i;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = i;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = i;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = i;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, j] = i;
    return std::tie(a, b, c, d, e, f, g, h, j);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, j, k] = i;
    return std::tie(a, b, c, d, e, f, g, h, j, k);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, j, k, l] = i;
    return std::tie(a, b, c, d, e, f, g, h, j, k, l);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, j, k, l, m] = i;
    return std::tie(a, b, c, d, e, f, g, h, j, k, l, m);
  } else {
    auto& [a, b, c, d, e, f, g, h, j, k, l, m, n] = i;
    return std::tie(a, b, c, d, e, f, g, h, j, k, l, m, n);
  }
}

/// Calls visit(place, field) for each field of an instruction, in their order. `place` is an
/// std::integral_constant: the field's place in `fields`, which describes it.
template <class Instruction, class Visitor>
void for_each_field(Instruction& i, const Visitor& visit) {
  const auto all = field_tuple(i);
  [&]<std::size_t... Places>(std::index_sequence<Places...>) {
    (visit(std::integral_constant<std::size_t, Places>(), std::get<Places>(all)), ...);
  }(std::make_index_sequence<std::size(Instruction::fields)>());
}

/// Returns whether two instructions of one kind have the same fields: the same settings, and views
/// of the same elements.
template <one_instruction One>
bool operator==(const One& a, const One& b) {
  return field_tuple(a) == field_tuple(b);
}

}  // namespace papilio::engine

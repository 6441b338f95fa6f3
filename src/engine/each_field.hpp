#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "papilio/engine/instruction.hpp"

namespace papilio::engine_detail {
namespace each_field_detail {

struct anything {
  template <class T>
  operator T() const;
};

template <class One, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
  return requires { One{(static_cast<void>(Is), anything{})...}; };
}

template <class... Instructions>
constexpr bool all_are_named(const std::variant<Instructions...>*) {
  return ((takes<Instructions>(std::make_index_sequence<Instructions::fields.size()>()) &&
           !takes<Instructions>(std::make_index_sequence<Instructions::fields.size() + 1>())) &&
          ...);
}

}  // namespace each_field_detail

static_assert(each_field_detail::all_are_named(static_cast<const engine::instruction*>(nullptr)),
              "an instruction has as many names in `fields` as members");

/// Calls visit(name, field) for each field of an instruction, in their order.
template <class Instruction, class Visitor>
void for_each_field(Instruction& i, const Visitor& visit) {
  constexpr auto& names = Instruction::fields;
  const auto all = [&](auto&... fields) {
    std::size_t k = 0;
    (visit(names[k++], fields), ...);
  };
  constexpr std::size_t count = names.size();
  static_assert(count >= 1 && count <= 9);
  if constexpr (count == 1) {
    auto& [a] = i;
    all(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = i;
    all(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = i;
    all(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = i;
    all(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = i;
    all(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = i;
    all(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = i;
    all(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = i;
    all(a, b, c, d, e, f, g, h);
  } else {
    auto& [a, b, c, d, e, f, g, h, j] = i;
    all(a, b, c, d, e, f, g, h, j);
  }
}

}  // namespace papilio::engine_detail

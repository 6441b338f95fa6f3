#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace papilio::engine_detail {

// Instructions are aggregates, and a field that one gains must not be forgotten here: how many
// fields an aggregate has is found out by initialising it with ever fewer of what converts to
// anything.
struct anything {
  template <class Field>
  operator Field() const;
};

template <class Aggregate, std::size_t... Is>
constexpr bool takes(std::index_sequence<Is...>) {
  return requires { Aggregate{((void)Is, anything{})...}; };
}
template <class Aggregate, std::size_t Most = 12>
constexpr std::size_t field_count() {
  if constexpr (Most == 0 || takes<Aggregate>(std::make_index_sequence<Most>()))
    return Most;
  else
    return field_count<Aggregate, Most - 1>();
}

/// Calls `see` with each field of an aggregate, in order.
template <class Aggregate, class See>
void each_field(const Aggregate& all, const See& see) {
  constexpr std::size_t count = field_count<Aggregate>();
  static_assert(count >= 1 && count <= 9, "a case for so many fields is missing below");
  const auto see_each = [&](const auto&... fields) { (see(fields), ...); };
  if constexpr (count == 1) {
    const auto& [a] = all;
    see_each(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = all;
    see_each(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = all;
    see_each(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = all;
    see_each(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = all;
    see_each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = all;
    see_each(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    const auto& [a, b, c, d, e, f, g] = all;
    see_each(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    const auto& [a, b, c, d, e, f, g, h] = all;
    see_each(a, b, c, d, e, f, g, h);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i] = all;
    see_each(a, b, c, d, e, f, g, h, i);
  }
}

}  // namespace papilio::engine_detail

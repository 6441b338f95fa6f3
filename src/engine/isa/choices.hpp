#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "papilio/engine/instruction.hpp"

// Enumerations of instructions (units, roles, settings) have names for their values here.
namespace papilio::engine_detail {

template <class Enum>
inline constexpr auto names_of = nullptr;
template <>
inline constexpr auto names_of<engine::alu_op> =
    std::array{"bypass",           "add",         "subtract",    "multiply",
               "divide",           "maximum",     "minimum",     "absolute_maximum",
               "absolute_minimum", "equal",       "not_equal",   "greater",
               "greater_equal",    "less",        "less_equal",  "logical_and",
               "logical_or",       "logical_xor", "bits_and",    "bits_or",
               "bits_xor",         "shift_left",  "shift_right", "power"};
template <>
inline constexpr auto names_of<engine::activation_function> = std::array{
    "copy",    "square", "sqrt", "rsqrt", "reciprocal", "exp",  "log", "sin",  "arctan", "tanh",
    "sigmoid", "relu",   "gelu", "silu",  "softplus",   "mish", "erf", "sign", "abs"};
template <>
inline constexpr auto names_of<engine::reduce_command> =
    std::array{"idle", "reset", "reduce", "reset_reduce", "load_reduce"};
template <>
inline constexpr auto names_of<engine::unit> =
    std::array{"tensor", "vector", "scalar", "gpsimd", "sync", "collective", "dma"};
template <>
inline constexpr auto names_of<engine::collective_kind> =
    std::array{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
template <>
inline constexpr auto names_of<engine::dynamic_side> = std::array{"source", "destination"};
template <>
inline constexpr auto names_of<engine::role> =
    std::array{"setting", "read", "write", "update", "write_or_update", "load"};
template <>
inline constexpr auto names_of<engine::element_kind> =
    std::array{"", "floating", "integer", "int32", "fp32", "packed"};
template <>
inline constexpr auto names_of<engine::residence> = std::array{"", "sbuf", "psum"};

template <class Enum>
constexpr bool are_all(Enum last) {
  return names_of<Enum>.size() == std::size_t(last) + 1;
}
static_assert(are_all(engine::alu_op::power) && are_all(engine::activation_function::abs) &&
              are_all(engine::reduce_command::load_reduce) && are_all(engine::unit::dma) &&
              are_all(engine::collective_kind::all_to_all) &&
              are_all(engine::dynamic_side::destination) && are_all(engine::role::load) &&
              are_all(engine::element_kind::packed) && are_all(engine::residence::psum));

/// Returns the names of an enumeration's values, in their order.
template <class Enum>
std::span<const char* const> choices() {
  return names_of<Enum>;
}

}  // namespace papilio::engine_detail

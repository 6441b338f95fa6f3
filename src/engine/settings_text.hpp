#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "papilio/base/error.hpp"
#include "papilio/engine/instruction_fields.hpp"

namespace papilio::engine_detail {

/// Returns the settings of an instruction as traces show them: operations, functions, and the
/// numbers, flags and commands that differ from their defaults.
template <class Instruction>
std::string settings_text(const Instruction& i) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) {
    text += base_detail::message(", ", name, " ", value);
  };
  const Instruction untold{};
  engine::for_each_field(i, [&]<class Place, class Field>(Place, const Field& field) {
    constexpr const char* name = Instruction::fields[Place::value].name;
    [[maybe_unused]] const Field& preset = std::get<Place::value>(engine::field_tuple(untold));
    if constexpr (std::is_same_v<Field, engine::alu_op>) {
      if (field != engine::alu_op::bypass) add(name, to_string(field));
    } else if constexpr (std::is_same_v<Field, engine::activation_function>) {
      add(name, to_string(field));
    } else if constexpr (std::is_same_v<Field, engine::reduce_command>) {
      if (field != preset) add(name, to_string(field));
    } else if constexpr (std::is_same_v<Field, bool>) {
      if (field != preset) text += base_detail::message(", ", name);
    } else if constexpr (std::is_arithmetic_v<Field>) {
      if (field != preset) add(name, field);
    } else if constexpr (std::is_same_v<Field, engine::scalar_operand>) {
      if (field.tile.empty() && field.value != 0) add(name, field.value);
    }
  });
  return text;
}

}  // namespace papilio::engine_detail

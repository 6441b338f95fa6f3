#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/instruction_fields.hpp"

// Instructions by their names, for bindings from other languages and for tools.
namespace papilio::engine {

/// Describes a field of an instruction to a program that does not know its C++ type.
struct described_field {
  field what;  ///< name, role and rules
  /// "tile", "tensor", "tile or tensor", "number or tile", "register", "semaphore", "number",
  /// "integer", "boolean", "choice", "pattern" or "integers".
  std::string type;
  std::string preset;                ///< setting's value where none is given, as text
  std::vector<std::string> choices;  ///< of a choice, those that the rules allow
};

/// Describes an instruction: its fields in order and the units that may execute it.
struct PAPILIO_API described_instruction {
  std::string name;
  std::vector<std::string> units;
  std::vector<described_field> fields;

  /// Returns it as one JSON object with name, units and fields; a field has name, role, type, and
  /// where they say something optional, preset, choices, least, most and the other field_rules.
  std::string to_json() const;
};

/// Returns the names of all instructions, in alphabetical order.
PAPILIO_API std::vector<std::string> instruction_names();

/// Returns the description of an instruction.
/// Throws invalid_argument for a name that no instruction has.
PAPILIO_API described_instruction describe_instruction(std::string_view name);

/// Holds a field's value: text for settings, what a core gives for operands. As text a choice is
/// its name, a boolean true or false, a pattern its base, its step of the partition and an extent
/// and a stride for each level, slowest first, separated by spaces ("0 1 512 1"), other lists
/// their numbers.
using field_value = std::variant<std::string_view, tile_view, hbm_view, engine_register, semaphore>;
struct named_value {
  std::string_view name;
  field_value value;
};

/// Makes an instruction of its name and the values of some fields; others have their presets.
/// Operands that are missing are refused where it is issued, as are faults that concern several
/// fields.
///
///     instruction i = make_instruction("tensor_tensor", {{"out", x}, {"left", y}, {"right", z},
///                                                        {"op", "multiply"}});
///
/// Throws invalid_argument, with instruction, field, what was expected and the value, for names
/// that do not exist or come twice, text that is no value of the field, numbers and choices that
/// its rules do not allow, and a value of another type.
PAPILIO_API instruction make_instruction(std::string_view name,
                                         std::span<const named_value> values);
inline instruction make_instruction(std::string_view name,
                                    std::initializer_list<named_value> values) {
  return make_instruction(name, std::span(values.begin(), values.size()));
}

}  // namespace papilio::engine

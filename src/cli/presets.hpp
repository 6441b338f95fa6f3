#pragma once

#include <fmt/format.h>

#include <string>

#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/runtime_spec.hpp"

namespace papilio::cli {

/// Presets of machines, for a help text: "trainium1, trainium2 (trn1, trn2), or a JSON file".
inline std::string machine_choices() {
  std::string names, short_names;
  for (const engine::machine_preset& p : engine::machine_presets) {
    names += (names.empty() ? "" : ", ") + std::string(p.name);
    short_names += (short_names.empty() ? "" : ", ") + std::string(p.short_name);
  }
  return fmt::format("{} ({}), or a JSON file", names, short_names);
}

/// Presets of runtimes, likewise.
inline std::string runtime_choices() {
  std::string names;
  for (const char* const name : engine::runtime_presets) names += name + std::string(", ");
  return names + "or a JSON file";
}

}  // namespace papilio::cli

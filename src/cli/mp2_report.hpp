#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_value.hpp"
#include "papilio/chem.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::cli {

/// What is said of energies that were computed.
struct mp2_facts {
  std::string folder, from, precision;
  std::string orbitals;  ///< "5 occupied, 19 virtual, 84 auxiliary functions"
  std::size_t frozen_core = 0;
  bool is_open = false;
  double seconds = 0;

  /// What computed the energies, where it was no host.
  struct accelerator_facts {
    std::string machine, runtime;
    engine::device_record record;
  };
  std::optional<accelerator_facts> device = {};
};

/// An energy under the name that a manifest gives it.
struct named_energy {
  std::string name;
  double value = 0;
};

struct mp2_comparison {
  std::vector<named_energy> energies;
  std::vector<named_energy> differences;  ///< ours less the manifest's, of fields that it has
};

/// With the manifest's numbers of as many frozen orbitals. io_error naming `path` where a field
/// that is compared is no number.
mp2_comparison compare_energies(const mp2_energies& energies, const mp2_facts& facts,
                                const json_value& manifest, const std::string& path);

std::string report_text(const mp2_facts& facts, const mp2_comparison& comparison);
json_value report_json(const mp2_facts& facts, const mp2_comparison& comparison);

}  // namespace papilio::cli

#include "cli/mp2_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/common.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

/// A manifest's numbers, of which any may be missing.
class manifest_reader {
 public:
  manifest_reader(const json_value& manifest, const std::string& path)
      : manifest_(manifest), path_(path) {}

  /// Of the energies, or at the top.
  std::optional<double> number(const std::string& name) const {
    if (const json_value* const energy = manifest_["energies_hartree"].find(name))
      return value_of(*energy, name);
    return value_of(manifest_[name], name);
  }
  /// Orbitals that are frozen in a frozen-core calculation.
  std::optional<double> core() const { return number("n_core_orbitals_if_frozen"); }
  /// Those that are frozen in its main energies.
  double frozen() const {
    const json_value& flag = manifest_["frozen_core"];
    const bool is_frozen = flag.is_boolean() && flag.truth();
    return is_frozen ? core().value_or(-1) : 0;
  }

 private:
  std::optional<double> value_of(const json_value& value, const std::string& name) const {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number()) throw io_error(path_, fmt::format("\"{}\" must be a number", name));
    return value.number();
  }

  const json_value& manifest_;
  const std::string& path_;
};

}  // namespace

mp2_comparison compare_energies(const mp2_energies& energies, const mp2_facts& facts,
                                const json_value& manifest, const std::string& path) {
  const manifest_reader reader(manifest, path);
  const auto frozen = static_cast<double>(facts.frozen_core);
  mp2_comparison result;
  result.energies = {{"E_corr", energies.correlation()},
                     {"E_corr_opposite_spin", energies.opposite_spin},
                     {"E_corr_same_spin", energies.same_spin()}};
  if (facts.is_open) {
    result.energies.push_back({"E_aa", energies.alpha_alpha});
    result.energies.push_back({"E_bb", energies.beta_beta});
  }
  result.energies.push_back({"E_corr_SCS_MP2", energies.scs()});
  result.energies.push_back({"scs_mp2_corr", energies.scs()});
  result.energies.push_back({"sos_mp2_corr", energies.sos()});
  if (const auto reference = reader.number(facts.is_open ? "E_UHF" : "E_RHF"))
    result.energies.push_back({"E_MP2_total", *reference + energies.correlation()});
  if (reader.frozen() == frozen)
    for (const auto& [name, value] : result.energies)
      if (const auto theirs = reader.number(name))
        result.differences.push_back({name, value - *theirs});
  if (facts.frozen_core > 0 && reader.core() == frozen)
    for (const char* const name : {"E_corr_frozen_core_psi4", "E_corr_frozen_core_numpy"})
      if (const auto theirs = reader.number(name))
        result.differences.push_back({name, energies.correlation() - *theirs});
  return result;
}

std::string report_text(const mp2_facts& facts, const mp2_comparison& comparison) {
  std::string text = fmt::format("molecule  {}\n", printable(facts.folder));
  text += fmt::format("integrals {}, in {}\n", facts.from, facts.precision);
  text += fmt::format("orbitals  {}", facts.orbitals);
  if (facts.frozen_core > 0) text += fmt::format("; {} frozen", facts.frozen_core);
  text += "\nenergies                               hartree\n";
  for (const auto& [name, value] : comparison.energies)
    text += fmt::format("  {:<26} {:>20.12f}\n", name, value);
  if (!comparison.differences.empty()) text += "less those of manifest.json\n";
  for (const auto& [name, value] : comparison.differences)
    text += fmt::format("  {:<26} {:>20.2e}\n", name, value);
  if (facts.device)
    text +=
        fmt::format("energies by {} with {}: modelled, but for the last line\n{}",
                    facts.device->machine, facts.device->runtime, facts.device->record.to_text());
  return text;
}

json_value report_json(const mp2_facts& facts, const mp2_comparison& comparison) {
  json_value report{{"directory", facts.folder},    {"from", facts.from},
                    {"precision", facts.precision}, {"frozen_core", facts.frozen_core},
                    {"seconds", facts.seconds},     {"difference", json_value::object()}};
  if (facts.device)
    report["device"] = {{"machine", facts.device->machine},
                        {"runtime", facts.device->runtime},
                        {"record", *parse_json(facts.device->record.to_json())}};
  for (const auto& [name, value] : comparison.energies) report[name] = value;
  for (const auto& [name, value] : comparison.differences) report["difference"][name] = value;
  return report;
}

}  // namespace papilio::cli

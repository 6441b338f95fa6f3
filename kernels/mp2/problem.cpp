// The problem of MP2 pairs: its checks, and its parameters in the catalog.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/mp2/design.hpp"
#include "kernels/parameters.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

void check_pairs(const char* name, const pair_energy_problem& problem) {
  const auto size = [&](const char* argument, std::size_t value) {
    return checked_size(name, argument, value);
  };
  const bool opposite = problem.spins == pair_spins::opposite_spin;
  const std::int64_t nocc = size("nocc", problem.nocc), nvir = size("nvir", problem.nvir),
                     naux = size("naux", problem.naux),
                     nocc_other = opposite ? size("nocc_other", problem.nocc_other) : nocc,
                     nvir_other = opposite ? size("nvir_other", problem.nvir_other) : nvir;
  require_single(name, problem.type);
  // The check comes before any size is computed from them: no part of a design takes more bytes
  // than four copies of B.
  constexpr std::int64_t most_parts = 4;
  for (const auto& [i, a] : {std::pair(nocc, nvir), std::pair(nocc_other, nvir_other)})
    checked_multiply(engine::tensor_shape{{i, a, naux}}.bytes(), most_parts,
                     (std::string(name) + ": bytes").c_str());
  const std::int64_t least = std::min(nocc, nocc_other);
  require(problem.frozen < std::size_t(least), name, ": frozen must be 0 ... ", least - 1, ", got ",
          problem.frozen);
  checked_multiply(nocc, nocc_other + 1, (std::string(name) + ": pairs").c_str());
}

settings<pair_energy_problem> mp2_settings() {
  using r = pair_energy_problem;
  return {number_setting("nocc", &r::nocc, "16", "Occupied orbitals i, j"),
          number_setting("nvir", &r::nvir, "128", "Virtual orbitals a, b"),
          number_setting("naux", &r::naux, "128", "Auxiliary functions"),
          choice_setting("spins", &r::spins, "Pairs of spins whose energies are summed",
                         {{"closed_shell", pair_spins::closed_shell},
                          {"same_spin", pair_spins::same_spin},
                          {"opposite_spin", pair_spins::opposite_spin}}),
          number_setting("nocc_other", &r::nocc_other, "16",
                         "Occupied orbitals j of the other spin, of opposite_spin"),
          number_setting("nvir_other", &r::nvir_other, "128",
                         "Virtual orbitals b of the other spin, of opposite_spin"),
          number_setting("frozen", &r::frozen, "0",
                         "Number of the first occupied orbitals that are left out", 0)};
}

}  // namespace papilio::kernels_detail

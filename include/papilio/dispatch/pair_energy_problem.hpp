#pragma once

#include <cstddef>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// Which energies of second order of pairs of electrons are summed, and how many come out.
///   closed_shell   those of opposite spins, then those of equal ones
///   same_spin      those of one spin
///   opposite_spin  those of two spins with orbitals of their own
enum class pair_spins { closed_shell, same_spin, opposite_spin };

/// MP2 energies from density-fitted integrals: B [nocc, nvir, naux] and the energies [nocc], [nvir]
/// of its orbitals, each occupied one below each virtual one, of opposite_spin then the same three
/// of the other spin, to [2] or [1] energies.
struct PAPILIO_API pair_energy_problem {
  std::size_t nocc = 1, nvir = 1, naux = 1;
  pair_spins spins = pair_spins::closed_shell;
  std::size_t nocc_other = 1, nvir_other = 1;  ///< of opposite_spin
  std::size_t frozen = 0;                      ///< of the first occupied of each spin, left out
  real_type type = real_type::single_precision;

  /// Of occupied orbitals, i <= j or of two spins.
  double pairs() const;

  std::string text()
      const;  ///< for example "MP2 energy of 5x19 orbitals, 72 auxiliary functions in float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 2 for each product in the integrals
  problem_size size() const;     ///< virtual orbitals, with naux in its ratio
  pair_energy_problem of_size(std::size_t size) const;
  bool operator==(const pair_energy_problem&) const = default;
};

}  // namespace papilio

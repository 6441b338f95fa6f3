#pragma once

#include "chem/orbital_set.hpp"
#include "papilio/chem.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"

// Energies by an accelerator: a launch for each pair of spins, all in one dispatch.
namespace papilio::chem_detail {

/// B of one spin with its energies, as operands: of the host or there already.
struct device_orbitals {
  device_input b;
  extents_type<3> extents;  ///< of b, frozen orbitals included
  const orbital_energies* energies;
};

pair_energy_problem closed_shell_of(const extents_type<3>& b, std::size_t frozen, real_type type);
/// Opposite spins, alphas, betas; those without pairs are left out.
std::vector<pair_energy_problem> open_shell_of(const extents_type<3>& alpha,
                                               const extents_type<3>& beta, std::size_t frozen,
                                               real_type type);

mp2_energies closed_shell_on(accelerator& on, const device_orbitals& orbitals, std::size_t frozen,
                             const precision_options& precision);
mp2_energies open_shell_on(accelerator& on, const device_orbitals& alpha,
                           const device_orbitals& beta, std::size_t frozen,
                           const precision_options& precision);

}  // namespace papilio::chem_detail

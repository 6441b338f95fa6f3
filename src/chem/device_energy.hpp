#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "chem/orbital_set.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/chem.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"

// Energies, their gradients and changes by an accelerator: a launch for each pair of spins, all in one
// dispatch.
namespace papilio::chem_detail {

/// Numbers that a graph reads; they last as long as it.
struct graph_floats {
  array<float, 1> values;
  view<const float, 1> all = values.view();

  explicit graph_floats(array<float, 1> of) : values(std::move(of)) {}
  graph_floats(graph_floats&&) = default;
};

/// B of one spin, of the host or there already, and its orbital energies, as operands; or their
/// changes.
struct device_orbitals {
  device_input b;
  extents_type<3> extents;  ///< of b, frozen orbitals included
  graph_floats occupied, virtuals;
};

template <class T>
device_orbitals operand_of(const orbital_set<T>& set) {
  return {device_input(set.b()), set.b().extents(), graph_floats(set.energies().occupied_floats(0)),
          graph_floats(set.energies().virtual_floats())};
}

pair_energy_problem closed_shell_of(const extents_type<3>& b, std::size_t frozen, real_type type);
/// Opposite spins, alphas, betas; those without pairs are left out.
std::vector<pair_energy_problem> open_shell_of(const extents_type<3>& alpha,
                                               const extents_type<3>& beta, std::size_t frozen,
                                               real_type type);

/// The accelerator for these, one launch after the other; null: the host. Where there are none, a pair
/// of a closed shell stands for them: only the choice is checked.
accelerator* place_pairs(const char* function, std::span<const pair_energy_problem> problems,
                         real_type type, const execution& on);

/// What is computed of all pairs of spins.
struct pairs_request {
  const char* function;
  std::span<const device_orbitals> orbitals;      ///< of a closed shell, or of alpha and beta
  std::span<const device_orbitals> changes = {};  ///< of jvp
  mp2_energies weights = {};                      ///< of vjp
  std::size_t frozen = 0;
  precision_options precision = {};
};

mp2_energies energies_on(accelerator& on, const pairs_request& of, pair_function function);
/// Gradients by orbitals of each spin: B, occupied, virtuals.
std::vector<std::array<tensor<float>, 3>> gradients_on(accelerator& on, const pairs_request& of);

}  // namespace papilio::chem_detail

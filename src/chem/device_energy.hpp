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

// MP2 energies, their gradients and changes on an accelerator, with one launch for each combination
// of spins and one dispatch for all.
namespace papilio::chem_detail {

/// Numbers that a graph reads, which live as long as the graph.
struct graph_floats {
  array<float, 1> values;
  view<const float, 1> all = values.view();

  explicit graph_floats(array<float, 1> of) : values(std::move(of)) {}
  graph_floats(graph_floats&&) = default;
};

/// Operands of one spin, or changes of these: B, on the host or on the accelerator, and orbital
/// energies.
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
/// Returns the problems of opposite spins, alphas and betas; those without pairs are left out.
std::vector<pair_energy_problem> open_shell_of(const extents_type<3>& alpha,
                                               const extents_type<3>& beta, std::size_t frozen,
                                               real_type type);

/// Returns the accelerator that runs the problems, one launch after the other, or null for the
/// host. Where there are no problems, a closed shell of one pair stands in: only the policy is
/// checked.
accelerator* place_pairs(const char* function, std::span<const pair_energy_problem> problems,
                         real_type type, const execution& on);

/// Operands and options of energies, gradients or changes over all pairs of orbitals.
struct pairs_request {
  const char* function;
  std::span<const device_orbitals> orbitals;      ///< a closed shell, or alpha and beta
  std::span<const device_orbitals> changes = {};  ///< changes of the orbitals (jvp)
  mp2_energies weights = {};                      ///< gradient by the energies (vjp)
  std::size_t frozen = 0;
  precision_options precision = {};
};

mp2_energies energies_on(accelerator& on, const pairs_request& of, pair_function function);
/// Gradients by orbitals of each spin: B, occupied, virtuals.
std::vector<std::array<tensor<float>, 3>> gradients_on(accelerator& on, const pairs_request& of);

}  // namespace papilio::chem_detail

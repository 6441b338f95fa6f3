#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <array>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;

const char* to_string(pair_function function) {
  constexpr const char* names[] = {"MP2 energy", "MP2 gradients", "MP2 tangents"};
  return names[static_cast<int>(function)];
}

double pair_energy_problem::pairs() const {
  const auto correlated = [&](std::size_t n) {
    return static_cast<double>(n - std::min(n, frozen));
  };
  const double i = correlated(nocc);
  return spins == pair_spins::opposite_spin ? i * correlated(nocc_other) : i * (i + 1) / 2;
}

std::string pair_energy_problem::text() const {
  const bool mixed = spins == pair_spins::opposite_spin;
  return message(to_string(function), " of ", nocc, "x", nvir,
                 mixed ? message(" and ", nocc_other, "x", nvir_other) : std::string(),
                 " orbitals, ", naux, " auxiliary functions in ", to_string(type));
}

operand_shapes pair_energy_problem::shapes() const {
  const operand_shape energies{{spins == pair_spins::closed_shell ? std::size_t{2} : 1}};
  std::vector<operand_shape> orbitals{{{nocc, nvir, naux}}, {{nocc}}, {{nvir}}};
  if (spins == pair_spins::opposite_spin)
    orbitals.insert(orbitals.end(),
                    {{{nocc_other, nvir_other, naux}}, {{nocc_other}}, {{nvir_other}}});
  operand_shapes all{orbitals, {energies}};
  if (function == pair_function::vjp) {
    all.in.push_back(energies);
    all.out = orbitals;
  }
  if (function == pair_function::jvp) all.in.insert(all.in.end(), orbitals.begin(), orbitals.end());
  return all;
}

double pair_energy_problem::nominal_flops() const {
  const bool mixed = spins == pair_spins::opposite_spin;
  const double of_pair =
      2 * dispatch_detail::count_of(std::array{nvir, mixed ? nvir_other : nvir, naux});
  if (function == pair_function::energies) return pairs() * of_pair;
  const double i = static_cast<double>(nocc - std::min(nocc, frozen));
  // Of two spins from either side.
  return 2 * of_pair * (mixed ? 2 * pairs() : i * i);
}

problem_size pair_energy_problem::size() const {
  return {.parameter = "virtual orbitals, with naux in its ratio", .size = nvir};
}

pair_energy_problem pair_energy_problem::of_size(std::size_t size) const {
  pair_energy_problem grown = *this;
  grown.nvir = size;
  grown.nvir_other = dispatch_detail::in_ratio(nvir_other, size, nvir);
  grown.naux = dispatch_detail::in_ratio(naux, size, nvir);
  return grown;
}

}  // namespace papilio

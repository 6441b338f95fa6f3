#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <array>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;

double pair_energy_problem::pairs() const {
  const auto correlated = [&](std::size_t n) {
    return static_cast<double>(n - std::min(n, frozen));
  };
  const double i = correlated(nocc);
  return spins == pair_spins::opposite_spin ? i * correlated(nocc_other) : i * (i + 1) / 2;
}

std::string pair_energy_problem::text() const {
  const bool mixed = spins == pair_spins::opposite_spin;
  return message("MP2 energy of ", nocc, "x", nvir,
                 mixed ? message(" and ", nocc_other, "x", nvir_other) : std::string(),
                 " orbitals, ", naux, " auxiliary functions in ", to_string(type));
}

operand_shapes pair_energy_problem::shapes() const {
  const std::size_t energies = spins == pair_spins::closed_shell ? 2 : 1;
  operand_shapes all{{{{nocc, nvir, naux}}, {{nocc}}, {{nvir}}}, {{{energies}}}};
  if (spins == pair_spins::opposite_spin)
    all.in.insert(all.in.end(), {{{nocc_other, nvir_other, naux}}, {{nocc_other}}, {{nvir_other}}});
  return all;
}

double pair_energy_problem::nominal_flops() const {
  const bool mixed = spins == pair_spins::opposite_spin;
  return 2 * pairs() * dispatch_detail::count_of(std::array{nvir, mixed ? nvir_other : nvir, naux});
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

#include "chem/device_energy.hpp"

#include <array>
#include <vector>

#include "papilio/dispatch/resident.hpp"

namespace papilio::chem_detail {
namespace {

pair_energy_problem problem_of(pair_spins spins, const extents_type<3>& b,
                               const extents_type<3>& other, std::size_t frozen, real_type type) {
  pair_energy_problem p{
      .nocc = b[0], .nvir = b[1], .naux = b[2], .spins = spins, .frozen = frozen, .type = type};
  if (spins == pair_spins::opposite_spin) {
    p.nocc_other = other[0];
    p.nvir_other = other[1];
  }
  return p;
}

bool has_elements(const extents_type<3>& b, std::size_t frozen) {
  return b[0] > frozen && b[1] > 0 && b[2] > 0;
}

// Energies of one spin's orbitals, for as long as a launch takes.
struct floats {
  array<float, 1> occupied, virtuals;
  view<const float, 1> of_occupied = occupied.view(), of_virtuals = virtuals.view();
  explicit floats(const orbital_energies& of)
      : occupied(of.occupied_floats()), virtuals(of.virtual_floats()) {}
};

device_input input(const view<const float, 1>& values) {
  return device_input(untyped_view<const void>(values), false);
}

// One launch; the energies that come back.
std::vector<double> energies_of(accelerator& on, const pair_energy_problem& p,
                                std::span<const device_orbitals* const> spins,
                                const precision_options& precision) {
  std::vector<floats> energies;
  std::vector<device_input> in;
  energies.reserve(spins.size());
  for (const device_orbitals* spin : spins) {
    const floats& own = energies.emplace_back(*spin->energies);
    in.insert(in.end(), {spin->b, input(own.of_occupied), input(own.of_virtuals)});
  }
  array<float, 1> result({shapes_of(p).out[0].count()});
  const view<float, 1> to = result.view();
  const device_output out(untyped_view<void>(to), false);
  run_on("df_mp2", on, p, precision, in, {&out, 1});
  return {result.begin(), result.end()};
}

// Several launches read it: it goes up once.
device_orbitals lying_on(accelerator& on, const device_orbitals& orbitals) {
  if (orbitals.b.tensor != nullptr) return orbitals;
  device_orbitals there = orbitals;
  there.b = device_input(dispatch_detail::uploaded(
      on, dispatch_detail::shape_of<3>(orbitals.extents, false), orbitals.b.host));
  return there;
}

}  // namespace

pair_energy_problem closed_shell_of(const extents_type<3>& b, std::size_t frozen, real_type type) {
  return problem_of(pair_spins::closed_shell, b, {}, frozen, type);
}

std::vector<pair_energy_problem> open_shell_of(const extents_type<3>& alpha,
                                               const extents_type<3>& beta, std::size_t frozen,
                                               real_type type) {
  const bool has_alpha = has_elements(alpha, frozen), has_beta = has_elements(beta, frozen);
  std::vector<pair_energy_problem> all;
  if (has_alpha && has_beta)
    all.push_back(problem_of(pair_spins::opposite_spin, alpha, beta, frozen, type));
  if (has_alpha) all.push_back(problem_of(pair_spins::same_spin, alpha, {}, frozen, type));
  if (has_beta) all.push_back(problem_of(pair_spins::same_spin, beta, {}, frozen, type));
  return all;
}

mp2_energies closed_shell_on(accelerator& on, const device_orbitals& orbitals, std::size_t frozen,
                             const precision_options& precision) {
  if (orbitals.is_empty(frozen)) return {};
  const pair_energy_problem p =
      closed_shell_of(orbitals.extents, frozen, real_type::single_precision);
  const std::array spins{&orbitals};
  const std::vector<double> energies = energies_of(on, p, spins, precision);
  return {
      .opposite_spin = energies[0], .alpha_alpha = energies[1] / 2, .beta_beta = energies[1] / 2};
}

mp2_energies open_shell_on(accelerator& on, const device_orbitals& alpha,
                           const device_orbitals& beta, std::size_t frozen,
                           const precision_options& precision) {
  mp2_energies sum;
  std::optional<device_orbitals> up, down;
  if (!alpha.is_empty(frozen)) up = lying_on(on, alpha);
  if (!beta.is_empty(frozen)) down = lying_on(on, beta);
  const auto run = [&](pair_spins spins, const device_orbitals& one, const device_orbitals* other) {
    const pair_energy_problem p =
        problem_of(spins, one.extents, other != nullptr ? other->extents : extents_type<3>{},
                   frozen, real_type::single_precision);
    const std::array all{&one, other};
    return energies_of(on, p, std::span(all).first(other != nullptr ? 2 : 1), precision)[0];
  };
  if (up && down) sum.opposite_spin = run(pair_spins::opposite_spin, *up, &*down);
  if (up) sum.alpha_alpha = run(pair_spins::same_spin, *up, nullptr);
  if (down) sum.beta_beta = run(pair_spins::same_spin, *down, nullptr);
  return sum;
}

}  // namespace papilio::chem_detail

#include "chem/device_energy.hpp"

#include <array>
#include <vector>

#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"

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

// Orbitals of one spin that a graph reads; they last as long as it.
struct captured_orbitals {
  array<float, 1> occupied, virtuals;
  view<const float, 1> of_occupied = occupied.view(), of_virtuals = virtuals.view();
  std::array<shared_tensor, 3> tensors = {};

  captured_orbitals(const orbital_energies& of, std::size_t frozen)
      : occupied(of.occupied_floats(frozen)), virtuals(of.virtual_floats()) {}

  void lie_on(accelerator& on, const device_orbitals& orbitals) {
    const auto up = [&](const auto& extents, const untyped_view<const void>& from) {
      return dispatch_detail::uploaded(on, dispatch_detail::shape_of(extents, false), from);
    };
    tensors = {orbitals.b.tensor ? orbitals.b.tensor : up(orbitals.extents, orbitals.b.host),
               up(of_occupied.extents(), untyped_view<const void>(of_occupied)),
               up(of_virtuals.extents(), untyped_view<const void>(of_virtuals))};
  }
};

struct energy_run {
  pair_energy_problem problem;
  std::vector<std::size_t> spins;  ///< of the orbitals, one or two
};

// The energies of each run: one upload, one dispatch, one fetch.
std::vector<array<float, 1>> energies_of(accelerator& on, std::span<const energy_run> runs,
                                         std::span<const device_orbitals* const> orbitals,
                                         const precision_options& precision) {
  std::vector<captured_orbitals> spins;
  spins.reserve(orbitals.size());
  for (const device_orbitals* of : orbitals)
    spins.emplace_back(*of->energies, runs[0].problem.frozen);
  std::vector<array<float, 1>> energies;
  std::vector<view<float, 1>> results;
  for (const energy_run& run : runs) {
    energies.emplace_back(extents_type<1>{shapes_of(run.problem).out[0].count()});
    results.push_back(energies.back().view());
  }
  const auto body = [&] {
    for (std::size_t s = 0; s < spins.size(); ++s) spins[s].lie_on(on, *orbitals[s]);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      std::vector<device_input> in;
      for (const std::size_t spin : runs[r].spins)
        in.insert(in.end(), spins[spin].tensors.begin(), spins[spin].tensors.end());
      const shared_tensor result = new_tensor(on, shapes_of(runs[r].problem).out[0], "df_mp2");
      const device_output out(result);
      run_on("df_mp2", on, runs[r].problem, precision, in, {&out, 1});
      dispatch_detail::downloaded(*result, untyped_view<void>(results[r]));
    }
  };
  dispatch_detail::run_captured("df_mp2", on, to_string(operation(runs[0].problem)), body);
  return energies;
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
  if (!has_elements(orbitals.extents, frozen)) return {};
  const energy_run run{closed_shell_of(orbitals.extents, frozen, real_type::single_precision), {0}};
  const std::array spins{&orbitals};
  const std::vector<array<float, 1>> energies = energies_of(on, {&run, 1}, spins, precision);
  const double opposite = energies[0](0), same = energies[0](1);
  return {.opposite_spin = opposite, .alpha_alpha = same / 2, .beta_beta = same / 2};
}

mp2_energies open_shell_on(accelerator& on, const device_orbitals& alpha,
                           const device_orbitals& beta, std::size_t frozen,
                           const precision_options& precision) {
  std::vector<energy_run> runs;
  for (const pair_energy_problem& p :
       open_shell_of(alpha.extents, beta.extents, frozen, real_type::single_precision))
    runs.push_back({p, {}});
  if (runs.empty()) return {};
  std::vector<const device_orbitals*> spins;
  mp2_energies sum;
  std::vector<double*> places;
  const bool has_alpha = has_elements(alpha.extents, frozen),
             has_beta = has_elements(beta.extents, frozen);
  if (has_alpha) spins.push_back(&alpha);
  if (has_beta) spins.push_back(&beta);
  // In the order of open_shell_of.
  if (has_alpha && has_beta) places.push_back(&sum.opposite_spin);
  if (has_alpha) places.push_back(&sum.alpha_alpha);
  if (has_beta) places.push_back(&sum.beta_beta);
  std::size_t same = 0;
  for (energy_run& run : runs)
    run.spins = run.problem.spins == pair_spins::opposite_spin ? std::vector<std::size_t>{0, 1}
                                                               : std::vector{same++};
  const std::vector<array<float, 1>> energies = energies_of(on, runs, spins, precision);
  for (std::size_t r = 0; r < runs.size(); ++r) *places[r] = energies[r](0);
  return sum;
}

}  // namespace papilio::chem_detail

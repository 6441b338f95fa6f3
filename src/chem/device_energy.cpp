#include "chem/device_energy.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

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

struct pair_run {
  pair_energy_problem problem;
  std::vector<std::size_t> spins;  ///< one spin, or two different ones
};

// Returns the runs for a closed shell, or for opposite spins and within each spin.
std::vector<pair_run> runs_of(const pairs_request& of, pair_function function) {
  constexpr real_type type = real_type::single_precision;
  const auto has_pairs = [&](std::size_t spin) {
    return has_elements(of.orbitals[spin].extents, of.frozen);
  };
  const auto problem = [&](pair_spins spins, std::size_t mine, std::size_t other) {
    pair_energy_problem p =
        problem_of(spins, of.orbitals[mine].extents, of.orbitals[other].extents, of.frozen, type);
    p.function = function;
    return p;
  };
  std::vector<pair_run> all;
  if (of.orbitals.size() > 1 && has_pairs(0) && has_pairs(1))
    all.push_back({problem(pair_spins::opposite_spin, 0, 1), {0, 1}});
  const pair_spins same = of.orbitals.size() > 1 ? pair_spins::same_spin : pair_spins::closed_shell;
  for (std::size_t spin = 0; spin < of.orbitals.size(); ++spin)
    if (has_pairs(spin)) all.push_back({problem(same, spin, spin), {spin}});
  return all;
}

// Returns the weights of a run's energies, in the order in which the run returns them.
graph_floats weights_of(const pair_run& run, const mp2_energies& w) {
  array<float, 1> weights({run.problem.spins == pair_spins::closed_shell ? 2u : 1u});
  if (run.problem.spins == pair_spins::same_spin) {
    weights(0) = static_cast<float>(run.spins[0] == 0 ? w.alpha_alpha : w.beta_beta);
    return graph_floats(std::move(weights));
  }
  weights(0) = static_cast<float>(w.opposite_spin);
  if (weights.size() > 1) weights(1) = static_cast<float>((w.alpha_alpha + w.beta_beta) / 2);
  return graph_floats(std::move(weights));
}

std::array<shared_tensor, 3> uploaded(accelerator& on, const device_orbitals& orbitals) {
  const auto up = [&](const auto& extents, const untyped_view<const void>& from) {
    return dispatch_detail::uploaded(on, dispatch_detail::shape_of(extents, false), from);
  };
  const auto energies = [&](const graph_floats& e) {
    return up(e.all.extents(), untyped_view<const void>(e.all));
  };
  return {orbitals.b.tensor ? orbitals.b.tensor : up(orbitals.extents, orbitals.b.host),
          energies(orbitals.occupied), energies(orbitals.virtuals)};
}

// Returns all results of each run; the runs share one upload, one dispatch and one fetch.
std::vector<std::vector<tensor<float>>> results_of(accelerator& on, const pairs_request& of,
                                                   std::span<const pair_run> runs) {
  std::vector<std::vector<tensor<float>>> results;
  std::vector<std::vector<tensor_view<float>>> views;
  std::vector<graph_floats> weights;
  for (const pair_run& run : runs) {
    weights.push_back(weights_of(run, of.weights));
    results.emplace_back();
    views.emplace_back();
    for (const operand_shape& s : shapes_of(run.problem).out) {
      results.back().emplace_back(s.extents);
      views.back().push_back(results.back().back().view());
    }
  }
  const auto body = [&] {
    const auto up = [&](std::span<const device_orbitals> spins) {
      std::vector<std::array<shared_tensor, 3>> all;
      for (const device_orbitals& spin : spins)
        all.push_back(has_elements(spin.extents, of.frozen) ? uploaded(on, spin)
                                                            : std::array<shared_tensor, 3>{});
      return all;
    };
    const auto orbitals = up(of.orbitals), changes = up(of.changes);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const pair_energy_problem& p = runs[r].problem;
      std::vector<device_input> in;
      for (const auto* operands : {&orbitals, &changes})
        for (std::size_t i = 0; i < operands->size() && i < runs[r].spins.size(); ++i)
          for (const shared_tensor& t : (*operands)[runs[r].spins[i]]) in.emplace_back(t);
      if (p.function == pair_function::vjp) {
        const view<const float, 1>& w = weights[r].all;
        in.emplace_back(dispatch_detail::uploaded(on, dispatch_detail::shape_of(w.extents(), false),
                                                  untyped_view<const void>(w)));
      }
      const std::vector<shared_tensor> out =
          run_to_new(of.function, on, p, of.precision, in, shapes_of(p).out);
      for (std::size_t i = 0; i < out.size(); ++i)
        dispatch_detail::downloaded(
            *out[i],
            untyped_view<void>(views[r][i].data(), views[r][i].extents(), views[r][i].strides()));
    }
  };
  dispatch_detail::run_captured(of.function, on, to_string(operation(runs[0].problem)), body);
  return results;
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

accelerator* place_pairs(const char* function, std::span<const pair_energy_problem> problems,
                         real_type type, const execution& on) {
  if (dispatch_detail::is_plain_host(on)) return nullptr;
  if (problems.empty()) {
    const std::array one{closed_shell_of({1, 1, 1}, 0, type)};
    place_pairs(function, one, type, on);
    return nullptr;
  }
  std::vector<pipeline_step> steps;
  operand_shapes arrays;
  for (const pair_energy_problem& p : problems) {
    steps.push_back({.what = p, .precision = on.precision});
    const operand_shapes own = shapes_of(p);
    // All operands are among those of the first problem, so nothing else is uploaded.
    if (steps.size() == 1) arrays.in = own.in;
    arrays.out.insert(arrays.out.end(), own.out.begin(), own.out.end());
  }
  return place(function, steps, arrays, on, host_roofline());
}

mp2_energies energies_on(accelerator& on, const pairs_request& of, pair_function function) {
  const std::vector<pair_run> runs = runs_of(of, function);
  mp2_energies sum;
  if (runs.empty()) return sum;
  const std::vector<std::vector<tensor<float>>> results = results_of(on, of, runs);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::span<const float> e = results[r][0].flat();
    if (runs[r].problem.spins == pair_spins::closed_shell)
      sum = {.opposite_spin = e[0], .alpha_alpha = e[1] / 2.0, .beta_beta = e[1] / 2.0};
    else if (runs[r].problem.spins == pair_spins::opposite_spin)
      sum.opposite_spin = e[0];
    else
      (runs[r].spins[0] == 0 ? sum.alpha_alpha : sum.beta_beta) = e[0];
  }
  return sum;
}

std::vector<std::array<tensor<float>, 3>> gradients_on(accelerator& on, const pairs_request& of) {
  std::vector<std::array<tensor<float>, 3>> sums;
  for (const device_orbitals& spin : of.orbitals) {
    const extents_type<3>& e = spin.extents;
    sums.push_back({tensor<float>(e), tensor<float>({e[0]}), tensor<float>({e[1]})});
  }
  const std::vector<pair_run> runs = runs_of(of, pair_function::vjp);
  if (runs.empty()) return sums;
  const std::vector<std::vector<tensor<float>>> results = results_of(on, of, runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t i = 0; i < results[r].size(); ++i) {
      const std::span<float> to = sums[runs[r].spins[i / 3]][i % 3].flat();
      std::ranges::transform(to, results[r][i].flat(), to.begin(), std::plus());
    }
  return sums;
}

}  // namespace papilio::chem_detail

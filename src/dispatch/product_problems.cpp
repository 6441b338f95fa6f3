// The problems of products - matrices, elements, triangles, integrals and MP2 - with their texts,
// shapes and operation counts.
#include <algorithm>
#include <array>
#include <utility>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio {

using base_detail::message;
using dispatch_detail::count_of;

std::string product_problem::text() const {
  return message("product of ", count, " complex numbers",
                 factors.empty() ? "" : message(" by a table of ", factors.size()));
}

operand_shapes product_problem::shapes() const {
  const operand_shape numbers{{count}, true};
  if (!factors.empty()) return {{numbers}, {numbers}};
  return {{numbers, numbers}, {numbers}};
}

double product_problem::nominal_flops() const { return 6 * static_cast<double>(count); }

std::string gemm_problem::text() const {
  return message("gemm of ", batch == 1 ? "" : message(batch, " times "),
                 is_complex ? "complex " : "", m, "x", k, " by ", k, "x", n, " in ",
                 to_string(type));
}

operand_shapes gemm_problem::shapes() const {
  return {{{{shared_left ? 1 : batch, m, k}, is_complex},
           {{shared_right ? 1 : batch, k, n}, is_complex}},
          {{{batch, m, n}, is_complex}}};
}

double gemm_problem::nominal_flops() const {
  return (is_complex ? 8 : 2) * count_of(std::array{batch, m, k, n});
}

const char* to_string(triangle_function function) {
  constexpr const char* names[] = {"symm", "syrk", "trmm", "trsm"};
  return names[static_cast<int>(function)];
}

std::size_t triangle_problem::order() const {
  return function == triangle_function::syrk || side == matrix_side::right ? n : m;
}

triangle_layout triangle_problem::layout() const {
  return {triangle, checked_cast<std::int64_t>(n, "triangle_problem: n"), block};
}

void triangle_problem::require_valid(const char* caller) const {
  const bool is_syrk = function == triangle_function::syrk;
  const std::pair<const char*, std::size_t> sizes[] = {{is_syrk ? "k" : "m", is_syrk ? k : m},
                                                       {"n", n}};
  for (const auto& [name, size] : sizes)
    if (size == 0)
      throw invalid_argument(message(caller, ": ", name, " must be at least 1, got 0"));
}

std::string triangle_problem::text() const {
  const char* const part =
      triangle == matrix_triangle::lower ? "a lower triangle" : "an upper triangle";
  const std::string of = is_complex ? " of complex " : " of ",
                    in = message(" in ", to_string(type));
  if (function == triangle_function::syrk)
    return message("syrk", of, transposed ? k : n, "x", transposed ? n : k, " to ", part, in);
  return message(to_string(function), of, m, "x", n, " by ",
                 function == triangle_function::symm ? "a symmetric matrix" : part,
                 side == matrix_side::right ? " on the right" : "", in);
}

operand_shapes triangle_problem::shapes() const {
  operand_shape c{{m, n}, is_complex};
  if (function == triangle_function::syrk)
    c.extents = {static_cast<std::size_t>(layout().elements())};
  operand_shapes all{{}, {c}};
  if (function == triangle_function::syrk)
    all.in = {{{transposed ? k : n, transposed ? n : k}, is_complex}};
  else
    all.in = {{{order(), order()}, is_complex}, c};
  if (beta != 0) all.in.push_back(c);
  return all;
}

double triangle_problem::nominal_flops() const {
  const double of_product = is_complex ? 8 : 2;
  if (function == triangle_function::syrk)
    return of_product / 2 * count_of(std::array{n, n + 1, k});
  return of_product * count_of(std::array{m, n, order()}) *
         (function == triangle_function::symm ? 1 : 0.5);
}

std::string integral_transform_problem::text() const {
  return message("integrals over ", nocc, "x", nvir, " orbitals from ", nbasis, " basis and ", naux,
                 " auxiliary functions in ", to_string(type));
}

operand_shapes integral_transform_problem::shapes() const {
  operand_shapes all{{{{naux, nbasis, nbasis}}, {{nbasis, nocc}}, {{nbasis, nvir}}},
                     {{{nocc, nvir, naux}}}};
  if (has_metric) all.in.push_back({{naux, naux}});
  return all;
}

double integral_transform_problem::nominal_flops() const {
  const double halves = count_of(std::array{naux, nocc, nbasis}) *
                        (static_cast<double>(nbasis) + static_cast<double>(nvir));
  return 2 * (halves + (has_metric ? count_of(std::array{nocc, nvir, naux, naux}) : 0));
}

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
  const double of_pair = 2 * count_of(std::array{nvir, mixed ? nvir_other : nvir, naux});
  if (function == pair_function::energies) return pairs() * of_pair;
  const double i = static_cast<double>(nocc - std::min(nocc, frozen));
  // T and a product with it are computed for each ordered pair (i, j); with two spins that is once
  // for i of either spin.
  return 2 * of_pair * (mixed ? 2 * pairs() : i * i);
}

}  // namespace papilio

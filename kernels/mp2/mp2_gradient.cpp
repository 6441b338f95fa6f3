// Gradients of MP2 energies by B and the orbital energies (vjp), or changes of the energies along
// changes of these (jvp).
//   identity   E = -sum over i, j, a, b of T (o T + s (T - T_ba)) / D for a closed shell,
//              T = B_i B_j^T, D = e_a + e_b - e_i - e_j; dT = U + its image under i <-> j,
//              U = dB_i B_j^T
//   layout     T of some i with all j, [j, b, i, a]: a sum over rows is a sum over (j, b), which
//              leaves the terms of each (i, a)
//   memory     T, T_ba and dL/dT (vjp) or U (jvp) of these i, in HBM
//   bound      HBM: seven passes over T; the tensor engine where there are many auxiliaries
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/entries.hpp"
#include "kernels/mp2/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/precision_choice.hpp"
#include "kernels/stage_list.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/mp2.hpp"
#include "papilio/kernels/rearrange.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::sized_kernel;

constexpr const char* mp2_gradient_name = "mp2_gradient";
// T of the orbitals i that are computed together takes at most 1 / 64 of a core's HBM.
constexpr std::int64_t share_of_integrals = 64;

// e_a - e_i for each (i, a), or the changes of that.
pointwise_program differences() {
  formula f;
  const auto occupied = f.input(one_for::row), virtuals = f.input(one_for::feature);
  f.output(virtuals - occupied);
  return f.program();
}

pointwise_program negated_sums() {
  formula f;
  f.output(sum(-1.0F * f.input(one_for::element)));
  return f.program();
}

// The formulas of pairs share T_ab, T_ba where it counts, and 1 / D, by the scalar engine,
// while the vector engine computes what it is multiplied by.
struct pair_terms {
  real_term v, exchanged, row, feature, r;

  pair_terms(formula& f, bool exchanges)
      : v(f.input(one_for::element)),
        exchanged(exchanges ? f.input(one_for::element) : v),
        row(f.input(one_for::row)),
        feature(f.input(one_for::feature)),
        r(apply(activation_function::reciprocal, row + feature)) {}
};

// With q = [(o + s) T_ab - s T_ba] / D: dL/dT_ab of `scale` pairs, twice for i's part and j's, and
// gradients by D of i and a.
pointwise_program by_integrals(pair_spins spins, float scale) {
  formula f;
  const pair_terms t(f, spins != pair_spins::opposite_spin);
  const auto numerator = [&] {
    const real_term first = -scale * f.input(one_for::tensor);
    if (spins == pair_spins::opposite_spin) return t.v * first;
    if (spins == pair_spins::same_spin) return (t.v - t.exchanged) * first;
    const real_term second = -scale * f.input(one_for::tensor);
    return t.v * (first + second) - t.exchanged * second;
  };
  const real_term q = t.r * numerator();
  f.output(2.0F * q);
  f.output(sum(q * t.v * t.r));
  return f.program();
}

// With U of the changes of i's integrals and e of D: sums over j, b of T / D (e T / D - 2 U), then of
// T_ab - T_ba in place of the first T.
pointwise_program changes(pair_spins spins, float scale) {
  formula f;
  const pair_terms t(f, spins != pair_spins::opposite_spin);
  const auto u = f.input(one_for::element), e = f.input(one_for::feature);
  const real_term direct = t.r * t.v, factor = direct * (scale * e) - 2 * scale * u;
  if (spins != pair_spins::same_spin) f.output(sum(direct * factor));
  if (spins != pair_spins::opposite_spin) f.output(sum(t.r * (t.v - t.exchanged) * factor));
  return f.program();
}

// B and the energies of one spin's correlated orbitals, or the changes of these, or gradients.
struct spin_tensors {
  stage_tensor b, occupied, virtuals;
};

struct spin_orbitals {
  std::int64_t nocc, nvir;
  spin_tensors given, change = {}, gradient = {};
  stage_tensor gaps = {}, changes_of_gaps = {};  ///< e_a - e_i and its change, [nocc, nvir]

  std::int64_t size() const { return nocc * nvir; }
};

class pair_stages {
 public:
  pair_stages(const pair_energy_problem& p, const machine_spec& machine,
              const kernels::contraction_kernel_options& products)
      : p_(p),
        naux_(std::int64_t(p.naux)),
        frozen_(std::int64_t(p.frozen)),
        machine_(machine),
        products_(products) {}

  sized_kernel kernel() {
    const auto spin = [&](std::size_t nocc, std::size_t nvir) {
      return spin_orbitals{std::int64_t(nocc) - frozen_, std::int64_t(nvir), {}};
    };
    spins_ = {spin(p_.nocc, p_.nvir)};
    if (is_mixed()) spins_.push_back(spin(p_.nocc_other, p_.nvir_other));
    for (spin_orbitals& s : spins_) {
      s.given = inputs(s, {{{}, {-2, -0.5F}, {0.1F, 2}}});
      s.gaps = gaps(s, s.given, "gaps");
    }
    make_room();
    const tensor_shape energies{{is_closed() ? 2 : 1}};
    if (p_.function == pair_function::vjp)
      add_gradients(list_.input(energies));
    else
      add_changes(energies);
    return list_.kernel(machine_);
  }

 private:
  bool is_mixed() const { return p_.spins == pair_spins::opposite_spin; }
  bool is_closed() const { return p_.spins == pair_spins::closed_shell; }
  // Stages take the change by orbital i alone. That by j is equal, so a closed shell counts it
  // twice; with one spin the factor 1/2 of its energy cancels that, and with two spins each has
  // stages of its own.
  float scale() const { return is_closed() ? 2 : 1; }
  const spin_orbitals& partner(std::size_t spin) const { return spins_[is_mixed() ? 1 - spin : 0]; }

  // Operands that make(shape) makes, without their frozen orbitals.
  template <class Make>
  spin_tensors tensors(const spin_orbitals& s, const Make& make) const {
    const std::int64_t all = s.nocc + frozen_, rows = s.nvir * naux_;
    const stage_tensor b = make({{all, s.nvir, naux_}}), e = make({{all}});
    return {b.part(frozen_ * rows, s.nocc * rows), e.part(frozen_, s.nocc), make({{s.nvir}})};
  }

  spin_tensors inputs(const spin_orbitals& s, std::array<kernels::input_range, 3> ranges = {}) {
    std::size_t next = 0;
    return tensors(s,
                   [&](const tensor_shape& shape) { return list_.input(shape, ranges[next++]); });
  }

  // Gradients by frozen orbitals are 0.
  spin_tensors gradients(const spin_orbitals& s) {
    const spin_tensors t =
        tensors(s, [&](const tensor_shape& shape) { return list_.output(shape); });
    for (const auto& [of, each] : {std::pair(t.b, s.nvir * naux_), {t.occupied, 1}}) {
      const std::int64_t count = frozen_ * each;
      const arrangement_problem none{
          .in_extents = {std::size_t(s.nvir)}, .out_extents = {std::size_t(count)}, .boxes = {}};
      if (count > 0)
        list_.add("frozen orbitals", kernels::rearrange_kernel(none, machine_), {s.given.virtuals},
                  {of.part(-count, count)});
    }
    return t;
  }

  stage_tensor gaps(const spin_orbitals& s, const spin_tensors& of, const char* name) {
    const stage_tensor out = list_.between(s.size());
    formula_stage(name, s.nocc, s.nvir, differences(), 1, {of.occupied, of.virtuals}, {out});
    return out;
  }

  void formula_stage(const char* name, std::int64_t rows, std::int64_t features,
                     pointwise_program program, double roundings, std::vector<stage_tensor> in,
                     std::vector<stage_tensor> out) {
    add(name,
        pointwise_kernel(name, rows, features, std::move(program),
                         square_root(roundings * rounding_squared_error()), machine_),
        std::move(in), std::move(out));
  }

  // The product of operands with these labels, or a sum; and the first one's elements in another
  // order of its labels.
  void contraction(const char* name, std::vector<std::size_t> sizes,
                   const std::vector<std::vector<int>>& operands, const std::vector<int>& out,
                   std::vector<stage_tensor> in, std::vector<stage_tensor> to,
                   const std::vector<int>& transposed = {}) {
    std::vector<contraction_problem::step> steps{{.of = {}, .labels = out}};
    for (std::size_t o = 0; o < operands.size(); ++o) steps[0].of.push_back({o, operands[o]});
    if (to.size() > 1) steps.push_back({.of = {{operands.size(), transposed}}, .labels = out});
    add(name,
        kernels::contraction_kernel(
            labelled_contraction(std::move(sizes), operands, std::move(steps)), machine_,
            products_),
        std::move(in), std::move(to));
  }

  // Orbitals i of one spin, paired with all j of that spin or of the other one, and the tensors
  // that the stages hand on in HBM.
  struct pair_block {
    const spin_orbitals &mine, &others;
    std::int64_t first = 0, some = 1;  ///< orbitals i in [first, first + some)
    stage_tensor t = {}, exchanged = {}, third = {};

    std::int64_t columns() const { return some * mine.nvir; }
    std::int64_t size() const { return columns() * others.size(); }
    stage_tensor of_mine(const stage_tensor& all) const {
      const std::int64_t each = all.count / mine.nocc;
      return all.part(first * each, some * each);
    }
  };

  std::int64_t occupied_of_block(std::size_t spin) const {
    const spin_orbitals& mine = spins_[spin];
    const std::int64_t most = machine_.hbm.usable_bytes_per_core / share_of_integrals /
                              std::int64_t(sizeof(float)) / (mine.nvir * partner(spin).size());
    return std::clamp<std::int64_t>(most, 1, mine.nocc);
  }

  void make_room() {
    std::int64_t size = 0;
    for (std::size_t s = 0; s < spins_.size(); ++s)
      size = std::max(size, occupied_of_block(s) * spins_[s].nvir * partner(s).size());
    for (stage_tensor& t : room_)
      if (&t != &room_[1] || !is_mixed()) t = list_.between(size);
  }

  // Calls `body` for each block of orbitals i. Stages after the first block's compute other
  // elements in the same way, so that they add nothing to the expected relative error.
  template <class Body>
  void blocks_of(std::size_t spin, const Body& body) {
    pair_block b{spins_[spin], partner(spin)};
    b.some = occupied_of_block(spin);
    for (; b.first < b.mine.nocc; b.first += b.some) {
      b.some = std::min(b.some, b.mine.nocc - b.first);
      b.t = room_[0].part(0, b.size());
      if (!is_mixed()) b.exchanged = room_[1].part(0, b.size());
      b.third = room_[2].part(0, b.size());
      repeats_ = spin > 0 || b.first > 0;
      body(b);
    }
    repeats_ = false;
  }

  // Labels: 0 j, 1 b, 2 i, 3 a, 4 auxiliary functions.
  std::vector<std::size_t> sizes_of(const pair_block& b) const {
    return {std::size_t(b.others.nocc), std::size_t(b.others.nvir), std::size_t(b.some),
            std::size_t(b.mine.nvir), p_.naux};
  }

  // T of a block, and T_ba where it counts, to these; or of changes of B.
  void integrals(const char* name, const pair_block& b, const stage_tensor& of_mine,
                 std::vector<stage_tensor> to) {
    contraction(name, sizes_of(b), {{0, 1, 4}, {2, 3, 4}}, {0, 1, 2, 3},
                {b.others.given.b, b.of_mine(of_mine)}, std::move(to), {0, 3, 2, 1});
  }

  // Adds the stage of T and T_ba, and returns the formulas' first operands (pair_terms).
  std::vector<stage_tensor> pair_operands(const pair_block& b) {
    std::vector<stage_tensor> t{b.t};
    if (!is_mixed()) t.push_back(b.exchanged);
    integrals("integrals", b, b.mine.given.b, t);
    t.insert(t.end(), {b.others.gaps, b.of_mine(b.mine.gaps)});
    return t;
  }

  void add_gradients(const stage_tensor& weights) {
    for (spin_orbitals& s : spins_) s.gradient = gradients(s);
    for (std::size_t spin = 0; spin < spins_.size(); ++spin) {
      const spin_orbitals& s = spins_[spin];
      const stage_tensor by_gaps = list_.between(s.size());
      blocks_of(spin, [&](const pair_block& b) {
        std::vector<stage_tensor> in = pair_operands(b);
        for (std::int64_t e = 0; e < weights.count; ++e) in.push_back(weights.part(e, 1));
        formula_stage("by integrals", b.others.size(), b.columns(), by_integrals(p_.spins, scale()),
                      8, std::move(in), {b.third, b.of_mine(by_gaps)});
        contraction("by b", sizes_of(b), {{0, 1, 2, 3}, {0, 1, 4}}, {2, 3, 4},
                    {b.third, b.others.given.b}, {b.of_mine(s.gradient.b)});
      });
      contraction("by occupied", {std::size_t(s.nocc), std::size_t(s.nvir)}, {{0, 1}}, {0},
                  {by_gaps}, {s.gradient.occupied});
      formula_stage("by virtuals", s.nocc, s.nvir, negated_sums(), 1, {by_gaps},
                    {s.gradient.virtuals});
    }
  }

  void add_changes(const tensor_shape& energies) {
    std::int64_t size = 0;
    for (spin_orbitals& s : spins_) {
      s.change = inputs(s);
      s.changes_of_gaps = gaps(s, s.change, "changes of gaps");
      size += s.size();
    }
    const stage_tensor out = list_.output(energies);
    const stage_tensor sums = list_.between(out.count * size);
    std::int64_t at = 0;
    for (std::size_t spin = 0; spin < spins_.size(); ++spin) {
      const spin_orbitals& s = spins_[spin];
      blocks_of(spin, [&](const pair_block& b) {
        std::vector<stage_tensor> in = pair_operands(b), to;
        integrals("changes of integrals", b, s.change.b, {b.third});
        in.insert(in.end(), {b.third, b.of_mine(s.changes_of_gaps)});
        for (std::int64_t e = 0; e < out.count; ++e)
          to.push_back(b.of_mine(sums.part(e * size + at, s.size())));
        formula_stage("changes", b.others.size(), b.columns(), changes(p_.spins, scale()), 8,
                      std::move(in), std::move(to));
      });
      at += s.size();
    }
    for (std::int64_t e = 0; e < out.count; ++e)
      contraction("sums", {std::size_t(size)}, {{0}}, {}, {sums.part(e * size, size)},
                  {out.part(e, 1)});
  }

  void add(const char* name, sized_kernel kernel, std::vector<stage_tensor> in,
           std::vector<stage_tensor> out) {
    if (repeats_) kernel.expected_error = 0;
    list_.add(name, std::move(kernel), std::move(in), std::move(out));
  }

  stage_list list_{mp2_gradient_name};
  std::array<stage_tensor, 3> room_;  ///< T, T_ba, and dL/dT or U
  bool repeats_ = false;
  pair_energy_problem p_;
  std::int64_t naux_, frozen_;
  machine_spec machine_;
  kernels::contraction_kernel_options products_;
  std::vector<spin_orbitals> spins_;
};

void check(const pair_energy_problem& problem) {
  require(problem.function != pair_function::energies, mp2_gradient_name,
          ": the function must be vjp or jvp, got energies, which are mp2_energy_kernel's");
  check_pairs(mp2_gradient_name, problem);
  const bool mixed = problem.spins == pair_spins::opposite_spin;
  const auto pairs = [](std::size_t i, std::size_t a) { return std::int64_t(i * a); };
  checked_multiply(checked_multiply(pairs(problem.nocc, problem.nvir),
                                    pairs(mixed ? problem.nocc_other : problem.nocc,
                                          mixed ? problem.nvir_other : problem.nvir),
                                    "mp2_gradient: integrals"),
                   std::int64_t(sizeof(float)), "mp2_gradient: bytes of integrals");
}

struct mp2_gradient_request : pair_energy_problem {
  precision_options how = {};
};

}  // namespace

kernels::catalog_entry mp2_gradient_entry() {
  using r = mp2_gradient_request;
  return settings<r>{choice_setting("form", &r::function,
                                    "Gradients by the orbitals, or changes of energies",
                                    {{"vjp", pair_function::vjp}, {"jvp", pair_function::jvp}})}
      .with(mp2_settings())
      .with({mode_setting(&r::how, "Precision of the products; split_bf16 has two parts",
                          {precision::native, precision::bf16, precision::split_bf16})})
      .entry(mp2_gradient_name,
             "Gradients of MP2 energies by integrals and orbital energies, or tangents",
             [](const r& request, const machine_spec& machine) {
               return kernels::mp2_gradient_kernel(request, machine, products_in(request.how));
             });
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

sized_kernel mp2_gradient_kernel(const pair_energy_problem& problem,
                                 const engine::machine_spec& machine,
                                 const contraction_kernel_options& options) {
  kernels_detail::check(problem);
  return kernels_detail::pair_stages(problem, machine, options).kernel();
}

}  // namespace papilio::kernels

// Gradients of MP2 energies as a kernel: what df_mp2_vjp, which tests/chem compares with the host's,
// does not ask of it. Frozen orbitals: the kernel without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/published_runs.hpp"
#include "papilio/kernels/mp2.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

using numbers = std::vector<std::vector<float>>;

// Energies of occupied orbitals are below those of virtual ones.
numbers inputs_of(const pair_energy_problem& p) {
  struct range {
    float low, high;
  };
  constexpr range ranges[] = {{-1, 1}, {-2, -0.5F}, {0.1F, 1}};  // B, occupied, virtuals
  numbers all;
  for (const operand_shape& s : p.shapes().in) {
    const range& r = ranges[all.size() % 3];
    const array<float, 2> values =
        values_between(r.low, r.high, std::int64_t(s.count()), 1, unsigned(all.size()) + 1);
    all.emplace_back(values.begin(), values.end());
  }
  return all;
}

// Operands have three axes or one.
template <class Operand, class Element>
Operand operand_of(Element* data, const tensor_shape& shape) {
  const auto extent = [&](std::size_t axis) { return std::size_t(shape.extents[axis]); };
  if (shape.extents.size() == 1) return view<Element, 1>(data, {extent(0)});
  return view<Element, 3>(data, {extent(0), extent(1), extent(2)});
}

numbers run(const pair_energy_problem& p, const numbers& in) {
  const sized_kernel kernel = mp2_gradient_kernel(p, trainium1());
  device on(trainium1());
  numbers results;
  std::vector<launch_input> inputs;
  std::vector<launch_output> outputs;
  for (std::size_t i = 0; i < in.size(); ++i)
    inputs.push_back(operand_of<launch_input>(in[i].data(), kernel.inputs[i]));
  for (const tensor_shape& s : kernel.outputs) results.emplace_back(std::size_t(s.elements()));
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.push_back(operand_of<launch_output>(results[i].data(), kernel.outputs[i]));
  prepared_kernel(on, kernel).launch(inputs, outputs);
  return results;
}

constexpr std::size_t frozen = 2;

// Orbitals and gradients come as B, occupied, virtuals: of the first two the first ones.
std::vector<float> without_frozen(const std::vector<float>& values, std::size_t at,
                                  const operand_shape& shape) {
  if (at % 3 == 2) return values;
  return {values.begin() + std::ptrdiff_t(frozen * values.size() / shape.extents[0]), values.end()};
}

TEST(mp2_gradient, frozen_orbitals_are_left_out) {
  for (const pair_spins spins :
       {pair_spins::closed_shell, pair_spins::same_spin, pair_spins::opposite_spin})
    for (const pair_function function : {pair_function::vjp, pair_function::jvp}) {
      const pair_energy_problem whole{.nocc = 5,
                                      .nvir = 7,
                                      .naux = 11,
                                      .spins = spins,
                                      .function = function,
                                      .nocc_other = 4,
                                      .nvir_other = 6,
                                      .frozen = frozen};
      pair_energy_problem part = whole;
      part.nocc -= frozen;
      part.nocc_other -= frozen;
      part.frozen = 0;
      const numbers in = inputs_of(whole);
      const operand_shapes shapes = whole.shapes();
      numbers less;
      for (std::size_t i = 0; i < in.size(); ++i)
        less.push_back(function == pair_function::vjp && i + 1 == in.size()
                           ? in[i]
                           : without_frozen(in[i], i, shapes.in[i]));
      const numbers got = run(whole, in), wanted = run(part, less);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (function == pair_function::jvp) {
          EXPECT_EQ(got[i], wanted[i]);
          continue;
        }
        EXPECT_EQ(without_frozen(got[i], i, shapes.out[i]), wanted[i]);
        for (std::size_t k = 0; k < got[i].size() - wanted[i].size(); ++k) EXPECT_EQ(got[i][k], 0);
      }
    }
}

TEST(mp2_gradient, of_blocks_has_the_error_of_one) {
  const pair_energy_problem p{.nocc = 8, .nvir = 30, .naux = 40, .function = pair_function::vjp};
  machine_spec small = trainium1();
  small.hbm.usable_bytes_per_core = std::int64_t{5} << 20;
  EXPECT_NEAR(mp2_gradient_kernel(p, small).expected_error,
              mp2_gradient_kernel(p, trainium1()).expected_error, 1e-9);
}

TEST(mp2_gradient, refuses_what_it_cannot_do) {
  const auto of = [](const pair_energy_problem& p, const contraction_kernel_options& how = {}) {
    return [=] { mp2_gradient_kernel(p, trainium1(), how); };
  };
  const pair_function vjp = pair_function::vjp;
  EXPECT_THROW(of({.nocc = 3})(), invalid_argument);  // energies
  EXPECT_THROW(of({.nocc = 0, .function = vjp})(), invalid_argument);
  EXPECT_THROW(of({.nocc = 3, .function = vjp, .frozen = 3})(), invalid_argument);
  EXPECT_THROW(of({.function = vjp, .type = real_type::double_precision})(), invalid_argument);
  EXPECT_THROW(of({.function = vjp}, {.parts = 2})(), invalid_argument);
  EXPECT_THROW(of({.nocc = 1u << 20, .nvir = 1u << 20, .function = vjp})(), resource_error);
  EXPECT_THROW(mp2_energy_kernel({.function = vjp}, trainium1()), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test

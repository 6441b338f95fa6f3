// MP2 energies by the cores of a group, against one core's.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"
#include "papilio/kernels/mp2.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct spin {
  array<float, 3> b;
  array<float, 1> occupied, virtuals;

  mp2_group_operands operands() const { return {b, occupied, virtuals}; }
};

spin make(std::size_t nocc, std::size_t nvir, std::size_t naux, unsigned seed) {
  spin s{normal<3>({nocc, nvir, naux}, 1, seed), array<float, 1>({nocc}), array<float, 1>({nvir})};
  for (std::size_t i = 0; i < nocc; ++i) s.occupied(i) = -1 - float(i) / 8;
  for (std::size_t a = 0; a < nvir; ++a) s.virtuals(a) = 0.5F + float(a) / 16;
  return s;
}

std::vector<float> on_one_core(const pair_energy_problem& problem, const spin& x, const spin* y) {
  device dev;
  const prepared_kernel kernel(dev, mp2_energy_kernel(problem, dev.machine()));
  array<float, 1> out({std::size_t(kernel.what().outputs[0].extents[0])});
  if (y == nullptr)
    kernel.launch({x.b, x.occupied, x.virtuals}, {out});
  else
    kernel.launch({x.b, x.occupied, x.virtuals, y->b, y->occupied, y->virtuals}, {out});
  return {out.begin(), out.end()};
}

// Sums of squares of one sign in another order: each at most some hundred roundings apart.
void expect_same(const std::vector<double>& got, const std::vector<float>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t e = 0; e < got.size(); ++e)
    EXPECT_NEAR(got[e], double(expected[e]), 512 * 0x1p-24 * std::fabs(got[e]));
}

TEST(sharded_mp2, energies_are_those_of_one_core) {
  const spin x = make(7, 30, 50, 1), y = make(5, 21, 50, 2);
  for (const int cores : {1, 2, 3, 16, 30}) {
    device_group group(trainium1(), sdk_2_24(), cores, {.threads = 2});
    for (const std::size_t frozen : {0U, 2U}) {
      pair_energy_problem problem{.nocc = 7, .nvir = 30, .naux = 50, .frozen = frozen};
      expect_same(sharded_mp2(group, problem).energies(x.operands()),
                  on_one_core(problem, x, nullptr));
      problem.spins = pair_spins::same_spin;
      expect_same(sharded_mp2(group, problem).energies(x.operands()),
                  on_one_core(problem, x, nullptr));
      problem.spins = pair_spins::opposite_spin;
      problem.nocc_other = 5;
      problem.nvir_other = 21;
      expect_same(sharded_mp2(group, problem).energies(x.operands(), y.operands()),
                  on_one_core(problem, x, &y));
    }
  }
}

TEST(sharded_mp2, the_layout_and_the_hosts_threads_change_no_bit) {
  const spin x = make(6, 140, 33, 3);
  spin turned{array<float, 3>({6, 33, 140}), x.occupied, x.virtuals};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t a = 0; a < 140; ++a)
      for (std::size_t k = 0; k < 33; ++k) turned.b(i, k, a) = x.b(i, a, k);
  const pair_energy_problem problem{.nocc = 6, .nvir = 140, .naux = 33};
  device_group one(trainium1(), sdk_2_24(), 4, {.threads = 1}),
      two(trainium1(), sdk_2_24(), 4, {.threads = 2});
  const std::vector<double> energies = sharded_mp2(one, problem).energies(x.operands());
  EXPECT_EQ(sharded_mp2(two, problem).energies(x.operands()), energies);
  EXPECT_EQ(sharded_mp2(two, problem, {.layout = integral_layout::ipa}).energies(turned.operands()),
            energies);
}

TEST(sharded_mp2, many_cores_pay) {
  const pair_energy_problem medium{.nocc = 64, .nvir = 448, .naux = 1536};
  const group_times one = time_sharded_mp2(medium, 1, trainium1(), sdk_2_29());
  EXPECT_GT(time_sharded_mp2(medium, 2, trainium1(), sdk_2_29()).device_efficiency(one), 0.95);
  EXPECT_GT(time_sharded_mp2(medium, 16, trainium1(), sdk_2_29()).device_efficiency(one), 0.75);
  EXPECT_GT(time_sharded_mp2(medium, 64, trainium1(), sdk_2_29()).device_efficiency(one), 0.2);
}

TEST(sharded_mp2, designs_are_values) {
  const auto design_on = [](int cores, const mp2_energy_kernel_options& how = {}) {
    device_group group(trainium1(), sdk_2_24(), cores);
    return sharded_mp2(group, {.nocc = 3, .nvir = 4, .naux = 5}, how).design();
  };
  EXPECT_EQ(design_on(2), design_on(2));
  EXPECT_EQ(design_on(2).key(), design_on(2).key());
  EXPECT_NE(design_on(2), design_on(3));
  EXPECT_NE(design_on(2), design_on(2, {.layout = integral_layout::ipa}));
  EXPECT_FALSE(design_on(8).explain().empty());
}

TEST(sharded_mp2, refuses_what_does_not_fit) {
  const spin x = make(3, 4, 5, 1);
  device_group group(trainium1(), sdk_2_24(), 2);
  const pair_energy_problem problem{.nocc = 3, .nvir = 4, .naux = 5};
  const sharded_mp2 energies(group, problem);
  EXPECT_THROW(energies.energies(make(3, 4, 6, 1).operands()), shape_error);
  EXPECT_THROW(energies.energies(x.operands(), x.operands()), invalid_argument);
  EXPECT_THROW(sharded_mp2(group, {.nocc = 3}, {.first_pair = 1}), invalid_argument);
  EXPECT_THROW(sharded_mp2(group, {.nocc = 0}), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test

// Molecules of another program, from its integrals over molecular and over atomic orbitals.
#include <gtest/gtest.h>

#include <string>

#include "chem/made_orbitals.hpp"
#include "chem/molecule_arrays.hpp"

namespace papilio::test {
namespace {

constexpr double closeness[] = {1e-7, 1e-10};  // hartree, of float and of double

template <class T>
class molecules : public testing::Test {
 protected:
  static constexpr double close = closeness[sizeof(T) / sizeof(double)];
};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(molecules, reals);

template <class T>
mp2_orbitals<T> orbitals_of(const array<T, 3>& b, const array<double, 1>& energies) {
  const std::span<const double> all = energies.flat();
  return {b, all.first(b.extent(0)), all.subspan(b.extent(0))};
}

// Water in STO-3G: opposite spin, same spin, and both without the 1s orbital.
constexpr double water_opposite = -0.03356001185080309, water_same = -0.002041811190154457,
                 water_frozen = -0.035502086707444806;

template <class T>
void expect_water(const array<T, 3>& b, const array<double, 1>& energies, double close) {
  const mp2_orbitals<T> o = orbitals_of(b, energies);
  const mp2_energies e = df_mp2(b, o.eps_occupied, o.eps_virtual);
  EXPECT_NEAR(e.opposite_spin, water_opposite, close);
  EXPECT_NEAR(e.same_spin(), water_same, close);
  EXPECT_NEAR(e.scs(), -0.040952617951015194, close);
  EXPECT_NEAR(e.sos(), -0.04362801540604402, close);
  const mp2_energies frozen = df_mp2(b, o.eps_occupied, o.eps_virtual, {.frozen_core = 1});
  EXPECT_NEAR(frozen.correlation(), water_frozen, close);
}

TYPED_TEST(molecules, water_from_molecular_integrals) {
  expect_water<TypeParam>(loaded<TypeParam, 3>("h2o_sto3g/B_iaQ.npy"),
                          loaded<double, 1>("h2o_sto3g/eps.npy"), this->close);
}

TYPED_TEST(molecules, water_from_atomic_integrals) {
  const auto eri = loaded<TypeParam, 3>("h2o_sto3g/AO_mnQ.npy");
  const auto c = loaded<TypeParam, 2>("h2o_sto3g/C.npy");
  const auto metric = loaded<double, 2>("h2o_sto3g/metric_PQ.npy");
  const auto energies = loaded<double, 1>("h2o_sto3g/eps.npy");
  const auto occupied = std::as_const(c).view().slice(1, 0, 5);
  const auto virtuals = std::as_const(c).view().slice(1, 5, 2);
  expect_water<TypeParam>(ao_to_mo(eri, occupied, virtuals, {.metric = metric}), energies,
                          this->close);
  array<TypeParam, 2> triangle({28, eri.extent(2)});
  for (std::size_t m = 0; m < 7; ++m)
    for (std::size_t n = 0; n <= m; ++n)
      for (std::size_t p = 0; p < eri.extent(2); ++p)
        triangle(m * (m + 1) / 2 + n, p) = eri(m, n, p);
  expect_water<TypeParam>(ao_to_mo(triangle, occupied, virtuals, {.metric = metric}), energies,
                          this->close);
}

// The same, element by element, as the other program's symmetric root.
TEST(molecules_of_double, atomic_integrals_give_the_molecular_ones) {
  const auto c = loaded<double, 2>("h2o_sto3g/C.npy");
  const auto b =
      ao_to_mo(loaded<double, 3>("h2o_sto3g/AO_mnQ.npy"), std::as_const(c).view().slice(1, 0, 5),
               std::as_const(c).view().slice(1, 5, 2),
               {.metric = loaded<double, 2>("h2o_sto3g/metric_PQ.npy")});
  const auto expected = loaded<double, 3>("h2o_sto3g/B_iaQ.npy");
  ASSERT_EQ(b.extents(), expected.extents());
  // Roundings of double by the root of the condition, 2.5e5.
  for (std::size_t x = 0; x < b.size(); ++x)
    ASSERT_NEAR(b.data()[x], expected.data()[x], 1e-11) << x;
}

TYPED_TEST(molecules, hydroxyl_of_two_spins) {
  const auto alpha = loaded<TypeParam, 3>("oh_ccpvdz_uhf/Ba_iaQ.npy");
  const auto beta = loaded<TypeParam, 3>("oh_ccpvdz_uhf/Bb_iaQ.npy");
  const auto alpha_energies = loaded<double, 1>("oh_ccpvdz_uhf/eps_a.npy");
  const auto beta_energies = loaded<double, 1>("oh_ccpvdz_uhf/eps_b.npy");
  const mp2_energies e =
      df_mp2(orbitals_of(alpha, alpha_energies), orbitals_of(beta, beta_energies));
  EXPECT_NEAR(e.correlation(), -0.15098114098171492, this->close);
  EXPECT_NEAR(e.opposite_spin, -0.114146689132986, this->close);
  EXPECT_NEAR(e.same_spin(), -0.036834451848728904, this->close);
  EXPECT_NEAR(e.alpha_alpha, -0.025021041856654856, this->close);
  EXPECT_NEAR(e.beta_beta, -0.011813409992073184, this->close);
}

}  // namespace
}  // namespace papilio::test

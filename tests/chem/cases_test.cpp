// The published acceptance cases of a tensor library for accelerators that are of MP2 energies and
// of integrals, on the host, by their numbers there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "chem/made_orbitals.hpp"
#include "support/case_list.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

struct published_case {
  const char* id;
  void (*run)();
};
std::ostream& operator<<(std::ostream& out, const published_case& c) { return out << c.id; }
std::string name_of(const testing::TestParamInfo<published_case>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

struct tolerance {
  double relative, absolute;
};
constexpr tolerance tight{1e-6, 1e-6}, usual{1e-5, 1e-5}, device{1e-4, 1e-3};

// Within the published tolerance, and within what roundings of float can do.
void check_energy(const mp2_orbitals<float>& o, tolerance bound) {
  const mp2_energies got = df_mp2(o.b, o.eps_occupied, o.eps_virtual);
  const exact_energies found = exact_closed(o);
  const auto expected = static_cast<double>(found.opposite + found.alpha + found.beta);
  EXPECT_NEAR(got.correlation(), expected, bound.absolute + bound.relative * std::abs(expected));
  expect_energies<float>(got, found, o.b.extent(2));
}
void check_energy(const extents_type<3>& extents, tolerance bound) {
  check_energy(made_orbitals<float>(extents, 1).orbitals(), bound);
}

struct integrals {
  array<float, 3> eri;
  array<float, 2> c_occ, c_vir;

  integrals(std::size_t nbf, std::size_t nocc, std::size_t nvir, std::size_t naux, float scale)
      : eri({nbf, nbf, naux}), c_occ({nbf, nocc}), c_vir({nbf, nvir}) {
    std::ranges::transform(random_real<float>(eri.size(), 1), eri.data(),
                           [scale](float x) { return scale * x; });
    std::ranges::copy(random_real<float>(c_occ.size(), 2), c_occ.data());
    std::ranges::copy(random_real<float>(c_vir.size(), 3), c_vir.data());
  }
};

// Both half transforms in double, one after the other. Errors relative to the largest element, as
// einsum's own would be: each sum has terms of either sign.
array<float, 3> check_transform(const integrals& made, tolerance bound) {
  const auto got = ao_to_mo(made.eri, made.c_occ, made.c_vir);
  const std::size_t nbf = made.eri.extent(0), naux = made.eri.extent(2);
  const std::size_t nocc = made.c_occ.extent(1), nvir = made.c_vir.extent(1);
  array<double, 2> half({nbf, naux}), sum({nvir, naux});
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < nocc; ++i) {
    std::ranges::fill(half, 0);
    std::ranges::fill(sum, 0);
    for (std::size_t m = 0; m < nbf; ++m)
      for (std::size_t x = 0; x < nbf * naux; ++x)
        half.data()[x] +=
            double(made.c_occ.data()[m * nocc + i]) * double(made.eri.data()[m * nbf * naux + x]);
    for (std::size_t n = 0; n < nbf; ++n)
      for (std::size_t a = 0; a < nvir; ++a)
        for (std::size_t p = 0; p < naux; ++p)
          sum.data()[a * naux + p] +=
              double(made.c_vir.data()[n * nvir + a]) * half.data()[n * naux + p];
    for (std::size_t x = 0; x < nvir * naux; ++x) {
      largest = std::max(largest, std::abs(sum.data()[x]));
      worst = std::max(worst, std::abs(double(got.data()[i * nvir * naux + x]) - sum.data()[x]));
    }
  }
  EXPECT_LE(worst, bound.absolute + bound.relative * largest);
  return got;
}

void check_both(std::size_t nbf, std::size_t nocc, std::size_t nvir, std::size_t naux) {
  const array<float, 3> b = check_transform(integrals(nbf, nocc, nvir, naux, 0.1f), device);
  const made_orbitals<float> levels({nocc, nvir, naux}, 4);
  check_energy({b, levels.occupied, levels.virtuals}, {1e-4, 1e-3});
}

// Rank and element type are of the type here, so that a wrong one does not compile.
template <class B>
concept has_energy = requires(const B& b, std::span<const double> e) { df_mp2(b, e, e); };
template <class E>
concept has_transform = requires(const E& eri, const array<float, 2>& c) { ao_to_mo(eri, c, c); };
static_assert(has_energy<array<float, 3>> && !has_energy<array<float, 2>> &&
              !has_energy<array<float, 4>> && !has_energy<array<int, 3>>);
static_assert(has_transform<array<float, 3>> && has_transform<array<float, 2>> &&
              !has_transform<array<float, 4>> && !has_transform<array<float, 1>>);

const published_case energies[] = {
    {"trntensor-072",
     [] {
       made_orbitals<float> made({2, 3, 5}, 0, 0.1);
       made.occupied = {-0.5, -0.4};
       made.virtuals = {0.1, 0.2, 0.3};
       check_energy(made.orbitals(), tight);
     }},
    {"trntensor-073",
     [] {
       check_energy({3, 4, 6}, tight);
     }},
    {"trntensor-074",
     [] {
       const made_orbitals<float> made({3, 4, 6}, 1);
       EXPECT_THROW(df_mp2(made.b, made.virtuals, made.virtuals), shape_error);
       EXPECT_THROW(df_mp2(made.b, made.occupied, made.occupied), shape_error);
     }},
    {"trntensor-087",
     [] {
       check_energy({5, 19, 72}, device);
     }},
    {"trntensor-088",
     [] {
       check_energy({8, 32, 128}, device);
     }},
    // There were limits of 128, and an error beyond; here there are none.
    {"trntensor-093",
     [] {
       check_energy({2, 200, 50}, device);
     }},
    {"trntensor-102",
     [] {
       check_energy({5, 19, 72}, device);
     }},
};

const published_case transforms[] = {
    {"trntensor-075", [] { check_transform(integrals(8, 3, 5, 12, 1), usual); }},
    {"trntensor-076",
     [] {
       const auto b = check_transform(integrals(8, 3, 5, 12, 1), usual);
       const made_orbitals<float> levels({3, 5, 12}, 4);
       const mp2_energies e = df_mp2(b, levels.occupied, levels.virtuals);
       EXPECT_TRUE(std::isfinite(e.correlation()));
       EXPECT_LT(e.correlation(), 0);
     }},
    {"trntensor-077",
     [] {
       const integrals made(8, 3, 5, 12, 1);
       EXPECT_THROW(ao_to_mo(array<float, 3>({8, 7, 12}), made.c_occ, made.c_vir), shape_error);
       EXPECT_THROW(ao_to_mo(made.eri, array<float, 2>({7, 3}), made.c_vir), shape_error);
       EXPECT_THROW(ao_to_mo(made.eri, made.c_occ, array<float, 2>({9, 5})), shape_error);
     }},
    {"trntensor-089", [] { check_both(32, 5, 10, 16); }},
    {"trntensor-090", [] { check_transform(integrals(256, 16, 32, 32, 0.1f), device); }},
    {"trntensor-091", [] { check_transform(integrals(200, 10, 20, 24, 0.1f), device); }},
    {"trntensor-092", [] { check_both(256, 10, 30, 32); }},
    {"trntensor-099", [] { check_transform(integrals(32, 5, 10, 16, 1), device); }},
    {"trntensor-100", [] { check_transform(integrals(256, 8, 16, 16, 1), device); }},
    {"trntensor-101", [] { check_transform(integrals(200, 6, 12, 12, 1), device); }},
};

class chem_cases : public testing::TestWithParam<published_case> {};
TEST_P(chem_cases, holds) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(energies, chem_cases, testing::ValuesIn(energies), name_of);
INSTANTIATE_TEST_SUITE_P(transforms, chem_cases, testing::ValuesIn(transforms), name_of);

TEST(chem_case_list, every_case_is_here) { expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio::test

// The published integral transform against sums in double: the system's own cases, named by their
// ids, and sizes of every tail.
//
// Error model, u = 2^-24: two sums of nbasis terms with one rounding each and one a tile of 128:
// |error| <= 2 gamma_q (|C_occ|^t |eri| |C_vir|), q = nbasis + ceil(nbasis / 128), gamma_q = q u /
// (1 - q u), to first order; the published tolerance is 1e-3 + 1e-4 |B|.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published/published.hpp"
#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct integrals {
  array<float, 3> eri;  // [mu, nu, P], as the published interface has it
  array<float, 2> c_occ, c_vir;

  explicit integrals(const integral_transform_problem& s)
      : eri(normal<3>({s.nbasis, s.nbasis, s.naux}, 0.1f, 1)),
        c_occ(normal<2>({s.nbasis, s.nocc}, 1, 2)),
        c_vir(normal<2>({s.nbasis, s.nvir}, 1, 3)) {}
};

// Axes 1, 2, 3 as 3, 1, 2: the last becomes the first.
template <class T>
view<T, 3> last_first(const view<T, 3>& v) {
  return {
      v.data(), {v.extent(2), v.extent(0), v.extent(1)}, {v.stride(2), v.stride(0), v.stride(1)}};
}

array<float, 3> transform(const integrals& x, const integral_transform_problem& s,
                          const machine_spec& machine = trainium1()) {
  device dev(machine, sdk_2_24(), {.threads = 0});
  array<float, 3> b({x.c_occ.extent(1), x.c_vir.extent(1), x.eri.extent(2)});
  prepared_kernel(dev, published::ao_to_mo_kernel(s, machine))
      .launch({last_first(x.eri.view()), x.c_occ, x.c_vir}, {last_first(b.view())});
  return b;
}

struct sums {
  array<double, 3> values, magnitudes;
};

sums oracle(const integrals& x) {
  const std::size_t n = x.eri.extent(0), naux = x.eri.extent(2), nocc = x.c_occ.extent(1),
                    nvir = x.c_vir.extent(1);
  sums s{array<double, 3>({nocc, nvir, naux}), array<double, 3>({nocc, nvir, naux})};
  for (std::size_t i = 0; i < nocc; ++i) {
    array<double, 2> half({n, naux}), size({n, naux});
    for (std::size_t mu = 0; mu < n; ++mu)
      for (std::size_t nu = 0; nu < n; ++nu)
        for (std::size_t p = 0; p < naux; ++p) {
          const double term = double(x.c_occ(mu, i)) * double(x.eri(mu, nu, p));
          half(nu, p) += term;
          size(nu, p) += std::fabs(term);
        }
    for (std::size_t nu = 0; nu < n; ++nu)
      for (std::size_t a = 0; a < nvir; ++a)
        for (std::size_t p = 0; p < naux; ++p) {
          s.values(i, a, p) += half(nu, p) * double(x.c_vir(nu, a));
          s.magnitudes(i, a, p) += size(nu, p) * std::fabs(double(x.c_vir(nu, a)));
        }
  }
  return s;
}

void expect_model(const array<float, 3>& got, const sums& s, std::size_t nbasis) {
  const double q = double(nbasis + (nbasis + 127) / 128);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::fabs(double(got.data()[i]) - s.values.data()[i]),
              2.01 * gamma(q) * s.magnitudes.data()[i])
        << i;
}

struct transform_case {
  const char* id;
  integral_transform_problem problem;
};
void PrintTo(const transform_case& c, std::ostream* out) { *out << c.id; }

class published_transform : public testing::TestWithParam<transform_case> {};
TEST_P(published_transform, is_close) {
  const integral_transform_problem& problem = GetParam().problem;
  const integrals x(problem);
  const sums s = oracle(x);
  const array<float, 3> got = transform(x, problem);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(tolerance{}.holds(got.data()[i], s.values.data()[i])) << i;
  expect_model(got, s, problem.nbasis);
}
INSTANTIATE_TEST_SUITE_P(cases, published_transform,
                         testing::Values(transform_case{"trntensor-089", {32, 5, 10, 16}},
                                         transform_case{"trntensor-090", {256, 16, 32, 32}},
                                         transform_case{"trntensor-091", {200, 10, 20, 24}},
                                         transform_case{"trntensor-092", {256, 10, 30, 32}},
                                         transform_case{"trntensor-099", {32, 5, 10, 16}},
                                         transform_case{"trntensor-100", {256, 8, 16, 16}},
                                         transform_case{"trntensor-101", {200, 6, 12, 12}}),
                         name_of<transform_case>);

// trntensor_089 and 092 go on: the transformed integrals give an energy, as those of the oracle.
TEST(published_ao_to_mo, trntensor_089_092_then_the_energy) {
  for (const integral_transform_problem& problem :
       {integral_transform_problem{32, 5, 10, 16}, {256, 10, 30, 32}}) {
    const integrals x(problem);
    const sums s = oracle(x);
    const array<float, 3> b = transform(x, problem);
    const auto occupied = values_between(-2, -0.5f, std::int64_t(problem.nocc), 1, 4),
               virtuals = values_between(0.1f, 2, std::int64_t(problem.nvir), 1, 5);
    array<float, 2> partials({problem.nocc, problem.nocc});
    device dev;
    prepared_kernel(
        dev, published::fused_mp2_kernel(
                 {.nocc = problem.nocc, .nvir = problem.nvir, .naux = problem.naux}, dev.machine()))
        .launch({b, occupied, virtuals}, {partials});
    double got = 0, expected = 0;
    for (const float v : partials) got += double(v);
    const auto nocc = problem.nocc, nvir = problem.nvir, naux = problem.naux;
    for (std::size_t i = 0; i < nocc; ++i)
      for (std::size_t j = 0; j < nocc; ++j)
        for (std::size_t v = 0; v < nvir; ++v)
          for (std::size_t w = 0; w < nvir; ++w) {
            double t = 0, other = 0;
            for (std::size_t p = 0; p < naux; ++p) {
              t += s.values(i, v, p) * s.values(j, w, p);
              other += s.values(i, w, p) * s.values(j, v, p);
            }
            expected += t * (2 * t - other) /
                        (double(occupied(i, 0)) + double(occupied(j, 0)) - double(virtuals(v, 0)) -
                         double(virtuals(w, 0)));
          }
    EXPECT_TRUE(tolerance{}.holds(got, expected)) << got << " " << expected;
  }
}

TEST(published_ao_to_mo, values_at_every_tail) {
  for (const integral_transform_problem& problem : {integral_transform_problem{1, 1, 1, 1},
                                                    {7, 3, 2, 1},
                                                    {129, 130, 3, 2},
                                                    {33, 2, 515, 3},
                                                    {513, 2, 1, 2}}) {
    SCOPED_TRACE(testing::Message()
                 << problem.nbasis << " " << problem.nocc << " " << problem.nvir);
    const integrals x(problem);
    expect_model(transform(x, problem), oracle(x), problem.nbasis);
  }
  const integral_transform_problem problem{40, 3, 5, 2};
  const integrals x(problem);
  expect_model(transform(x, problem, trainium2()), oracle(x), problem.nbasis);
}

// The first product's result, [nocc, nbasis] a function, goes to HBM and comes back.
TEST(published_ao_to_mo, the_intermediate_goes_through_hbm) {
  const profile p =
      dry_profile("published/ao_to_mo", {"nbasis=128", "nocc=64", "nvir=96", "naux=10"});
  EXPECT_EQ(p.value("hbm_write_bytes"), 4.0 * 10 * (64 * 128 + 64 * 96));
  EXPECT_EQ(p.value("hbm_read_bytes"), 4.0 * 10 * (128 * 128 + 128 * 64 + 64 * 128 + 128 * 96));
}

TEST(published_ao_to_mo, bad_input) {
  const machine_spec machine = trainium1();
  for (const integral_transform_problem& s :
       {integral_transform_problem{.nbasis = 0}, {.nocc = 0}, {.nvir = 0}, {.naux = 0}})
    EXPECT_THROW(published::ao_to_mo_kernel(s, machine), invalid_argument);
  core nc(machine, {});
  const hbm_view eri = nc.hbm({2, 5, 5}), occ = nc.hbm({5, 3}), vir = nc.hbm({5, 4}),
                 out = nc.hbm({2, 3, 4});
  EXPECT_THROW(published::ao_to_mo(nc, nc.hbm({2, 4, 3}), eri, occ, vir), shape_error);
  EXPECT_THROW(published::ao_to_mo(nc, out, nc.hbm({2, 5, 6}), occ, vir), shape_error);
  EXPECT_THROW(published::ao_to_mo(nc, out, eri, nc.hbm({4, 3}), vir), shape_error);
  EXPECT_THROW(published::ao_to_mo(nc, out, eri, occ, nc.hbm({6, 4})), shape_error);
  EXPECT_THROW(published::ao_to_mo(nc, nc.hbm({24}), eri, occ, vir), shape_error);
}

}  // namespace
}  // namespace papilio::kernels::test

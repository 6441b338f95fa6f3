// The fused transformation of integrals against sums in double: sizes of every tail, layouts,
// precisions, the metric, and trntensor's cases by their ids.
//
// Error model of fp32, u = 2^-24: two sums of n = nbasis terms with one rounding each and one more
// a product of the array, of which there are at most n / 64 + 10 a sum: |error| <= 2 gamma_q
// (|C_occ|^t |eri| |C_vir|), q = n + n / 64 + 10, gamma_q = q u / (1 - q u), to first order. Of
// other precisions, and with a metric: sized_kernel::expected_error in the Euclidean norm, of which
// single inputs are at most 1.5 times off; of more than 1000 results no less than half.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/ao_to_mo/design.hpp"
#include "kernels/design.hpp"
#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using kernels_detail::ao_to_mo_design;

struct integrals {
  array<float, 3> eri;  // [P, m, n]
  array<float, 2> c_occ, c_vir, root;

  explicit integrals(const integral_transform_problem& s)
      : eri(normal<3>({s.naux, s.nbasis, s.nbasis}, 0.1f, 1)),
        c_occ(normal<2>({s.nbasis, s.nocc}, 1, 2)),
        c_vir(normal<2>({s.nbasis, s.nvir}, 1, 3)),
        root(normal<2>({s.naux, s.naux}, 1, 4)) {
    for (std::size_t p = 0; p < root.extent(0); ++p)
      for (std::size_t q = 0; q < p; ++q) root(p, q) = root(q, p);
  }
};

// [naux, nocc, nvir].
struct sums {
  std::vector<double> values, magnitudes;
};

sums oracle(const integrals& x, const integral_transform_problem& s) {
  const auto n = s.nbasis, nocc = s.nocc, nvir = s.nvir, naux = s.naux;
  sums r{std::vector<double>(naux * nocc * nvir), std::vector<double>(naux * nocc * nvir)};
  std::vector<double> half(n), size(n);
  for (std::size_t p = 0; p < naux; ++p)
    for (std::size_t i = 0; i < nocc; ++i) {
      std::ranges::fill(half, 0.0);
      std::ranges::fill(size, 0.0);
      for (std::size_t mu = 0; mu < n; ++mu)
        for (std::size_t nu = 0; nu < n; ++nu) {
          const double term = double(x.c_occ(mu, i)) * double(x.eri(p, mu, nu));
          half[nu] += term;
          size[nu] += std::fabs(term);
        }
      double* const value = r.values.data() + (p * nocc + i) * nvir;
      double* const magnitude = r.magnitudes.data() + (p * nocc + i) * nvir;
      for (std::size_t nu = 0; nu < n; ++nu)
        for (std::size_t a = 0; a < nvir; ++a) {
          value[a] += half[nu] * double(x.c_vir(nu, a));
          magnitude[a] += size[nu] * std::fabs(double(x.c_vir(nu, a)));
        }
    }
  return r;
}

// B_Q = sum over P of B_P root[P, Q].
std::vector<double> multiplied(const std::vector<double>& b, const integrals& x) {
  const std::size_t naux = x.root.extent(0), each = b.size() / naux;
  std::vector<double> r(b.size());
  for (std::size_t q = 0; q < naux; ++q)
    for (std::size_t p = 0; p < naux; ++p)
      for (std::size_t e = 0; e < each; ++e)
        r[q * each + e] += b[p * each + e] * double(x.root(p, q));
  return r;
}

// The kernel's result as [naux, nocc, nvir].
std::vector<float> transform(const integrals& x, const integral_transform_problem& s,
                             const ao_to_mo_kernel_options& how = {},
                             const machine_spec& machine = trainium1()) {
  device dev(machine, sdk_2_24(), {.strict = true, .threads = 0});
  const sized_kernel kernel = ao_to_mo_kernel(s, machine, how);
  const auto e = kernel.outputs[0].extents;
  array<float, 3> b({std::size_t(e[0]), std::size_t(e[1]), std::size_t(e[2])});
  std::vector<launch_input> inputs{x.eri, x.c_occ, x.c_vir};
  if (s.has_metric) inputs.push_back(x.root);
  prepared_kernel(dev, kernel).launch(inputs, {b});
  std::vector<float> result;
  for (std::size_t p = 0; p < s.naux; ++p)
    for (std::size_t i = 0; i < s.nocc; ++i)
      for (std::size_t a = 0; a < s.nvir; ++a)
        result.push_back(how.layout == integral_layout::pia   ? b(p, i, a)
                         : how.layout == integral_layout::ipa ? b(i, p, a)
                                                              : b(i, a, p));
  return result;
}

void expect_model(const std::vector<float>& got, const sums& s, std::size_t nbasis) {
  const double q = double(nbasis) + double(nbasis) / 64 + 10;
  ASSERT_EQ(got.size(), s.values.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::fabs(double(got[i]) - s.values[i]), 2.01 * gamma(q) * s.magnitudes[i]) << i;
}

double relative_error(const std::vector<float>& got, const std::vector<double>& expected) {
  double error = 0, all = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (double(got[i]) - expected[i]) * (double(got[i]) - expected[i]);
    all += expected[i] * expected[i];
  }
  return std::sqrt(error / all);
}

testing::Message text_of(const integral_transform_problem& s, integral_layout layout) {
  return testing::Message() << s.nbasis << " " << s.nocc << " " << s.nvir << " " << s.naux << " "
                            << int(layout);
}

constexpr integral_layout layouts[] = {integral_layout::pia, integral_layout::ipa,
                                       integral_layout::iap};

// Tiles of 128 and banks of 512 with something left, and none; a strip, several, uneven ones; a
// group of functions with a smaller one behind it; more than 512 occupied orbitals.
TEST(ao_to_mo, values_at_every_tail) {
  for (const integral_transform_problem& problem : {integral_transform_problem{1, 1, 1, 1},
                                                    {2, 1, 2, 3},
                                                    {7, 3, 2, 1},
                                                    {13, 5, 8, 37},
                                                    {33, 2, 515, 3},
                                                    {64, 16, 48, 19},
                                                    {129, 130, 3, 2},
                                                    {131, 67, 64, 5},
                                                    {257, 11, 30, 4},
                                                    {300, 128, 2, 3},
                                                    {513, 2, 1, 2},
                                                    {40, 700, 3, 2}}) {
    const integrals x(problem);
    const sums expected = oracle(x, problem);
    for (const integral_layout layout : layouts) {
      SCOPED_TRACE(text_of(problem, layout));
      expect_model(transform(x, problem, {.layout = layout}), expected, problem.nbasis);
    }
  }
  const integral_transform_problem problem{.nbasis = 45, .nocc = 3, .nvir = 5, .naux = 4};
  const integrals x(problem);
  expect_model(transform(x, problem, {}, trainium2()), oracle(x, problem), problem.nbasis);
}

ao_to_mo_design design_of(const integral_transform_problem& problem,
                          const ao_to_mo_kernel_options& how = {},
                          const machine_spec& machine = trainium1()) {
  return *kernels_detail::design_as<ao_to_mo_design>(ao_to_mo_kernel(problem, machine, how).design);
}

// Of a machine with little memory: integrals and C_vir in parts; half transformed ones that go
// through HBM.
TEST(ao_to_mo, values_where_little_fits) {
  struct small_case {
    integral_transform_problem problem;
    std::int64_t kibibytes;
    bool through_hbm;
  };
  for (const small_case& c : {small_case{{1100, 9, 600, 2}, 96, false},
                              {{700, 9, 1300, 2}, 44, false},
                              {{300, 600, 40, 2}, 192, false},
                              {{300, 600, 40, 2}, 13, true}}) {
    machine_spec machine = trainium1();
    machine.sbuf.bytes_per_partition = c.kibibytes * 1024;
    const integrals x(c.problem);
    const sums expected = oracle(x, c.problem);
    for (const integral_layout layout : layouts) {
      ao_to_mo_kernel_options how{.layout = layout};
      SCOPED_TRACE(text_of(c.problem, layout) << " " << c.kibibytes);
      EXPECT_EQ(design_of(c.problem, how, machine).parts[0].through_hbm, c.through_hbm);
      expect_model(transform(x, c.problem, how, machine), expected, c.problem.nbasis);
      if (c.problem.nocc != 9) continue;
      how.precision.mode = precision::split_bf16;
      EXPECT_LE(relative_error(transform(x, c.problem, how, machine), expected.values),
                1.5 * ao_to_mo_kernel(c.problem, machine, how).expected_error);
    }
  }
}

TEST(ao_to_mo, other_precisions_have_the_error_that_is_expected) {
  // Where a slice is one function of few orbitals, the sum over its strips is all that could be cut.
  for (const integral_transform_problem& problem :
       {integral_transform_problem{150, 12, 35, 11}, {100, 10, 20, 1}, {100, 10, 20, 3}})
    for (const precision mode : {precision::native, precision::bf16, precision::split_bf16})
      for (const integral_layout layout : layouts) {
        const ao_to_mo_kernel_options how{.layout = layout, .precision = {.mode = mode}};
        SCOPED_TRACE(text_of(problem, layout) << " " << int(mode));
        const integrals x(problem);
        const double error = relative_error(transform(x, problem, how), oracle(x, problem).values),
                     model = ao_to_mo_kernel(problem, trainium1(), how).expected_error;
        EXPECT_LE(error, 1.5 * model);
        EXPECT_GE(error, 0.5 * model);
      }
}

TEST(ao_to_mo, times_the_root_of_the_metric) {
  for (const integral_transform_problem& size :
       {integral_transform_problem{5, 2, 3, 1}, {20, 3, 7, 140}, {33, 9, 70, 35}})
    for (const integral_layout layout : layouts) {
      integral_transform_problem problem = size;
      problem.has_metric = true;
      const ao_to_mo_kernel_options how{.layout = layout};
      SCOPED_TRACE(text_of(problem, layout));
      const integrals x(problem);
      EXPECT_LE(
          relative_error(transform(x, problem, how), multiplied(oracle(x, problem).values, x)),
          1.5 * ao_to_mo_kernel(problem, trainium1(), how).expected_error);
    }
}

// An auxiliary function's integrals have the same bits whatever is transformed with them.
TEST(ao_to_mo, bits_do_not_depend_on_the_other_functions) {
  const integral_transform_problem all{.nbasis = 70, .nocc = 9, .nvir = 20, .naux = 23};
  const integrals x(all);
  const std::vector<float> b = transform(x, all);
  integral_transform_problem one = all;
  one.naux = 1;
  integrals last(one);
  last.c_occ = x.c_occ;
  last.c_vir = x.c_vir;
  std::copy(x.eri.end() - 70 * 70, x.eri.end(), last.eri.begin());
  const std::vector<float> alone = transform(last, one);
  EXPECT_EQ(std::memcmp(alone.data(), b.data() + b.size() - alone.size(), alone.size() * 4), 0);
}

struct transform_case {
  const char* id;
  integral_transform_problem problem;
  tolerance within = {};
};
void PrintTo(const transform_case& c, std::ostream* out) { *out << c.id; }

class fused_transform : public testing::TestWithParam<transform_case> {};
TEST_P(fused_transform, is_close) {
  const integral_transform_problem& problem = GetParam().problem;
  const integrals x(problem);
  const sums s = oracle(x, problem);
  for (const integral_layout layout : layouts) {
    const std::vector<float> got = transform(x, problem, {.layout = layout});
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(GetParam().within.holds(got[i], s.values[i])) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(
    cases, fused_transform,
    testing::Values(transform_case{"trntensor-075", {8, 3, 5, 12}, {1e-5, 1e-5}},
                    transform_case{"trntensor-089", {32, 5, 10, 16}},
                    transform_case{"trntensor-090", {256, 16, 32, 32}},
                    transform_case{"trntensor-091", {200, 10, 20, 24}},
                    transform_case{"trntensor-092", {256, 10, 30, 32}},
                    transform_case{"trntensor-099", {32, 5, 10, 16}},
                    transform_case{"trntensor-100", {256, 8, 16, 16}},
                    transform_case{"trntensor-101", {200, 6, 12, 12}}),
    name_of<transform_case>);

// Energies of the kernel's integrals, as [nocc, nvir, naux], and of the oracle's.
TEST(ao_to_mo, trntensor_076_089_092_then_the_energy) {
  for (const integral_transform_problem& problem :
       {integral_transform_problem{8, 3, 5, 12}, {32, 5, 10, 16}, {256, 10, 30, 32}}) {
    const integrals x(problem);
    const std::size_t nocc = problem.nocc, nvir = problem.nvir, naux = problem.naux;
    const auto energy = [&](const auto& b) {
      double sum = 0;
      const auto product = [&](std::size_t i, std::size_t a, std::size_t j, std::size_t c) {
        double t = 0;
        for (std::size_t p = 0; p < naux; ++p)
          t += double(b[(p * nocc + i) * nvir + a]) * double(b[(p * nocc + j) * nvir + c]);
        return t;
      };
      for (std::size_t i = 0; i < nocc; ++i)
        for (std::size_t j = 0; j < nocc; ++j)
          for (std::size_t a = 0; a < nvir; ++a)
            for (std::size_t c = 0; c < nvir; ++c) {
              const double t = product(i, a, j, c), other = product(i, c, j, a);
              sum += t * (2 * t - other) / (-3 - double(i + j + a + c) / 10);
            }
      return sum;
    };
    const double got = energy(transform(x, problem, {.layout = integral_layout::iap})),
                 expected = energy(oracle(x, problem).values);
    EXPECT_TRUE(std::isfinite(got));
    EXPECT_TRUE(tolerance{}.holds(got, expected)) << got << " " << expected;
  }
}

template <class Error>
void expect_refused(const integral_transform_problem& problem, const std::string& message,
                    const precision_options& precision = {}) {
  try {
    ao_to_mo_kernel(problem, trainium1(), {.precision = precision});
    ADD_FAILURE() << "accepted: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

// trntensor_077: what does not fit.
TEST(ao_to_mo, trntensor_077_what_is_refused) {
  expect_refused<invalid_argument>({.nbasis = 0},
                                   "ao_to_mo_kernel: nbasis must be at least 1, got 0");
  expect_refused<invalid_argument>({.nocc = 0}, "ao_to_mo_kernel: nocc must be at least 1, got 0");
  expect_refused<invalid_argument>({.nvir = 0}, "ao_to_mo_kernel: nvir must be at least 1, got 0");
  expect_refused<invalid_argument>({.naux = 0}, "ao_to_mo_kernel: naux must be at least 1, got 0");
  expect_refused<invalid_argument>({.type = real_type::double_precision},
                                   "ao_to_mo_kernel: the problem must be in float, got double");
  expect_refused<invalid_argument>({},
                                   "ao_to_mo_kernel: precision must be native, bf16 or split_bf16",
                                   {.mode = precision::compensated});
  expect_refused<invalid_argument>({}, "ao_to_mo_kernel: precision.parts must be 2, got 3",
                                   {.mode = precision::split_bf16, .parts = 3});
  expect_refused<invalid_argument>(
      {}, "ao_to_mo_kernel: precision must be a mode, got a target error", {.target_error = 1e-3});
  EXPECT_THROW(ao_to_mo_kernel({.nbasis = std::size_t(1) << 40}, trainium1()), resource_error);
  const integral_transform_problem problem{.nbasis = 6, .nocc = 2, .nvir = 3, .naux = 4};
  const integrals x(problem);
  device dev;
  const prepared_kernel kernel(dev, ao_to_mo_kernel(problem, dev.machine()));
  array<float, 3> b({4, 2, 3}), other({4, 3, 2});
  EXPECT_THROW(kernel.launch({x.c_occ, x.c_occ, x.c_vir}, {b}), shape_error);
  EXPECT_THROW(kernel.launch({x.eri, x.c_vir, x.c_vir}, {b}), shape_error);
  EXPECT_THROW(kernel.launch({x.eri, x.c_occ, x.c_occ}, {b}), shape_error);
  EXPECT_THROW(kernel.launch({x.eri, x.c_occ, x.c_vir}, {other}), shape_error);
}

// The half transformed integrals do not leave the chip, and the integrals are read once; the
// coefficients once more for functions that are left over.
TEST(ao_to_mo, moves_inputs_and_output_once) {
  for (const std::string layout : {"layout=pia", "layout=ipa"}) {
    const profile p =
        dry_profile("ao_to_mo", {"nbasis=517", "nocc=67", "nvir=450", "naux=31", layout});
    const double integrals = 4.0 * 31 * 517 * 517, coefficients = 4.0 * 517 * (67 + 450);
    EXPECT_EQ(p.value("hbm_write_bytes"), 4.0 * 31 * 67 * 450);
    EXPECT_GE(p.value("hbm_read_bytes"), integrals + coefficients);
    EXPECT_LE(p.value("hbm_read_bytes"), integrals + 2 * coefficients);
  }
}

TEST(ao_to_mo, is_near_its_floor) {
  for (const std::string layout : {"layout=pia", "layout=ipa"}) {
    for (const std::string mode : {"native", "bf16", "split_bf16"}) {
      const profile p = dry_profile("ao_to_mo", {"nbasis=512", "nocc=64", "nvir=448", "naux=1536",
                                                 layout, "precision=" + mode});
      EXPECT_LE(p.value("total_time"), 7.1e-3) << layout << mode;
    }
    EXPECT_GE(dry_profile("ao_to_mo", {"nbasis=517", "nocc=67", "nvir=450", "naux=1501", layout})
                  .verdict.floor_fraction,
              0.62);
    EXPECT_GE(dry_profile("ao_to_mo", {"nbasis=1000", "nocc=200", "nvir=800", "naux=100", layout})
                  .verdict.floor_fraction,
              0.8);
  }
}

}  // namespace
}  // namespace papilio::kernels::test

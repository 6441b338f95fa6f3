// The fused MP2 energies against sums in double.
//
// Error model, u = 2^-24 and G = |B_i| |B_j|^t: T is off by at most d G, d = gamma_k with k = naux
// + ceil(naux / 128) roundings; with operands rounded to bf16, w = 2^-8, by 2 w + w^2 more, and as
// two parts each by 3 w^2 (1 + w): two remainders and the product of the second parts. A square (T
// r)^2 is then off by 2 |T| d G / D, one of (T - T^t) r by 2 |T - T^t| d (G + G^t) / D, and by its
// own roundings: energies 2, their sums 3, the root 1, difference, product and square 4, doubled by
// squaring, and those of the sums, at most nvir / 16 + 5 of a strip, 256 / 16 + 5 of a ring, one of
// each ring, 128 of the lanes, 4 at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/design.hpp"
#include "kernels/mp2/design.hpp"
#include "kernels/published_runs.hpp"
#include "papilio/kernels/mp2.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using kernels_detail::mp2_design;
using kernels_detail::mp2_home;

struct spin {
  array<float, 3> b;  // [nocc, nvir, naux]
  array<float, 1> occupied, virtuals;

  std::size_t nocc() const { return b.extent(0); }
  std::size_t nvir() const { return b.extent(1); }
  std::size_t naux() const { return b.extent(2); }
};

array<float, 1> energies_between(float low, float high, std::size_t count, unsigned seed) {
  const array<float, 2> values = values_between(low, high, std::int64_t(count), 1, seed);
  array<float, 1> result({count});
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

spin make(std::size_t nocc, std::size_t nvir, std::size_t naux, unsigned seed = 1) {
  return {normal<3>({nocc, nvir, naux}, 1, seed), energies_between(-2, -0.5F, nocc, seed + 1),
          energies_between(0.1F, 2, nvir, seed + 2)};
}

// sum over k of x[a, k] y[b, k].
std::vector<double> product(const spin& x, std::size_t i, const spin& y, std::size_t j,
                            bool magnitudes) {
  const auto taken = [&](float v) { return magnitudes ? std::fabs(double(v)) : double(v); };
  std::vector<double> t(x.nvir() * y.nvir()), right(y.naux() * y.nvir());
  for (std::size_t b = 0; b < y.nvir(); ++b)
    for (std::size_t k = 0; k < y.naux(); ++k) right[k * y.nvir() + b] = taken(y.b(j, b, k));
  for (std::size_t a = 0; a < x.nvir(); ++a)
    for (std::size_t k = 0; k < x.naux(); ++k) {
      const double left = taken(x.b(i, a, k));
      double* const sums = &t[a * y.nvir()];
      const double* const row = &right[k * y.nvir()];
      for (std::size_t b = 0; b < y.nvir(); ++b) sums[b] += left * row[b];
    }
  return t;
}

struct expected_energy {
  double value = 0, bound = 0;

  void add(double weight, double factor, double slack, double gap, double relative) {
    value -= weight * factor * factor / gap;
    bound +=
        weight * (2 * std::fabs(factor) * slack + slack * slack + relative * factor * factor) / gap;
  }
};
struct expected {
  expected_energy squares, differences;
};

double error_of_product(std::size_t naux, precision mode) {
  constexpr double w = 0x1p-8;
  const double sums = gamma(double(naux + (naux + 127) / 128));
  if (mode == precision::native) return sums;
  if (mode == precision::bf16) return sums + 2 * w + w * w;
  return 3 * sums + 3 * w * w * (1 + w);
}

double roundings_of(std::size_t nvir, std::size_t pairs) {
  return gamma(2 * 10 + double(std::min<std::size_t>(nvir, 512)) / 16 + 5 + 21 +
               double(pairs * (nvir / 64 + 1)) / 256 + 128 + 5);
}

struct pair_range {
  std::size_t first = 0, last = std::size_t(-1);
};

// For each mode, all pairs in the kernel's order; those of `range` count.
std::vector<expected> references(const spin& x, const spin* other,
                                 const std::vector<precision>& modes, pair_range range = {}) {
  const spin& y = other ? *other : x;
  const double relative = roundings_of(std::max(x.nvir(), y.nvir()), x.nocc() * y.nocc());
  std::vector<double> slacks;
  for (const precision mode : modes) slacks.push_back(error_of_product(x.naux(), mode));
  std::vector<expected> result(modes.size());
  std::size_t pair = 0;
  for (std::size_t i = 0; i < x.nocc(); ++i)
    for (std::size_t j = other ? 0 : i; j < y.nocc(); ++j, ++pair) {
      if (pair < range.first || pair >= range.last) continue;
      const std::vector<double> t = product(x, i, y, j, false), g = product(x, i, y, j, true);
      const double weight = other || i == j ? 1 : 2;
      for (std::size_t a = 0; a < x.nvir(); ++a)
        for (std::size_t b = 0; b < y.nvir(); ++b) {
          const double gap = double(x.virtuals(a)) + double(y.virtuals(b)) - double(x.occupied(i)) -
                             double(y.occupied(j));
          const std::size_t at = a * y.nvir() + b;
          for (std::size_t m = 0; m < modes.size(); ++m)
            result[m].squares.add(weight, t[at], slacks[m] * g[at], gap, relative);
          if (other) continue;
          const std::size_t turned = b * y.nvir() + a;
          for (std::size_t m = 0; m < modes.size(); ++m)
            result[m].differences.add(weight / 2, t[at] - t[turned],
                                      slacks[m] * (g[at] + g[turned]), gap, relative);
        }
    }
  return result;
}

expected reference(const spin& x, const spin* other, precision mode = precision::native,
                   pair_range range = {}) {
  return references(x, other, {mode}, range).front();
}

array<float, 3> auxiliary_first(const array<float, 3>& b) {
  array<float, 3> turned({b.extent(0), b.extent(2), b.extent(1)});
  for (std::size_t i = 0; i < b.extent(0); ++i)
    for (std::size_t a = 0; a < b.extent(1); ++a)
      for (std::size_t k = 0; k < b.extent(2); ++k) turned(i, k, a) = b(i, a, k);
  return turned;
}

std::vector<float> energies_of(const spin& x, const spin* other, pair_energy_problem problem = {},
                               const mp2_energy_kernel_options& how = {},
                               const machine_spec& machine = trainium1(), int threads = 1) {
  problem.nocc = x.nocc();
  problem.nvir = x.nvir();
  problem.naux = x.naux();
  if (other) {
    problem.spins = pair_spins::opposite_spin;
    problem.nocc_other = other->nocc();
    problem.nvir_other = other->nvir();
  }
  device dev(machine, sdk_2_24(), {.threads = threads});
  const prepared_kernel kernel(dev, mp2_energy_kernel(problem, machine, how));
  array<float, 1> out({std::size_t(kernel.what().outputs[0].extents[0])});
  const bool turned = how.layout == integral_layout::ipa;
  const array<float, 3> b = turned ? auxiliary_first(x.b) : x.b;
  if (!other) {
    kernel.launch({b, x.occupied, x.virtuals}, {out});
  } else {
    const array<float, 3> c = turned ? auxiliary_first(other->b) : other->b;
    kernel.launch({b, x.occupied, x.virtuals, c, other->occupied, other->virtuals}, {out});
  }
  return {out.begin(), out.end()};
}

void expect_within(float got, const expected_energy& of) {
  EXPECT_NEAR(double(got), of.value, of.bound);
}

// SBUF of so many KiB a partition, so that small sizes do not fit.
machine_spec with_sbuf(std::int64_t kibibytes) {
  machine_spec machine = trainium1();
  machine.sbuf.bytes_per_partition = kibibytes * 1024;
  return machine;
}

struct size_case {
  std::size_t nocc, nvir, naux;
};
void PrintTo(const size_case& c, std::ostream* out) {
  *out << c.nocc << "_" << c.nvir << "_" << c.naux;
}
class mp2_energy_sizes : public testing::TestWithParam<size_case> {};

TEST_P(mp2_energy_sizes, closed_shell_is_within_its_roundings) {
  const size_case& c = GetParam();
  const spin x = make(c.nocc, c.nvir, c.naux);
  const expected of = reference(x, nullptr);
  for (const integral_layout layout : {integral_layout::iap, integral_layout::ipa}) {
    const std::vector<float> got = energies_of(x, nullptr, {}, {.layout = layout});
    ASSERT_EQ(got.size(), 2U);
    expect_within(got[0], of.squares);
    expect_within(got[1], of.differences);
  }
}

TEST_P(mp2_energy_sizes, same_spin_is_half_of_the_closed_shell) {
  const size_case& c = GetParam();
  const spin x = make(c.nocc, c.nvir, c.naux);
  expected of = reference(x, nullptr);
  of.differences.value /= 2;
  const std::vector<float> got = energies_of(x, nullptr, {.spins = pair_spins::same_spin});
  ASSERT_EQ(got.size(), 1U);
  expect_within(got[0], of.differences);
}

TEST_P(mp2_energy_sizes, opposite_spins_have_orbitals_of_their_own) {
  const size_case& c = GetParam();
  const spin x = make(c.nocc, c.nvir, c.naux), y = make(c.nocc + 2, c.nvir + 3, c.naux, 7);
  for (const auto& [one, other] : {std::pair{&x, &y}, {&y, &x}}) {
    const std::vector<float> got = energies_of(*one, other);
    ASSERT_EQ(got.size(), 1U);
    expect_within(got[0], reference(*one, other).squares);
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, mp2_energy_sizes,
                         testing::Values(size_case{1, 1, 1}, size_case{1, 2, 1}, size_case{2, 1, 3},
                                         size_case{5, 19, 72}, size_case{9, 64, 40},
                                         size_case{7, 40, 130}, size_case{3, 130, 129},
                                         size_case{2, 257, 70}, size_case{2, 513, 33}),
                         testing::PrintToStringParamName());

class mp2_energy_parts : public testing::TestWithParam<size_case> {};
TEST_P(mp2_energy_parts, of_the_pairs_add_up) {
  const size_case& c = GetParam();
  const spin x = make(c.nocc, c.nvir, c.naux);
  double squares = 0, differences = 0;
  const std::size_t all_pairs = c.nocc * (c.nocc + 1) / 2;
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 1},
                                    {1, 7},
                                    {7, all_pairs - 1},
                                    {all_pairs - 1, all_pairs}}) {
    const std::vector<float> got = energies_of(
        x, nullptr, {}, {.first_pair = std::int64_t(first), .pairs = std::int64_t(last - first)});
    const expected of = reference(x, nullptr, precision::native, {first, last});
    expect_within(got[0], of.squares);
    expect_within(got[1], of.differences);
    squares += double(got[0]);
    differences += double(got[1]);
  }
  const expected all = reference(x, nullptr);
  EXPECT_NEAR(squares, all.squares.value, all.squares.bound);
  EXPECT_NEAR(differences, all.differences.value, all.differences.bound);
}
INSTANTIATE_TEST_SUITE_P(sizes, mp2_energy_parts,
                         testing::Values(size_case{5, 70, 20}, size_case{4, 300, 30},
                                         size_case{4, 600, 9}),
                         testing::PrintToStringParamName());

TEST(mp2_energy, frozen_orbitals_are_left_out) {
  const spin x = make(5, 40, 30), y = make(4, 33, 30, 9);
  const auto without = [](const spin& s, std::size_t n) {
    spin rest{array<float, 3>({s.nocc() - n, s.nvir(), s.naux()}), array<float, 1>({s.nocc() - n}),
              s.virtuals};
    std::copy(s.b.begin() + std::ptrdiff_t(n * s.nvir() * s.naux()), s.b.end(), rest.b.begin());
    std::copy(s.occupied.begin() + std::ptrdiff_t(n), s.occupied.end(), rest.occupied.begin());
    return rest;
  };
  const spin x2 = without(x, 2), y2 = without(y, 2);
  EXPECT_EQ(energies_of(x, nullptr, {.frozen = 2}), energies_of(x2, nullptr));
  EXPECT_EQ(energies_of(x, &y, {.frozen = 2}), energies_of(x2, &y2));
}

struct home_case {
  std::size_t nocc, nvir, naux;
  std::int64_t kibibytes;
  mp2_home home;
  std::int64_t orbitals;
};
void PrintTo(const home_case& c, std::ostream* out) {
  *out << c.nocc << "_" << c.nvir << "_" << c.naux << "_of_" << c.kibibytes << "_KiB";
}
class mp2_energy_homes : public testing::TestWithParam<home_case> {};
TEST_P(mp2_energy_homes, give_the_same_energies) {
  const home_case& c = GetParam();
  const machine_spec machine = with_sbuf(c.kibibytes);
  const spin x = make(c.nocc, c.nvir, c.naux), y = make(c.nocc - 1, c.nvir - 1, c.naux, 5);
  const std::vector<precision> modes{precision::native, precision::split_bf16};
  const std::vector<expected> alone = references(x, nullptr, modes),
                              mixed = references(x, &y, modes);
  for (std::size_t m = 0; m < modes.size(); ++m)
    for (const integral_layout layout : {integral_layout::iap, integral_layout::ipa}) {
      const pair_energy_problem problem{.nocc = c.nocc, .nvir = c.nvir, .naux = c.naux};
      const mp2_energy_kernel_options how{.layout = layout, .precision = {.mode = modes[m]}};
      const sized_kernel kernel = mp2_energy_kernel(problem, machine, how);
      const mp2_design& design = *kernels_detail::design_as<mp2_design>(kernel.design);
      EXPECT_EQ(design.home, c.home);
      EXPECT_EQ(design.orbitals, c.orbitals);
      const std::vector<float> got = energies_of(x, nullptr, {}, how, machine);
      expect_within(got[0], alone[m].squares);
      expect_within(got[1], alone[m].differences);
      expect_within(energies_of(x, &y, {}, how, machine)[0], mixed[m].squares);
    }
}
// Memories and sums as short as still lead to each home in both precisions.
INSTANTIATE_TEST_SUITE_P(homes, mp2_energy_homes,
                         testing::Values(home_case{3, 60, 200, 192, mp2_home::whole, 3},
                                         home_case{9, 80, 130, 24, mp2_home::panels, 5},
                                         home_case{12, 40, 300, 24, mp2_home::panels, 4},
                                         home_case{24, 80, 1, 24, mp2_home::panels, 12},
                                         home_case{3, 150, 1100, 28, mp2_home::streamed, 1},
                                         home_case{2, 530, 400, 48, mp2_home::streamed, 1}));

TEST(mp2_energy, some_of_the_pairs_have_the_same_design) {
  const sized_kernel all = mp2_energy_kernel({.nocc = 9, .nvir = 40, .naux = 30}, trainium1());
  const sized_kernel some = all.repeats.part(20);
  EXPECT_NE(some.design, all.design);
  EXPECT_TRUE(same_design(some.design, all.design));
}

TEST(mp2_energy, one_refinement_is_a_product_of_two_parts) {
  const auto design_in = [](precision mode) {
    return mp2_energy_kernel({.nocc = 5, .nvir = 40, .naux = 30}, trainium1(),
                             {.precision = {.mode = mode}})
        .design;
  };
  EXPECT_EQ(design_in(precision::bf16_refined), design_in(precision::split_bf16));
  EXPECT_NE(design_in(precision::bf16_refined), design_in(precision::native));
}

TEST(mp2_energy, precisions_are_within_their_errors) {
  const spin x = make(4, 90, 200);
  for (const precision mode : {precision::bf16, precision::bf16_refined, precision::split_bf16}) {
    const expected of = reference(x, nullptr, mode);
    const std::vector<float> got = energies_of(x, nullptr, {}, {.precision = {.mode = mode}});
    expect_within(got[0], of.squares);
    expect_within(got[1], of.differences);
  }
}

double relative_error(const spin& x, precision mode) {
  const expected of = reference(x, nullptr);
  const std::vector<float> got = energies_of(x, nullptr, {}, {.precision = {.mode = mode}});
  return std::fabs(double(got[0]) + double(got[1]) - of.squares.value - of.differences.value) /
         std::fabs(of.squares.value + of.differences.value);
}

// Errors of many elements average out; the stated one is that of every element at once.
TEST(mp2_energy, errors_are_at_most_the_stated) {
  const spin x = make(4, 90, 200);
  for (const precision mode : {precision::native, precision::bf16, precision::split_bf16}) {
    const double stated = mp2_energy_kernel({.nocc = 4, .nvir = 90, .naux = 200}, trainium1(),
                                            {.precision = {.mode = mode}})
                              .expected_error;
    EXPECT_LT(relative_error(x, mode), stated);
  }
}

TEST(mp2_energy, does_not_depend_on_the_hosts_threads_or_the_layout) {
  const spin x = make(3, 70, 140);
  const std::vector<float> first = energies_of(x, nullptr);
  EXPECT_EQ(first, energies_of(x, nullptr, {}, {}, trainium1(), 2));
  EXPECT_EQ(first, energies_of(x, nullptr, {}, {.layout = integral_layout::ipa}));
}

double milliseconds(const std::vector<std::string>& settings) {
  return dry_profile("mp2_energy", settings).value("total_time") * 1e3;
}

TEST(mp2_energy, large_energies_are_bound_by_the_tensor_engine) {
  const profile medium = dry_profile("mp2_energy", {"nocc=64", "nvir=448", "naux=1536"});
  EXPECT_LT(medium.value("total_time"), 0.08);
  EXPECT_EQ(medium.verdict.bound_by, unit::tensor);
  EXPECT_GT(medium.verdict.active_fraction, 0.9);
  EXPECT_LT(medium.value("dma_active_time_percent"), 25);
  EXPECT_LT(milliseconds({"nocc=64", "nvir=448", "naux=1536", "precision=split_bf16"}), 60);
}

TEST(mp2_energy, refuses_what_it_cannot_do) {
  const auto of = [](const pair_energy_problem& problem,
                     const mp2_energy_kernel_options& how = {}) {
    return [problem, how] { mp2_energy_kernel(problem, trainium1(), how); };
  };
  EXPECT_THROW(of({.nocc = 0})(), invalid_argument);
  EXPECT_THROW(of({.nvir = 0})(), invalid_argument);
  EXPECT_THROW(of({.naux = 0})(), invalid_argument);
  EXPECT_THROW(of({.spins = pair_spins::opposite_spin, .nocc_other = 0})(), invalid_argument);
  EXPECT_THROW(of({.nocc = 3}, {.first_pair = 6})(), invalid_argument);
  EXPECT_THROW(of({.nocc = 3}, {.first_pair = 2, .pairs = 5})(), invalid_argument);
  EXPECT_THROW(of({.nocc = 3, .frozen = 3})(), invalid_argument);
  EXPECT_THROW(of({.type = real_type::double_precision})(), invalid_argument);
  EXPECT_THROW(of({}, {.layout = integral_layout::pia})(), invalid_argument);
  EXPECT_THROW(of({}, {.precision = {.mode = precision::compensated}})(), invalid_argument);
  EXPECT_THROW(of({}, {.precision = {.mode = precision::split_bf16, .parts = 3}})(),
               invalid_argument);
  EXPECT_THROW(of({}, {.precision = {.mode = precision::bf16_refined, .refinements = 2}})(),
               invalid_argument);
  EXPECT_THROW(of({}, {.precision = {.target_error = 1e-3}})(), invalid_argument);
  EXPECT_THROW(of({.nocc = std::size_t{1} << 32})(), resource_error);
  EXPECT_THROW(of({.nocc = 1 << 20, .nvir = 1 << 20, .naux = 1 << 30})(), resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

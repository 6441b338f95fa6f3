// What df_mp2 and ao_to_mo refuse, by which error, and what the message names.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "chem/made_orbitals.hpp"

namespace papilio::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Error, class Call>
void expect_refused(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << "not refused; expected: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

template <class T>
mp2_energies energy(const made_orbitals<T>& made, const df_mp2_options& options = {}) {
  return df_mp2(made.b, made.occupied, made.virtuals, options);
}

TEST(df_mp2_refuses, shapes_that_do_not_fit) {
  made_orbitals<double> made({3, 4, 5}, 1);
  made.occupied.pop_back();
  expect_refused<shape_error>([&] { energy(made); }, "b is 3 x 4 x 5, so eps_occupied must have 3");
  made.occupied.resize(3, -0.5);
  made.virtuals.push_back(9);
  expect_refused<shape_error>([&] { energy(made); }, "eps_virtual must have 4 energies, got 5");
  const made_orbitals<double> up({3, 4, 5}, 1);
  made_orbitals<double> down({2, 4, 6}, 2);
  expect_refused<shape_error>([&] { df_mp2(up.orbitals(), down.orbitals()); },
                              "alpha.b has naux 5, so must beta.b, which has 6");
  made_orbitals<double> short_down({2, 4, 5}, 2);
  short_down.virtuals.pop_back();
  expect_refused<shape_error>([&] { df_mp2(up.orbitals(), short_down.orbitals()); },
                              "beta.eps_virtual must have 4");
}

TEST(df_mp2_refuses, what_is_not_finite) {
  for (const std::size_t naux : {1u, 5u, 40u}) {
    made_orbitals<float> made({3, 4, naux}, 1);
    made.b(2, 1, naux - 1) = std::numeric_limits<float>::infinity();
    const std::string place = "b[2, 1, " + std::to_string(naux - 1) + "] must be finite";
    expect_refused<invalid_argument>([&] { energy(made); }, place);
    // Counted as they were given, frozen ones with them.
    expect_refused<invalid_argument>([&] { energy(made, {.frozen_core = 2}); }, place);
    made.b(2, 1, naux - 1) = std::numeric_limits<float>::quiet_NaN();
    expect_refused<invalid_argument>([&] { energy(made); }, place);
    // A spin of one orbital has no pairs, and is looked at all the same.
    const made_orbitals<float> none({0, 4, naux}, 1);
    made_orbitals<float> one({1, 4, naux}, 1);
    one.b(0, 3, 0) = std::numeric_limits<float>::quiet_NaN();
    expect_refused<invalid_argument>([&] { df_mp2(one.orbitals(), none.orbitals()); },
                                     "alpha.b[0, 3, 0] must be finite");
  }
  made_orbitals<double> made({3, 4, 5}, 1);
  made.occupied[1] = nan;
  expect_refused<invalid_argument>([&] { energy(made); }, "eps_occupied[1] must be finite");
  made.occupied[1] = -1;
  made.virtuals[3] = infinity;
  expect_refused<invalid_argument>([&] { energy(made); }, "eps_virtual[3] must be finite");
}

TEST(df_mp2_refuses, strided_integrals_that_are_not_finite) {
  made_orbitals<double> made({3, 4, 6}, 1);
  made.b(1, 2, 4) = nan;
  const view<const double, 3> turned(made.b.data(), {3, 6, 4}, {24, 1, 6});
  const std::vector<double> six{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  expect_refused<invalid_argument>([&] { df_mp2(turned, made.occupied, six); },
                                   "b[1, 4, 2] must be finite");
  const view<const double, 3> every_other(made.b.data(), {3, 4, 3}, {24, 6, 2});
  expect_refused<invalid_argument>([&] { df_mp2(every_other, made.occupied, made.virtuals); },
                                   "b[1, 2, 2] must be finite");
}

TEST(df_mp2_refuses, gaps_that_are_not_positive) {
  made_orbitals<double> made({3, 4, 5}, 1);
  made.occupied[1] = made.virtuals[0];
  expect_refused<invalid_argument>([&] { energy(made); }, "the gap must be positive");
  made.occupied[1] = made.virtuals[0] + 1;
  expect_refused<invalid_argument>([&] { energy(made); }, "the gap must be positive");
  const made_orbitals<double> up({2, 4, 5}, 1);
  expect_refused<invalid_argument>([&] { df_mp2(up.orbitals(), made.orbitals()); },
                                   "lowest of beta.eps_virtual");
}

TEST(df_mp2_refuses, cores_that_are_none) {
  made_orbitals<double> made({3, 4, 5}, 1);
  expect_refused<invalid_argument>(
      [&] { energy(made, {.frozen_core = 4}); },
      "frozen_core must be at most the 3 occupied orbitals of b, got 4");
  std::swap(made.occupied[0], made.occupied[2]);
  expect_refused<invalid_argument>([&] { energy(made, {.frozen_core = 1}); },
                                   "the lowest orbitals must come first");
  const made_orbitals<double> up({4, 4, 5}, 1);
  const made_orbitals<double> down({1, 4, 5}, 2);
  expect_refused<invalid_argument>(
      [&] { df_mp2(up.orbitals(), down.orbitals(), {.frozen_core = 5}); },
      "frozen_core must be at most the 4 occupied orbitals of alpha.b, got 5");
  expect_refused<invalid_argument>(
      [&] { df_mp2(down.orbitals(), up.orbitals(), {.frozen_core = 5}); }, "orbitals of beta.b");
}

TEST(df_mp2_refuses, memory_below_a_block_and_negative_threads) {
  const made_orbitals<double> made({3, 40, 5}, 1);
  std::string text;
  try {
    energy(made, {.memory_bytes = 1000});
  } catch (const resource_error& e) {
    text = e.what();
  }
  const std::string before = "memory_bytes must be at least ";
  const std::size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos) << text;
  const std::size_t least = std::stoull(text.substr(at + before.size()));
  EXPECT_NO_THROW(energy(made, {.memory_bytes = least}));
  EXPECT_THROW(energy(made, {.memory_bytes = least - 1}), resource_error);
  expect_refused<invalid_argument>([&] { energy(made, {.on = {.threads = -1}}); },
                                   "threads must be at least 0, got -1");
}

TEST(df_mp2_refuses, blocks_that_are_none) {
  const made_orbitals<double> made({3, 40, 5}, 1);
  const std::size_t blocks = df_mp2_block_count(made.b.extents());
  expect_refused<invalid_argument>(
      [&] { energy(made, {.blocks = {.first = 1, .last = blocks + 1}}); },
      base_detail::message("blocks must be 0 <= first <= last <= ", blocks, ", got 1 and "));
  expect_refused<invalid_argument>([&] { energy(made, {.blocks = {.first = 2, .last = 1}}); },
                                   "got 2 and 1");
  expect_refused<invalid_argument>([&] { energy(made, {.blocks = {.first = blocks + 1}}); },
                                   "blocks must be 0 <= first");
  const df_mp2_options there{.on = {.where = policy::device}, .blocks = {.first = 1}};
  expect_refused<invalid_argument>([&] { energy(made, there); }, "are computed by the host");
  expect_refused<invalid_argument>(
      [&] { df_mp2_by_block(made.b, made.occupied, made.virtuals, {.on = there.on}); },
      "got policy::device");
  expect_refused<invalid_argument>(
      [&] {
        df_mp2_block_count({3, 4, 5}, 4);
      },
      "df_mp2_block_count: frozen_core must be at most the 3");
}

TEST(df_mp2_refuses, energies_beyond_its_type) {
  const made_orbitals<float> made({2, 3, 4}, 1, 1e15);
  expect_refused<invalid_argument>([&] { energy(made); }, "exceed the range of float");
}

struct made_integrals {
  array<double, 3> eri{{4, 4, 5}};
  array<double, 2> triangle{{10, 5}}, c_occ{{4, 2}}, c_vir{{4, 3}}, metric{{5, 5}};

  made_integrals() {
    for (std::size_t p = 0; p < 5; ++p) metric(p, p) = 1 + double(p);
  }
  void full() const { ao_to_mo(eri, c_occ, c_vir, {.metric = metric}); }
  void rows() const { ao_to_mo(triangle, c_occ, c_vir, {.metric = metric}); }
};

TEST(ao_to_mo_refuses, shapes_that_do_not_fit) {
  made_integrals made;
  EXPECT_NO_THROW(made.full());
  EXPECT_NO_THROW(made.rows());
  made.eri = array<double, 3>({4, 3, 5});
  expect_refused<shape_error>([&] { made.full(); }, "eri is 4 x 3 x 5; must be nbf x nbf x naux");
  made = {};
  made.c_occ = array<double, 2>({5, 2});
  expect_refused<shape_error>([&] { made.full(); }, "c_occ is 5 x 2; must have 4 rows");
  expect_refused<shape_error>([&] { made.rows(); },
                              "c_occ has 5 rows, so eri must have 5 * (5 + 1)");
  made = {};
  made.c_vir = array<double, 2>({3, 2});
  expect_refused<shape_error>([&] { made.full(); }, "c_vir is 3 x 2; must have 4 rows");
  made = {};
  made.metric = array<double, 2>({4, 5});
  expect_refused<shape_error>([&] { made.full(); }, "metric is 4 x 5; must be 5 x 5");
}

TEST(ao_to_mo_refuses, what_is_not_finite) {
  made_integrals made;
  made.eri(1, 2, 3) = nan;
  expect_refused<invalid_argument>([&] { made.full(); }, "eri[1, 2, 3] must be finite");
  made.triangle(7, 4) = infinity;
  expect_refused<invalid_argument>([&] { made.rows(); }, "eri[7, 4] must be finite");
  made = {};
  made.c_vir(3, 1) = nan;
  expect_refused<invalid_argument>([&] { made.full(); }, "c_vir[3, 1] must be finite");
  made = {};
  made.metric(2, 1) = nan;
  expect_refused<invalid_argument>([&] { made.full(); }, "element [2, 1] must be finite");
}

TEST(ao_to_mo_refuses, metrics_without_a_root) {
  made_integrals made;
  made.metric(0, 1) = 0.5;
  expect_refused<invalid_argument>([&] { made.full(); }, "must be symmetric");
  made = {};
  made.metric(3, 3) = 0;
  expect_refused<invalid_argument>([&] { made.full(); }, "must be positive definite");
  made.metric(3, 3) = 1e-16;
  expect_refused<invalid_argument>([&] { made.full(); }, "must be positive definite");
  expect_refused<shape_error>(
      [] {
        inverse_square_root(array<double, 2>({2, 3}));
      },
      "must be square, got 2 x 3");
}

TEST(ao_to_mo_refuses, memory_below_a_block_and_negative_threads) {
  const made_integrals made;
  expect_refused<resource_error>(
      [&] { ao_to_mo(made.eri, made.c_occ, made.c_vir, {.memory_bytes = 100}); },
      "memory_bytes must be at least ");
  // The block of the transformation fits, that of the metric does not.
  expect_refused<resource_error>(
      [&] {
        ao_to_mo(made.eri, made.c_occ, made.c_vir, {.metric = made.metric, .memory_bytes = 1000});
      },
      "memory_bytes must be at least ");
  expect_refused<invalid_argument>(
      [&] { ao_to_mo(made.eri, made.c_occ, made.c_vir, {.on = {.threads = -2}}); },
      "threads must be at least 0, got -2");
}

TEST(ao_to_mo_refuses, sums_beyond_its_type) {
  array<float, 3> eri({2, 2, 2});
  std::ranges::fill(eri, 1e30f);
  array<float, 2> c({2, 1});
  std::ranges::fill(c, 1e10f);
  expect_refused<invalid_argument>([&] { ao_to_mo(eri, c, c); }, "exceed the range of float");
}

}  // namespace
}  // namespace papilio::test

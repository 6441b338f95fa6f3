// The formula by itself: its stages, applied as sparse matrices to one number after the other, are
// the DFT.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/transform/formula.hpp"
#include "kernels/transform/patterns.hpp"

namespace papilio::kernels_detail {
namespace {

using exact = std::complex<long double>;

// What element e of the inputs gives in each of the outputs, points and bins as 2 n reals.
std::vector<double> through_stages(const transform_formula& f, const transform_element& e) {
  const int stages = f.stages();
  const auto whole = [&](int t) { return t == stages && !f.transposed; };
  int at = f.transposed ? stages : 0;
  std::vector<transform_element> here = elements_after(f, at, 1, whole(at));
  std::vector<double> values;
  for (const transform_element& h : here)
    values.push_back(h.k == e.k && h.j == e.j && h.plane == e.plane ? 1 : 0);
  for (int s = 0; s < stages; ++s) {
    const int next = f.transposed ? at - 1 : at + 1;
    const stage_coefficient coefficient(f, std::min(at, next));
    const std::vector<transform_element> there = elements_after(f, next, 1, whole(next));
    std::vector<double> sums(there.size(), 0);
    for (std::size_t o = 0; o < there.size(); ++o)
      for (std::size_t i = 0; i < here.size(); ++i)
        if (values[i] != 0)
          sums[o] += values[i] * (f.transposed ? coefficient(there[o], here[i])
                                               : coefficient(here[i], there[o]));
    here = there, values = std::move(sums), at = next;
  }
  std::vector<double> result(2 * std::size_t(f.n()), 0);
  for (std::size_t i = 0; i < here.size(); ++i)
    result[std::size_t(2 * (f.transposed ? here[i].j : here[i].k) + here[i].plane)] = values[i];
  return result;
}

exact root(std::int64_t k, std::int64_t n) {
  const long double angle = -2 * std::numbers::pi_v<long double> * (long double)(k % n) / n;
  return {std::cos(angle), std::sin(angle)};
}

void expect_dft(const transform_formula& f) {
  const std::int64_t n = f.n();
  const auto factor = [](const std::vector<std::complex<double>>& of, std::int64_t i) {
    return of.empty() ? exact(1) : exact(of[std::size_t(i)]);
  };
  for (const transform_element& e : elements_after(f, f.transposed ? f.stages() : 0, 1, false)) {
    const std::vector<double> got = through_stages(f, e);
    const std::int64_t from = f.transposed ? e.k : e.j;
    const exact unit = e.plane == 0 ? exact(1) : exact(0, 1);
    for (std::int64_t to = 0; to < (f.transposed ? n : f.bins()); ++to) {
      exact x = root(from * to, n) * factor(f.point_factors, f.transposed ? to : from) *
                factor(f.bin_factors, f.transposed ? from : to);
      if (f.transposed) x = std::conj(x);
      x *= unit * (long double)(f.scale);
      // A bin and its mirror image give twice the real part.
      if (f.real && f.transposed) x = (2 * from % n == 0 ? 1.0L : 2.0L) * x.real();
      EXPECT_NEAR(got[std::size_t(2 * to)], double(x.real()), 1e-13) << f.describe();
      EXPECT_NEAR(got[std::size_t(2 * to + 1)], double(x.imag()), 1e-13) << f.describe();
    }
  }
}

TEST(transform_formula, stages_are_the_dft) {
  for (const std::vector<std::int64_t>& radices : {std::vector<std::int64_t>{1},
                                                   {2},
                                                   {5},
                                                   {8},
                                                   {2, 2},
                                                   {3, 2},
                                                   {2, 3},
                                                   {4, 6},
                                                   {5, 3},
                                                   {7, 4},
                                                   {2, 3, 2},
                                                   {3, 4, 5},
                                                   {2, 2, 2, 3}})
    for (const bool real : {false, true})
      for (const bool transposed : {false, true})
        expect_dft({.radices = radices, .real = real, .transposed = transposed, .scale = 0.25});
}

TEST(transform_formula, diagonals) {
  for (const bool transposed : {false, true}) {
    transform_formula f{.radices = {3, 4}, .transposed = transposed};
    for (int i = 0; i < 12; ++i) {
      f.point_factors.emplace_back(1.0F / float(i + 1), 0.5F * float(i));
      f.bin_factors.emplace_back(float(i % 5), -1.0F);
    }
    expect_dft(f);
  }
  transform_formula f{.radices = {4, 3}, .real = true, .point_factors = {}, .bin_factors = {}};
  for (int i = 0; i < 12; ++i) f.point_factors.emplace_back(float(i) - 4);
  for (int i = 0; i < 7; ++i) f.bin_factors.emplace_back(float(i) + 0.5F);
  expect_dft(f);
}

TEST(transform_formula, as_many_numbers_after_each_stage) {
  const transform_formula f{.radices = {3, 4, 5}, .real = true};
  for (int t = 0; t <= 3; ++t) EXPECT_EQ(elements_after(f, t, 2, false).size(), 120U) << t;
  EXPECT_EQ(elements_after(f, 3, 2, true).size(), 2U * 2 * 31);
}

// The addresses that a run's levels reach.
std::vector<std::int64_t> reached(std::int64_t first, const address_run& run) {
  std::vector<std::int64_t> all{first};
  for (const engine::pattern_dim& d : run.levels) {
    std::vector<std::int64_t> more;
    for (const std::int64_t at : all)
      for (std::int64_t i = 0; i < d.extent; ++i) more.push_back(at + i * d.stride);
    all = std::move(more);
  }
  return all;
}

TEST(address_runs, reach_the_list_in_order) {
  std::vector<std::vector<std::int64_t>> lists{
      {7}, {1, 2, 3, 4, 5}, {0, 10, 20, 1, 11, 21, 2}, {9, 8, 7, 3, 2, 1}, {0, 1, 3, 4, 6, 7, 100},
      {}};
  for (int i = 0; i < 60; ++i) lists.back().push_back(i % 3 * 100 + i / 3 % 4 * 7 + i / 12);
  for (const auto& list : lists)
    for (const std::size_t most : {1, 2, 5, 60})
      for (const std::size_t levels : {1, 2, 4}) {
        std::vector<std::int64_t> all;
        for (const address_run& run : runs_of(list, most, levels)) {
          EXPECT_EQ(run.first, all.size());
          EXPECT_LE(run.count, most);
          EXPECT_LE(run.levels.size(), levels);
          for (const std::int64_t at : reached(list[run.first], run)) all.push_back(at);
        }
        EXPECT_EQ(all, list);
      }
  EXPECT_EQ(runs_of(lists.back(), 60, 4).size(), 1U);
}

}  // namespace
}  // namespace papilio::kernels_detail

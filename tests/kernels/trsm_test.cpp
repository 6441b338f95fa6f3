// Triangular systems by their residuals, computed in double.
//
// Error model: a block of X is its right side, less products of at most order terms (q = order +
// ceil(order / 128) roundings), times a refined inverse of a block of 128. One refinement leaves
// the rounding of the last sum and of the last addition, and of second order what the inverse's own
// error makes: |op(A) X - alpha B| <= gamma_(q + 8) (|op(A)| |X| + |alpha B|) for blocks that are
// not nearly singular. Without refinement the inverse's error counts times the condition of the
// blocks, here below 8.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

std::int64_t order_of(const triangle_problem& s) { return std::int64_t(s.order()); }

bool is_used(const triangle_problem& s, std::int64_t i, std::int64_t j) {
  return i == j ? !s.unit : s.triangle == triangle::lower ? j < i : j > i;
}

// Well conditioned; NaN where nothing may be used.
array<float, 2> made_a(const triangle_problem& s, double off_diagonal = 0.5) {
  const std::int64_t order = order_of(s);
  auto a = normal<2>({std::size_t(order), std::size_t(order)}, 1, 3);
  for (std::int64_t i = 0; i < order; ++i)
    for (std::int64_t j = 0; j < order; ++j) {
      if (!is_used(s, i, j))
        a(i, j) = std::nanf("");
      else if (i == j)
        a(i, j) = std::copysign(1 + 0.25F * std::fabs(a(i, j)), a(i, j));
      else
        a(i, j) = float(double(a(i, j)) * off_diagonal / std::sqrt(double(order)));
    }
  return a;
}

double element(const triangle_problem& s, const array<float, 2>& a, std::int64_t i,
               std::int64_t j) {
  if (s.transposed) std::swap(i, j);
  if (s.unit && i == j) return 1;
  return is_used(s, i, j) ? double(a(i, j)) : 0;
}

// Largest residual in units of u (|op(A)| |X| + |alpha B|); huge for NaN.
double worst(const triangle_problem& s, const array<float, 2>& a, const array<float, 2>& b,
             const array<float, 2>& x) {
  double most = 0;
  for (std::int64_t i = 0; i < std::int64_t(s.m); ++i)
    for (std::int64_t j = 0; j < std::int64_t(s.n); ++j) {
      double residual = -double(s.alpha) * double(b(i, j)), magnitude = std::fabs(residual);
      for (std::int64_t t = 0; t < order_of(s); ++t) {
        const double term = s.side == solve_side::left ? element(s, a, i, t) * double(x(t, j))
                                                       : double(x(i, t)) * element(s, a, t, j);
        residual += term;
        magnitude += std::fabs(term);
      }
      const double here = std::fabs(residual) / (0x1p-24 * magnitude);
      most = here >= 0 ? std::max(most, here) : 1e300;
    }
  return most;
}

array<float, 2> solved(const triangle_problem& s, const array<float, 2>& a,
                       const array<float, 2>& b, int refinements = 1,
                       const machine_spec& machine = trainium1(), int threads = 1) {
  auto x = b;
  device dev(machine, sdk_2_24(), {.threads = threads});
  trsm(dev, s, a, x, refinements);
  return x;
}

array<float, 2> right_side(const triangle_problem& s) {
  return normal<2>({std::size_t(s.m), std::size_t(s.n)}, 1, 4);
}

double bound(const triangle_problem& s, int refinements = 1) {
  const double order = double(order_of(s));
  return (order + std::ceil(order / 128) + 8) * (refinements == 0 ? 8 : 1);
}

void expect_right(const triangle_problem& s, const machine_spec& machine = trainium1(),
                  int refinements = 1) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " side " << int(s.side) << " part "
                                  << int(s.triangle) << " transposed " << s.transposed << " unit "
                                  << s.unit << " alpha " << s.alpha << " refinements "
                                  << refinements);
  const auto a = made_a(s), b = right_side(s);
  EXPECT_LE(worst(s, a, b, solved(s, a, b, refinements, machine)), bound(s, refinements));
}

std::vector<triangle_problem> every_way(std::size_t m, std::size_t n) {
  std::vector<triangle_problem> all;
  for (const solve_side side : {solve_side::left, solve_side::right})
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const bool transposed : {false, true})
        for (const bool unit : {false, true})
          all.push_back({.function = triangle_function::trsm,
                         .m = m,
                         .n = n,
                         .side = side,
                         .triangle = part,
                         .transposed = transposed,
                         .unit = unit});
  return all;
}

TEST(trsm, every_side_triangle_operation_and_diagonal) {
  for (const auto& [m, n] :
       {std::pair<std::size_t, std::size_t>(1, 1), {5, 7}, {130, 3}, {127, 130}, {257, 70}})
    for (const triangle_problem& s : every_way(m, n)) expect_right(s);
}

TEST(trsm, factors_and_refinements) {
  for (triangle_problem s : every_way(140, 133))
    for (const int refinements : {0, 2}) {
      s.alpha = -2.5F;
      expect_right(s, trainium1(), refinements);
    }
}

// More blocks than one group of inverses, and a tail.
TEST(trsm, many_blocks) {
  expect_right({.function = triangle_function::trsm, .m = 700, .n = 20});
  expect_right(
      {.function = triangle_function::trsm, .m = 700, .n = 20, .triangle = triangle::upper});
  expect_right({.function = triangle_function::trsm,
                .m = 20,
                .n = 700,
                .side = solve_side::right,
                .transposed = true});
}

TEST(trsm, columns_in_several_passes) {
  for (const triangle_problem& s : every_way(131, 131)) {
    triangle_problem wide = s;
    (s.side == solve_side::left ? wide.n : wide.m) = 1100;
    expect_right(wide);
  }
}

// Inverses that do not all stay are made again.
TEST(trsm, small_memories) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 65536;
  expect_right({.function = triangle_function::trsm, .m = 1300, .n = 130}, small);
  expect_right(
      {.function = triangle_function::trsm, .m = 130, .n = 1300, .side = solve_side::right}, small);
  small.psum.banks = small.psum.open_groups_max = 6;
  small.psum.bytes_per_partition = 6 * small.psum.bank_bytes;
  expect_right(
      {.function = triangle_function::trsm, .m = 300, .n = 600, .triangle = triangle::upper},
      small);
}

TEST(trsm, values_on_trainium2) {
  expect_right({.function = triangle_function::trsm, .m = 257, .n = 70}, trainium2());
  expect_right({.function = triangle_function::trsm,
                .m = 70,
                .n = 257,
                .side = solve_side::right,
                .unit = true},
               trainium2());
}

TEST(trsm, the_same_bits_with_two_threads) {
  const triangle_problem s{.function = triangle_function::trsm, .m = 300, .n = 70};
  const auto a = made_a(s), b = right_side(s);
  EXPECT_EQ(bits_of(solved(s, a, b, 1, trainium1(), 1)),
            bits_of(solved(s, a, b, 1, trainium1(), 2)));
}

// Off the diagonal 0.3 N(0, 1): blocks of condition 2e4, and powers of T - I that overflow, which
// an inverse by those powers would need.
TEST(trsm, badly_conditioned_blocks_are_solved_as_well_by_a_refinement) {
  const triangle_problem s{.function = triangle_function::trsm, .m = 200, .n = 20, .unit = true};
  const auto a = made_a(s, 0.3 * std::sqrt(200.0)), b = right_side(s);
  EXPECT_LE(worst(s, a, b, solved(s, a, b)), bound(s));
  const double before = worst(s, a, b, solved(s, a, b, 0));
  EXPECT_LT(worst(s, a, b, solved(s, a, b)), before / 2);
}

// All ones: the inverse is two diagonals of 1 and -1, and all of it is exact.
TEST(trsm, an_inverse_of_small_integers_is_exact) {
  array<float, 2> a({200, 200}), b({200, 3});
  for (float& v : a) v = 1;
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < 3; ++j) b(i, j) = float((i * i + 5 * j) % 17);
  for (const int refinements : {0, 1}) {
    const auto x =
        solved({.function = triangle_function::trsm, .m = 200, .n = 3}, a, b, refinements);
    for (std::size_t i = 0; i < 200; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        ASSERT_EQ(x(i, j), b(i, j) - (i == 0 ? 0 : b(i - 1, j))) << i << " " << j;
  }
}

TEST(trsm, the_identity_gives_back_the_right_side) {
  array<float, 2> one({150, 150});
  for (std::size_t i = 0; i < 150; ++i) one(i, i) = 1;
  const auto b = normal<2>({150, 40}, 1, 4);
  EXPECT_EQ(bits_of(solved({.function = triangle_function::trsm, .m = 150, .n = 40}, one, b)),
            bits_of(b));
}

TEST(trsm, alpha_0_gives_zeros_whatever_a_and_b_hold) {
  array<float, 2> a({130, 130}), b({130, 5});
  for (float& v : a) v = std::nanf("");
  for (float& v : b) v = std::nanf("");
  for (const float v :
       solved({.function = triangle_function::trsm, .m = 130, .n = 5, .alpha = 0}, a, b))
    ASSERT_EQ(v, 0);
}

TEST(trsm, a_zero_on_the_diagonal_shows) {
  array<float, 2> a({3, 3}), b({3, 2});
  for (std::size_t i = 0; i < 3; ++i) a(i, i) = i == 1 ? 0.0F : 1.0F;
  for (float& v : b) v = 1;
  const auto x = solved({.function = triangle_function::trsm, .m = 3, .n = 2}, a, b);
  EXPECT_FALSE(std::isfinite(x(1, 0)));
}

double end_to_end(const sized_kernel& sized, const runtime_spec& runtime) {
  device dev(trainium1(), runtime);
  return prepared_kernel(dev, sized, run_mode::dry_run)
      .launch({sized.inputs.begin(), sized.inputs.end()},
              {sized.outputs.begin(), sized.outputs.end()})
      .total_seconds();
}

// trnsci/trnblas measured 35.8 ms.
TEST(trsm, takes_a_third_of_the_published_time) {
  const sized_kernel sized =
      trsm_kernel({.function = triangle_function::trsm, .m = 2048, .n = 512}, trainium1());
  EXPECT_LE(end_to_end(sized, sdk_2_24()), 35.8e-3 / 3);
  EXPECT_LE(end_to_end(sized, sdk_2_29()), 35.8e-3 / 3);
}

TEST(trsm, products_hide_the_chains_of_blocks) {
  EXPECT_GE(dry_profile("trsm", {"m=8192", "n=1024"}).verdict.floor_fraction, 0.62);
  EXPECT_GE(dry_profile("trsm", {"m=2048", "n=512"}).verdict.floor_fraction, 0.37);
}

TEST(trsm, refuses) {
  const machine_spec machine = trainium1();
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm, .m = 0}, machine),
               invalid_argument);
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm, .n = 0}, machine),
               invalid_argument);
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm, .alpha = std::nanf("")}, machine),
               invalid_argument);
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm}, machine, -1), invalid_argument);
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm}, machine, 9), invalid_argument);
  EXPECT_THROW(trsm_kernel({.function = triangle_function::trsm, .beta = 1}, machine),
               invalid_argument);
  EXPECT_THROW(
      trsm_kernel({.function = triangle_function::trsm, .m = std::size_t{1} << 40}, machine),
      resource_error);
  device dev;
  const array<float, 2> a({5, 5});
  array<float, 2> b({5, 3});
  for (float& v : b) v = 3;
  EXPECT_THROW(trsm(dev, {.function = triangle_function::trsm, .m = 5, .n = 4}, a, b), shape_error);
  EXPECT_THROW(
      trsm(dev, {.function = triangle_function::trsm, .m = 5, .n = 3, .side = solve_side::right}, a,
           b),
      shape_error);
  for (const float v : b) EXPECT_EQ(v, 3);
}

}  // namespace
}  // namespace papilio::kernels::test

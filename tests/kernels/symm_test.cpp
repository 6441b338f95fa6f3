// Products with symmetric matrices of which one triangle is given, against sums in double.
//
// Error model: as of gemm (gemm_epilogue_test.cpp): |error| <= gamma_(k + ceil(k / 128) + 5)
// (|alpha| |A| |B| + |beta C0|), k the order of A.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using matrix = array<float, 2>;

std::int64_t order_of(const triangle_problem& s) { return std::int64_t(s.order()); }

matrix normal_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  return normal<2>({std::size_t(rows), std::size_t(columns)}, 1, seed);
}

// NaN in the triangle that is not named.
matrix made_a(const triangle_problem& s) {
  matrix a = normal_matrix(order_of(s), order_of(s), 3);
  for (std::int64_t i = 0; i < order_of(s); ++i)
    for (std::int64_t j = 0; j < order_of(s); ++j)
      if (s.triangle == triangle::lower ? j > i : j < i) a(i, j) = std::nanf("");
  return a;
}

float element(const triangle_problem& s, const matrix& a, std::int64_t i, std::int64_t j) {
  return (s.triangle == triangle::lower) == (j <= i) || i == j ? a(i, j) : a(j, i);
}

// Of 0 beta nothing of C may be read.
matrix made_c(const triangle_problem& s) {
  matrix c = normal_matrix(std::int64_t(s.m), std::int64_t(s.n), 7);
  if (s.beta == 0)
    for (float& v : c) v = std::nanf("");
  return c;
}

void expect_right(const triangle_problem& s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " side " << int(s.side) << " part "
                                  << int(s.triangle) << " alpha " << s.alpha << " beta " << s.beta);
  const matrix a = made_a(s), b = normal_matrix(std::int64_t(s.m), std::int64_t(s.n), 4),
               before = made_c(s);
  matrix c = before;
  device dev(machine);
  symm(dev, s, a, b, c);
  const std::int64_t k = order_of(s);
  const double most = gamma(double(k + (k + 127) / 128 + 5));
  for (std::int64_t i = 0; i < std::int64_t(s.m); ++i)
    for (std::int64_t j = 0; j < std::int64_t(s.n); ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t t = 0; t < k; ++t) {
        const double term = s.side == solve_side::left
                                ? double(element(s, a, i, t)) * double(b(t, j))
                                : double(b(i, t)) * double(element(s, a, t, j));
        sum += term;
        magnitude += std::fabs(term);
      }
      const double old = s.beta == 0 ? 0 : double(s.beta) * double(before(i, j));
      ASSERT_LE(std::fabs(double(c(i, j)) - (double(s.alpha) * sum + old)),
                most * (std::fabs(double(s.alpha)) * magnitude + std::fabs(old)))
          << i << " " << j;
    }
}

std::vector<triangle_problem> every_way(std::size_t m, std::size_t n) {
  std::vector<triangle_problem> all;
  for (const solve_side side : {solve_side::left, solve_side::right})
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const bool has_factors : {false, true})
        all.push_back({.m = m,
                       .n = n,
                       .side = side,
                       .triangle = part,
                       .alpha = has_factors ? -1.5F : 1.0F,
                       .beta = has_factors ? 0.75F : 0.0F});
  return all;
}

TEST(symm, every_side_triangle_and_factor) {
  for (const auto& [m, n] :
       {std::pair<std::size_t, std::size_t>(1, 1), {5, 7}, {130, 3}, {127, 131}, {257, 70}})
    for (const triangle_problem& s : every_way(m, n)) expect_right(s);
}

// Blocks of 512 beside the diagonal, whole and as short as the matrix ends.
TEST(symm, blocks_that_are_mirrored) {
  for (const triangle part : {triangle::lower, triangle::upper}) {
    expect_right({.m = 1100, .n = 5, .triangle = part});
    expect_right({.m = 3, .n = 1030, .side = solve_side::right, .triangle = part, .beta = 1});
  }
}

// Several blocks.
TEST(symm, values_where_memory_is_small) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 49152;
  for (const triangle part : {triangle::lower, triangle::upper}) {
    expect_right({.m = 1100, .n = 20, .triangle = part, .beta = 1}, small);
    expect_right({.m = 300, .n = 900, .side = solve_side::right, .triangle = part}, small);
    expect_right({.m = 5, .n = 1700, .side = solve_side::right, .triangle = part}, small);
  }
}

TEST(symm, values_on_trainium2) {
  expect_right({.m = 257, .n = 70, .beta = 1}, trainium2());
  expect_right({.m = 70, .n = 257, .side = solve_side::right}, trainium2());
}

TEST(symm, is_a_product_with_the_whole_matrix_to_the_bit) {
  const triangle_problem s{.m = 200, .n = 90, .triangle = triangle::upper};
  const matrix a = made_a(s), b = normal_matrix(200, 90, 4);
  matrix whole({200, 200}), c({200, 90}), expected({200, 90});
  for (std::int64_t i = 0; i < 200; ++i)
    for (std::int64_t j = 0; j < 200; ++j) whole(i, j) = element(s, a, i, j);
  device dev;
  symm(dev, s, a, b, c);
  prepared_kernel(
      dev, gemm_kernel({.m = 200, .k = 200, .n = 90}, dev.machine(), {.left_transposed = true}))
      .launch({whole, b}, {expected});
  EXPECT_EQ(bits_of(c), bits_of(expected));
}

// Tilings are chosen by dry runs of a part, in which A is square.
TEST(symm, large_matrices_are_priced_by_a_part) {
  for (const char* side : {"side=left", "side=right"})
    EXPECT_GE(dry_profile("symm", {"m=6000", "n=5000", side}).verdict.floor_fraction, 0.8) << side;
}

TEST(symm, products_hide_the_completion) {
  EXPECT_GE(dry_profile("symm", {"m=2048", "n=2048"}).verdict.floor_fraction, 0.8);
  EXPECT_GE(dry_profile("symm", {"m=2048", "n=2048", "side=right"}).verdict.floor_fraction, 0.8);
}

TEST(symm, refuses) {
  const machine_spec machine = trainium1();
  EXPECT_THROW(symm_kernel({.m = 0}, machine), invalid_argument);
  EXPECT_THROW(symm_kernel({.n = 0}, machine), invalid_argument);
  EXPECT_THROW(symm_kernel({.alpha = std::nanf("")}, machine), invalid_argument);
  EXPECT_THROW(symm_kernel({.beta = INFINITY}, machine), invalid_argument);
  EXPECT_THROW(symm_kernel({.m = std::size_t{1} << 40}, machine), resource_error);
  device dev;
  const matrix a({5, 5}), b({5, 3});
  matrix c({5, 3});
  for (float& v : c) v = 3;
  EXPECT_THROW(symm(dev, {.m = 5, .n = 4}, a, b, c), shape_error);
  EXPECT_THROW(symm(dev, {.m = 5, .n = 3, .side = solve_side::right}, a, b, c), shape_error);
  EXPECT_THROW(symm(dev, {.m = 5, .n = 3}, a, matrix({5, 4}), c), shape_error);
  for (const float v : c) EXPECT_EQ(v, 3);
}

}  // namespace
}  // namespace papilio::kernels::test

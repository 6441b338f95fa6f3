// Products with triangular matrices against sums in double.
//
// Error model: as of gemm: |error| <= gamma_(k + ceil(k / 128) + 4) |alpha| |op(A)| |B|, k the
// order of A; zeros beside the triangle add nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using matrix = array<float, 2>;

std::int64_t order_of(const triangle_problem& s) { return std::int64_t(s.order()); }

bool is_used(const triangle_problem& s, std::int64_t i, std::int64_t j) {
  return i == j ? !s.unit : s.triangle == triangle::lower ? j < i : j > i;
}

matrix normal_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  return normal<2>({std::size_t(rows), std::size_t(columns)}, 1, seed);
}

// NaN where nothing may be used.
matrix made_a(const triangle_problem& s) {
  matrix a = normal_matrix(order_of(s), order_of(s), 3);
  for (std::int64_t i = 0; i < order_of(s); ++i)
    for (std::int64_t j = 0; j < order_of(s); ++j)
      if (!is_used(s, i, j)) a(i, j) = std::nanf("");
  return a;
}

double element(const triangle_problem& s, const matrix& a, std::int64_t i, std::int64_t j) {
  if (s.transposed) std::swap(i, j);
  if (s.unit && i == j) return 1;
  return is_used(s, i, j) ? double(a(i, j)) : 0;
}

void expect_right(const triangle_problem& s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " side " << int(s.side) << " part "
                                  << int(s.triangle) << " transposed " << s.transposed << " unit "
                                  << s.unit << " alpha " << s.alpha);
  const matrix a = made_a(s), b = normal_matrix(std::int64_t(s.m), std::int64_t(s.n), 4);
  matrix c = b;
  device dev(machine);
  trmm(dev, s, a, c);
  const std::int64_t k = order_of(s);
  const double most = gamma(double(k + (k + 127) / 128 + 4));
  for (std::int64_t i = 0; i < std::int64_t(s.m); ++i)
    for (std::int64_t j = 0; j < std::int64_t(s.n); ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t t = 0; t < k; ++t) {
        const double term = s.side == solve_side::left ? element(s, a, i, t) * double(b(t, j))
                                                       : double(b(i, t)) * element(s, a, t, j);
        sum += term;
        magnitude += std::fabs(term);
      }
      ASSERT_LE(std::fabs(double(c(i, j)) - double(s.alpha) * sum),
                most * std::fabs(double(s.alpha)) * magnitude)
          << i << " " << j;
    }
}

std::vector<triangle_problem> every_way(std::size_t m, std::size_t n) {
  std::vector<triangle_problem> all;
  for (const solve_side side : {solve_side::left, solve_side::right})
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const bool transposed : {false, true})
        for (const bool unit : {false, true})
          all.push_back({.function = triangle_function::trmm,
                         .m = m,
                         .n = n,
                         .side = side,
                         .triangle = part,
                         .transposed = transposed,
                         .unit = unit,
                         .alpha = unit ? -2.5F : 1.0F});
  return all;
}

TEST(trmm, every_side_triangle_operation_and_diagonal) {
  for (const auto& [m, n] :
       {std::pair<std::size_t, std::size_t>(1, 1), {5, 7}, {130, 3}, {127, 131}})
    for (const triangle_problem& s : every_way(m, n)) expect_right(s);
}

// Strips of 256, the last of them short.
TEST(trmm, several_strips) {
  for (const triangle_problem& s : every_way(9, 9)) {
    triangle_problem many = s;
    (s.side == solve_side::left ? many.m : many.n) = 601;
    expect_right(many);
  }
}

TEST(trmm, a_long_sum_is_cut_where_a_panel_does_not_fit) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 49152;
  expect_right({.function = triangle_function::trmm, .m = 1900, .n = 3, .alpha = 2}, small);
  expect_right({.function = triangle_function::trmm,
                .m = 3,
                .n = 1900,
                .side = solve_side::right,
                .alpha = 2},
               small);
}

TEST(trmm, values_on_trainium2) {
  expect_right({.function = triangle_function::trmm, .m = 257, .n = 70}, trainium2());
  expect_right({.function = triangle_function::trmm,
                .m = 70,
                .n = 257,
                .side = solve_side::right,
                .unit = true},
               trainium2());
}

// What a row does not reach beyond its strip is not multiplied at all.
TEST(trmm, later_strips_do_not_reach_earlier_ones) {
  const triangle_problem s{.function = triangle_function::trmm, .m = 300, .n = 4};
  matrix b = normal_matrix(300, 4, 4);
  b(299, 2) = INFINITY;
  device dev;
  trmm(dev, s, made_a(s), b);
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t j = 0; j < 4; ++j) ASSERT_TRUE(std::isfinite(b(i, j))) << i << " " << j;
  EXPECT_FALSE(std::isfinite(b(299, 2)));
}

// 8 strips of 256 of order 2048: 36 of 64 blocks. A pass of 256 columns waits for its load as one of
// 512 does, which the product has.
TEST(trmm, takes_less_than_a_product) {
  for (const char* const side : {"side=left", "side=right"}) {
    const double whole = dry_profile("gemm", {"m=2048", "k=2048", "n=2048"}).value("total_time"),
                 half = dry_profile("trmm", {"m=2048", "n=2048", side}).value("total_time");
    EXPECT_LE(half, 0.82 * whole) << side;
  }
}

TEST(trmm, refuses) {
  const machine_spec machine = trainium1();
  EXPECT_THROW(trmm_kernel({.function = triangle_function::trmm, .m = 0}, machine),
               invalid_argument);
  EXPECT_THROW(trmm_kernel({.function = triangle_function::trmm, .n = 0}, machine),
               invalid_argument);
  EXPECT_THROW(trmm_kernel({.function = triangle_function::trmm, .alpha = std::nanf("")}, machine),
               invalid_argument);
  EXPECT_THROW(
      trmm_kernel({.function = triangle_function::trmm, .m = std::size_t{1} << 40}, machine),
      resource_error);
  device dev;
  const matrix a({5, 5});
  matrix b({5, 3});
  for (float& v : b) v = 3;
  EXPECT_THROW(trmm(dev, {.function = triangle_function::trmm, .m = 5, .n = 4}, a, b), shape_error);
  EXPECT_THROW(
      trmm(dev, {.function = triangle_function::trmm, .m = 5, .n = 3, .side = solve_side::right}, a,
           b),
      shape_error);
  for (const float v : b) EXPECT_EQ(v, 3);
}

}  // namespace
}  // namespace papilio::kernels::test

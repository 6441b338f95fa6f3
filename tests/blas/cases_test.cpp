// The published acceptance cases of a BLAS for accelerators, in its own precision and with its own
// tolerances, by their numbers there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "naive.hpp"
#include "support/case_list.hpp"

namespace papilio::test {
namespace {

using matrix = array<float, 2>;

struct tolerance {
  double relative, absolute;
};
constexpr tolerance device{1e-4, 1e-3}, host{1e-7, 1e-4}, residual{1e-3, 1e-3}, exactly{0, 0};

array<float, 3> normal(const extents_type<3>& extents, unsigned seed) {
  random_source<float> random(seed);
  array<float, 3> x(extents);
  for (float& v : x) v = random();
  return x;
}
matrix normal(std::size_t rows, std::size_t columns, unsigned seed) {
  random_source<float> random(seed);
  matrix x({rows, columns});
  for (float& v : x) v = random();
  return x;
}
matrix identity(std::size_t n) {
  matrix x({n, n});
  for (std::size_t i = 0; i < n; ++i) x(i, i) = 1;
  return x;
}
view<const float, 2> turned(view<const float, 2> v, bool turn) {
  if (!turn) return v;
  return {v.data(), {v.extent(1), v.extent(0)}, {v.stride(1), v.stride(0)}};
}

// a b in double.
array<double, 2> reference(view<const float, 2> a, view<const float, 2> b) {
  array<double, 2> c({a.extent(0), b.extent(1)});
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t p = 0; p < a.extent(1); ++p) {
      const double x = a(i, p);
      for (std::size_t j = 0; j < b.extent(1); ++j) c(i, j) += x * static_cast<double>(b(p, j));
    }
  return c;
}

void expect_close(view<const float, 2> got, view<const double, 2> expected, tolerance t) {
  ASSERT_EQ(got.extents(), expected.extents());
  for (std::size_t i = 0; i < got.extent(0); ++i)
    for (std::size_t j = 0; j < got.extent(1); ++j)
      ASSERT_LE(std::abs(static_cast<double>(got(i, j)) - expected(i, j)),
                t.absolute + t.relative * std::abs(expected(i, j)))
          << i << ' ' << j;
}

struct product {
  std::size_t m, n, k;
  float alpha = 1, beta = 0;
  bool turn_a = false, turn_b = false;
  std::size_t batch = 1;
  tolerance bound = device;
};

void check(const product& p, unsigned seed = 2) {
  const auto a = p.turn_a ? normal({p.batch, p.k, p.m}, 1) : normal({p.batch, p.m, p.k}, 1);
  const auto b = p.turn_b ? normal({p.batch, p.n, p.k}, seed) : normal({p.batch, p.k, p.n}, seed);
  auto c = normal({p.batch, p.m, p.n}, 3);
  const auto start = c;
  const gemm_options options{.a = p.turn_a ? matrix_op::transpose : matrix_op::none,
                             .b = p.turn_b ? matrix_op::transpose : matrix_op::none};
  if (p.batch == 1)
    gemm(p.alpha, a[0], b[0], p.beta, c[0], options);
  else
    gemm_batched(p.alpha, a, b, p.beta, c, options);
  for (std::size_t i = 0; i < p.batch; ++i) {
    auto expected = reference(turned(a[i], p.turn_a), turned(b[i], p.turn_b));
    for (std::size_t r = 0; r < p.m; ++r)
      for (std::size_t s = 0; s < p.n; ++s)
        expected(r, s) = p.alpha * expected(r, s) + p.beta * start(i, r, s);
    expect_close(std::as_const(c)[i], expected, p.bound);
  }
}

void check_product(const matrix& a, const matrix& b, const matrix& expected, tolerance bound) {
  matrix c({a.extent(0), b.extent(1)});
  gemm(1, a, b, 0, c);
  array<double, 2> wide(expected.extents());
  std::ranges::copy(expected, wide.begin());
  expect_close(c, wide, bound);
}

// Both halves, each by a call of its own.
void check_syrk(const matrix& a, bool turn, float alpha, float beta, tolerance bound) {
  const std::size_t n = a.extent(turn ? 1 : 0);
  matrix start = normal(n, n, 4);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) start(i, j) = start(j, i);
  matrix c = start;
  const auto op = turn ? matrix_op::transpose : matrix_op::none;
  syrk(alpha, a, beta, c, {.a = op, .triangle = matrix_triangle::upper});
  matrix lower = start;
  syrk(alpha, a, beta, lower, {.a = op, .triangle = matrix_triangle::lower});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) c(i, j) = lower(i, j);
  auto expected = reference(turned(a, turn), turned(a, !turn));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      expected(i, j) = alpha * expected(i, j) + beta * start(i, j);
  expect_close(c, expected, bound);
}

// L of a random symmetric positive definite matrix, or its transpose.
matrix triangle(std::size_t n, matrix_triangle which) {
  const matrix x = normal(n, n, 5);
  matrix a({n, n});
  for (std::size_t i = 0; i < n; ++i) a(i, i) = static_cast<float>(n);
  gemm(1, x, x, 1, a, {.b = matrix_op::transpose});
  const matrix l = cholesky(a);
  if (which == matrix_triangle::lower) return l;
  matrix u({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) u(i, j) = l(j, i);
  return u;
}
constexpr auto lower = matrix_triangle::lower, upper = matrix_triangle::upper;
constexpr auto plain = matrix_op::none, turn = matrix_op::transpose;

void check_solution(const matrix& a, matrix b, const triangular_options& options, float alpha = 1,
                    matrix_side side = matrix_side::left, tolerance bound = residual) {
  const matrix right = b;
  trsm(side, alpha, a, b, options);
  matrix full = a;
  if (options.diagonal == matrix_diagonal::unit)
    for (std::size_t i = 0; i < a.extent(0); ++i) full(i, i) = 1;
  const auto op = turned(full, options.op == turn);
  const auto product = side == matrix_side::left ? reference(op, b) : reference(b, op);
  for (std::size_t i = 0; i < right.extent(0); ++i)
    for (std::size_t j = 0; j < right.extent(1); ++j)
      ASSERT_LE(std::abs(product(i, j) - alpha * right(i, j)),
                bound.absolute + bound.relative * std::abs(alpha * right(i, j)));
}
void check_solution(std::size_t n, std::size_t columns, matrix_triangle which, matrix_op op,
                    float alpha = 1) {
  check_solution(triangle(n, which), normal(n, columns, 6), {which, op}, alpha);
}
matrix unit_lower(std::size_t n) {
  matrix a({n, n});
  for (std::size_t i = 0; i < n; ++i) {
    a(i, i) = 99;  // not read
    for (std::size_t j = 0; j < i; ++j) a(i, j) = 0.05f;
  }
  return a;
}

struct published {
  const char* id;
  void (*run)();
};
std::ostream& operator<<(std::ostream& out, const published& c) { return out << c.id; }

class blas_cases : public testing::TestWithParam<published> {};
TEST_P(blas_cases, holds) { GetParam().run(); }

const published level_3[] = {
    {"trnblas-019", [] { check_product(normal(4, 4, 1), identity(4), normal(4, 4, 1), exactly); }},
    {"trnblas-020",
     [] {
       check({32, 24, 16, 2, 0, false, false, 1, host});
     }},
    {"trnblas-021",
     [] {
       check({32, 24, 16, 1, 0, true, false, 1, host});
     }},
    {"trnblas-022",
     [] {
       check({32, 24, 16, 1, 0, false, true, 1, host});
     }},
    {"trnblas-023",
     [] {
       check({16, 16, 16, 1, 2, false, false, 1, host});
     }},
    {"trnblas-024",
     [] {
       check({16, 16, 16, 0.5f});
     }},
    {"trnblas-025",
     [] {
       check({32, 32, 32, 0.5f});
     }},
    {"trnblas-026",
     [] {
       check({64, 64, 64, 0.5f});
     }},
    {"trnblas-027",
     [] {
       check({128, 128, 128, 0.5f});
     }},
    {"trnblas-028",
     [] {
       check({256, 256, 256, 0.5f});
     }},
    {"trnblas-029",
     [] {
       check({16, 24, 32, 1, 0, false, false, 8, host});
     }},
    {"trnblas-030",
     [] {
       check({8, 8, 8, 2, 0, false, false, 4, {1e-7, 1e-5}});
     }},
    {"trnblas-033",
     [] {
       check_syrk(normal(16, 8, 1), false, 1, 0, {1e-7, 1e-5});
     }},
    {"trnblas-034", [] { check_syrk(normal(16, 8, 1), false, 2, 0, host); }},
    {"trnblas-035", [] { check_syrk(normal(8, 16, 1), true, 1, 0, host); }},
    {"trnblas-036",
     [] { check_solution(identity(4), normal(4, 3, 1), {}, 1, matrix_side::left, exactly); }},
    {"trnblas-038", [] { check_solution(16, 8, lower, plain); }},
};

const published products[] = {
    {"trnblas-040",
     [] {
       check({128, 128, 128});
     }},
    {"trnblas-041",
     [] {
       check({256, 256, 256});
     }},
    {"trnblas-042",
     [] {
       check({512, 512, 512});
     }},
    {"trnblas-043",
     [] {
       check({256, 512, 128});
     }},
    {"trnblas-044",
     [] {
       check({1024, 128, 256});
     }},
    {"trnblas-045",
     [] {
       check({200, 400, 137});
     }},
    {"trnblas-046",
     [] {
       check({256, 128, 200});
     }},
    {"trnblas-047",
     [] {
       check({137, 256, 128});
     }},
    {"trnblas-048",
     [] {
       check({128, 200, 128});
     }},
    {"trnblas-049",
     [] {
       check({300, 175, 250});
     }},
    {"trnblas-050",
     [] { check_product(identity(256), normal(256, 128, 1), normal(256, 128, 1), exactly); }},
    {"trnblas-051",
     [] {
       check_product(matrix({128, 128}), normal(128, 128, 1), matrix({128, 128}), exactly);
     }},
    {"trnblas-052",
     [] {
       check({256, 256, 128});
     }},
    {"trnblas-053",
     [] {
       check({256, 256, 128, 1, 0, true});
     }},
    {"trnblas-054",
     [] {
       check({256, 256, 128, 1, 0, false, true});
     }},
    {"trnblas-055",
     [] {
       check({128, 128, 128, 2, 0.5f});
     }},
    {"trnblas-056",
     [] {
       check({256, 256, 128, 1, 0, false, false, 4});
     }},
    {"trnblas-057",
     [] {
       check({256, 256, 128, 1, 0, false, false, 16});
     }},
    {"trnblas-058",
     [] {
       check({256, 256, 128, 1, 0, false, false, 32});
     }},
    {"trnblas-059",
     [] {
       check({200, 400, 137, 1, 0, false, false, 8});
     }},
    {"trnblas-060",
     [] {
       check({256, 256, 128, 2, 0.5f, false, false, 4});
     }},
    {"trnblas-061",
     [] {
       for (unsigned seed = 2; seed < 6; ++seed) check({256, 128, 256}, seed);
     }},
    {"trnblas-137",
     [] {
       check({128, 128, 128});
     }},
    {"trnblas-138",
     [] {
       check({256, 256, 128});
     }},
};

const published rank_updates[] = {
    {"trnblas-086", [] { check_syrk(normal(128, 64, 1), false, 1, 0, device); }},
    {"trnblas-087", [] { check_syrk(normal(64, 32, 1), false, 1, 0, device); }},
    {"trnblas-088", [] { check_syrk(normal(32, 64, 1), true, 1, 0, device); }},
    {"trnblas-089", [] { check_syrk(normal(128, 128, 1), false, 1, 0, device); }},
    {"trnblas-090", [] { check_syrk(normal(256, 256, 1), false, 1, 0, device); }},
    {"trnblas-091", [] { check_syrk(normal(512, 512, 1), false, 1, 0, device); }},
    {"trnblas-092", [] { check_syrk(normal(256, 128, 1), false, 1, 0, device); }},
    {"trnblas-093", [] { check_syrk(normal(1024, 256, 1), false, 1, 0, device); }},
    {"trnblas-094", [] { check_syrk(normal(100, 100, 1), false, 1, 0, device); }},
    {"trnblas-095", [] { check_syrk(normal(200, 128, 1), false, 1, 0, device); }},
    {"trnblas-096", [] { check_syrk(normal(128, 200, 1), false, 1, 0, device); }},
    {"trnblas-097", [] { check_syrk(normal(300, 175, 1), false, 1, 0, device); }},
    {"trnblas-098", [] { check_syrk(identity(256), false, 1, 0, exactly); }},
    {"trnblas-099",
     [] {
       check_syrk(matrix({128, 128}), false, 1, 0, exactly);
     }},
    {"trnblas-100", [] { check_syrk(normal(128, 64, 1), false, 2, 0.5f, device); }},
    {"trnblas-139", [] { check_syrk(normal(128, 64, 1), false, 1, 0, device); }},
};

const published solutions[] = {
    {"trnblas-101", [] { check_solution(64, 32, lower, plain); }},
    {"trnblas-102", [] { check_solution(64, 32, lower, turn); }},
    {"trnblas-103", [] { check_solution(64, 32, upper, plain); }},
    {"trnblas-104",
     [] {
       check_solution(unit_lower(64), normal(64, 32, 6), {lower, plain, matrix_diagonal::unit});
     }},
    {"trnblas-105",
     [] {
       check_solution(triangle(64, lower), normal(32, 64, 6), {lower}, 1, matrix_side::right);
     }},
    {"trnblas-106", [] { check_solution(128, 128, lower, plain); }},
    {"trnblas-107", [] { check_solution(128, 128, lower, turn); }},
    {"trnblas-108", [] { check_solution(128, 128, upper, plain); }},
    {"trnblas-109", [] { check_solution(256, 128, lower, plain); }},
    {"trnblas-110", [] { check_solution(256, 128, lower, turn); }},
    {"trnblas-111", [] { check_solution(256, 128, upper, plain); }},
    {"trnblas-112", [] { check_solution(512, 256, lower, plain); }},
    {"trnblas-113", [] { check_solution(512, 256, lower, turn); }},
    {"trnblas-114", [] { check_solution(512, 256, upper, plain); }},
    {"trnblas-115", [] { check_solution(200, 150, lower, plain); }},
    {"trnblas-116", [] { check_solution(200, 150, lower, turn); }},
    {"trnblas-117", [] { check_solution(200, 150, upper, plain); }},
    {"trnblas-118", [] { check_solution(256, 128, upper, turn); }},
    {"trnblas-119",
     [] {
       check_solution(unit_lower(256), normal(256, 128, 6), {lower, plain, matrix_diagonal::unit});
     }},
    {"trnblas-120", [] { check_solution(256, 128, lower, plain, 2.5f); }},
    {"trnblas-121",
     [] {
       check_solution(triangle(384, lower), identity(384), {lower, turn});
     }},
    {"trnblas-140", [] { check_solution(128, 32, lower, plain); }},
};

std::string name_of(const testing::TestParamInfo<published>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(level_3, blas_cases, testing::ValuesIn(level_3), name_of);
INSTANTIATE_TEST_SUITE_P(products, blas_cases, testing::ValuesIn(products), name_of);
INSTANTIATE_TEST_SUITE_P(rank_updates, blas_cases, testing::ValuesIn(rank_updates), name_of);
INSTANTIATE_TEST_SUITE_P(solutions, blas_cases, testing::ValuesIn(solutions), name_of);

TEST(blas_case_list, every_case_is_here) { expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio::test

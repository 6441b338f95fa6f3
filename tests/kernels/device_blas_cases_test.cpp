// Published cases of products, rank updates and triangular systems on papilio's own kernels, by
// their ids and with their tolerances: |error| <= absolute + relative |value| of normal operands.
// Solutions by their residuals, of Cholesky factors of A A^T + n I.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"
#include "support/case_list.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using matrix = array<float, 2>;

constexpr tolerance device_tolerance{}, host_tolerance{1e-7, 1e-4}, exact{0, 0},
    residual{1e-3, 1e-3};

matrix normal_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  return normal<2>({rows, columns}, 1, seed);
}

matrix identity(std::size_t n) {
  matrix one({n, n});
  for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

struct product_case {
  std::int64_t m, k, n;
  float alpha = 1, beta = 0;
  bool turn_a = false, turn_b = false;
  std::int64_t batch = 1;
  tolerance bound = device_tolerance;
};

sized_kernel kernel_of(const product_case& p, const machine_spec& machine) {
  const gemm_problem problem{.batch = std::size_t(p.batch),
                             .m = std::size_t(p.m),
                             .k = std::size_t(p.k),
                             .n = std::size_t(p.n)};
  if (p.batch > 1) return batched_gemm_kernel(problem, machine, {.alpha = p.alpha, .beta = p.beta});
  return gemm_kernel(problem, machine,
                     {.left_transposed = p.turn_a,
                      .right_transposed = p.turn_b,
                      .epilogue = {.alpha = p.alpha, .beta = p.beta}});
}

// Operands of all products of a batch below one another.
void check(const product_case& p, const matrix& a, const matrix& b) {
  device dev;
  const sized_kernel sized = kernel_of(p, dev.machine());
  const matrix before = normal_matrix(std::size_t(p.batch * p.m), std::size_t(p.n), 3);
  matrix c(before.extents());
  const auto bytes = [](const matrix& x) { return std::as_bytes(std::span(x.data(), x.size())); };
  std::vector<launch_input> in{{bytes(a), sized.inputs[0]}, {bytes(b), sized.inputs[1]}};
  if (p.beta != 0) in.emplace_back(bytes(before), sized.inputs[2]);
  prepared_kernel(dev, sized)
      .launch(in, {launch_output(std::as_writable_bytes(std::span(c.data(), c.size())),
                                 sized.outputs[0])});
  for (std::int64_t i = 0; i < p.batch * p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      const std::int64_t first = i / p.m * p.k;  // of B's rows
      double sum = 0;
      for (std::int64_t t = 0; t < p.k; ++t)
        sum += double(p.turn_a ? a(t, i) : a(i, t)) * double(p.turn_b ? b(j, t) : b(first + t, j));
      const double wanted =
          double(p.alpha) * sum + (p.beta == 0 ? 0 : double(p.beta) * double(before(i, j)));
      ASSERT_TRUE(p.bound.holds(c(i, j), wanted)) << i << " " << j << ": " << c(i, j);
    }
}

void check(const product_case& p, unsigned seed = 2) {
  const auto rows = [&](bool turned, std::int64_t r, std::int64_t c, unsigned s) {
    return turned ? normal_matrix(std::size_t(c), std::size_t(r), s)
                  : normal_matrix(std::size_t(p.batch * r), std::size_t(c), s);
  };
  check(p, rows(p.turn_a, p.m, p.k, 1), rows(p.turn_b, p.k, p.n, seed));
}

// Both triangles, each by a launch of its own.
void check_update(const matrix& a, bool turned, float alpha = 1, float beta = 0,
                  const tolerance& bound = device_tolerance) {
  const std::size_t n = a.extent(turned ? 1 : 0), k = a.extent(turned ? 0 : 1);
  matrix start = normal_matrix(n, n, 4);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) start(i, j) = start(j, i);
  matrix c = start, lower = start;
  device dev;
  const auto update = [&](triangle part, matrix& to) {
    syrk(dev,
         {.function = triangle_function::syrk,
          .n = n,
          .k = k,
          .triangle = part,
          .transposed = turned,
          .alpha = alpha,
          .beta = beta},
         a, to);
  };
  update(triangle::upper, c);
  update(triangle::lower, lower);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) c(i, j) = lower(i, j);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < k; ++t)
        sum += turned ? double(a(t, i)) * double(a(t, j)) : double(a(i, t)) * double(a(j, t));
      const double wanted =
          double(alpha) * sum + (beta == 0 ? 0 : double(beta) * double(start(i, j)));
      ASSERT_TRUE(bound.holds(c(i, j), wanted)) << i << " " << j << ": " << c(i, j);
      ASSERT_EQ(c(i, j), c(j, i));
    }
}

// The Cholesky factor of X X^T + n I, or its transpose.
matrix factor(std::size_t n, triangle part) {
  const matrix x = normal_matrix(n, n, 5);
  std::vector<double> l(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? double(n) : 0;
      for (std::size_t t = 0; t < n; ++t) sum += double(x(i, t)) * double(x(j, t));
      for (std::size_t t = 0; t < j; ++t) sum -= l[i * n + t] * l[j * n + t];
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  matrix result({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      result(i, j) = float(part == triangle::lower ? l[i * n + j] : l[j * n + i]);
  return result;
}

matrix unit_lower(std::size_t n) {
  matrix a({n, n});
  for (std::size_t i = 0; i < n; ++i) {
    a(i, i) = 99;  // not used
    for (std::size_t j = 0; j < i; ++j) a(i, j) = 0.05F;
  }
  return a;
}

void check_solution(triangle_problem s, const matrix& a, const matrix& b,
                    const tolerance& bound = residual) {
  s.function = triangle_function::trsm;
  matrix x = b;
  device dev;
  trsm(dev, s, a, x);
  const bool is_left = s.side == solve_side::left;
  const auto element = [&](std::int64_t i, std::int64_t j) {
    if (s.unit && i == j) return 1.0;
    return double(s.transposed ? a(j, i) : a(i, j));
  };
  for (std::int64_t i = 0; i < std::int64_t(s.m); ++i)
    for (std::int64_t j = 0; j < std::int64_t(s.n); ++j) {
      double sum = 0;
      for (std::int64_t t = 0; t < std::int64_t(s.order()); ++t)
        sum += is_left ? element(i, t) * double(x(t, j)) : double(x(i, t)) * element(t, j);
      ASSERT_TRUE(bound.holds(sum, double(s.alpha) * double(b(i, j)))) << i << " " << j;
    }
}

void check_solution(triangle_problem s, const tolerance& bound = residual) {
  s.function = triangle_function::trsm;
  check_solution(s, factor(s.order(), s.triangle), normal_matrix(s.m, s.n, 6), bound);
}

struct published_case {
  const char* id;
  void (*run)();
};
void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class device_blas : public testing::TestWithParam<published_case> {};
TEST_P(device_blas, holds) { GetParam().run(); }

constexpr triangle lower = triangle::lower, upper = triangle::upper;

const published_case products[] = {
    {"trnblas-019",
     [] { check({.m = 4, .k = 4, .n = 4, .bound = exact}, normal_matrix(4, 4, 1), identity(4)); }},
    {"trnblas-020",
     [] { check({.m = 32, .k = 16, .n = 24, .alpha = 2, .bound = host_tolerance}); }},
    {"trnblas-021",
     [] { check({.m = 32, .k = 16, .n = 24, .turn_a = true, .bound = host_tolerance}); }},
    {"trnblas-022",
     [] { check({.m = 32, .k = 16, .n = 24, .turn_b = true, .bound = host_tolerance}); }},
    {"trnblas-023", [] { check({.m = 16, .k = 16, .n = 16, .beta = 2, .bound = host_tolerance}); }},
    {"trnblas-024", [] { check({.m = 16, .k = 16, .n = 16, .alpha = 0.5F}); }},
    {"trnblas-025", [] { check({.m = 32, .k = 32, .n = 32, .alpha = 0.5F}); }},
    {"trnblas-026", [] { check({.m = 64, .k = 64, .n = 64, .alpha = 0.5F}); }},
    {"trnblas-027", [] { check({.m = 128, .k = 128, .n = 128, .alpha = 0.5F}); }},
    {"trnblas-028", [] { check({.m = 256, .k = 256, .n = 256, .alpha = 0.5F}); }},
    {"trnblas-029",
     [] { check({.m = 16, .k = 32, .n = 24, .batch = 8, .bound = host_tolerance}); }},
    {"trnblas-030",
     [] {
       check({.m = 8, .k = 8, .n = 8, .alpha = 2, .batch = 4, .bound = {1e-7, 1e-5}});
     }},
    {"trnblas-040", [] { check({.m = 128, .k = 128, .n = 128}); }},
    {"trnblas-041", [] { check({.m = 256, .k = 256, .n = 256}); }},
    {"trnblas-042", [] { check({.m = 512, .k = 512, .n = 512}); }},
    {"trnblas-043", [] { check({.m = 256, .k = 128, .n = 512}); }},
    {"trnblas-044", [] { check({.m = 1024, .k = 256, .n = 128}); }},
    {"trnblas-045", [] { check({.m = 200, .k = 137, .n = 400}); }},
    {"trnblas-046", [] { check({.m = 256, .k = 200, .n = 128}); }},
    {"trnblas-047", [] { check({.m = 137, .k = 128, .n = 256}); }},
    {"trnblas-048", [] { check({.m = 128, .k = 128, .n = 200}); }},
    {"trnblas-049", [] { check({.m = 300, .k = 250, .n = 175}); }},
    {"trnblas-050",
     [] {
       matrix one({256, 128});
       for (std::size_t i = 0; i < 128; ++i) one(i, i) = 1;
       check({.m = 256, .k = 256, .n = 128, .bound = exact}, normal_matrix(256, 256, 1), one);
     }},
    {"trnblas-051",
     [] {
       check({.m = 128, .k = 128, .n = 128, .bound = exact}, matrix({128, 128}),
             normal_matrix(128, 128, 2));
     }},
    {"trnblas-052", [] { check({.m = 256, .k = 128, .n = 256}); }},
    {"trnblas-053", [] { check({.m = 256, .k = 128, .n = 256, .turn_a = true}); }},
    {"trnblas-054", [] { check({.m = 256, .k = 128, .n = 256, .turn_b = true}); }},
    {"trnblas-055", [] { check({.m = 128, .k = 128, .n = 128, .alpha = 2, .beta = 0.5F}); }},
    {"trnblas-056", [] { check({.m = 256, .k = 128, .n = 256, .batch = 4}); }},
    {"trnblas-057", [] { check({.m = 256, .k = 128, .n = 256, .batch = 16}); }},
    {"trnblas-058", [] { check({.m = 256, .k = 128, .n = 256, .batch = 32}); }},
    {"trnblas-059", [] { check({.m = 200, .k = 137, .n = 400, .batch = 8}); }},
    {"trnblas-060",
     [] { check({.m = 256, .k = 128, .n = 256, .alpha = 2, .beta = 0.5F, .batch = 4}); }},
    {"trnblas-061",
     [] {
       for (const unsigned seed : {2, 3, 4, 5}) check({.m = 256, .k = 256, .n = 128}, seed);
     }},
    {"trnblas-137", [] { check({.m = 128, .k = 128, .n = 128}); }},
    {"trnblas-138", [] { check({.m = 256, .k = 128, .n = 256}); }},
};

const published_case updates[] = {
    {"trnblas-033",
     [] {
       check_update(normal_matrix(16, 8, 1), false, 1, 0, {1e-7, 1e-5});
     }},
    {"trnblas-034", [] { check_update(normal_matrix(16, 8, 1), false, 2, 0, host_tolerance); }},
    {"trnblas-035", [] { check_update(normal_matrix(8, 16, 1), true, 1, 0, host_tolerance); }},
    {"trnblas-086",
     [] {
       check_update(normal_matrix(128, 64, 1), false);
       check_update(normal_matrix(128, 64, 1), true);
     }},
    {"trnblas-087",
     [] {
       check_update(normal_matrix(64, 32, 1), false);
       check_update(normal_matrix(64, 32, 1), true);
     }},
    {"trnblas-088",
     [] {
       check_update(normal_matrix(32, 64, 1), true);
       check_update(normal_matrix(32, 64, 1), false);
     }},
    {"trnblas-089", [] { check_update(normal_matrix(128, 128, 1), false); }},
    {"trnblas-090", [] { check_update(normal_matrix(256, 256, 1), false); }},
    {"trnblas-091", [] { check_update(normal_matrix(512, 512, 1), false); }},
    {"trnblas-092", [] { check_update(normal_matrix(256, 128, 1), false); }},
    {"trnblas-093", [] { check_update(normal_matrix(1024, 256, 1), false); }},
    {"trnblas-094", [] { check_update(normal_matrix(100, 100, 1), false); }},
    {"trnblas-095", [] { check_update(normal_matrix(200, 128, 1), false); }},
    {"trnblas-096", [] { check_update(normal_matrix(128, 200, 1), false); }},
    {"trnblas-097", [] { check_update(normal_matrix(300, 175, 1), false); }},
    {"trnblas-098", [] { check_update(identity(256), false, 1, 0, exact); }},
    {"trnblas-099",
     [] {
       check_update(matrix({128, 128}), false, 1, 0, exact);
     }},
    {"trnblas-100", [] { check_update(normal_matrix(128, 64, 1), false, 2, 0.5F); }},
    {"trnblas-139", [] { check_update(normal_matrix(128, 64, 1), false); }},
};

const published_case solutions[] = {
    {"trnblas-036",
     [] {
       check_solution({.m = 4, .n = 3, .triangle = upper}, identity(4), normal_matrix(4, 3, 1),
                      exact);
     }},
    {"trnblas-037",
     [] {
       matrix a({2, 2}), b({2, 1});
       a(0, 0) = 2, a(0, 1) = 1, a(1, 1) = 3, b(0, 0) = 5, b(1, 0) = 9;
       check_solution({.m = 2, .n = 1, .triangle = upper}, a, b, {1e-7, 1e-6});
     }},
    {"trnblas-038", [] { check_solution({.m = 16, .n = 8}, host_tolerance); }},
    {"trnblas-101", [] { check_solution({.m = 64, .n = 32}); }},
    {"trnblas-102", [] { check_solution({.m = 64, .n = 32, .transposed = true}); }},
    {"trnblas-103", [] { check_solution({.m = 64, .n = 32, .triangle = upper}); }},
    {"trnblas-104",
     [] {
       check_solution({.m = 64, .n = 32, .unit = true}, unit_lower(64), normal_matrix(64, 32, 6));
     }},
    {"trnblas-105", [] { check_solution({.m = 32, .n = 64, .side = solve_side::right}); }},
    {"trnblas-106", [] { check_solution({.m = 128, .n = 128}); }},
    {"trnblas-107", [] { check_solution({.m = 128, .n = 128, .transposed = true}); }},
    {"trnblas-108", [] { check_solution({.m = 128, .n = 128, .triangle = upper}); }},
    {"trnblas-109", [] { check_solution({.m = 256, .n = 128}); }},
    {"trnblas-110", [] { check_solution({.m = 256, .n = 128, .transposed = true}); }},
    {"trnblas-111", [] { check_solution({.m = 256, .n = 128, .triangle = upper}); }},
    {"trnblas-112", [] { check_solution({.m = 512, .n = 256}); }},
    {"trnblas-113", [] { check_solution({.m = 512, .n = 256, .transposed = true}); }},
    {"trnblas-114", [] { check_solution({.m = 512, .n = 256, .triangle = upper}); }},
    {"trnblas-115", [] { check_solution({.m = 200, .n = 150}); }},
    {"trnblas-116", [] { check_solution({.m = 200, .n = 150, .transposed = true}); }},
    {"trnblas-117", [] { check_solution({.m = 200, .n = 150, .triangle = upper}); }},
    {"trnblas-118",
     [] { check_solution({.m = 256, .n = 128, .triangle = upper, .transposed = true}); }},
    {"trnblas-119",
     [] {
       check_solution({.m = 256, .n = 128, .unit = true}, unit_lower(256),
                      normal_matrix(256, 128, 6));
     }},
    {"trnblas-120", [] { check_solution({.m = 256, .n = 128, .alpha = 2.5F}); }},
    {"trnblas-121",
     [] {
       check_solution({.m = 384, .n = 384, .transposed = true}, factor(384, lower), identity(384));
     }},
    {"trnblas-140", [] { check_solution({.m = 128, .n = 32}); }},
};

INSTANTIATE_TEST_SUITE_P(products, device_blas, testing::ValuesIn(products),
                         name_of<published_case>);
INSTANTIATE_TEST_SUITE_P(updates, device_blas, testing::ValuesIn(updates), name_of<published_case>);
INSTANTIATE_TEST_SUITE_P(solutions, device_blas, testing::ValuesIn(solutions),
                         name_of<published_case>);

// The list in the repository is what is registered in this program, and its count is right.
TEST(device_blas_list, is_what_is_registered) {
  papilio::test::expect_registered(PAPILIO_CASE_LIST);
}

}  // namespace
}  // namespace papilio::kernels::test

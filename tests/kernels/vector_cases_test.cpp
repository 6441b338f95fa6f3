// Published cases with vectors, and with symmetric and triangular matrices, on papilio's own
// kernels, by their ids and with their tolerances. Vectors of products are matrices of one row or
// column.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using matrix = array<float, 2>;
using numbers = std::vector<float>;

constexpr tolerance close_sum{1e-7, 1e-5}, host_tolerance{1e-7, 1e-4};

matrix made(std::size_t rows, std::size_t columns, const numbers& values) {
  matrix x({rows, columns});
  std::ranges::copy(values, x.begin());
  return x;
}
matrix row(const numbers& values) { return made(1, values.size(), values); }
matrix column(const numbers& values) { return made(values.size(), 1, values); }
numbers numbers_of(const matrix& x) { return {x.begin(), x.end()}; }
matrix normal_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  return normal<2>({rows, columns}, 1, seed);
}
matrix identity(std::size_t n) {
  matrix one({n, n});
  for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

// alpha op(A) B + beta C0.
matrix product(const gemm_kernel_options& how, const matrix& a, const matrix& b,
               const matrix* before = nullptr) {
  const gemm_problem problem{
      .m = a.extent(how.left_transposed ? 1 : 0), .k = b.extent(0), .n = b.extent(1)};
  device dev;
  std::vector<launch_input> inputs{a, b};
  if (before != nullptr) inputs.emplace_back(*before);
  matrix c({problem.m, problem.n});
  prepared_kernel(dev, gemm_kernel(problem, dev.machine(), how)).launch(inputs, {c});
  return c;
}

numbers result_of(vector_operation operation, const numbers& x, const numbers& y = {},
                  float alpha = 1) {
  device dev;
  const sized_kernel sized = vector_kernel(
      {.operation = operation, .n = std::int64_t(x.size()), .alpha = alpha}, dev.machine());
  const auto flat = [](const numbers& values) {
    return view<const float, 1>(values.data(), {values.size()});
  };
  std::vector<launch_input> inputs{flat(x)};
  if (!y.empty()) inputs.emplace_back(flat(y));
  array<float, 1> out({std::size_t(sized.outputs[0].elements())});
  prepared_kernel(dev, sized).launch(inputs, {out});
  return {out.begin(), out.end()};
}

std::int32_t index_of_largest(const numbers& x) {
  device dev;
  array<std::int32_t, 1> index({1});
  prepared_kernel(dev,
                  vector_kernel({.operation = vector_operation::iamax, .n = std::int64_t(x.size())},
                                dev.machine()))
      .launch({view<const float, 1>(x.data(), {x.size()})}, {index});
  return index(0);
}

void expect_close(const matrix& got, const array<double, 2>& expected, const tolerance& bound) {
  ASSERT_EQ(got.extents(), expected.extents());
  for (std::size_t i = 0; i < got.extent(0); ++i)
    for (std::size_t j = 0; j < got.extent(1); ++j)
      EXPECT_TRUE(bound.holds(got(i, j), expected(i, j))) << i << " " << j << ": " << got(i, j);
}

// op(A) B in double, of an A that `at` reads.
template <class Element>
array<double, 2> expected_product(std::size_t m, std::size_t k, const Element& at,
                                  const matrix& b) {
  array<double, 2> c({m, b.extent(1)});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < b.extent(1); ++j)
      for (std::size_t t = 0; t < k; ++t) c(i, j) += double(at(i, t)) * double(b(t, j));
  return c;
}

void check_gemv(std::size_t m, std::size_t n, bool turned, float alpha, float beta) {
  const matrix a = normal_matrix(m, n, 1), x = normal_matrix(turned ? m : n, 1, 2),
               y = normal_matrix(turned ? n : m, 1, 3);
  const matrix got =
      product({.left_transposed = turned, .epilogue = {.alpha = alpha, .beta = beta}}, a, x,
              beta == 0 ? nullptr : &y);
  array<double, 2> expected = expected_product(
      y.extent(0), x.extent(0), [&](auto i, auto t) { return turned ? a(t, i) : a(i, t); }, x);
  for (std::size_t i = 0; i < y.extent(0); ++i)
    expected(i, 0) = double(alpha) * expected(i, 0) + double(beta) * double(y(i, 0));
  expect_close(got, expected, close_sum);
}

// Of A the upper triangle is named.
void check_symm(solve_side side, std::size_t columns) {
  const matrix a = normal_matrix(16, 16, 1), b = normal_matrix(16, columns, 2);
  const auto element = [&](std::size_t i, std::size_t j) {
    return a(std::min(i, j), std::max(i, j));
  };
  matrix c({16, columns});
  device dev;
  symm(dev, {.m = 16, .n = columns, .side = side, .triangle = triangle::upper}, a, b, c);
  if (side == solve_side::left)
    return expect_close(c, expected_product(16, 16, element, b), host_tolerance);
  matrix whole({16, 16});
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) whole(i, j) = element(i, j);
  expect_close(c,
               expected_product(
                   16, 16, [&](auto i, auto t) { return b(i, t); }, whole),
               host_tolerance);
}

matrix trmm_of(const matrix& a, matrix b, bool unit = false) {
  device dev;
  trmm(dev,
       {.function = triangle_function::trmm,
        .m = b.extent(0),
        .n = b.extent(1),
        .triangle = triangle::upper,
        .unit = unit},
       a, b);
  return b;
}

// Tiles are chosen by dry runs when a kernel is sized; nothing is kept in a file.
void check_tuned(std::size_t m, std::size_t k, std::size_t n) {
  const matrix a = normal_matrix(m, k, 1), b = normal_matrix(k, n, 2);
  expect_close(product({}, a, b),
               expected_product(
                   m, k, [&](auto i, auto t) { return a(i, t); }, b),
               tolerance{});
  const auto sized = [&] { return gemm_kernel({.m = m, .k = k, .n = n}, trainium1()); };
  EXPECT_EQ(sized().design, sized().design);
  EXPECT_EQ(sized().explain(), sized().explain());
}

struct published_case {
  const char* id;
  void (*run)();
};
void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class device_vectors : public testing::TestWithParam<published_case> {};
TEST_P(device_vectors, holds) { GetParam().run(); }

const published_case level_1[] = {
    {"trnblas-001",
     [] {
       EXPECT_EQ(result_of(vector_operation::axpy, {1, 2, 3}, {4, 5, 6}, 2), (numbers{6, 9, 12}));
     }},
    {"trnblas-002",
     [] {
       EXPECT_EQ(result_of(vector_operation::axpy, {1, 2}, {3, 4}, 0), (numbers{3, 4}));
     }},
    {"trnblas-003",
     [] {
       EXPECT_EQ(result_of(vector_operation::dot, {1, 2, 3}, {4, 5, 6}), numbers{32});
     }},
    {"trnblas-004",
     [] {
       EXPECT_EQ(result_of(vector_operation::dot, {1, 0}, {0, 1}), numbers{0});
     }},
    {"trnblas-005",
     [] {
       EXPECT_FLOAT_EQ(result_of(vector_operation::nrm2, {3, 4})[0], 5);
     }},
    {"trnblas-006",
     [] {
       const numbers x = numbers_of(normal_matrix(1, 100, 42));
       double squares = 0;
       for (const float v : x) squares += double(v) * double(v);
       EXPECT_NEAR(result_of(vector_operation::nrm2, x)[0], std::sqrt(squares),
                   1e-5 * std::sqrt(squares));
     }},
    {"trnblas-007",
     [] {
       EXPECT_EQ(result_of(vector_operation::scal, {1, 2, 3}, {}, 3), (numbers{3, 6, 9}));
     }},
    {"trnblas-008",
     [] {
       EXPECT_EQ(result_of(vector_operation::asum, {-1, 2, -3}), numbers{6});
     }},
    {"trnblas-009",
     [] {
       EXPECT_EQ(index_of_largest({1, -5, 3, -2}), 1);
     }},
};

const published_case level_2[] = {
    {"trnblas-010",
     [] {
       EXPECT_EQ(numbers_of(product({}, identity(3), column({1, 2, 3}))), (numbers{1, 2, 3}));
     }},
    {"trnblas-011", [] { check_gemv(32, 32, false, 2, 0); }},
    {"trnblas-012", [] { check_gemv(16, 32, true, 1, 0); }},
    {"trnblas-013", [] { check_gemv(16, 16, false, 1, 2); }},
    {"trnblas-014", [] { check_symm(solve_side::left, 1); }},
    {"trnblas-015",
     [] {
       EXPECT_EQ(numbers_of(trmm_of(made(2, 2, {2, 1, 0, 3}), column({1, 1}))), (numbers{3, 3}));
     }},
    {"trnblas-016",
     [] {
       EXPECT_EQ(numbers_of(trmm_of(made(2, 2, {99, 2, 0, 99}), column({1, 1}), true)),
                 (numbers{3, 1}));
     }},
    {"trnblas-017",
     [] {
       EXPECT_EQ(numbers_of(product({}, column({1, 2}), row({3, 4}))), (numbers{3, 4, 6, 8}));
     }},
    {"trnblas-018",
     [] {
       const matrix before = identity(2);
       EXPECT_EQ(
           numbers_of(product({.epilogue = {.beta = 1}}, column({1, 2}), row({3, 4}), &before)),
           (numbers{4, 4, 6, 9}));
     }},
};

const published_case level_3[] = {
    {"trnblas-031", [] { check_symm(solve_side::left, 16); }},
    {"trnblas-032", [] { check_symm(solve_side::right, 16); }},
    {"trnblas-039",
     [] {
       EXPECT_EQ(numbers_of(trmm_of(made(2, 2, {2, 1, 0, 3}), identity(2))), (numbers{2, 1, 0, 3}));
     }},
    {"trnblas-062",
     [] {
       check_tuned(128, 128, 512);
       check_tuned(512, 128, 512);
     }},
};

INSTANTIATE_TEST_SUITE_P(level_1, device_vectors, testing::ValuesIn(level_1),
                         name_of<published_case>);
INSTANTIATE_TEST_SUITE_P(level_2, device_vectors, testing::ValuesIn(level_2),
                         name_of<published_case>);
INSTANTIATE_TEST_SUITE_P(level_3, device_vectors, testing::ValuesIn(level_3),
                         name_of<published_case>);

}  // namespace
}  // namespace papilio::kernels::test

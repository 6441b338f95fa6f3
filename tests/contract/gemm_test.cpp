// Products that run where an execution says, against sums in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class T>
array<T, 3> random_array(const extents_type<3>& extents, unsigned seed) {
  array<T, 3> x(extents);
  if constexpr (std::is_floating_point_v<T>)
    std::ranges::copy(test::random_real<T>(x.size(), seed), x.begin());
  else
    std::ranges::copy(test::random_complex<typename T::value_type>(x.size(), seed), x.begin());
  return x;
}

template <class T>
std::vector<test::exact> naive(view<const T, 3> a, view<const T, 3> b) {
  const std::size_t batch = std::max(a.extent(0), b.extent(0));
  std::vector<test::exact> c;
  for (std::size_t i = 0; i < batch; ++i)
    for (std::size_t r = 0; r < a.extent(1); ++r)
      for (std::size_t s = 0; s < b.extent(2); ++s) {
        test::exact sum = 0;
        for (std::size_t k = 0; k < a.extent(2); ++k)
          sum += test::exact(a(a.extent(0) == 1 ? 0 : i, r, k)) *
                 test::exact(b(b.extent(0) == 1 ? 0 : i, k, s));
        c.push_back(sum);
      }
  return c;
}

// Rounding errors of k products and their sum, each of half an ulp.
template <class T>
double tolerance(std::size_t k) {
  using real = decltype(std::abs(T{}));
  return 2 * std::sqrt(static_cast<double>(k) + 4) * std::numeric_limits<real>::epsilon();
}

template <class T>
class product : public testing::Test {};
using elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(product, elements);

TYPED_TEST(product, of_batches_on_the_host) {
  using T = TypeParam;
  const auto a = random_array<T>({3, 5, 17}, 1), b = random_array<T>({1, 17, 7}, 2);
  const array<T, 3> c = gemm(a, b);
  EXPECT_EQ(c.extents(), (extents_type<3>{3, 5, 7}));
  EXPECT_LT(test::relative_error(std::span(c.data(), c.size()),
                                 std::span<const test::exact>(naive<T>(a.view(), b.view()))),
            tolerance<T>(17));
  EXPECT_EQ(last_run().backend, "host");
}

TYPED_TEST(product, of_a_transpose_is_of_the_transposed_view) {
  using T = TypeParam;
  const auto a = random_array<T>({1, 6, 4}, 3), b = random_array<T>({1, 6, 9}, 4);
  const view<const T, 2> left = a.view()[0], right = b.view()[0];
  const view<const T, 2> turned(left.data(), {4, 6}, {1, 4});
  EXPECT_TRUE(
      std::ranges::equal(gemm(left, right, {.a = matrix_op::transpose}), gemm(turned, right)));
}

template <class T>
class device_product : public testing::Test {};
using device_elements = testing::Types<float, std::complex<float>>;
TYPED_TEST_SUITE(device_product, device_elements);

TYPED_TEST(device_product, is_the_hosts) {
  using T = TypeParam;
  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};
  for (const extents_type<3> e : {extents_type<3>{1, 1, 1}, {37, 130, 65}, {128, 128, 512}}) {
    const auto a = random_array<T>({1, e[0], e[1]}, 5), b = random_array<T>({1, e[1], e[2]}, 6);
    const auto expected = naive<T>(a.view(), b.view());
    const view<const T, 2> left = a.view()[0], right = b.view()[0];
    const array<T, 2> c = gemm(left, right, {.on = there});
    EXPECT_EQ(last_run().backend, "device");
    EXPECT_LT(
        test::relative_error(std::span(c.data(), c.size()), std::span<const test::exact>(expected)),
        tolerance<T>(e[1]));
    const auto c_on_device = gemm(to_device(dev, left), to_device(dev, right));
    EXPECT_TRUE(std::ranges::equal(to_host(c_on_device), c));
    // A transpose is a copy with other strides.
    array<T, 2> turned({e[1], e[0]});
    for (std::size_t i = 0; i < e[0]; ++i)
      for (std::size_t k = 0; k < e[1]; ++k) turned(k, i) = left(i, k);
    EXPECT_TRUE(
        std::ranges::equal(gemm(turned, right, {.a = matrix_op::transpose, .on = there}), c));
  }
}

// Rounding to bf16 leaves 0.42 2^-8 of each operand in the mean, two parts 0.29 2^-16 of the product,
// three what rounding of sums takes.
TYPED_TEST(device_product, has_precisions) {
  using T = TypeParam;
  engine::device dev;
  for (const std::size_t batch : {1, 3}) {
    const auto a = random_array<T>({batch, 40, 130}, 5), b = random_array<T>({1, 130, 70}, 6);
    const auto expected = naive<T>(a.view(), b.view());
    const auto error_in = [&](const precision_options& how) {
      const array<T, 3> c =
          gemm(a, b, {.on = {.where = policy::device, .on = &dev, .precision = how}});
      return test::relative_error(std::span(c.data(), c.size()),
                                  std::span<const test::exact>(expected));
    };
    const double rounded = error_in({.mode = precision::bf16}),
                 in_two = error_in({.mode = precision::split_bf16});
    EXPECT_NEAR(rounded / (0.42 * std::sqrt(2) * 0x1p-8), 1, 0.1);
    EXPECT_NEAR(in_two / (0.29 * 0x1p-16), 1, 0.1);
    EXPECT_LT(error_in({.mode = precision::split_bf16, .parts = 3}), 2e-7);
    EXPECT_EQ(error_in({.target_error = 1e-2}), rounded);
    EXPECT_LT(error_in({.target_error = 1e-6}), 1e-6);
    EXPECT_THROW(error_in({.target_error = 1e-9}), device_error);
    EXPECT_THROW(error_in({.mode = precision::bf16, .target_error = 1e-2}), invalid_argument);
    EXPECT_THROW(error_in({.mode = precision::bf16_refined}), device_error);
    EXPECT_THROW(error_in({.mode = precision::compensated}), device_error);
  }
}

TEST(product_on_a_device, takes_batches_of_reals) {
  engine::device dev;
  const auto a = random_array<float>({3, 20, 33}, 7), b = random_array<float>({1, 33, 40}, 8);
  const array<float, 3> c = gemm(a, b, {.on = {.where = policy::device, .on = &dev}});
  EXPECT_LT(test::relative_error(std::span(c.data(), c.size()),
                                 std::span<const test::exact>(naive<float>(a.view(), b.view()))),
            tolerance<float>(33));
  EXPECT_EQ(last_run().launches, 1U);
}

TEST(product_on_a_device, takes_batches_of_complex_numbers) {
  using T = std::complex<float>;
  engine::device dev;
  for (const std::size_t shared : {0, 1, 2}) {
    const auto a = random_array<T>({shared == 1 ? 1U : 3U, 20, 33}, 7),
               b = random_array<T>({shared == 2 ? 1U : 3U, 33, 40}, 8);
    const array<T, 3> c = gemm(a, b, {.on = {.where = policy::device, .on = &dev}});
    EXPECT_LT(test::relative_error(std::span(c.data(), c.size()),
                                   std::span<const test::exact>(naive<T>(a.view(), b.view()))),
              tolerance<T>(33))
        << shared;
  }
}

TEST(product_on_a_device, stays_there) {
  engine::device dev;
  const auto a = random_array<float>({1, 64, 64}, 9);
  const auto x = to_device(dev, view<const float, 2>(a.view()[0]));
  dev.reset_record();
  const auto y = gemm(gemm(x, x), x);
  EXPECT_EQ(dev.record().upload.tensors, 0U);
  EXPECT_EQ(dev.record().launches, 2U);
  to_host(y);
  EXPECT_EQ(dev.record().fetch.tensors, 1U);
}

TEST(product_on_a_device, refuses_what_it_cannot_do) {
  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};
  const auto d = random_array<double>({1, 4, 4}, 1);
  EXPECT_THROW(gemm(d, d, {.on = there}), device_error);
  const auto z = random_array<std::complex<float>>({2, 4, 4}, 1);
  EXPECT_THROW(gemm(z, z, {.a = matrix_op::conjugate, .on = there}), device_error);
  execution either = there;
  either.where = policy::automatic;
  gemm(z, z, {.a = matrix_op::conjugate, .on = either});
  EXPECT_EQ(last_run().backend, "host");
  const auto r = to_device(dev, random_array<float>({1, 4, 4}, 1));
  EXPECT_THROW(gemm(r, r, {.b = matrix_op::transpose}), device_error);
  engine::device other;
  const auto elsewhere = to_device(other, random_array<float>({1, 4, 4}, 1));
  EXPECT_THROW(gemm(r, elsewhere), invalid_argument);
}

TEST(product, refuses_what_an_execution_cannot_have_whatever_the_operands) {
  const auto z = random_array<std::complex<float>>({1, 4, 4}, 1);
  EXPECT_THROW(gemm(z, z, {.a = matrix_op::conjugate, .on = {.backend = "nobody"}}),
               invalid_argument);
  const array<float, 2> none({0, 4}), square({4, 4});
  EXPECT_EQ(gemm(none, square).extent(0), 0U);
  EXPECT_THROW(gemm(none, square, {.on = {.where = policy::device}}), device_error);
  EXPECT_THROW(gemm(square, square, {.on = {.precision = {.target_error = std::nan("")}}}),
               invalid_argument);
  engine::device dev;
  const auto r = to_device(dev, square);
  EXPECT_THROW(gemm(r, r, {.on = {.threads = -1}}), invalid_argument);
}

// All reading comes before all writing, however often the graph is submitted.
TEST(product, of_a_graph_may_go_where_an_operand_was) {
  engine::device dev;
  auto x = random_array<float>({1, 4, 4}, 1);
  auto expected = x;
  device_graph graph = capture(dev, [&] {
    const auto a = to_device(dev, x);
    const auto square = gemm(a, a);
    to_host(gemm(square, a), x.view());
  });
  for (int time = 0; time < 2; ++time) {
    const auto square = gemm(expected, expected);
    expected = gemm(square, expected);
    graph.submit();
    // Two products of four terms each, of elements that grow with every power.
    double largest = 0;
    for (const float e : expected) largest = std::max(largest, double(std::abs(e)));
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x.data()[i], expected.data()[i], 4e-6 * largest);
  }
}

TEST(product, refuses_extents_that_do_not_fit) {
  const auto a = random_array<float>({2, 3, 4}, 1), b = random_array<float>({3, 4, 5}, 1);
  EXPECT_THROW(gemm(a, b), shape_error);
  const auto c = random_array<float>({2, 3, 5}, 1);
  EXPECT_THROW(gemm(a, c), shape_error);
  array<float, 3> out({2, 3, 4});
  EXPECT_THROW(gemm(a, random_array<float>({1, 4, 5}, 1), out.view()), shape_error);
  EXPECT_THROW(gemm(a, random_array<float>({1, 4, 5}, 1), {.on = {.backend = "fftw"}}),
               invalid_argument);
}

}  // namespace
}  // namespace papilio

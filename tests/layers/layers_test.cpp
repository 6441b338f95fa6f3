#include "papilio/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "papilio/base.hpp"
#include "support/adjoint.hpp"
#include "support/gradient_check.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using C = std::complex<double>;
using test::expect_gradient;

tensor<C> numbers(std::initializer_list<std::size_t> extents, unsigned seed) {
  tensor<C> x(extents);
  std::ranges::copy(test::random_complex<double>(x.size(), seed), x.data());
  return x;
}
template <std::size_t Rank>
array<C, Rank> filled(const extents_type<Rank>& extents, unsigned seed) {
  array<C, Rank> x(extents);
  std::ranges::copy(test::random_complex<double>(x.size(), seed), x.begin());
  return x;
}

double loss_of(const tensor<C>& y, const tensor<C>& g) {
  return static_cast<double>(test::inner(y.flat(), g.flat()).value);
}
std::span<const C> all(const tensor<C>& x) { return x.flat(); }

TEST(layers, linear_is_its_sum_over_any_leading_axes) {
  const auto x = numbers({2, 3, 4}, 1);
  const complex_linear_parameters<double> p{filled<2>({5, 4}, 2), filled<1>({5}, 3)};
  const auto y = complex_linear(x, p);
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t o = 0; o < 5; ++o) {
      C sum = p.bias(o);
      for (std::size_t i = 0; i < 4; ++i) sum += p.weight(o, i) * x.flat()[row * 4 + i];
      EXPECT_NEAR(std::abs(y.flat()[row * 5 + o] - sum), 0, 1e-14);
    }
}

// Strides, dilations, groups and padding by the definition; gradients by their adjoint identity in
// the input and the weights, of which the convolution is linear in each.
TEST(layers, convolution_is_its_sum) {
  for (const conv1d_options& o : {conv1d_options{}, same_conv1d(3), same_conv1d(4, 2, 2),
                                  conv1d_options{.stride = 3, .dilation = 2, .padding_before = 1},
                                  conv1d_options{.stride = 2, .groups = 4, .padding_after = 5}}) {
    const std::size_t kernel = o == same_conv1d(4, 2, 2) ? 4 : 3;
    auto x = numbers({2, 4, 11}, 1);
    complex_conv1d_parameters<double> p{filled<3>({8, 4 / o.groups, kernel}, 2), filled<1>({8}, 3)};
    const auto y = complex_conv1d(x, p, o);
    const std::size_t padded = 11 + o.padding_before + o.padding_after;
    ASSERT_EQ(y.extent(2), (padded - (kernel - 1) * o.dilation - 1) / o.stride + 1);
    const auto in = x.as<3>();
    const auto out = y.as<3>();
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 8; ++c)
        for (std::size_t l = 0; l < y.extent(2); ++l) {
          C sum = p.bias(c);
          for (std::size_t k = 0; k < kernel; ++k) {
            const std::size_t at = l * o.stride + k * o.dilation;
            if (at < o.padding_before || at - o.padding_before >= 11) continue;
            for (std::size_t i = 0; i < 4 / o.groups; ++i)
              sum += p.weight(c, i, k) *
                     in(b, c / (8 / o.groups) * (4 / o.groups) + i, at - o.padding_before);
          }
          EXPECT_NEAR(std::abs(out(b, c, l) - sum), 0, 1e-13);
        }
    auto g = y;
    std::ranges::copy(test::random_complex<double>(g.size(), 5), g.data());
    const auto by = complex_conv1d_vjp(x, p, g, o);
    const auto loss = [&] { return loss_of(complex_conv1d(x, p, o), g); };
    expect_gradient<C>(loss, x.flat(), all(by.x));
    expect_gradient<C>(loss, p.weight.flat(), by.parameters.weight.flat());
    expect_gradient<C>(loss, p.bias.flat(), by.parameters.bias.flat());
  }
  EXPECT_EQ(
      complex_conv1d(numbers({1, 1, 9}, 1),
                     complex_conv1d_parameters<double>{filled<3>({1, 1, 4}, 2), {}}, same_conv1d(4))
          .extent(2),
      9u);
}

TEST(layers, batch_norm_whitens) {
  const auto x = numbers({40, 3, 2}, 1);
  auto skewed = x;
  for (C& v : skewed.flat()) v = C(3 * v.real() + v.imag() + 5, 0.2 * v.imag() - v.real());
  complex_batch_norm_parameters<double> unit = initial_batch_norm_parameters<double>(3);
  for (std::size_t f = 0; f < 3; ++f) unit.gamma(f, 0) = unit.gamma(f, 2) = 1;
  const auto y = complex_batch_norm_training(skewed, unit, 1e-12);
  const auto s = batch_statistics<double>(y);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_NEAR(std::abs(s.mean(f)), 0, 1e-14);
    EXPECT_NEAR(s.covariance(f, 0), 1, 1e-9);
    EXPECT_NEAR(s.covariance(f, 1), 0, 1e-9);
    EXPECT_NEAR(s.covariance(f, 2), 1, 1e-9);
  }
}

TEST(layers, running_statistics_reach_those_of_the_batch) {
  const auto x = numbers({20, 2}, 1);
  const auto batch = batch_statistics<double>(x);
  auto running = initial_batch_statistics<double>(2);
  for (int i = 0; i < 400; ++i) update_statistics(running, batch);
  const auto p = initial_batch_norm_parameters<double>(2);
  const auto trained = complex_batch_norm_training(x, p), y = complex_batch_norm(x, p, running);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(std::abs(trained.flat()[i] - y.flat()[i]), 0, 1e-13);
}

TEST(layers, batch_norm_gradients) {
  auto x = numbers({3, 2, 4}, 1);
  for (C& v : x.flat()) v = C(2 * v.real() + v.imag(), v.imag() + 1);
  const auto g = numbers({3, 2, 4}, 2);
  complex_batch_norm_parameters<double> p = initial_batch_norm_parameters<double>(2);
  p.gamma(0, 1) = 0.3;
  p.beta(1) = {1, -2};
  const auto trained = complex_batch_norm_training_vjp(x, p, g);
  const auto train = [&] { return loss_of(complex_batch_norm_training(x, p), g); };
  expect_gradient<C>(train, x.flat(), all(trained.x));
  expect_gradient<double>(train, p.gamma.flat(), trained.parameters.gamma.flat());
  expect_gradient<C>(train, p.beta.flat(), trained.parameters.beta.flat());
  const auto running = initial_batch_statistics<double>(2);
  const auto fixed = complex_batch_norm_vjp(x, p, running, g);
  const auto infer = [&] { return loss_of(complex_batch_norm(x, p, running), g); };
  expect_gradient<C>(infer, x.flat(), all(fixed.x));
  expect_gradient<double>(infer, p.gamma.flat(), fixed.parameters.gamma.flat());
}

TEST(layers, modrelu_gradients) {
  auto z = numbers({3, 4, 2}, 1);
  const auto g = numbers({3, 4, 2}, 2);
  array<double, 1> bias({4});
  std::ranges::copy(std::vector{0.5, -0.5, -1.0, 0.0}, bias.begin());
  const auto by = complex_modrelu_vjp(z, bias, g, 1);
  const auto loss = [&] { return loss_of(complex_modrelu(z, bias, 1), g); };
  expect_gradient<C>(loss, z.flat(), all(by.x));
  expect_gradient<double>(loss, bias.flat(), by.bias.flat());
}

TEST(layers, rectifier_gradients) {
  auto z = numbers({17}, 1);
  const auto g = numbers({17}, 2);
  for (const complex_rectifier kind : {complex_rectifier::crelu, complex_rectifier::zrelu}) {
    const auto loss = [&] { return loss_of(complex_relu(z, kind), g); };
    expect_gradient<C>(loss, z.flat(), all(complex_relu_vjp(z, g, kind)));
  }
}

// Threads share features, or numbers.
TEST(layers, do_not_depend_on_threads) {
  const auto x = numbers({50, 30, 40}, 1), g = numbers({50, 30, 40}, 2);
  array<double, 1> bias({30});
  std::ranges::copy(test::random_real<double>(30, 3), bias.begin());
  const auto p = initial_batch_norm_parameters<double>(30);
  const execution one{.threads = 1}, three{.threads = 3};
  const auto expect_same = [](const auto& a, const auto& b) {
    EXPECT_TRUE(std::ranges::equal(a.flat(), b.flat()));
  };
  expect_same(complex_relu(x, complex_rectifier::zrelu, one),
              complex_relu(x, complex_rectifier::zrelu, three));
  expect_same(complex_modrelu(x, bias, 1, one), complex_modrelu(x, bias, 1, three));
  expect_same(complex_modrelu_vjp(x, bias, g, 1, one).bias,
              complex_modrelu_vjp(x, bias, g, 1, three).bias);
  expect_same(complex_batch_norm_training(x, p, 1e-5, one),
              complex_batch_norm_training(x, p, 1e-5, three));
  const auto a = complex_batch_norm_training_vjp(x, p, g, 1e-5, one),
             b = complex_batch_norm_training_vjp(x, p, g, 1e-5, three);
  expect_same(a.x, b.x);
  expect_same(a.parameters.gamma, b.parameters.gamma);
  EXPECT_THROW(complex_relu(x, complex_rectifier::crelu, {.threads = -1}), invalid_argument);
}

TEST(layers, are_defined_where_they_have_no_derivative) {
  tensor<C> z({5}), g({5});
  for (C& v : g.flat()) v = {1, 1};
  z.flat()[1] = {0, 2};
  z.flat()[2] = {3, 4};  // |z| + b = 0
  z.flat()[3] = {-1, 0};
  z.flat()[4] = {1e-300, 0};
  array<double, 1> bias({5});
  std::ranges::copy(std::vector{2.0, -1.0, -5.0, 0.5, 0.5}, bias.begin());
  const auto y = complex_modrelu(z, bias);
  EXPECT_EQ(y.flat()[0], C());
  EXPECT_EQ(y.flat()[2], C());
  EXPECT_EQ(y.flat()[4], C(0.5));
  const auto by = complex_modrelu_vjp(z, bias, g);
  EXPECT_EQ(by.x.flat()[0], C());
  EXPECT_EQ(by.bias(0), 0);
  EXPECT_EQ(by.x.flat()[2], C());
  EXPECT_EQ(by.bias(2), 0);
  const auto crelu = complex_relu_vjp(z, g);
  EXPECT_EQ(crelu.flat()[0], C());
  EXPECT_EQ(crelu.flat()[1], C(0, 1));
  const auto zrelu = complex_relu_vjp(z, g, complex_rectifier::zrelu);
  EXPECT_EQ(zrelu.flat()[0], C(1, 1));
  EXPECT_EQ(zrelu.flat()[3], C());
}

// torch.relu(nan) is nan, and its gradient there is the one that is given.
TEST(layers, rectifiers_pass_nan) {
  const double nan = std::nan("");
  tensor<C> z({4}), g({4});
  const std::array<C, 4> values{C(nan, 1), C(1, nan), C(-1, 2), C(2, 1)};
  std::ranges::copy(values, z.flat().begin());
  std::ranges::fill(g.flat(), C(3, 5));
  const auto crelu = complex_relu(z), zrelu = complex_relu(z, complex_rectifier::zrelu);
  EXPECT_TRUE(std::isnan(crelu.flat()[0].real()));
  EXPECT_EQ(crelu.flat()[0].imag(), 1);
  EXPECT_TRUE(std::isnan(zrelu.flat()[1].imag()));
  EXPECT_EQ(zrelu.flat()[2], C());
  EXPECT_EQ(complex_relu_vjp(z, g).flat()[0], C(3, 5));
  array<double, 1> bias({4});
  std::ranges::copy(std::array{0.5, 0.5, 0.5, nan}, bias.begin());
  const auto y = complex_modrelu(z, bias);
  EXPECT_TRUE(std::isnan(y.flat()[0].real()));
  EXPECT_FALSE(std::isnan(y.flat()[2].real()));
  EXPECT_TRUE(std::isnan(y.flat()[3].real()));
  const auto by = complex_modrelu_vjp(z, bias, g);
  EXPECT_TRUE(std::isnan(by.bias(0)));
  EXPECT_FALSE(std::isnan(by.x.flat()[2].real()));
  EXPECT_TRUE(std::isnan(by.x.flat()[3].real()));
}

TEST(layers, refuse_what_does_not_fit) {
  const auto x = numbers({2, 4, 8}, 1);
  const complex_linear_parameters<double> linear{filled<2>({3, 7}, 1), {}};
  EXPECT_THROW(complex_linear(x, linear), shape_error);
  const complex_linear_parameters<double> biased{filled<2>({3, 8}, 1), filled<1>({2}, 1)};
  EXPECT_THROW(complex_linear(x, biased), shape_error);
  const complex_linear_parameters<double> good{filled<2>({3, 8}, 1), {}};
  EXPECT_THROW(complex_linear_vjp(x, good, x), shape_error);
  const complex_conv1d_parameters<double> conv{filled<3>({6, 4, 3}, 1), {}};
  EXPECT_THROW(complex_conv1d(x, conv, {.groups = 2}), shape_error);
  EXPECT_THROW(complex_conv1d(x, conv, {.groups = 3}), invalid_argument);
  EXPECT_THROW(complex_conv1d(x, conv, {.stride = 0}), invalid_argument);
  EXPECT_THROW(complex_conv1d(x, conv, {.dilation = 4}), shape_error);
  EXPECT_THROW(complex_conv1d_vjp(x, conv, x), shape_error);
  EXPECT_THROW(same_conv1d(0), invalid_argument);
  const auto norm = initial_batch_norm_parameters<double>(3);
  EXPECT_THROW(complex_batch_norm_training(x, norm), shape_error);
  const auto fits = initial_batch_norm_parameters<double>(4);
  EXPECT_THROW(complex_batch_norm_training(x, fits, 0), invalid_argument);
  EXPECT_THROW(complex_batch_norm_training(numbers({4}, 1), fits), shape_error);
  auto running = initial_batch_statistics<double>(4);
  running.covariance(2, 1) = 9;
  EXPECT_THROW(complex_batch_norm(x, fits, running), invalid_argument);
  EXPECT_THROW(update_statistics(running, running, 1.5), invalid_argument);
  EXPECT_THROW(update_statistics(running, initial_batch_statistics<double>(3)), shape_error);
  EXPECT_THROW(complex_modrelu(x, array<double, 1>({3})), shape_error);
  EXPECT_THROW(complex_modrelu(x, array<double, 1>({8}), 3), invalid_argument);
  EXPECT_THROW(complex_relu_vjp(x, numbers({2, 4}, 1).view()), shape_error);
}

}  // namespace
}  // namespace papilio

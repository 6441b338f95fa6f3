// Layers and masks of device arrays. Kernels are those of arrays of the host, so that results have
// their bits; products and biases are compared with the host's in double, whose error model is 2e-6
// in the Euclidean norm, as for einsum.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/layers.hpp"
#include "papilio/signal.hpp"
#include "support/device_case.hpp"

namespace papilio {
namespace {

using C = std::complex<float>;
using D = std::complex<double>;
using test::random_array;
constexpr double most = 2e-6;

template <class T, std::size_t Rank>
auto wide(const array<T, Rank>& x) {
  return test::widened_array<T, Rank>(x.view());
}

template <class Got, class Expected>
void expect_bits(const Got& got, const Expected& expected) {
  const auto values = to_host(got);
  ASSERT_TRUE(std::ranges::equal(values.extents(), expected.extents()));
  EXPECT_TRUE(std::ranges::equal(values.flat(), expected.flat()));
}

template <class Values, class Expected>
void expect_near(const Values& values, const Expected& expected, double tolerance = most) {
  ASSERT_TRUE(std::ranges::equal(values.extents(), expected.extents()));
  const auto numbers = expected.flat();
  const std::vector<test::exact> exact(numbers.begin(), numbers.end());
  EXPECT_LE(test::relative_error(values.flat(), std::span<const test::exact>(exact)), tolerance);
}

class device_array_layers : public testing::Test {
 protected:
  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};

  template <class T, std::size_t Rank>
  device_array<T, Rank> up(const array<T, Rank>& x) {
    return to_device(dev, x);
  }
};

TEST_F(device_array_layers, rectifiers_have_the_bits_of_arrays_of_the_host) {
  const auto z = random_array<C, 3>({3, 5, 70}, 1), g = random_array<C, 3>({3, 5, 70}, 2);
  for (const complex_rectifier kind : {complex_rectifier::crelu, complex_rectifier::zrelu}) {
    expect_bits(complex_relu(up(z), kind), complex_relu(z, kind, there));
    EXPECT_EQ(recorded([&] { complex_relu(up(z), kind); }).launches, 1u);
    expect_bits(complex_relu_vjp(up(z), up(g), kind), complex_relu_vjp(z, g, kind, there));
  }
}

TEST_F(device_array_layers, modrelu_has_the_bits_along_every_axis) {
  const auto z = random_array<C, 3>({4, 6, 50}, 1), g = random_array<C, 3>({4, 6, 50}, 2);
  for (const std::ptrdiff_t axis : {-1, 0, 1}) {
    const auto bias =
        random_array<float, 1>({z.extent(static_cast<std::size_t>((axis + 3) % 3))}, 3);
    expect_bits(complex_modrelu(up(z), up(bias), axis), complex_modrelu(z, bias, axis, there));
    const auto by = complex_modrelu_vjp(up(z), up(bias), up(g), axis);
    const auto expected = complex_modrelu_vjp(z, bias, g, axis, there);
    expect_bits(by.x, expected.x);
    expect_bits(by.bias, expected.bias);
  }
}

TEST_F(device_array_layers, batch_norm_has_the_bits) {
  const auto expect_all = [&](const auto& x, const auto& g, std::size_t features) {
    auto p = initial_batch_norm_parameters<float>(features);
    p.gamma(features - 1, 1) = 0.3F;
    p.beta(0) = {1, -2};
    auto s = initial_batch_statistics<float>(features);
    s.mean(0) = {2, 1};
    s.covariance(features - 1, 1) = 0.25F;
    const device_batch_norm_parameters parameters{up(p.gamma), up(p.beta)};
    const device_batch_statistics statistics{up(s.mean), up(s.covariance)};
    const double epsilon = 1e-3;
    const auto expect_gradients = [](const auto& got, const auto& expected) {
      expect_bits(got.x, expected.x);
      expect_bits(got.parameters.gamma, expected.parameters.gamma);
      expect_bits(got.parameters.beta, expected.parameters.beta);
    };
    expect_bits(complex_batch_norm_training(up(x), parameters, epsilon),
                complex_batch_norm_training(x, p, epsilon, there));
    expect_gradients(complex_batch_norm_training_vjp(up(x), parameters, up(g), epsilon),
                     complex_batch_norm_training_vjp(x, p, g, epsilon, there));
    expect_bits(complex_batch_norm(up(x), parameters, statistics, epsilon),
                complex_batch_norm(x, p, s, epsilon, there));
    expect_gradients(complex_batch_norm_vjp(up(x), parameters, statistics, up(g), epsilon),
                     complex_batch_norm_vjp(x, p, s, g, epsilon, there));
  };
  expect_all(random_array<C, 3>({5, 7, 40}, 1), random_array<C, 3>({5, 7, 40}, 2), 7);
  expect_all(random_array<C, 2>({50, 3}, 1), random_array<C, 2>({50, 3}, 2), 3);
  expect_all(random_array<C, 3>({6, 1, 9}, 1), random_array<C, 3>({6, 1, 9}, 2), 1);
}

TEST_F(device_array_layers, linear_is_the_hosts) {
  const auto x = random_array<C, 3>({3, 9, 40}, 1), g = random_array<C, 3>({3, 9, 25}, 2);
  for (const bool has_bias : {false, true}) {
    complex_linear_parameters<float> p{random_array<C, 2>({25, 40}, 3), {}};
    complex_linear_parameters<double> exact{wide(p.weight), {}};
    device_linear_parameters parameters{up(p.weight)};
    if (has_bias) {
      p.bias = random_array<C, 1>({25}, 4);
      exact.bias = wide(p.bias);
      parameters.bias = up(p.bias);
    }
    const auto y = complex_linear(up(x), parameters);
    expect_near(to_host(y), complex_linear(wide(x), exact));
    if (!has_bias) expect_bits(y, complex_linear(x, p, there));
    const auto by = complex_linear_vjp(up(x), parameters, up(g));
    EXPECT_EQ(last_run().launches, 1u);
    const auto expected = complex_linear_vjp(wide(x), exact, wide(g));
    expect_near(to_host(by.x), expected.x);
    expect_near(to_host(by.parameters.weight), expected.parameters.weight);
    const auto same = complex_linear_vjp(x, p, g, there);
    expect_bits(by.x, same.x);
    expect_bits(by.parameters.weight, same.parameters.weight);
    EXPECT_EQ(by.parameters.bias.is_empty(), !has_bias);
    if (has_bias) expect_near(to_host(by.parameters.bias), expected.parameters.bias);
  }
}

TEST_F(device_array_layers, conv1d_is_the_hosts) {
  struct row {
    std::size_t length, kernel;
    conv1d_options options;
  };
  for (const auto& [length, kernel, o] :
       {row{30, 3, same_conv1d(3)}, row{31, 4, {.stride = 2, .groups = 2, .padding_before = 3}},
        row{29, 3, {.stride = 3, .dilation = 4, .padding_before = 1, .padding_after = 2}},
        row{12, 1, {}}, row{9, 9, {}}, row{20, 2, {.stride = 5, .groups = 2}}}) {
    SCOPED_TRACE(testing::Message() << length << " samples, " << kernel << " taps");
    const auto x = random_array<C, 3>({2, 4, length}, 1);
    for (const bool has_bias : {false, true}) {
      complex_conv1d_parameters<float> p{random_array<C, 3>({6, 4 / o.groups, kernel}, 3), {}};
      complex_conv1d_parameters<double> exact{wide(p.weight), {}};
      device_conv1d_parameters parameters{up(p.weight)};
      if (has_bias) {
        p.bias = random_array<C, 1>({6}, 4);
        exact.bias = wide(p.bias);
        parameters.bias = up(p.bias);
      }
      const auto expected = complex_conv1d(wide(x), exact, o);
      expect_near(to_host(complex_conv1d(up(x), parameters, o)), expected);
      const auto g = random_array<C, 3>({2, 6, expected.extent(2)}, 2);
      const auto by = complex_conv1d_vjp(up(x), parameters, up(g), o);
      const auto wanted = complex_conv1d_vjp(wide(x), exact, wide(g), o);
      expect_near(to_host(by.x), wanted.x);
      expect_near(to_host(by.parameters.weight), wanted.parameters.weight);
      if (has_bias) expect_near(to_host(by.parameters.bias), wanted.parameters.bias);
    }
  }
}

TEST_F(device_array_layers, masks_and_sizes_of_spectra_have_the_bits) {
  const auto x = random_array<C, 2>({9, 33}, 1), m = random_array<C, 2>({9, 33}, 2),
             g = random_array<C, 2>({9, 33}, 3);
  const auto r = random_array<float, 2>({9, 33}, 4);
  array<C, 2> by_x(x.extents()), by_m(x.extents());
  array<float, 2> by_r(x.extents());
  apply_mask_vjp<float, 2>(x.view(), r.view(), g.view(), by_x.view(), by_r.view(), there);
  const auto real = apply_mask_vjp(up(x), up(r), up(g));
  expect_bits(real.spectra, by_x);
  expect_bits(real.mask, by_r);
  apply_mask_vjp<float, 2>(x.view(), m.view(), g.view(), by_x.view(), by_m.view(), there);
  const auto both = apply_mask_vjp(up(x), up(m), up(g));
  expect_bits(both.spectra, by_x);
  expect_bits(both.mask, by_m);
  magnitude_vjp<float, 2>(x.view(), r.view(), by_x.view(), there);
  expect_bits(magnitude_vjp(up(x), up(r)), by_x);
  power_vjp<float, 2>(x.view(), r.view(), by_x.view(), there);
  expect_bits(power_vjp(up(x), up(r)), by_x);
  magnitude<float, 2>(x.view(), by_r.view(), there);
  EXPECT_EQ(last_run().backend, "device");
  expect_bits(magnitude(up(x)), by_r);
  power<float, 2>(x.view(), by_r.view(), there);
  expect_bits(power(up(x)), by_r);
}

// Of one column, with strides, and of numbers whose squares overflow.
TEST_F(device_array_layers, magnitudes_and_powers_are_the_hosts) {
  const auto x = random_array<C, 2>({9, 33}, 1);
  array<float, 2> got({9, 3});
  const view<const C, 2> columns(x.data(), {9, 3}, {33, 11});
  for (const execution& on : {there, execution{}}) {
    magnitude<float, 2>(columns, got.view(), on);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(got(i, k), std::abs(D(columns(i, k))), 8 * 0x1p-24 * std::abs(columns(i, k)));
    power<float, 2>(columns, got.view(), on);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(got(i, k), std::norm(D(columns(i, k))), 3 * 0x1p-24 * std::norm(columns(i, k)));
  }
  const std::array<C, 2> numbers{C(3e30F, -4e30F), C()};
  const view<const C, 1> large(numbers.data(), {2});
  array<float, 1> sizes({2});
  for (const execution& on : {there, execution{}}) {
    magnitude<float, 1>(large, sizes.view(), on);
    EXPECT_NEAR(sizes(0), 5e30F, 5e24F);
    EXPECT_EQ(sizes(1), 0);
  }
}

// Network of a convolution, a normalisation, modReLU and a linear layer, whose result masks its
// input; the loss is the weighted power of what passes.
struct network_gradients {
  array<C, 3> conv, x;
  array<C, 2> linear;
  array<C, 1> linear_bias;
  array<float, 2> gamma;
  array<float, 1> modrelu;
};

TEST_F(device_array_layers, a_training_step_is_one_dispatch) {
  const std::size_t batch = 4, features = 6, length = 24;
  const auto x = random_array<C, 3>({batch, features, length}, 1);
  const auto weights = random_array<float, 3>({batch, features, length}, 2);
  const complex_conv1d_parameters<float> conv{random_array<C, 3>({features, features, 3}, 3), {}};
  const complex_linear_parameters<float> linear{random_array<C, 2>({length, length}, 4),
                                                random_array<C, 1>({length}, 5)};
  auto norm = initial_batch_norm_parameters<float>(features);
  const auto bias = random_array<float, 1>({features}, 6);
  const conv1d_options same = same_conv1d(3);

  network_gradients got{.conv = array<C, 3>(conv.weight.extents()),
                        .x = array<C, 3>(x.extents()),
                        .linear = array<C, 2>(linear.weight.extents()),
                        .linear_bias = array<C, 1>(linear.bias.extents()),
                        .gamma = array<float, 2>(norm.gamma.extents()),
                        .modrelu = array<float, 1>(bias.extents())};
  device_graph step = capture(dev, [&] {
    const auto in = up(x);
    const device_conv1d_parameters c{up(conv.weight)};
    const device_linear_parameters l{up(linear.weight), up(linear.bias)};
    const device_batch_norm_parameters n{up(norm.gamma), up(norm.beta)};
    const auto b = up(bias);
    const auto first = complex_conv1d(in, c, same);
    const auto second = complex_batch_norm_training(first, n);
    const auto third = complex_modrelu(second, b, 1);
    const auto mask = complex_linear(third, l).as<3>();
    const auto y = apply_mask(in, mask);
    const auto by_y = power_vjp(y, up(weights));
    const auto by_mask = apply_mask_vjp(in, mask, by_y);
    const auto by_linear = complex_linear_vjp(third, l, by_mask.mask);
    const auto by_modrelu = complex_modrelu_vjp(second, b, by_linear.x, 1);
    const auto by_norm = complex_batch_norm_training_vjp(first, n, by_modrelu.x);
    const auto by_conv = complex_conv1d_vjp(in, c, by_norm.x, same);
    to_host(by_conv.parameters.weight, got.conv.view());
    to_host(by_conv.x.as<3>(), got.x.view());
    to_host(by_linear.parameters.weight, got.linear.view());
    to_host(by_linear.parameters.bias, got.linear_bias.view());
    to_host(by_norm.parameters.gamma, got.gamma.view());
    to_host(by_modrelu.bias, got.modrelu.view());
  });
  dev.reset_record();
  const run_record run = step.submit();
  EXPECT_EQ(run.launches, 1u);
  EXPECT_EQ(run.uploads, 1u);
  EXPECT_EQ(run.fetches, 1u);

  const auto in = wide(x);
  const complex_conv1d_parameters<double> c{wide(conv.weight), {}};
  const complex_linear_parameters<double> l{wide(linear.weight), wide(linear.bias)};
  const complex_batch_norm_parameters<double> n{wide(norm.gamma), wide(norm.beta)};
  const auto b = wide(bias);
  const auto w = wide(weights);
  const auto first = complex_conv1d(in, c, same);
  const auto second = complex_batch_norm_training(first, n);
  const auto third = complex_modrelu(second, b, 1);
  const auto mask = complex_linear(third, l);
  array<D, 3> y(x.extents()), by_y(x.extents()), by_in(x.extents()), by_mask(x.extents());
  apply_mask<double, 3>(in.view(), mask.as<3>(), y.view());
  power_vjp<double, 3>(y.view(), w.view(), by_y.view());
  apply_mask_vjp<double, 3>(in.view(), mask.as<3>(), by_y.view(), by_in.view(), by_mask.view());
  const auto by_linear = complex_linear_vjp(third, l, by_mask);
  const auto by_modrelu = complex_modrelu_vjp(second, b, by_linear.x, 1);
  const auto by_norm = complex_batch_norm_training_vjp(first, n, by_modrelu.x);
  const auto by_conv = complex_conv1d_vjp(in, c, by_norm.x, same);
  // Each of eleven functions adds what it is allowed alone.
  expect_near(got.conv, by_conv.parameters.weight, 11 * most);
  expect_near(got.x, by_conv.x, 11 * most);
  expect_near(got.linear, by_linear.parameters.weight, 11 * most);
  expect_near(got.linear_bias, by_linear.parameters.bias, 11 * most);
  expect_near(got.gamma, by_norm.parameters.gamma, 11 * most);
  expect_near(got.modrelu, by_modrelu.bias, 11 * most);
}

TEST_F(device_array_layers, refuse_what_does_not_fit) {
  const auto z = up(random_array<C, 2>({4, 6}, 1)), other = up(random_array<C, 2>({4, 5}, 2));
  const auto bias = up(array<float, 1>({4}));
  EXPECT_THROW(complex_modrelu(z, bias), shape_error);
  EXPECT_THROW(complex_modrelu(z, bias, 2), invalid_argument);
  EXPECT_THROW(complex_modrelu_vjp(z, bias, other, 0), shape_error);
  EXPECT_THROW(complex_relu_vjp(z, other), shape_error);
  const auto p = initial_batch_norm_parameters<float>(6);
  const device_batch_norm_parameters norm{up(p.gamma), up(p.beta)};
  EXPECT_THROW(complex_batch_norm_training(other, norm), shape_error);
  EXPECT_THROW(complex_batch_norm_training(z, norm, 0), invalid_argument);
  EXPECT_THROW(complex_batch_norm_training_vjp(z, norm, other), shape_error);
  const device_linear_parameters linear{up(random_array<C, 2>({3, 5}, 1))};
  EXPECT_THROW(complex_linear(z, linear), shape_error);
  EXPECT_THROW(complex_linear_vjp(other, linear, z), shape_error);
  const device_conv1d_parameters conv{up(random_array<C, 3>({3, 4, 2}, 1))};
  EXPECT_THROW(complex_conv1d(z, conv), shape_error);
  EXPECT_EQ(test::message_of<shape_error>([&] {
              magnitude_vjp(z, up(array<float, 2>({4, 5})));
            }),
            "magnitude_vjp: gradient has 5 elements along axis 1, spectra 6");
  EXPECT_EQ(test::message_of<device_error>([&] { complex_relu(complex_device_array()); }),
            "complex_relu: the device array is empty");
  engine::device second;
  EXPECT_THROW(complex_relu(z, complex_rectifier::crelu, {.on = &second}), invalid_argument);
  EXPECT_THROW(complex_modrelu(z, to_device(second, array<float, 1>({6}))), invalid_argument);
  EXPECT_THROW(complex_relu(z, complex_rectifier::crelu, {.threads = -1}), invalid_argument);
  EXPECT_THROW(complex_relu(z, complex_rectifier::crelu, {.precision = {.mode = precision::bf16}}),
               device_error);
}

}  // namespace
}  // namespace papilio

// Layers on an emulated accelerator against the host's in double, which torch_gradients_test.cpp
// compares with torch. Error model: the kernel's expected error, as its estimate states it, three
// times over; sums over rows are of numbers of both signs, whose errors do not cancel: ten times.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>

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

tensor<C> numbers(std::initializer_list<std::size_t> extents, unsigned seed) {
  tensor<C> x(extents);
  std::ranges::copy(test::random_complex<float>(x.size(), seed), x.data());
  return x;
}
template <class To, class From>
tensor<To> wide(const From& x) {
  tensor<To> y(x.extents());
  std::ranges::copy(x.flat(), y.data());
  return y;
}
template <class T, std::size_t Rank>
auto wide_array(const array<T, Rank>& x) {
  return test::widened_array<T, Rank>(x.view());
}

template <class Got, class Expected>
double distance(const Got& got, const Expected& expected) {
  const auto values = expected.flat();
  const std::vector<test::exact> exact(values.begin(), values.end());
  return test::relative_error(got.flat(), std::span<const test::exact>(exact));
}

class device_layers : public testing::Test {
 protected:
  // What the last run's kernel states for the layer, which was one launch.
  double bound(layer_function function, std::size_t rows, std::size_t features,
               double epsilon = 0) const {
    EXPECT_EQ(last_run().backend, "device");
    EXPECT_EQ(last_run().launches, 1u);
    const layer_problem what{
        .function = function, .rows = rows, .features = features, .epsilon = epsilon};
    const comparison sides = explain(what, there);
    EXPECT_TRUE(sides.host_is_estimated());
    EXPECT_GT(sides.device.device_seconds, 0);
    return 3 * sides.device.relative_error;
  }

  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};
  const execution either{.where = policy::automatic, .on = &dev};
};

TEST_F(device_layers, rectifiers_have_the_hosts_bits) {
  const auto z = numbers({3, 5, 70}, 1), g = numbers({3, 5, 70}, 2);
  for (const complex_rectifier kind : {complex_rectifier::crelu, complex_rectifier::zrelu}) {
    const auto y = complex_relu(z, kind, there);
    EXPECT_EQ(last_run().backend, "device");
    EXPECT_TRUE(std::ranges::equal(y.flat(), complex_relu(z, kind).flat()));
    const auto by = complex_relu_vjp(z, g.view(), kind, there);
    EXPECT_EQ(last_run().launches, 1u);
    EXPECT_TRUE(std::ranges::equal(by.flat(), complex_relu_vjp(z, g.view(), kind).flat()));
  }
  // A scalar, and every other column of a matrix.
  EXPECT_EQ(complex_relu(numbers({}, 3), complex_rectifier::crelu, there).flat()[0],
            complex_relu(numbers({}, 3)).flat()[0]);
  const view<const C, 2> columns(z.data(), {7, 5}, {10, 2});
  EXPECT_TRUE(std::ranges::equal(complex_relu(columns, complex_rectifier::zrelu, there).flat(),
                                 complex_relu(columns, complex_rectifier::zrelu).flat()));
}

// The bias of any axis.
TEST_F(device_layers, modrelu_and_its_gradients_are_the_hosts) {
  const auto z = numbers({4, 6, 50}, 1), g = numbers({4, 6, 50}, 2);
  for (const std::ptrdiff_t axis : {-1, 0, 1}) {
    const std::size_t features = z.extent(static_cast<std::size_t>((axis + 3) % 3));
    const auto bias = test::random_array<float, 1>({features}, 3);
    const auto b = wide_array(bias);
    const auto y = complex_modrelu(z, bias, axis, there);
    const double of_layer = bound(layer_function::modrelu, z.size() / features, features);
    EXPECT_LE(distance(y, complex_modrelu<double>(wide<D>(z), b, axis)), of_layer);
    const auto by = complex_modrelu_vjp(z, bias, g, axis, there);
    const double most = bound(layer_function::modrelu_vjp, z.size() / features, features);
    const auto wanted = complex_modrelu_vjp<double>(wide<D>(z), b, wide<D>(g), axis);
    EXPECT_LE(distance(by.x, wanted.x), most);
    EXPECT_LE(distance(by.bias, wanted.bias), 10.0 / 3 * most);
  }
}

TEST_F(device_layers, batch_norm_and_its_gradients_are_the_hosts) {
  auto x = numbers({5, 7, 40}, 1);
  for (C& v : x.flat()) v = C(2 * v.real() + v.imag() + 3, v.imag());
  const auto g = numbers({5, 7, 40}, 2);
  auto p = initial_batch_norm_parameters<float>(7);
  p.gamma(2, 1) = 0.3F;
  p.beta(4) = {1, -2};
  auto s = initial_batch_statistics<float>(7);
  s.mean(1) = {2, 1};
  s.covariance(3, 1) = 0.25F;
  const complex_batch_norm_parameters<double> wide_p{wide_array(p.gamma), wide_array(p.beta)};
  const complex_batch_statistics<double> wide_s{wide_array(s.mean), wide_array(s.covariance)};
  const auto xd = wide<D>(x), gd = wide<D>(g);
  const double epsilon = 1e-3;
  const auto expect_gradients = [](const auto& got, const auto& wanted, double most) {
    EXPECT_LE(distance(got.x, wanted.x), most);
    EXPECT_LE(distance(got.parameters.gamma, wanted.parameters.gamma), 10.0 / 3 * most);
    EXPECT_LE(distance(got.parameters.beta, wanted.parameters.beta), 10.0 / 3 * most);
  };
  const auto trained = complex_batch_norm_training(x, p, epsilon, there);
  const double of_trained = bound(layer_function::batch_norm, 200, 7, epsilon);
  EXPECT_LE(distance(trained, complex_batch_norm_training(xd, wide_p, epsilon)), of_trained);
  const auto by = complex_batch_norm_training_vjp(x, p, g, epsilon, there);
  const double of_gradients = bound(layer_function::batch_norm_vjp, 200, 7, epsilon);
  expect_gradients(by, complex_batch_norm_training_vjp(xd, wide_p, gd, epsilon), of_gradients);
  const auto y = complex_batch_norm(x, p, s, epsilon, there);
  const double of_running = bound(layer_function::running_norm, 200, 7, epsilon);
  EXPECT_LE(distance(y, complex_batch_norm(xd, wide_p, wide_s, epsilon)), of_running);
  const auto fixed = complex_batch_norm_vjp(x, p, s, g, epsilon, there);
  const double of_fixed = bound(layer_function::running_norm_vjp, 200, 7, epsilon);
  expect_gradients(fixed, complex_batch_norm_vjp(xd, wide_p, wide_s, gd, epsilon), of_fixed);
}

TEST_F(device_layers, masks_and_their_gradients_are_the_hosts) {
  const auto x = test::random_array<C, 2>({9, 33}, 1), m = test::random_array<C, 2>({9, 33}, 2),
             g = test::random_array<C, 2>({9, 33}, 3);
  const auto r = test::random_array<float, 2>({9, 33}, 4);
  const std::size_t size = x.size();
  array<C, 2> by_x(x.extents()), by_m(x.extents());
  array<float, 2> by_r(x.extents());
  array<D, 2> wanted(x.extents()), wanted_m(x.extents());
  array<double, 2> wanted_r(x.extents());
  const auto xd = wide_array(x), md = wide_array(m), gd = wide_array(g);
  const auto rd = wide_array(r);
  apply_mask<float, 2>(x.view(), r.view(), by_x.view(), there);
  const double of_mask = bound(layer_function::real_mask, 1, size);
  apply_mask<double, 2>(xd.view(), rd.view(), wanted.view());
  EXPECT_LE(distance(by_x, wanted), of_mask);
  apply_mask_vjp<float, 2>(x.view(), r.view(), g.view(), by_x.view(), by_r.view(), there);
  const double of_real = bound(layer_function::real_mask_vjp, 1, size);
  apply_mask_vjp<double, 2>(xd.view(), rd.view(), gd.view(), wanted.view(), wanted_r.view());
  EXPECT_LE(distance(by_x, wanted), of_real);
  EXPECT_LE(distance(by_r, wanted_r), of_real);
  apply_mask_vjp<float, 2>(x.view(), m.view(), g.view(), by_x.view(), by_m.view(), there);
  const double of_complex = bound(layer_function::complex_mask_vjp, 1, size);
  apply_mask_vjp<double, 2>(xd.view(), md.view(), gd.view(), wanted.view(), wanted_m.view());
  EXPECT_LE(distance(by_x, wanted), of_complex);
  EXPECT_LE(distance(by_m, wanted_m), of_complex);
  magnitude_vjp<float, 2>(x.view(), r.view(), by_x.view(), there);
  const double of_magnitude = bound(layer_function::magnitude_vjp, 1, size);
  magnitude_vjp<double, 2>(xd.view(), rd.view(), wanted.view());
  EXPECT_LE(distance(by_x, wanted), of_magnitude);
  power_vjp<float, 2>(x.view(), r.view(), by_x.view(), there);
  const double of_power = bound(layer_function::power_vjp, 1, size);
  power_vjp<double, 2>(xd.view(), rd.view(), wanted.view());
  EXPECT_LE(distance(by_x, wanted), of_power);
  // In place, and a mask with strides.
  const view<const float, 2> columns(r.data(), {9, 3}, {33, 11});
  const view<C, 2> part(by_x.data(), {9, 3}, {33, 1});
  array<C, 2> host({9, 3});
  apply_mask<float, 2>(part, columns, host.view());
  apply_mask<float, 2>(part, columns, part, there);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(std::abs(part(i, k) - host(i, k)), 0, 0x1p-22 * std::abs(host(i, k)));
}

TEST_F(device_layers, run_where_they_are_told_to) {
  const auto z = numbers({40, 3}, 1);
  const auto small = complex_relu(z, complex_rectifier::crelu, either);
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_EQ(last_run().operation, "complex_relu");
  // No accelerator computes doubles.
  const auto zd = wide<D>(z);
  complex_relu(zd, complex_rectifier::crelu, either);
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_THROW(complex_relu(zd, complex_rectifier::crelu, there), device_error);
  EXPECT_THROW(complex_relu(z, complex_rectifier::crelu, {.where = policy::device}), device_error);
  EXPECT_THROW(complex_modrelu(z, array<float, 1>({3}), -1, {.backend = "nothing"}),
               invalid_argument);
  EXPECT_THROW(complex_modrelu(z, array<float, 1>({3}), -1, {.threads = -1}), invalid_argument);
  const auto p = initial_batch_norm_parameters<float>(3);
  EXPECT_THROW(complex_batch_norm_training(
                   z, p, 1e-5, {.on = &dev, .precision = {.mode = precision::split_bf16}}),
               invalid_argument);
  EXPECT_THROW(complex_batch_norm_training(
                   z, p, 1e-5,
                   {.where = policy::device, .on = &dev, .precision = {.mode = precision::bf16}}),
               device_error);
  // Nothing is launched for no numbers.
  dev.reset_record();
  EXPECT_TRUE(complex_relu(numbers({0, 4}, 1), complex_rectifier::crelu, there).empty());
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST_F(device_layers, refuse_what_does_not_fit) {
  const auto z = numbers({4, 6}, 1), other = numbers({4, 5}, 2);
  EXPECT_THROW(complex_modrelu(z, array<float, 1>({4}), -1, there), shape_error);
  EXPECT_THROW(complex_modrelu_vjp(z, array<float, 1>({6}), other, -1, there), shape_error);
  EXPECT_THROW(complex_relu_vjp(z, other.view(), complex_rectifier::crelu, there), shape_error);
  const auto p = initial_batch_norm_parameters<float>(6);
  EXPECT_THROW(complex_batch_norm_training(other, p, 1e-5, there), shape_error);
  EXPECT_THROW(complex_batch_norm_training_vjp(z, p, other, 1e-5, there), shape_error);
  auto s = initial_batch_statistics<float>(6);
  s.covariance(2, 1) = 9;
  EXPECT_THROW(complex_batch_norm(z, p, s, 1e-5, there), invalid_argument);
  EXPECT_EQ(test::message_of<device_error>([&] {
              complex_batch_norm_training(z, p, 1e-60, there);
            }).substr(0, 51),
            "complex_batch_norm_training: batch normalisation of");
  const auto x = test::random_array<C, 2>({9, 33}, 1);
  const auto r = test::random_array<float, 2>({9, 33}, 2);
  array<C, 2> few({9, 32});
  EXPECT_THROW((magnitude_vjp<float, 2>(x.view(), r.view(), few.view(), there)), shape_error);
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST(layer_problem, text_shapes_and_growth) {
  const layer_problem p{.function = layer_function::running_norm_vjp, .rows = 8, .features = 3};
  EXPECT_EQ(p.text(), "gradients of normalisation of 8x3 complex numbers in float");
  const operand_shapes shapes = p.shapes();
  ASSERT_EQ(shapes.in.size(), 5u);
  EXPECT_EQ(shapes.in[2], (operand_shape{{3, 3}, false}));
  EXPECT_EQ(shapes.out[2], (operand_shape{{3}, true}));
  EXPECT_THROW(p.require_valid("f"), invalid_argument);
  EXPECT_EQ(std::get<layer_problem>(growth_of(p)->at(16)).rows, 16u);
  const layer_problem relu{.features = 24};
  EXPECT_NO_THROW(relu.require_valid("f"));
  EXPECT_EQ(growth_of(relu)->size, 24u);
  EXPECT_EQ(std::get<layer_problem>(growth_of(relu)->at(7)).features, 7u);
  EXPECT_EQ(test::message_of<invalid_argument>([] { layer_problem{.rows = 0}.require_valid("f"); }),
            "f: layer_problem: rows and features must be at least 1, got 0 and 1");
  EXPECT_EQ(relu.nominal_flops(), 48);
}

}  // namespace
}  // namespace papilio

// Gradients of einsum and layers on the emulated accelerator: one dispatch, and the host's values.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/layers.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using C = std::complex<float>;

template <std::size_t Rank>
array<C, Rank> random_array(const extents_type<Rank>& extents, unsigned seed) {
  array<C, Rank> x(extents);
  std::ranges::copy(test::random_complex<float>(x.size(), seed), x.begin());
  return x;
}

// Sums of at most a hundred products, in fp32 on both sides.
template <class Got, class Expected>
void expect_near(const Got& got, const Expected& expected) {
  ASSERT_TRUE(std::ranges::equal(got.extents(), expected.extents()));
  const auto values = expected.flat();
  const std::vector<test::exact> wide(values.begin(), values.end());
  EXPECT_LT(test::relative_error(got.flat(), std::span<const test::exact>(wide)), 2e-6);
}

TEST(device_vjp, of_einsum_is_one_dispatch) {
  engine::device dev;
  const einsum_options on{.conjugate = {false, true}, .on = {.where = policy::device, .on = &dev}};
  const auto a = random_array<3>({2, 20, 30}, 1);
  const auto b = random_array<2>({30, 40}, 2), c = random_array<2>({40, 10}, 3);
  const auto g = random_array<3>({2, 20, 10}, 4);
  const auto host =
      einsum_vjp("bij,jk,kl->bil", g, a, b, c, einsum_options{.conjugate = {false, true}});
  const auto device = einsum_vjp("bij,jk,kl->bil", g, a, b, c, on);
  EXPECT_EQ(last_run().backend, "device");
  EXPECT_EQ(last_run().launches, 1u);
  for (std::size_t i = 0; i < 3; ++i) expect_near(device[i], host[i]);
  // What only one operand has, repeats and broadcasts.
  const auto d = random_array<3>({12, 12, 7}, 5);
  const auto e = random_array<2>({1, 7}, 6);
  const auto h = random_array<1>({12}, 7);
  const einsum_options plain{.on = on.on};
  const auto there = einsum_vjp("iij,kj->i", h, d, e, plain),
             here = einsum_vjp("iij,kj->i", h, d, e);
  for (std::size_t i = 0; i < 2; ++i) expect_near(there[i], here[i]);
}

TEST(device_vjp, of_device_arrays_stays_there) {
  engine::device dev;
  const auto a = random_array<2>({24, 30}, 1), b = random_array<2>({30, 40}, 2),
             g = random_array<2>({24, 40}, 3);
  const contraction_plan plan = plan_contraction("ij,jk->ik", a, b);
  const std::vector<device_ndarray<C>> operands{to_device(dev, a), to_device(dev, b)};
  dev.reset_record();
  const auto there = plan.vjp<C>(device_ndarray<C>(to_device(dev, g)),
                                 std::span<const device_ndarray<C>>(operands));
  EXPECT_EQ(dev.record().launches, 1u);
  const auto here = gemm_vjp(a, b, g);
  for (std::size_t i = 0; i < 2; ++i) expect_near(to_host(there[i]), here[i]);
  const contraction_plan diagonal = plan_contraction("ii->i", random_array<2>({4, 4}, 1));
  const std::vector<device_ndarray<C>> square{to_device(dev, random_array<2>({4, 4}, 1))};
  EXPECT_THROW(diagonal.vjp<C>(device_ndarray<C>(to_device(dev, random_array<1>({4}, 2))),
                               std::span<const device_ndarray<C>>(square)),
               invalid_argument);
}

TEST(device_vjp, of_layers_with_products) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const auto x = random_array<2>({20, 32}, 1), g = random_array<2>({20, 24}, 2);
  const complex_linear_parameters<float> linear{random_array<2>({24, 32}, 3),
                                                random_array<1>({24}, 4)};
  expect_near(complex_linear(x, linear, on), complex_linear(x, linear));
  const auto by = complex_linear_vjp(x, linear, g, on), host = complex_linear_vjp(x, linear, g);
  expect_near(by.x, host.x);
  expect_near(by.parameters.weight, host.parameters.weight);
  const auto s = random_array<3>({2, 6, 30}, 5), h = random_array<3>({2, 4, 30}, 6);
  const complex_conv1d_parameters<float> conv{random_array<3>({4, 3, 3}, 7), {}};
  const conv1d_options o = same_conv1d(3, 2, 2);
  expect_near(complex_conv1d(s, conv, o, on), complex_conv1d(s, conv, o));
  const auto by_conv = complex_conv1d_vjp(s, conv, h, o, on),
             host_conv = complex_conv1d_vjp(s, conv, h, o);
  expect_near(by_conv.x, host_conv.x);
  expect_near(by_conv.parameters.weight, host_conv.parameters.weight);
}

}  // namespace
}  // namespace papilio

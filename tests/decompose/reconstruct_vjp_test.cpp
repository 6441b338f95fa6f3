// Gradients of reconstructed arrays by every number of their models, by central differences.
#include <gtest/gtest.h>

#include <algorithm>

#include "papilio/base.hpp"
#include "papilio/decompose.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "support/adjoint.hpp"
#include "support/gradient_check.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <std::size_t Rank>
array<double, Rank> random_part(const extents_type<Rank>& extents, unsigned seed) {
  array<double, Rank> x(extents);
  std::ranges::copy(test::random_real<double>(x.size(), seed), x.begin());
  return x;
}

tensor<double> random_weights(std::initializer_list<std::size_t> extents) {
  tensor<double> g(extents);
  std::ranges::copy(test::random_real<double>(g.size(), 99), g.data());
  return g;
}

// Sums of at most some hundred products, in fp32 on both sides.
template <class Got, class Expected>
void expect_near(const Got& got, const Expected& expected) {
  const auto values = expected.flat();
  const std::vector<test::exact> wide(values.begin(), values.end());
  EXPECT_LT(test::relative_error(got.flat(), std::span<const test::exact>(wide)), 2e-6);
}

template <class Model>
auto loss_of(const Model& model, const tensor<double>& g) {
  return
      [&] { return static_cast<double>(test::inner(reconstruct(model).flat(), g.flat()).value); };
}

TEST(reconstruct_vjp, cp) {
  cp_model<double> m{
      random_part<1>({3}, 1),
      {random_part<2>({4, 3}, 2), random_part<2>({5, 3}, 3), random_part<2>({2, 3}, 4)}};
  const auto g = random_weights({4, 5, 2});
  const cp_model<double> by = reconstruct_vjp(m, g);
  const auto loss = loss_of(m, g);
  test::expect_gradient<double>(loss, m.weights.flat(), by.weights.flat());
  for (std::size_t mode = 0; mode < 3; ++mode)
    test::expect_gradient<double>(loss, m.factors[mode].flat(), by.factors[mode].flat());
  EXPECT_THROW(reconstruct_vjp(m, random_weights({4, 5, 3})), shape_error);
  m.factors.pop_back();
  m.weights = array<double, 1>({2});
  EXPECT_THROW(reconstruct_vjp(m, g), shape_error);
}

TEST(reconstruct_vjp, tucker) {
  tucker_model<double> m{
      random_weights({2, 3, 2}),
      {random_part<2>({4, 2}, 2), random_part<2>({5, 3}, 3), random_part<2>({3, 2}, 4)}};
  const auto g = random_weights({4, 5, 3});
  const tucker_model<double> by = reconstruct_vjp(m, g);
  const auto loss = loss_of(m, g);
  test::expect_gradient<double>(loss, m.core.flat(), by.core.flat());
  for (std::size_t mode = 0; mode < 3; ++mode)
    test::expect_gradient<double>(loss, m.factors[mode].flat(), by.factors[mode].flat());
}

TEST(reconstruct_vjp, tensor_train) {
  struct tensor_train<double> m {
    {
      random_part<3>({1, 4, 2}, 1), random_part<3>({2, 3, 3}, 2), random_part<3>({3, 5, 1}, 3)
    }
  };
  const auto g = random_weights({4, 3, 5});
  const auto by = reconstruct_vjp(m, g);
  const auto loss = loss_of(m, g);
  for (std::size_t mode = 0; mode < 3; ++mode)
    test::expect_gradient<double>(loss, m.cores[mode].flat(), by.cores[mode].flat());
}

// All gradients in one launch, against the host's.
TEST(reconstruct_vjp, on_an_accelerator) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const auto part = [](const extents_type<2>& extents, unsigned seed) {
    array<float, 2> x(extents);
    std::ranges::copy(test::random_real<float>(x.size(), seed), x.begin());
    return x;
  };
  cp_model<float> m{array<float, 1>({3}), {part({14, 3}, 2), part({15, 3}, 3), part({12, 3}, 4)}};
  std::ranges::fill(m.weights, 1.5F);
  tensor<float> g({14, 15, 12});
  std::ranges::copy(test::random_real<float>(g.size(), 5), g.data());
  const cp_model<float> there = reconstruct_vjp(m, g, on), here = reconstruct_vjp(m, g);
  EXPECT_EQ(dev.record().launches, 1u);
  expect_near(there.weights, here.weights);
  for (std::size_t mode = 0; mode < 3; ++mode) expect_near(there.factors[mode], here.factors[mode]);
  tucker_model<float> t{tensor<float>({3, 3, 3}), m.factors};
  std::ranges::copy(test::random_real<float>(27, 6), t.core.data());
  expect_near(reconstruct_vjp(t, g, on).core, reconstruct_vjp(t, g).core);
  EXPECT_THROW(reconstruct_vjp(m, g, {.where = policy::device}), device_error);
}

}  // namespace
}  // namespace papilio

// Gradients of reconstructed arrays by every number of their models, by central differences.
#include <gtest/gtest.h>

#include <algorithm>

#include "papilio/base.hpp"
#include "papilio/decompose.hpp"
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

}  // namespace
}  // namespace papilio

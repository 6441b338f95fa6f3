// Derivatives of reconstructed arrays by every number of their models, by central differences; arrays
// and derivatives of an accelerator beside the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

// Central differences (R(m + h d) - R(m - h d)) / (2 h) along a change d, whose errors are of h^2
// and epsilon / h, and <R' d, g> = <d, R'* g> with the gradients.
template <class Model>
void expect_jvp(const Model& model, const Model& change, const auto& parts_of) {
  const double h = 1e-5;
  Model above = model, below = model;
  const auto add = [&](Model& to, double factor) {
    const auto from = parts_of(change), into = parts_of(to);
    for (std::size_t i = 0; i < into.size(); ++i)
      for (std::size_t k = 0; k < into[i].size(); ++k) into[i][k] += factor * from[i][k];
  };
  add(above, h);
  add(below, -h);
  const tensor<double> got = reconstruct_jvp(model, change), far = reconstruct(above),
                       near = reconstruct(below);
  ASSERT_TRUE(std::ranges::equal(got.extents(), model.extents()));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.data()[i], (far.data()[i] - near.data()[i]) / (2 * h), 1e-7) << i;
  tensor<double> g(model.extents());
  std::ranges::copy(test::random_real<double>(g.size(), 98), g.data());
  const Model by = reconstruct_vjp(model, g);
  const test::inner_product left = test::inner(got.flat(), g.flat());
  test::inner_product right;
  const auto changes = parts_of(change), gradients = parts_of(by);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const test::inner_product part = test::inner(changes[i], gradients[i]);
    right.value += part.value;
    right.scale += part.scale;
  }
  // Sums of some hundred products in double.
  EXPECT_NEAR(static_cast<double>(left.value), static_cast<double>(right.value),
              1e-14 * static_cast<double>(left.scale + right.scale));
}

// Spans over the numbers of each part, also of const models.
const auto cp_parts = [](auto& m) {
  std::vector parts{m.weights.flat()};
  for (auto& f : m.factors) parts.push_back(f.flat());
  return parts;
};
const auto tucker_parts = [](auto& m) {
  std::vector parts{m.core.flat()};
  for (auto& f : m.factors) parts.push_back(f.flat());
  return parts;
};
const auto train_parts = [](auto& m) {
  std::vector<decltype(m.cores[0].flat())> parts;
  for (auto& c : m.cores) parts.push_back(c.flat());
  return parts;
};

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const shape_error& e) {
    return e.what();
  }
  return "";
}

TEST(reconstruct_jvp, cp) {
  for (const std::vector<std::size_t>& extents :
       {std::vector<std::size_t>{5}, {4, 3}, {4, 5, 2}, {3, 2, 4, 1, 3}})
    for (const std::size_t rank : {1, 3}) {
      const auto made = [&](unsigned seed) {
        cp_model<double> m{random_part<1>({rank}, seed), {}};
        for (const std::size_t n : extents) m.factors.push_back(random_part<2>({n, rank}, ++seed));
        return m;
      };
      expect_jvp(made(1), made(20), cp_parts);
    }
}

TEST(reconstruct_jvp, tucker) {
  for (const std::vector<std::size_t>& extents :
       {std::vector<std::size_t>{5}, {4, 3}, {4, 5, 3}, {3, 2, 4, 3}}) {
    const auto made = [&](unsigned seed) {
      std::vector<std::size_t> ranks;
      tucker_model<double> m;
      for (const std::size_t n : extents) {
        ranks.push_back(n - 1);
        m.factors.push_back(random_part<2>({n, n - 1}, ++seed));
      }
      m.core = tensor<double>(ranks);
      std::ranges::copy(test::random_real<double>(m.core.size(), seed), m.core.data());
      return m;
    };
    expect_jvp(made(1), made(20), tucker_parts);
  }
}

TEST(reconstruct_jvp, tensor_train) {
  for (const std::vector<std::size_t>& bonds :
       {std::vector<std::size_t>{1, 1}, {1, 2, 1}, {1, 2, 3, 1}, {1, 2, 4, 3, 1}}) {
    const auto made = [&](unsigned seed) {
      tensor_train<double> m;
      for (std::size_t k = 0; k + 1 < bonds.size(); ++k)
        m.cores.push_back(random_part<3>({bonds[k], 3 + k, bonds[k + 1]}, ++seed));
      return m;
    };
    expect_jvp(made(1), made(20), train_parts);
  }
}

TEST(reconstruct_jvp, refuses_a_tangent_of_another_model) {
  const cp_model<double> m{random_part<1>({3}, 1),
                           {random_part<2>({4, 3}, 2), random_part<2>({5, 3}, 3)}};
  cp_model<double> change = m;
  change.factors[1] = random_part<2>({6, 3}, 4);
  EXPECT_EQ(message_of([&] { reconstruct_jvp(m, change); }),
            "reconstruct_jvp: axis 0 of the tangent's factor of mode 1 must have extent 5, as the "
            "model's, got 6");
  change = m;
  change.weights = array<double, 1>({2});
  EXPECT_EQ(message_of([&] { reconstruct_jvp(m, change); }),
            "reconstruct_jvp: axis 0 of the tangent's weights must have extent 3, as the model's, "
            "got 2");
  change = m;
  change.factors.pop_back();
  EXPECT_EQ(message_of([&] { reconstruct_jvp(m, change); }),
            "reconstruct_jvp: the tangent must have 2 factors, as the model, got 1");
  EXPECT_THROW(reconstruct_jvp(change, m), shape_error);
  const tucker_model<double> t{random_weights({3, 3}), m.factors};
  EXPECT_EQ(message_of([&] {
              reconstruct_jvp(t, {random_weights({3, 3, 1}), m.factors});
            }),
            "reconstruct_jvp: the tangent's core must have 2 axes, as the model's, got 3");
  const struct tensor_train<double> train{
      {random_part<3>({1, 4, 2}, 1), random_part<3>({2, 3, 1}, 2)}},
      other {
    { random_part<3>({1, 4, 3}, 1), random_part<3>({3, 3, 1}, 2) }
  };
  EXPECT_EQ(message_of([&] { reconstruct_jvp(train, other); }),
            "reconstruct_jvp: axis 2 of the tangent's core of mode 0 must have extent 2, as the "
            "model's, got 3");
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

// One launch each, against the host.
TEST(reconstruct_jvp, on_an_accelerator) {
  engine::device dev;
  const execution on{.where = policy::device, .on = &dev};
  const auto part = []<std::size_t Rank>(const std::size_t(&extents)[Rank], unsigned seed) {
    array<float, Rank> x(std::to_array(extents));
    std::ranges::copy(test::random_real<float>(x.size(), seed), x.begin());
    return x;
  };
  const auto expect_same = [&](const auto& model, const auto& change) {
    const std::size_t before = dev.record().launches;
    const tensor<float> there = reconstruct_jvp(model, change, on);
    EXPECT_EQ(dev.record().launches, before + 1);
    expect_near(there, reconstruct_jvp(model, change));
    const tensor<float> whole = reconstruct(model, on);
    EXPECT_EQ(dev.record().launches, before + 2);
    expect_near(whole, reconstruct(model));
    EXPECT_TRUE(std::ranges::equal(reconstruct(model, {.threads = 2}).flat(),
                                   reconstruct(model, {.threads = 1}).flat()));
    EXPECT_THROW(reconstruct(model, {.threads = -1}), invalid_argument);
  };
  const auto cp = [&](unsigned s) {
    return cp_model<float>{part({3}, s),
                           {part({14, 3}, s + 1), part({15, 3}, s + 2), part({12, 3}, s + 3)}};
  };
  expect_same(cp(1), cp(11));
  const auto tucker = [&](unsigned s) {
    tucker_model<float> m{tensor<float>({3, 3, 3}), cp(s).factors};
    std::ranges::copy(test::random_real<float>(27, s), m.core.data());
    return m;
  };
  expect_same(tucker(2), tucker(12));
  const auto train = [&](unsigned s) {
    struct tensor_train<float> m {
      {
        part({1, 14, 3}, s), part({3, 9, 4}, s + 1), part({4, 12, 1}, s + 2)
      }
    };
    return m;
  };
  expect_same(train(3), train(13));
  EXPECT_THROW(reconstruct_jvp(cp(1), cp(2), {.where = policy::device}), device_error);
}

}  // namespace
}  // namespace papilio

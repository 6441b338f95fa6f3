// Gradients of einsum: an einsum is linear in each operand, so that for any change d of operand i
// <gradient, einsum(... d ...)> = <vjp_i, d>, which determines vjp_i.
#include <gtest/gtest.h>

#include <string>

#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "papilio/contract.hpp"
#include "support/adjoint.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class T>
tensor<T> random_tensor(const std::vector<std::size_t>& extents, unsigned seed) {
  tensor<T> x(extents);
  if constexpr (std::is_floating_point_v<T>)
    std::ranges::copy(test::random_real<T>(x.size(), seed), x.data());
  else
    std::ranges::copy(test::random_complex<typename T::value_type>(x.size(), seed), x.data());
  return x;
}

template <class T>
std::span<const T> elements(const tensor<T>& x) {
  return {x.data(), x.size()};
}

using shapes = std::vector<std::vector<std::size_t>>;

template <class T>
void expect_vjp(const std::string& subscripts, const shapes& extents,
                const std::vector<bool>& conjugate = {}) {
  std::vector<tensor<T>> held;
  for (const auto& e : extents) held.push_back(random_tensor<T>(e, unsigned(held.size()) + 1));
  std::vector<tensor_view<const T>> operands;
  for (const tensor<T>& t : held) operands.push_back(t.view());
  const std::span<const tensor_view<const T>> all(operands);
  const einsum_options options{.conjugate = conjugate};
  const contraction_plan plan = plan_contraction<T>(subscripts, all, options);
  const tensor<T> g = random_tensor<T>(plan.extents(), 99);
  contraction_sharing sharing;
  const auto gradients = plan.vjp<T>(g.view(), all, &sharing);
  ASSERT_EQ(gradients.size(), held.size());
  const std::size_t steps = plan.steps().size();
  if (held.size() > 1) {  // with a step for what is repeated
    EXPECT_LE(sharing.distinct, 3 * steps + held.size()) << subscripts;
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(gradients[i].extents(), extents[i])) << subscripts;
    const tensor<T> change = random_tensor<T>(extents[i], 50 + unsigned(i));
    auto changed = operands;
    changed[i] = change.view();
    const tensor<T> derivative =
        einsum<T>(subscripts, std::span<const tensor_view<const T>>(changed), options);
    // Sums of at most a few hundred products of three or four factors.
    EXPECT_LE(test::adjoint_error(elements(derivative), elements(g), elements(change),
                                  elements(gradients[i])),
              32 * std::numeric_limits<typename contract_detail::real_of<T>::type>::epsilon())
        << subscripts << " operand " << i;
  }
}

template <class T>
void expect_all() {
  expect_vjp<T>("ij,jk->ik", {{3, 4}, {4, 5}});
  expect_vjp<T>("ij,jk->ik", {{3, 4}, {4, 5}}, {true, false});
  expect_vjp<T>("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}});
  expect_vjp<T>("ij->ji", {{3, 4}});
  expect_vjp<T>("ij->i", {{3, 4}});
  expect_vjp<T>("ii->", {{4, 4}}, {true});
  expect_vjp<T>("iij->ij", {{4, 4, 3}});
  expect_vjp<T>("iij,j->i", {{4, 4, 3}, {3}});
  expect_vjp<T>("ij,kl->", {{3, 4}, {2, 5}});
  expect_vjp<T>("i,i,i->i", {{6}, {6}, {6}}, {false, true});
  expect_vjp<T>("ij,ij->ij", {{1, 4}, {3, 4}});
  expect_vjp<T>("...ij,jk->...ik", {{2, 3, 4, 5}, {5, 2}});
  expect_vjp<T>("...ij,...jk->...ik", {{1, 3, 4}, {2, 4, 5}});
  expect_vjp<T>("r,ir,jr,kr->ijk", {{3}, {4, 3}, {5, 3}, {6, 3}});
  expect_vjp<T>("abc,ia,jb,kc->ijk", {{2, 3, 2}, {4, 2}, {5, 3}, {6, 2}}, {true, true});
  expect_vjp<T>("xia,ajb,bkc,cly->ijkl", {{1, 4, 2}, {2, 5, 3}, {3, 4, 2}, {2, 3, 1}});
}

TEST(einsum_vjp, real) {
  expect_all<float>();
  expect_all<double>();
}
TEST(einsum_vjp, complex_and_conjugated) {
  expect_all<std::complex<float>>();
  expect_all<std::complex<double>>();
}

// A chain of k matrices: k - 1 forward products, and two for each matrix but the ends' one.
TEST(einsum_vjp, intermediates_are_shared) {
  std::string subscripts;
  shapes extents;
  std::vector<tensor<double>> held;
  std::vector<tensor_view<const double>> operands;
  constexpr std::size_t count = 12;
  for (std::size_t i = 0; i < count; ++i) {
    subscripts += (i ? "," : "") + std::string{char('a' + i), char('b' + i)};
    held.push_back(random_tensor<double>({6, 6}, unsigned(i)));
  }
  subscripts += std::string("->a") + char('a' + count);
  for (const auto& t : held) operands.push_back(t.view());
  const std::span<const tensor_view<const double>> all(operands);
  const contraction_plan plan = plan_contraction<double>(subscripts, all);
  contraction_sharing sharing;
  plan.vjp<double>(held[0].view(), all, &sharing);
  EXPECT_EQ(sharing.steps, count * (count - 1));
  EXPECT_LE(sharing.distinct, 3 * (count - 1));
}

TEST(einsum_vjp, plans_of_gradients_are_what_vjp_runs) {
  const auto a = random_tensor<std::complex<double>>({3, 4}, 1),
             b = random_tensor<std::complex<double>>({4, 5}, 2),
             g = random_tensor<std::complex<double>>({3, 5}, 3);
  const contraction_plan plan = plan_contraction("ij,jk->ik", a, b);
  const auto plans = plan.gradients();
  ASSERT_EQ(plans.size(), 2u);
  const std::vector<tensor_view<const std::complex<double>>> in{g.view(), b.view()};
  const auto alone = plans[0].execute<std::complex<double>>(in);
  const auto [by_a, by_b] = [&] {
    auto both = einsum_vjp("ij,jk->ik", g, a, b);
    return std::pair(std::move(both[0]), std::move(both[1]));
  }();
  EXPECT_TRUE(std::ranges::equal(elements(alone), elements(by_a)));
  EXPECT_EQ(by_b.extent(0), 4u);
}

TEST(einsum_vjp, of_products_with_every_op) {
  using C = std::complex<double>;
  for (const matrix_op op_a : {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                               matrix_op::conjugate_transpose})
    for (const matrix_op op_b : {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                                 matrix_op::conjugate_transpose}) {
      const auto swaps = [](matrix_op op) {
        return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
      };
      const auto filled = [](const extents_type<3>& e, unsigned seed) {
        array<C, 3> x(e);
        std::ranges::copy(test::random_complex<double>(x.size(), seed), x.begin());
        return x;
      };
      const product_options options{.a = op_a, .b = op_b};
      const extents_type<3> ea = swaps(op_a) ? extents_type<3>{1, 4, 3} : extents_type<3>{1, 3, 4};
      const extents_type<3> eb = swaps(op_b) ? extents_type<3>{2, 5, 4} : extents_type<3>{2, 4, 5};
      const auto a = filled(ea, 1), da = filled(ea, 2), b = filled(eb, 3), db = filled(eb, 4),
                 g = filled({2, 3, 5}, 5);
      const auto gradients = gemm_vjp(a, b, g, options);
      EXPECT_LE(test::adjoint_error(gemm(da, b, options), g, da, elements(gradients[0])), 1e-15);
      EXPECT_LE(test::adjoint_error(gemm(a, db, options), g, db, elements(gradients[1])), 1e-15);
    }
}

TEST(einsum_vjp, refuses_what_does_not_fit) {
  const auto a = random_tensor<double>({3, 4}, 1), b = random_tensor<double>({4, 5}, 2);
  const contraction_plan plan = plan_contraction("ij,jk->ik", a, b);
  const std::vector<tensor_view<const double>> both{a.view(), b.view()}, one{a.view()};
  EXPECT_THROW(plan.vjp<double>(a.view(), both), shape_error);
  const auto g = random_tensor<double>({3, 5}, 3);
  EXPECT_THROW(plan.vjp<double>(g.view(), one), shape_error);
  const auto f = random_tensor<float>({3, 5}, 3);
  const auto fa = random_tensor<float>({3, 4}, 1), fb = random_tensor<float>({4, 5}, 2);
  const std::vector<tensor_view<const float>> floats{fa.view(), fb.view()};
  EXPECT_THROW(plan.vjp<float>(f.view(), floats), invalid_argument);
  einsum_options sliced;
  sliced.path.largest_intermediate = 20;
  const auto c = random_tensor<double>({5, 6}, 3), d = random_tensor<double>({6, 2}, 4);
  const contraction_plan cut = plan_contraction("ij,jk,kl,lm->im", a, b, c, d, sliced);
  if (!cut.path().sliced.empty()) {
    EXPECT_THROW(cut.gradients(), invalid_argument);
  }
}

}  // namespace
}  // namespace papilio

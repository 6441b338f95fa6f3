#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "contract/random_expression.hpp"
#include "papilio/contract/einsum.hpp"

// Random subscripts against the definition of the sum, which knows the labels but not the text.
namespace papilio::test {
namespace {

// Each product of p factors has at most 4 p roundings (complex), a sum n - 1; intermediates are
// sums of products themselves.
template <class T>
long double tolerance(const bounded_value& sum, std::size_t operands) {
  const long double eps = std::numeric_limits<real_part_of<T>>::epsilon();
  return eps * sum.magnitude *
         (static_cast<long double>(sum.terms) + 4 * static_cast<long double>(operands) + 4);
}

template <class T>
class random_einsum : public ::testing::Test {};
using elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(random_einsum, elements);

template <class T>
void compare(const made_expression& e, std::mt19937& random) {
  std::vector<stored<T>> memory;
  std::vector<bool> conjugates;
  for (const std::vector<int>& axes : e.axes) {
    memory.emplace_back(random_layout(axes, e.sizes, true, random), random);
    conjugates.push_back(random() % 4 == 0);
  }
  std::vector<const stored<T>*> operands;
  std::vector<const layout*> inputs;
  std::vector<tensor_view<const T>> views;
  for (const stored<T>& m : memory) {
    operands.push_back(&m);
    inputs.push_back(&m.shape);
    views.push_back(view_of(m));
  }
  stored<T> out(random_layout(e.output, e.sizes, false, random), random);
  const einsum_options options{
      .conjugate = conjugates,
      .path = {.search = random() % 2 == 0 ? path_search::greedy : path_search::automatic,
               .seconds = 0.01}};
  const tensor_view<T> to(out.data(), out.shape.extents, out.shape.strides);
  contract_detail::einsum_into<T>(e.text, to, views, options);
  const tensor<T> alone = contract_detail::einsum<T>(e.text, views, options);
  ASSERT_TRUE(std::ranges::equal(alone.extents(), out.shape.extents)) << e.text;
  const step_space space(inputs, out.shape);
  label_values at{};
  std::size_t index = 0;
  space.for_each(e.output, at, [&] {
    const bounded_value expected = naive_sum<T>(space, operands, conjugates, at);
    const long double bound = tolerance<T>(expected, operands.size());
    const T got = out.data()[offset_of(out.shape, at)];
    ASSERT_LE(std::abs(exact_value(got) - expected.value), bound) << e.text << " at " << index;
    ASSERT_LE(std::abs(exact_value(alone.flat()[index]) - expected.value), bound) << e.text;
    ++index;
  });
}

// 4 types, 5000 expressions each.
TYPED_TEST(random_einsum, is_the_sum_of_products) {
  std::mt19937 random(20210 + static_cast<unsigned>(sizeof(TypeParam)));
  for (int trial = 0; trial < 5000; ++trial) {
    const made_expression e = expression_maker(random).make();
    compare<TypeParam>(e, random);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace papilio::test

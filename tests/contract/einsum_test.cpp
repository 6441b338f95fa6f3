#include "papilio/contract/einsum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "support/device_case.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

template <class T, std::size_t Rank>
array<T, Rank> counted(const extents_type<Rank>& extents, T first = 1) {
  array<T, Rank> a(extents);
  for (T& x : a.flat()) x = std::exchange(first, first + T(1));
  return a;
}

TEST(einsum, multiplies_matrices) {
  const auto a = counted<float, 2>({2, 3}), b = counted<float, 2>({3, 2});
  const tensor<float> c = einsum("ij,jk->ik", a, b);
  ASSERT_EQ(c.rank(), 2u);
  EXPECT_EQ(c.as<2>()(0, 0), 22);
  EXPECT_EQ(c.as<2>()(0, 1), 28);
  EXPECT_EQ(c.as<2>()(1, 0), 49);
  EXPECT_EQ(c.as<2>()(1, 1), 64);
}

TEST(einsum, takes_operands_in_a_list) {
  const auto a = counted<float, 2>({2, 3}), b = counted<float, 2>({3, 2});
  const std::vector<tensor_view<const float>> list{a, b};
  const std::span<const tensor_view<const float>> operands(list);
  const tensor<float> c = einsum("ij,jk->ik", operands);
  EXPECT_EQ(c.as<2>()(1, 1), 64);
  EXPECT_EQ(plan_contraction("ij,jk->ik", operands).steps().size(), 1u);
}

TEST(einsum, orders_the_result_as_asked) {
  const auto a = counted<double, 2>({2, 3}), b = counted<double, 2>({3, 2});
  const tensor<double> c = einsum("ij,jk->ki", a, b);
  EXPECT_EQ(c.as<2>()(0, 1), 49);
  const tensor<double> s = einsum("ij,jk->", a, b);
  EXPECT_EQ(s.rank(), 0u);
  EXPECT_EQ(s.flat()[0], 163);
}

TEST(einsum, takes_labels_that_are_numbers) {
  const auto a = counted<double, 2>({2, 3}), b = counted<double, 2>({3, 2});
  const tensor<double> text = einsum("ij,jk->ki", a, b);
  const tensor<double> numbers = einsum(einsum_labels{{{100, 7}, {7, 3000}}, {{3000, 100}}}, a, b);
  EXPECT_TRUE(std::ranges::equal(text.flat(), numbers.flat()));
}

TEST(einsum, converts_operands_to_the_type_that_holds_them_all) {
  const auto a = counted<float, 1>({3});
  array<std::complex<double>, 1> b(3);
  for (auto& x : b.flat()) x = {0, 1};
  const auto c = einsum("i,i->", a, b);
  static_assert(std::is_same_v<decltype(c)::value_type, std::complex<double>>);
  EXPECT_EQ(c.flat()[0], (std::complex<double>{0, 6}));
}

TEST(einsum_into, adds_to_what_is_there) {
  const auto a = counted<double, 2>({2, 2});
  auto c = counted<double, 2>({2, 2});
  einsum_into("ij,jk->ik", c, a, a, einsum_options{.alpha = 2.0, .beta = -1.0});
  EXPECT_EQ(c(0, 0), 2 * 7 - 1);
  EXPECT_EQ(c(1, 1), 2 * 22 - 4);
}

TEST(einsum_into, beta_of_0_does_not_read_the_output) {
  const auto a = counted<float, 2>({3, 3});
  array<float, 2> c({3, 3});
  for (float& x : c.flat()) x = std::numeric_limits<float>::quiet_NaN();
  einsum_into("ij,jk->ik", c, a, a);
  for (float x : c.flat()) EXPECT_TRUE(std::isfinite(x));
}

TEST(einsum_into, sums_over_slices) {
  const auto a = random_real<double>(6 * 5 * 7, 3), b = random_real<double>(7 * 5 * 4, 4),
             d = random_real<double>(4 * 6, 5);
  const view<const double, 3> x(a.data(), {6, 5, 7}), y(b.data(), {7, 5, 4});
  const view<const double, 2> z(d.data(), {4, 6});
  const tensor<double> whole = einsum("abc,cbd,da->ab", x, y, z);
  const einsum_options limited{.path = {.largest_intermediate = 30}};
  const contraction_plan plan = plan_contraction("abc,cbd,da->ab", x, y, z, limited);
  ASSERT_FALSE(plan.path().sliced.empty());
  tensor<double> out({6, 5});
  for (double& v : out.flat()) v = 1;
  einsum_options added = limited;
  added.beta = 2.0;
  einsum_into("abc,cbd,da->ab", out, x, y, z, added);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_NEAR(out.flat()[i], whole.flat()[i] + 2, 1e-13 * 140);
}

// Slices of labels that are summed and of those of the result, in parts that begin anywhere.
void expect_parts_of_the_whole(const char* text,
                               const std::vector<tensor_view<const double>>& operands,
                               std::size_t limit) {
  const contraction_plan plan =
      plan_contraction<double>(text, operands, {.path = {.largest_intermediate = limit}});
  const std::size_t slices = plan.slices();
  ASSERT_EQ(static_cast<double>(slices), plan.path().slices);
  ASSERT_GT(slices, 2u);
  const tensor<double> whole = plan.execute<double>(operands);
  EXPECT_TRUE(
      std::ranges::equal(plan.execute_slices<double>(0, slices, operands).flat(), whole.flat()));
  const bool of_result = plan.path().sliced == std::vector<int>{0};
  EXPECT_EQ(of_result, limit == 9) << "the label of the result";
  if (of_result) {
    EXPECT_EQ(plan.execute_slices<double>(0, 1, operands).flat()[1], 0);
  }
  for (const std::size_t parts : {std::size_t{2}, std::size_t{3}, slices}) {
    tensor<double> sum(plan.extents());
    for (std::size_t p = 0; p < parts; ++p) {
      const tensor<double> part =
          plan.execute_slices<double>(slices * p / parts, slices * (p + 1) / parts, operands);
      for (std::size_t i = 0; i < sum.size(); ++i) sum.flat()[i] += part.flat()[i];
    }
    // Sums of at most 140 products of the size of a few units, in another order.
    for (std::size_t i = 0; i < sum.size(); ++i)
      EXPECT_NEAR(sum.flat()[i], whole.flat()[i], 1e-13 * 140) << text << " " << parts;
  }
  const tensor<double> none = plan.execute_slices<double>(2, 2, operands);
  for (const double v : none.flat()) EXPECT_EQ(v, 0);
  EXPECT_EQ(test::message_of<invalid_argument>(
                [&] { plan.execute_slices<double>(1, slices + 1, operands); }),
            base_detail::message("contraction_plan::execute_slices: slices must be 0 <= first <= "
                                 "last <= ",
                                 slices, ", got 1 and ", slices + 1));
  EXPECT_THROW(plan.execute_slices<double>(2, 1, operands), invalid_argument);
}

TEST(execute_slices, of_parts_are_the_whole) {
  const auto a = random_real<double>(6 * 5 * 7, 3), b = random_real<double>(7 * 5 * 4, 4),
             d = random_real<double>(4 * 6, 5);
  const view<const double, 3> x(a.data(), {6, 5, 7}), y(b.data(), {7, 5, 4});
  const view<const double, 2> z(d.data(), {4, 6});
  expect_parts_of_the_whole("abc,cbd,da->ab", {x, y, z}, 30);
  // Only slices of the result's label make [a, b, d] so small.
  const view<const double, 3> p(a.data(), {6, 3, 4}), q(b.data(), {6, 4, 3}),
      r(a.data(), {6, 3, 3});
  expect_parts_of_the_whole("abc,acd,abd->a", {p, q, r}, 9);

  const std::vector<tensor_view<const double>> operands{x, y, z};
  const contraction_plan unsliced = plan_contraction("abc,cbd,da->ab", x, y, z);
  EXPECT_EQ(unsliced.slices(), 1u);
  EXPECT_TRUE(std::ranges::equal(unsliced.execute_slices<double>(0, 1, operands).flat(),
                                 unsliced.execute<double>(operands).flat()));
  const tensor<double> none = unsliced.execute_slices<double>(0, 0, operands);
  for (const double v : none.flat()) EXPECT_EQ(v, 0);
}

TEST(einsum, refuses_what_it_cannot_do) {
  const auto a = counted<float, 2>({2, 3}), b = counted<float, 2>({3, 2});
  array<float, 2> c({2, 2}), wrong({2, 3});
  EXPECT_THROW(einsum("ij,jk->ix", a, b), invalid_argument);
  EXPECT_THROW(einsum("ij,jk->ik", a, a), shape_error);
  EXPECT_THROW(einsum("ij,jk->ik", a, b, einsum_options{.beta = 1.0}), invalid_argument);
  for (const char* const subscripts : {"ij,jk->ik", "ij,jk->"})
    EXPECT_EQ(test::message_of<invalid_argument>(
                  [&] { einsum(subscripts, a, b, einsum_options{.on = {.threads = -1}}); }),
              "einsum: threads must be at least 0, got -1");
  EXPECT_THROW(einsum("ij,jk->ik", a, b, einsum_options{.on = {.backend = "device"}}),
               invalid_argument);
  EXPECT_THROW(einsum("ij,jk->ik", a, b, einsum_options{.alpha = {0, 1}}), invalid_argument);
  EXPECT_THROW(einsum("ij,jk->ik", a, b, einsum_options{.conjugate = {true, false, true}}),
               invalid_argument);
  EXPECT_THROW(einsum_into("ij,jk->ik", wrong, a, b), shape_error);
  EXPECT_THROW(einsum_into("ij,jk->ik", c, c, c), invalid_argument);
  const view<float, 2> shared(c.data(), {2, 2}, {0, 1});
  EXPECT_THROW(einsum_into("ij,jk->ik", shared, a, b), shape_error);
  EXPECT_THROW(einsum("ij,jk->ik", a, b, einsum_options{.pairs = {{{0, 2}}}}), invalid_argument);
}

TEST(einsum, messages_name_the_function_and_show_the_fault) {
  const auto a = counted<float, 2>({2, 3});
  try {
    einsum("ij,jk->iz", a, a);
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find('^'), std::string::npos) << e.what();
  }
}

TEST(einsum, rounds_its_result_as_asked) {
  array<float, 1> x(1);
  x(0) = 1 + 0x1p-9f;  // half of the last place of bfloat16 above 1 is 2^-8
  const auto value = [&](const result_rounding& r) {
    return einsum("i->i", x, einsum_options{.rounding = r}).flat()[0];
  };
  EXPECT_EQ(value({.to = rounded_type::bfloat16}), 1.0f);
  EXPECT_EQ(value({.to = rounded_type::float16}), 1 + 0x1p-9f);
  int up = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const float v = value({.to = rounded_type::bfloat16, .stochastic = true, .seed = seed});
    ASSERT_TRUE(v == 1.0f || v == 1 + 0x1p-7f) << v;
    up += v != 1.0f;
  }
  // Binomial with p = 1/4: four standard deviations are 110.
  EXPECT_NEAR(up, 1000, 110);
}

TEST(einsum, compensated_sums_are_rounded_once) {
  const std::size_t n = 4096;
  const auto a = random_real<float>(n, 1), b = random_real<float>(n, 2);
  double exact = 0;
  for (std::size_t i = 0; i < n; ++i) exact += static_cast<double>(a[i]) * b[i];
  const auto x = view<const float, 1>(a.data(), {n}), y = view<const float, 1>(b.data(), {n});
  einsum_options options;
  options.on.precision.mode = precision::compensated;
  EXPECT_EQ(einsum("i,i->", x, y, options).flat()[0], static_cast<float>(exact));
  options.on.precision = {.target_error = 1e-7};
  EXPECT_EQ(einsum("i,i->", x, y, options).flat()[0], static_cast<float>(exact));
  options.on.precision = {.target_error = 1e-12};
  EXPECT_THROW(einsum("i,i->", x, y, options), invalid_argument);
  options.on.precision = {.mode = precision::bf16};
  EXPECT_THROW(einsum("i,i->", x, y, options), invalid_argument);
}

TEST(contraction_cache, keeps_plans_by_all_that_decides_them) {
  clear_contraction_cache();
  const auto before = contraction_cache_statistics();
  const auto a = counted<float, 2>({4, 4});
  const auto d = counted<double, 2>({4, 4});
  const auto misses = [&] { return contraction_cache_statistics().misses - before.misses; };
  einsum("ij,jk->ik", a, a);
  EXPECT_EQ(misses(), 1u);
  einsum("ij,jk->ik", a, a);
  EXPECT_EQ(misses(), 1u);
  einsum("ij,jk->ki", a, a);
  einsum("ij,jk->ik", d, d);
  const view<const float, 2> turned(a.data(), {4, 4}, {1, 4});
  einsum("ij,jk->ik", a, turned);
  einsum("ij,jk->ik", a, a, einsum_options{.conjugate = {true}});
  EXPECT_EQ(misses(), 5u);
  EXPECT_EQ(contraction_cache_statistics().plans, 5u);
  set_contraction_cache_limit({.plans = 2, .bytes = std::size_t{1} << 20});
  EXPECT_EQ(contraction_cache_statistics().plans, 2u);
  set_contraction_cache_limit({});
  clear_contraction_cache();
  EXPECT_EQ(contraction_cache_statistics().plans, 0u);
}

TEST(contraction_plan, is_executed_on_other_operands) {
  const auto a = random_real<double>(6, 1), b = random_real<double>(12, 2);
  const view<const double, 2> x(a.data(), {2, 3}), y(b.data(), {3, 4});
  const view<const double, 2> turned(b.data(), {3, 4}, {1, 3});
  const contraction_plan plan = plan_contraction("ij,jk->ki", x, y);
  const std::vector<tensor_view<const double>> same{x, y}, other{x, turned};
  EXPECT_TRUE(
      std::ranges::equal(plan.execute<double>(same).flat(), einsum("ij,jk->ki", x, y).flat()));
  const tensor<double> got = plan.execute<double>(other), wanted = einsum("ij,jk->ki", x, turned);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got.flat()[i], wanted.flat()[i], 1e-14);
  const std::vector<tensor_view<const double>> wrong{y, x};
  EXPECT_THROW(plan.execute<double>(wrong), shape_error);
  EXPECT_THROW(plan.execute<float>({}), invalid_argument);
}

TEST(contraction_plan, takes_labels_as_numbers) {
  const auto a = counted<float, 2>({2, 3}), b = counted<float, 2>({3, 2});
  const einsum_labels labels{{{0, 70}, {70, 2}}, {{0, 2}}};
  const contraction_plan plan = plan_contraction(labels, a, b);
  const std::vector<tensor_view<const float>> operands{a, b};
  EXPECT_TRUE(
      std::ranges::equal(plan.execute<float>(operands).flat(), einsum("ij,jk->ik", a, b).flat()));
  EXPECT_THROW(plan_contraction(einsum_labels{{{0, 1}, {0, 2}}, {{0, 2}}}, a, b), shape_error);
}

TEST(contraction_plan, refuses_options_that_it_would_not_keep) {
  const auto a = counted<float, 2>({4, 4});
  EXPECT_THROW(plan_contraction("ij,jk", a, a, einsum_options{.alpha = 2.0}), invalid_argument);
  EXPECT_THROW(
      plan_contraction("ij,jk", a, a, einsum_options{.rounding = {.to = rounded_type::bfloat16}}),
      invalid_argument);
  einsum_options exact;
  exact.on.precision.mode = precision::compensated;
  EXPECT_THROW(plan_contraction("ij,jk", a, a, exact), invalid_argument);
  EXPECT_THROW(plan_contraction("ij,jk,kl->il", a, a, a,
                                einsum_options{.path = {.largest_intermediate = 3},
                                               .pairs = {{{0, 1}, {0, 1}}}}),
               resource_error);
}

TEST(contraction_plan, reports_its_steps) {
  const auto a = counted<float, 2>({20, 30}), b = counted<float, 2>({30, 40}),
             c = counted<float, 2>({40, 5});
  const contraction_plan plan = plan_contraction("ij,jk,kl->il", a, b, c);
  const std::vector<contraction_step> steps = plan.steps();
  ASSERT_EQ(steps.size(), 2u);
  // (b c) first: 30 x 40 x 5, then 20 x 30 x 5.
  EXPECT_EQ(steps[0].expression, "jk,kl->jl");
  EXPECT_EQ(steps[0].macs, 6000);
  EXPECT_EQ(steps[1].flops, 6000);
  EXPECT_EQ(steps[1].kind, "gemm");
  EXPECT_GT(steps[1].host_seconds, 0);
  EXPECT_EQ(plan.backend(), "host");
  EXPECT_NE(plan.report().find("ij,jk,kl->il"), std::string::npos) << plan.report();
}

TEST(einsum, says_what_ran) {
  const auto a = counted<float, 2>({4, 4});
  einsum("ij,jk->ik", a, a);
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_EQ(last_run().operation, "einsum ij,jk->ik");
}

struct interrupted {};
thread_local int questions_left = 0;

// Products of matrices, of many small ones, and sums that are no product: a call is ended between its
// parts, and who is asked and goes on has the bits of who is not.
TEST(einsum, may_be_ended_between_its_parts) {
  const auto a = counted<double, 3>({40, 6, 300}), b = counted<double, 3>({40, 300, 7});
  const auto m = counted<double, 2>({2500, 60}), n = counted<double, 2>({60, 50});
  for (const int threads : {1, 2}) {
    const einsum_options options{.on = {.threads = threads}};
    for (const auto& run : std::initializer_list<std::function<tensor<double>()>>{
             [&] { return einsum("bij,bjk->bik", a, b, options); },
             [&] { return einsum("bij,bjk->ik", a, b, options); },
             [&] { return einsum("ij,jk->ik", m, n, options); },
             [&] { return einsum("bij->jb", a, options); }}) {
      const tensor<double> whole = run();
      exchange_interruption([] {
        if (questions_left-- == 0) throw interrupted();
      });
      questions_left = 1;
      EXPECT_THROW(run(), interrupted) << threads;
      questions_left = std::numeric_limits<int>::max();
      const tensor<double> asked = run();
      exchange_interruption(nullptr);
      EXPECT_TRUE(std::ranges::equal(asked.flat(), whole.flat()));
    }
  }
}

}  // namespace
}  // namespace papilio::test

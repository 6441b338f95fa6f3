// transform_plan: what it reports, what it runs, what it refuses.
#include <gtest/gtest.h>

#include "papilio/base.hpp"

#include <algorithm>

#include "papilio/fft.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using C = std::complex<double>;

TEST(transform_plan, reports_what_runs) {
  const fft_problem problem{.kind = fft_kind::real, .extents = {1000}};
  for (const fft_candidate& candidate : fft_candidates()) {
    const transform_plan plan(problem, {.backend = candidate.name});
    EXPECT_EQ(plan.backend(), candidate.name);
    EXPECT_EQ(plan.problem(), problem);
    EXPECT_FALSE(plan.recipe().empty());
    EXPECT_GT(plan.estimate(10).seconds, plan.estimate().seconds);
  }
  EXPECT_EQ(transform_plan(problem).backend(), "host");
  EXPECT_EQ(transform_plan(problem).recipe(), to_string(rfft_plan<double>(1000).design()));
}

TEST(transform_plan, runs_lines_along_any_axis_and_whole_arrays) {
  array<C, 2> x({6, 10}), y({6, 10});
  std::ranges::copy(test::random_complex<double>(60, 1), x.begin());
  const transform_plan lines({.extents = {6}});
  lines.execute(x.view(), y.view(), -2);
  EXPECT_TRUE(std::ranges::equal(y, fft(x, {.axis = 0})));
  const transform_plan grid({.extents = {6, 10}, .axes = {0, 1}});
  grid.execute(std::as_const(x).view(), y.view());
  EXPECT_TRUE(std::ranges::equal(y, fftn(x)));
  grid.execute(x.view(), x.view());
  EXPECT_TRUE(std::ranges::equal(x, y));
}

TEST(transform_plan, refuses_what_does_not_fit) {
  const transform_plan line({.kind = fft_kind::real, .extents = {8}});
  array<double, 2> x({3, 8});
  array<C, 2> y({3, 5}), short_one({3, 4}), fewer({2, 5});
  array<std::complex<float>, 2> narrow({3, 5});
  EXPECT_NO_THROW(line.execute(x.view(), y.view()));
  EXPECT_THROW(line.execute(x.view(), short_one.view()), shape_error);
  EXPECT_THROW(line.execute(x.view(), fewer.view()), shape_error);
  EXPECT_THROW(line.execute(x.view(), y.view(), 0), shape_error);
  EXPECT_THROW(line.execute(x.view(), y.view(), 2), invalid_argument);
  EXPECT_THROW(line.execute(x.view(), narrow.view()), invalid_argument);
  EXPECT_THROW(line.execute(y.view(), x.view()), invalid_argument);
  EXPECT_THROW(line.execute(x.view(), view<C, 2>(y.data(), {3, 5}, {1, 1})), shape_error);
  const transform_plan grid({.extents = {3, 8}, .axes = {0, 1}});
  array<C, 2> z({3, 8}), other({8, 3});
  EXPECT_THROW(grid.execute(z.view(), other.view()), shape_error);
  EXPECT_THROW(grid.execute(view<C, 1>(z.data(), {24}), view<C, 1>(z.data(), {24})), shape_error);
  try {
    line.execute(x.view(), short_one.view());
  } catch (const shape_error& e) {
    EXPECT_STREQ(e.what(), "transform_plan::execute: out must have extent 5 along axis 1, got 4");
  }
  EXPECT_THROW(transform_plan({.extents = {0}}), invalid_argument);
  EXPECT_THROW(transform_plan({.extents = {8}}, {.where = policy::device}), device_error);
}

TEST(transform_plan, many_axes) {
  array<C, 20> x({1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 2});
  std::ranges::copy(test::random_complex<double>(12, 2), x.begin());
  const auto y = fft(x, {.axis = 12});
  const view<const C, 3> flat(x.data(), {2, 3, 2});
  EXPECT_TRUE(std::ranges::equal(y, fft(flat, {.axis = 1})));
}

}  // namespace
}  // namespace papilio

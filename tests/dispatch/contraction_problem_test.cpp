// A contraction as an operation: its operands, its work, and what either side says of it.
#include <gtest/gtest.h>

#include "papilio/base/error.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

// ij,jk->ik and ik,k->i of these sizes.
contraction_problem two_steps(std::size_t i, std::size_t j, std::size_t k) {
  return {.sizes = {i, j, k},
          .operands = {{i, j}, {j, k}, {k}},
          .steps = {{.of = {{0, {0, 1}}, {1, {1, 2}}}, .labels = {0, 2}},
                    {.of = {{3, {0, 2}}, {2, {2}}}, .labels = {0}}},
          .results = {4}};
}

TEST(contraction_problem, has_operands_and_work) {
  contraction_problem p = two_steps(5, 6, 7);
  const operand_shapes shapes = shapes_of(p);
  ASSERT_EQ(shapes.in.size(), 3u);
  EXPECT_EQ(shapes.in[1].extents, (std::vector<std::size_t>{6, 7}));
  ASSERT_EQ(shapes.out.size(), 1u);
  EXPECT_EQ(shapes.out[0].extents, (std::vector<std::size_t>{5}));
  EXPECT_EQ(nominal_flops(p), 2.0 * 5 * 6 * 7 + 2.0 * 5 * 7);
  p.is_complex = true;
  EXPECT_EQ(nominal_flops(p), 8.0 * 5 * 6 * 7 + 8.0 * 5 * 7);
  EXPECT_TRUE(shapes_of(p).out[0].is_complex);
  EXPECT_EQ(to_string(operation(p)), "contraction of 3 tensors in 2 steps, complex float");
  p.type = real_type::double_precision;
  EXPECT_EQ(to_string(operation(p)), "contraction of 3 tensors in 2 steps, complex double");
}

TEST(contraction_problem, of_one_operand_counts_sums_alone) {
  contraction_problem p{.sizes = {4, 3},
                        .operands = {{4, 3}},
                        .steps = {{.of = {{0, {0, 1}}}, .labels = {1, 0}}},
                        .results = {1}};
  EXPECT_EQ(nominal_flops(p), 0);
  p.steps[0].labels = {0};
  EXPECT_EQ(nominal_flops(p), 12);
}

TEST(contraction_problem, is_compared_with_its_steps) {
  engine::device machine(engine::trainium1(), engine::sdk_2_29());
  const execution on{.where = policy::automatic, .on = &machine, .threads = 1};
  const comparison c = explain(two_steps(300, 200, 100), on);
  ASSERT_TRUE(c.host_can());
  ASSERT_TRUE(c.device_can());
  ASSERT_EQ(c.device.steps.size(), 2u);
  EXPECT_EQ(c.device.steps[0].name, "step 1");
  EXPECT_FALSE(c.device.steps[1].recipe.empty());
  EXPECT_EQ(c.device.launches, 1u);
  EXPECT_GE(c.device.device_seconds, c.device.floor_seconds);
  EXPECT_EQ(c.host.flops, 2.0 * 300 * 200 * 100 + 2.0 * 300 * 100);
}

TEST(contraction_problem, refusals_name_the_reason) {
  engine::device machine;
  const execution on{.where = policy::device, .on = &machine};
  contraction_problem p = two_steps(3, 4, 5);
  p.type = real_type::double_precision;
  EXPECT_FALSE(explain(p, on).device_can());
  EXPECT_THROW(place("test", p, on, host_roofline()), device_error);
  EXPECT_THROW(place("test", two_steps(3, 0, 5), on, host_roofline()), device_error);
  p = two_steps(3, 4, 5);
  p.steps[1].of[0].value = 9;  // of no step
  EXPECT_THROW(explain(p, on), invalid_argument);
}

}  // namespace
}  // namespace papilio::test

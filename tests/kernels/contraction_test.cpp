// Random contractions, on machines that have them done in different ways.
#include "kernels/contraction_runs.hpp"

namespace papilio::kernels::test {
namespace {

TEST(contraction, small_sums_on_the_machine) {
  const std::string all = expect_random(1, 150, 4, 12, 3e4, trainium1());
  EXPECT_GT(told(all, "on the vector engine"), 50);
  EXPECT_GT(told(all, "stationary"), 10);
}

TEST(contraction, sums_of_many_axes) { expect_random(2, 60, 8, 3, 1e5, trainium1()); }

TEST(contraction, products_on_the_tensor_engine) {
  const std::string all = expect_random(3, 200, 4, 40, 2e5, product_machine(196608));
  EXPECT_GT(told(all, "stationary, transposed"), 10);
  EXPECT_GT(told(all, "the other transposed"), 10);
  EXPECT_GT(told(all, "left operand stationary"), 10);
  EXPECT_GT(told(all, "right operand stationary"), 10);
}

TEST(contraction, products_of_many_axes_on_the_tensor_engine) {
  EXPECT_GT(told(expect_random(4, 60, 7, 4, 1e5, product_machine(196608)), "stationary"), 30);
}

TEST(contraction, products_in_blocks_of_a_small_memory) {
  const std::string all = expect_random(5, 60, 4, 70, 1e6, product_machine(24576));
  EXPECT_GT(told(all, "stationary"), 20);
  EXPECT_LT(told(all, "in 1 blocks"), told(all, "step") - 10);
}

TEST(contraction, sums_on_another_machine) { expect_random(10, 60, 4, 30, 5e4, trainium2()); }

}  // namespace
}  // namespace papilio::kernels::test

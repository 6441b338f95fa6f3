// Random contractions, on machines that have them done in different ways.
#include "kernels/contraction_runs.hpp"

namespace papilio::kernels::test {
namespace {

TEST(contraction, small_sums_on_the_machine) {
  const ways all = expect_random(1, 150, 4, 12, 3e4, trainium1());
  EXPECT_GT(all.on_lanes, 50);
  EXPECT_GT(all.products, 10);
}

TEST(contraction, sums_of_many_axes) { expect_random(2, 60, 8, 3, 1e5, trainium1()); }

TEST(contraction, products_on_the_tensor_engine) {
  const ways all = expect_random(3, 200, 4, 40, 2e5, product_machine(196608));
  EXPECT_GT(all.stationary_transposed, 10);
  EXPECT_GT(all.moving_transposed, 10);
  EXPECT_GT(all.left_stationary, 10);
  EXPECT_GT(all.products - all.left_stationary, 10);
}

TEST(contraction, products_of_many_axes_on_the_tensor_engine) {
  EXPECT_GT(expect_random(4, 60, 7, 4, 1e5, product_machine(196608)).products, 30);
}

TEST(contraction, products_in_blocks_of_a_small_memory) {
  const ways all = expect_random(5, 60, 4, 70, 1e6, product_machine(24576));
  EXPECT_GT(all.products, 20);
  EXPECT_LT(all.whole, all.steps - 10);
}

TEST(contraction, parts_of_a_design_are_its_steps) {
  const kernel_design design =
      contraction_kernel(contraction_of("ij,jk,kl->il", "60"), trainium1()).design;
  std::string text;
  for (const design_part& p : design.parts()) text += p.name + ": " + p.text + "\n";
  EXPECT_EQ(text, design.explain());
  ASSERT_EQ(design.parts().size(), 2u);
  EXPECT_EQ(design.parts()[1].name, "step 2");
}

TEST(contraction, sums_on_other_machines) {
  for (const machine_spec& machine : {trainium2(), trainium3()})
    expect_random(10, 60, 4, 30, 5e4, machine);
}

}  // namespace
}  // namespace papilio::kernels::test

// Designs of products, contractions, elementwise kernels and rearrange as values: equal for equal problems,
// others for every other option, and with keys that say the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/product_designs.hpp"
#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using settings_list = std::vector<std::string>;

struct varied_kernel {
  const char* name;
  settings_list base, others;  ///< others: each in place of the base's
};
const std::vector<varied_kernel> kernels{
    {"gemm",
     {"m=5", "k=6", "n=7"},
     {"m=8", "k=8", "n=8", "dtype=bf16", "left=transposed", "right=transposed", "alpha=2", "beta=2",
      "bias=yes", "function=relu", "sums=rows", "sums=whole"}},
    {"batched_gemm",
     {"batch=3", "m=5", "k=6", "n=7"},
     {"batch=4", "m=8", "k=8", "n=8", "shared=a", "shared=b", "dtype=bf16", "alpha=2", "beta=2"}},
    {"complex_gemm", {"m=5", "k=6", "n=7"}, {"m=8", "k=8", "n=8", "products=3", "dtype=bf16"}},
    {"complex_linear",
     {"batch=5", "in=6", "out=7"},
     {"batch=8", "in=8", "out=8", "products=3", "dtype=bf16"}},
    {"syrk",
     {"n=5", "k=6"},
     {"n=8", "k=8", "part=upper", "a=transposed", "alpha=2", "beta=2", "dtype=bf16"}},
    {"symm", {"m=5", "n=6"}, {"m=8", "n=8", "side=right", "part=upper", "alpha=2", "beta=2"}},
    {"trmm",
     {"m=5", "n=6"},
     {"m=8", "n=8", "side=right", "part=upper", "a=transposed", "diagonal=unit", "alpha=2"}},
    {"trsm",
     {"m=5", "n=6"},
     {"m=8", "n=8", "side=right", "part=upper", "a=transposed", "diagonal=unit", "alpha=2",
      "refinements=2"}},
    {"ao_to_mo",
     {"nbasis=20", "nocc=3", "nvir=5", "naux=7"},
     {"nbasis=21", "nocc=4", "nvir=6", "naux=8", "layout=ipa", "layout=iap", "metric=yes",
      "precision=bf16", "precision=split_bf16"}},
    {"mp2_energy",
     {"nocc=4", "nvir=10", "naux=12"},
     {"nocc=5", "nvir=11", "naux=13", "spins=same_spin", "spins=opposite_spin",
      "layout=auxiliary_virtual", "frozen=1", "precision=bf16", "precision=split_bf16"}},
    {"contraction",
     {"subscripts=ij,jk,kl->il", "sizes=20"},
     {"subscripts=ij,jk,kl->li", "sizes=21", "numbers=complex", "dtype=bf16"}},
    {"vector", {"n=1000"}, {"n=999", "operation=dot", "operation=iamax", "alpha=2"}},
    {"complex_mask", {"rows=10", "columns=20"}, {"rows=11", "columns=21", "count=2"}},
    {"complex_modrelu", {"rows=10", "features=20"}, {"rows=11", "features=21"}},
    {"rearrange",
     {"rows=8", "columns=9", "out_rows=8", "out_columns=9"},
     {"rows=7", "columns=8", "out_rows=9", "out_columns=10", "planes=1to2", "conjugate=yes",
      "fftshift=yes"}}};

sized_kernel sized(const varied_kernel& of, const settings_list& settings) {
  return size_kernel(find_kernel(of.name), settings, trainium1());
}
// The base with another value of one parameter.
settings_list changed(settings_list base, const std::string& other) {
  const std::string name = other.substr(0, other.find('=') + 1);
  std::erase_if(base, [&](const std::string& s) { return s.starts_with(name); });
  base.push_back(other);
  return base;
}

TEST(product_designs, equal_problems_have_equal_ones_and_other_options_others) {
  for (const varied_kernel& k : kernels) {
    SCOPED_TRACE(k.name);
    const sized_kernel one = sized(k, k.base), again = sized(k, k.base);
    EXPECT_EQ(one.design, again.design);
    EXPECT_EQ(one.design.key(), again.design.key());
    EXPECT_EQ(one.design.hash(), again.design.hash());
    EXPECT_EQ(one.program.parameters, one.design.key());
    EXPECT_FALSE(one.design.explain().empty());
    EXPECT_EQ(one.explain(), again.explain());
    for (const std::string& other : k.others) {
      const sized_kernel two = sized(k, changed(k.base, other));
      EXPECT_NE(one.design, two.design) << other;
      EXPECT_NE(one.design.key(), two.design.key()) << other;
    }
  }
}

TEST(product_designs, parts_of_what_a_kernel_repeats_have_the_same_one) {
  for (const auto& [name, unit] :
       {std::pair{"gemm", "rows"}, {"batched_gemm", "products"}, {"complex_gemm", "rows"}}) {
    SCOPED_TRACE(name);
    const sized_kernel whole = size_kernel(find_kernel(name), {}, trainium1());
    ASSERT_EQ(whole.repeats.unit, unit);
    const sized_kernel part = whole.repeats.part(3);
    EXPECT_NE(whole.design, part.design);
    EXPECT_TRUE(same_design(whole.design, part.design));
  }
}

TEST(product_designs, types_of_results_and_layouts_of_operands_are_in_them) {
  const gemm_problem problem{.m = 5, .k = 6, .n = 7};
  EXPECT_NE(gemm_kernel(problem, trainium1()).design,
            gemm_kernel(problem, trainium1(), {.result = dtype::bf16}).design);
  // One B that is read anew for each product, and as many of them.
  gemm_problem many{.batch = 3, .m = 5, .k = 6, .n = 7, .shared_left = true};
  const kernel_design each = batched_gemm_kernel(many, trainium1()).design;
  many.shared_right = true;
  EXPECT_NE(batched_gemm_kernel(many, trainium1()).design, each);
}

TEST(product_designs, say_what_was_compared_beside_the_design) {
  const sized_kernel gemm = gemm_kernel({.m = 512, .k = 512, .n = 512}, trainium1());
  ASSERT_GT(gemm.compared.size(), 1u);
  const auto best = std::ranges::min_element(gemm.compared, {}, &compared_design::seconds);
  EXPECT_NE(gemm.design.explain().find(best->text), std::string::npos);
  EXPECT_EQ(gemm.recipe(), gemm.design.explain() + ": " + gemm.chosen_as + "\n");
  EXPECT_EQ(gemm.design.explain().find("dry run"), std::string::npos);
}

TEST(product_designs, factors_of_a_mask_are_of_its_design_and_not_of_its_program) {
  const auto with = [](float factor) {
    return complex_mask_kernel({.count = 6, .factors = {{factor, 0}, {0, 1}}}, trainium1());
  };
  EXPECT_EQ(with(2).design, with(2).design);
  EXPECT_NE(with(2).design, with(3).design);
  EXPECT_EQ(with(2).program.parameters, with(3).program.parameters);
}

}  // namespace
}  // namespace papilio::kernels::test

// Designs as values: of equal problems they are equal, with equal keys and hashes; another size or
// option makes another design.
#include <gtest/gtest.h>

#include <map>

#include "kernels/design.hpp"
#include "kernels/published/catalog.hpp"
#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using settings = std::vector<std::string>;

sized_kernel sized(const std::string& kernel, const settings& how) {
  return size_kernel(published::find_any(kernel), how, trainium1());
}

const std::map<std::string, std::vector<settings>> families{
    {"stft",
     {{},
      {"samples=32000"},
      {"channels=2"},
      {"n_fft=256"},
      {"hop=128"},
      {"output=power"},
      {"output=mel", "mels=40"},
      {"output=mel", "mels=80"},
      {"padding=edge"},
      {"padding=none"},
      {"precision=bf16"},
      {"precision=split_bf16"},
      {"precision=split_bf16", "parts=3"}}},
    {"istft",
     {{},
      {"samples=32000"},
      {"channels=2"},
      {"n_fft=1024"},
      {"hop=128"},
      {"form=adjoint"},
      {"precision=bf16"}}},
    {"butterfly_fft",
     {{}, {"batch=64"}, {"batch=1000"}, {"n=512"}, {"compensated=yes"}, {"direction=inverse"}}},
    {"published/ao_to_mo", {{}, {"nbasis=33"}, {"nocc=6"}, {"nvir=11"}, {"naux=17"}}},
    {"published/batched_gemm_slice", {{}, {"m=100"}, {"k=100"}, {"n=100"}}},
    {"published/bmm", {{}, {"batch=3"}, {"m=100"}, {"k=100"}, {"n=100"}}},
    {"published/butterfly_stage",
     {{}, {"n=512"}, {"batch=2"}, {"stage=1"}, {"arithmetic=compensated"}}},
    {"published/complex_gemm", {{}, {"m=100"}, {"k=100"}, {"n=100"}, {"dtype=bf16"}}},
    {"published/complex_linear", {{}, {"batch=100"}, {"inputs=100"}, {"outputs=100"}}},
    {"published/complex_mask", {{}, {"elements=1000"}, {"elements=1001"}}},
    {"published/fused_mp2", {{}, {"nocc=6"}, {"nvir=20"}, {"naux=200"}, {"partials=lanes"}}},
    {"published/gemm", {{}, {"m=100"}, {"k=100"}, {"n=100"}}},
    {"published/matmul", {{}, {"m=100"}, {"k=100"}, {"n=100"}}},
    {"published/mp2_energy",
     {{}, {"ic=3"}, {"nocc=3"}, {"nvir=448"}, {"hoist=yes"}, {"pairs_per_store=2"}}},
    {"published/stockham_stage", {{}, {"n=4096"}, {"batch=2"}, {"radix=8"}, {"combined=4"}}},
};

TEST(design_values, equal_problems_have_equal_designs_and_others_do_not) {
  for (const auto& [kernel, cases] : families) {
    std::vector<kernel_design> designs;
    for (const settings& how : cases) {
      SCOPED_TRACE(kernel + " " + testing::PrintToString(how));
      const sized_kernel one = sized(kernel, how), again = sized(kernel, how);
      EXPECT_EQ(one.design, again.design);
      EXPECT_EQ(one.design.key(), again.design.key());
      EXPECT_EQ(one.design.hash(), again.design.hash());
      EXPECT_EQ(one.program.parameters, again.program.parameters);
      EXPECT_FALSE(one.design.explain().empty());
      EXPECT_EQ(one.recipe(), one.design.explain());
      for (const kernel_design& other : designs) {
        EXPECT_NE(one.design, other);
        EXPECT_NE(one.design.key(), other.key());
      }
      designs.push_back(one.design);
    }
  }
}

// Equal numbers of another family are another design.
TEST(design_values, families_differ) {
  EXPECT_NE(sized("published/gemm", {}).design, sized("published/complex_gemm", {}).design);
  EXPECT_NE(sized("stft", {}).design, kernel_design());
}

TEST(design_values, a_window_is_of_the_design_and_not_of_the_program) {
  stft_problem forward{.samples = 4000, .n_fft = 256, .hop = 128};
  istft_problem inverse{.segments = 32, .samples = 3968, .n_fft = 256, .hop = 128};
  const sized_kernel plain = stft_kernel(forward, trainium1()),
                     back = istft_kernel(inverse, trainium1());
  forward.window = inverse.window = std::vector<float>(256, 1.0F);
  EXPECT_EQ(stft_kernel(forward, trainium1()).design, plain.design);
  EXPECT_EQ(istft_kernel(inverse, trainium1()).design, back.design);
  forward.window[3] = inverse.window[3] = 0.5F;
  const sized_kernel other = stft_kernel(forward, trainium1()),
                     other_back = istft_kernel(inverse, trainium1());
  EXPECT_NE(other.design, plain.design);
  EXPECT_NE(other_back.design, back.design);
  EXPECT_EQ(other.program.parameters, plain.program.parameters);
  EXPECT_EQ(other_back.program.parameters, back.program.parameters);
}

// Whether so many segments, or lines, have the design of more of them.
TEST(design_values, without_their_batch) {
  const auto same = [](const std::string& kernel, const settings& a, const settings& b) {
    return same_design(sized(kernel, a).design, sized(kernel, b).design);
  };
  EXPECT_TRUE(same("stft", {"samples=16000000"}, {"samples=3200000"}));
  EXPECT_FALSE(same("stft", {"samples=16000000"}, {"samples=1600000"}));  // transposes not shared
  EXPECT_TRUE(same("stft", {"samples=1600000"}, {"samples=160000", "channels=10"}));
  EXPECT_FALSE(same("stft", {"samples=16000000"}, {"samples=16000"}));  // fewer to a lane
  EXPECT_FALSE(same("stft", {"samples=16000000"}, {"samples=16000000", "hop=128"}));
  EXPECT_FALSE(same("stft", {"samples=16000000"}, {"samples=16000000", "precision=bf16"}));
  EXPECT_TRUE(same("istft", {"samples=1600000"}, {"samples=3200000"}));
  EXPECT_FALSE(same("istft", {"samples=1600000"}, {"samples=16000"}));
  EXPECT_FALSE(same("istft", {"samples=1600000"}, {"samples=1600000", "form=adjoint"}));
  EXPECT_TRUE(same("butterfly_fft", {"batch=1280"}, {"batch=12800"}));
  EXPECT_FALSE(same("butterfly_fft", {"batch=1280"}, {"batch=1280", "direction=inverse"}));
  EXPECT_FALSE(same("butterfly_fft", {"batch=1280"}, {"batch=64"}));
}

// Of a square array, whose shape is the same.
TEST(design_values, axes_of_a_cosine_transform_differ) {
  const auto along = [](std::size_t axis) {
    const fft_problem problem{.kind = fft_kind::cosine,
                              .type = real_type::single_precision,
                              .extents = {8, 8},
                              .axes = {axis},
                              .trigonometric_type = 2};
    return kernels::fft_kernel(problem, trainium1());
  };
  EXPECT_EQ(along(0).design, along(0).design);
  EXPECT_NE(along(0).design, along(1).design);
  EXPECT_NE(along(0).program.parameters, along(1).program.parameters);
}

TEST(design_values, of_a_mask) {
  const auto mask = [](std::size_t samples, bool complex) {
    device dev;
    return masked_stft(dev, {.samples = samples}, complex, run_mode::dry_run).mask().what();
  };
  const sized_kernel one = mask(16000, false), other = mask(16000, true),
                     longer = mask(32000, false);
  EXPECT_EQ(one.design, mask(16000, false).design);
  EXPECT_NE(one.design, other.design);
  EXPECT_NE(one.program.parameters, other.program.parameters);
  EXPECT_NE(one.design, longer.design);
  EXPECT_TRUE(same_design(one.design, longer.design));
  EXPECT_EQ(one.design.explain(), "real mask of 32 x 1025\n");
}

TEST(design_values, of_a_split) {
  const stft_problem problem{.channels = 5, .samples = 4000, .n_fft = 256, .hop = 128};
  const group_split split = split_stft(problem, 2, trainium1());
  EXPECT_EQ(split.design, split_stft(problem, 2, trainium1()).design);
  EXPECT_NE(split.design, split_stft(problem, 3, trainium1()).design);
  EXPECT_EQ(split.explain(), "channels in parts of 3\n" + split.kernels[0].recipe());
}

}  // namespace
}  // namespace papilio::kernels::test

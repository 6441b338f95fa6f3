// Published test cases of transforms' precision, by their numbers there, on the emulator. Oracle:
// the definition in long double. Bounds are the published ones or, where ours are far below,
// closer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/precision_runs.hpp"
#include "kernels/transform/precision.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct published_case {
  const char* id;
  std::int64_t n;
};
[[maybe_unused]] void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }
std::string id_of(const ::testing::TestParamInfo<published_case>& info) {
  std::string id = info.param.id;
  std::ranges::replace(id, '-', '_');
  return id;
}

class published_bf16 : public ::testing::TestWithParam<published_case> {};
TEST_P(published_bf16, is_within_a_tenth) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  EXPECT_LT(max_norm_error(x, transformed(x, bf16), true), 1e-1);
}
INSTANTIATE_TEST_SUITE_P(cases, published_bf16,
                         ::testing::Values(published_case{"trnfft-158", 64},
                                           published_case{"trnfft-159", 128},
                                           published_case{"trnfft-160", 256}),
                         id_of);

// There, refined need not be better; here it must be.
class published_refined : public ::testing::TestWithParam<published_case> {};
TEST_P(published_refined, is_better_than_bf16) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  const double plain = max_norm_error(x, transformed(x, bf16)),
               refined = max_norm_error(x, transformed(x, refined_once));
  EXPECT_LT(plain, 1e-1);
  EXPECT_LT(refined, plain / 100);
}
INSTANTIATE_TEST_SUITE_P(cases, published_refined,
                         ::testing::Values(published_case{"trnfft-161", 64},
                                           published_case{"trnfft-162", 128},
                                           published_case{"trnfft-163", 256}),
                         id_of);

class published_ozaki : public ::testing::TestWithParam<published_case> {};
TEST_P(published_ozaki, is_a_tenth_of_bf16) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  const double split = max_norm_error(x, transformed(x, split_in_2));
  EXPECT_LT(split, 0.1 * max_norm_error(x, transformed(x, bf16)));
  EXPECT_LT(split, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(cases, published_ozaki,
                         ::testing::Values(published_case{"trnfft-164", 64},
                                           published_case{"trnfft-165", 128},
                                           published_case{"trnfft-166", 256}),
                         id_of);

class published_ozaki_hq : public ::testing::TestWithParam<published_case> {};
TEST_P(published_ozaki_hq, is_nearly_fp32) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  EXPECT_LT(max_norm_error(x, transformed(x, split_in_3)), 1e-6);  // there 1e-4
}
INSTANTIATE_TEST_SUITE_P(cases, published_ozaki_hq,
                         ::testing::Values(published_case{"trnfft-169", 64},
                                           published_case{"trnfft-170", 128},
                                           published_case{"trnfft-171", 256}),
                         id_of);

class published_ozaki_on_device : public ::testing::TestWithParam<published_case> {};
TEST_P(published_ozaki_on_device, is_measured) {
  const planes x = random_planes(4, std::size_t(GetParam().n), 42);
  for (const precision_options& how : {split_in_2, split_in_3})
    EXPECT_LT(max_norm_error(x, transformed(x, how)), 0.5);
}
INSTANTIATE_TEST_SUITE_P(cases, published_ozaki_on_device,
                         ::testing::Values(published_case{"trnfft-173", 64},
                                           published_case{"trnfft-174", 128},
                                           published_case{"trnfft-175", 256}),
                         id_of);

class refined_with_fp32_residual : public ::testing::TestWithParam<published_case> {};
TEST_P(refined_with_fp32_residual, in_one_step_and_two) {
  const planes x = random_planes(4, std::size_t(GetParam().n), 42);
  EXPECT_LT(max_norm_error(x, transformed(x, refined_once)), 2e-5);
  EXPECT_LT(max_norm_error(x, transformed(x, refined_twice)), 2e-7);
}
INSTANTIATE_TEST_SUITE_P(cases, refined_with_fp32_residual,
                         ::testing::Values(published_case{"beyond-032", 64},
                                           published_case{"beyond-033", 128},
                                           published_case{"beyond-034", 256}),
                         id_of);

// In the maximum's norm, as the published round trips.
double round_trip(const precision_options& how) {
  const planes x = random_planes(1, 128, 42);
  const planes back = transformed(transformed(x, how), how, true, 1.0 / 128);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, double(std::abs(back.data()[i] - x.data()[i])));
  return worst;
}
TEST(published_round_trips, trnfft_167_split_in_2) { EXPECT_LT(round_trip(split_in_2), 1e-3); }
TEST(published_round_trips, trnfft_172_split_in_3) { EXPECT_LT(round_trip(split_in_3), 1e-4); }

// Published, a mode may be replaced by another with a warning. Here the one that was asked for
// runs, whatever the machine, and says so.
TEST(precision, trnfft_168_no_mode_falls_back) {
  for (const bool rounded : {false, true}) {
    machine_spec machine = trainium1();
    machine.tensor.products_rounded = rounded;
    std::vector<std::string> programs;
    for (const precision_options& how : all_modes) {
      ::testing::internal::CaptureStderr();
      const sized_kernel k =
          fft_kernel({.extents = {1, 64}, .axes = {-1}, .precision = how}, machine);
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
      EXPECT_EQ(kernels_detail::design_as<kernels_detail::fft_design>(k.design)->mode, how.mode);
      programs.push_back(k.program.parameters);
    }
    std::ranges::sort(programs);
    EXPECT_EQ(std::ranges::adjacent_find(programs), programs.end());
  }
}

// "fast" is native. There is no fp64 on the device: what is more accurate than native there is
// compensated, and it has no mode of that name.
class published_fast : public ::testing::TestWithParam<published_case> {};
TEST_P(published_fast, is_close_to_the_definition) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  EXPECT_LT(max_norm_error(x, transformed(x, native)), 1e-5);  // there 2e-2
}
INSTANTIATE_TEST_SUITE_P(cases, published_fast,
                         ::testing::Values(published_case{"trnfft-063", 500},
                                           published_case{"trnfft-064", 1000}),
                         id_of);

class published_double : public ::testing::TestWithParam<published_case> {};
TEST_P(published_double, is_compensated_here) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  const double best = max_norm_error(x, transformed(x, compensated));
  EXPECT_LT(best, 1e-5);
  EXPECT_LT(best, max_norm_error(x, transformed(x, native)));
}
INSTANTIATE_TEST_SUITE_P(cases, published_double,
                         ::testing::Values(published_case{"trnfft-065", 500},
                                           published_case{"trnfft-066", 1000}),
                         id_of);

// Neither is there an fp64 transform of these, nor a compensated one: butterflies have radices up
// to 31, and a request for another mode is refused, not replaced.
class published_double_bluestein : public ::testing::TestWithParam<published_case> {};
TEST_P(published_double_bluestein, is_refused_with_the_prime) {
  const std::int64_t n = GetParam().n;
  try {
    fft_kernel({.extents = {1, n}, .axes = {1}, .precision = compensated}, trainium1());
    FAIL();
  } catch (const invalid_argument& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("precision.mode compensated"), std::string::npos) << text;
    EXPECT_NE(text.find(n == 4097 ? "with 241" : "with 2731"), std::string::npos) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(cases, published_double_bluestein,
                         ::testing::Values(published_case{"trnfft-067", 4097},
                                           published_case{"trnfft-068", 8193}),
                         id_of);

// Published, double is to be a hundred times better than fast, since fast has angles in fp32. Exact
// angles leave less to gain: what order there is holds, by what the modes are expected to reach.
class published_order : public ::testing::TestWithParam<published_case> {};
TEST_P(published_order, of_modes_is_that_of_their_models) {
  const planes x = random_planes(1, std::size_t(GetParam().n), 42);
  const double fast = max_norm_error(x, transformed(x, native)),
               best = max_norm_error(x, transformed(x, compensated));
  EXPECT_LT(fast, 1e-6);
  EXPECT_LT(best, fast / 2);
}
INSTANTIATE_TEST_SUITE_P(cases, published_order,
                         ::testing::Values(published_case{"trnfft-069", 4096},
                                           published_case{"trnfft-070", 5000}),
                         id_of);

}  // namespace
}  // namespace papilio::kernels::test

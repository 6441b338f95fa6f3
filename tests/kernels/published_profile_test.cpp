// The published profile of the energy kernel on hardware (trainium1, ic = nocc = 64, nvir = 448)
// and what its authors found to make no difference. Published numbers are typed here.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

constexpr double gemm_seconds = 5.2;  // of the published run's other step

profile published_run(const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = {"ic=64", "nocc=64", "nvir=448"};
  settings.insert(settings.end(), more.begin(), more.end());
  return dry_profile("published/mp2_energy", settings);
}

TEST(published_profile, times_and_counts) {
  const profile p = published_run();
  EXPECT_NEAR(p.value("vector_engine_active_time"), 206.2e-3, 0.05 * 206.2e-3);
  EXPECT_NEAR(p.value("vector_engine_active_time_percent"), 0.9645, 0.03);
  EXPECT_NEAR(p.value("total_time"), 213.8e-3, 0.05 * 213.8e-3);
  EXPECT_NEAR(p.value("hbm_read_bytes"), 6582249472.0, 1e-3 * 6582249472.0);
  // The profiler counts the time in which a transfer is under way, its start too.
  EXPECT_NEAR(p.value("dma_active_time_percent"), 0.26, 0.14);
  EXPECT_NEAR(p.value("vector_engine_instruction_count"), 403039, 0.1 * 403039);
  EXPECT_EQ(p.verdict.bound_by, unit::vector);
}

// Energies, all fp32, each lane reading its own: e_b into 112 lanes x 448, e_a once (4 strips x
// 112), e_i into 112 lanes 64 times, e_j into 112 lanes for each of 4096 pairs. What is left is T,
// twice: 64 x 64 pairs x 4 strips x 2 x 112 x 448 x 4 bytes.
TEST(published_profile, bytes_of_t_are_exact) {
  constexpr double energies = 4.0 * (112 * 448 + 448 + 64 * 112 + 4096 * 112);
  EXPECT_EQ(published_run().value("hbm_read_bytes") - energies, 6576668672.0);
}

// Four strips, each ten vector instructions and 448 / 32 block transposes, and a sum of two
// energies and of the strips' sums for each pair.
TEST(published_profile, every_vector_instruction_is_accounted_for) {
  EXPECT_EQ(published_run().value("vector_engine_instruction_count"), 4096.0 * (4 * (10 + 14) + 2));
  EXPECT_EQ(published_run().value("scalar_engine_instruction_count"), 4096.0 * 4);
}

TEST(published_profile, what_hardware_showed_to_make_no_difference) {
  const double step = gemm_seconds + published_run().value("total_time");
  for (const char* change :
       {"hoist=yes", "pairs_per_store=1", "pairs_per_store=4", "pairs_per_store=16"}) {
    const double changed = gemm_seconds + published_run({change}).value("total_time");
    EXPECT_NE(changed, step) << change;
    EXPECT_LT(std::fabs(changed - step), 0.03 * step) << change;
  }
}

TEST(published_profile, amdahl) {
  const amdahl_report report({{"gemm", gemm_seconds, gemm_seconds}, {"energy", 2.83, 0.21}});
  EXPECT_NE(report.to_text().find("f = 0.35, s = 13.5, 1.48x"), std::string::npos)
      << report.to_text();
}

// By the published rule for strips, sizes that divide badly too.
TEST(published_profile, sizes) {
  for (const int nvir : {8, 16, 64, 75, 131, 256, 448, 672}) {
    const profile p =
        dry_profile("published/mp2_energy", {"ic=2", "nocc=2", "nvir=" + std::to_string(nvir)});
    EXPECT_GT(p.value("total_time"), 0) << nvir;
    EXPECT_GE(p.value("hbm_read_bytes"), 2.0 * 4 * nvir * nvir * 4) << nvir;
  }
}

}  // namespace
}  // namespace papilio::kernels::test

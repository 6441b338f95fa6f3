// Whole profiles against golden/NAME.txt. After a change of the model or of a kernel:
//   PAPILIO_UPDATE_GOLDEN=1 build/release/tests/kernels/papilio_test_kernels
//   --gtest_filter='golden*'
// writes the texts as they are, for review.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

namespace fs = std::filesystem;

struct golden_case {
  const char* name;
  const char* kernel;
  std::vector<std::string> settings;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(golden, profiles_are_those_that_were_reviewed) {
  const golden_case cases[] = {
      {"gemm_2048_fp32", "gemm", {"m=2048", "k=2048", "n=2048"}},
      {"gemm_2048_bf16", "gemm", {"m=2048", "k=2048", "n=2048", "dtype=bf16"}},
      {"istft_600_s", "istft", {"samples=26460000", "n_fft=2048", "hop=512"}},
      {"mp2_energy_4_4_448", "published/mp2_energy", {"ic=4", "nocc=4", "nvir=448"}},
      {"stft_16000_samples", "stft", {}},
      {"stft_600_s", "stft", {"samples=26460000", "n_fft=2048", "hop=512"}},
      {"stft_600_s_complex",
       "stft",
       {"samples=26460000", "n_fft=2048", "hop=512", "output=complex"}}};
  const bool update = std::getenv("PAPILIO_UPDATE_GOLDEN") != nullptr;
  std::set<std::string> expected;
  for (const golden_case& one : cases) {
    const std::string text = dry_profile(one.kernel, one.settings).to_text();
    const fs::path path = fs::path(PAPILIO_GOLDEN) / (std::string(one.name) + ".txt");
    expected.insert(path.filename());
    if (update) std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(contents(path), text) << "see the head of golden_test.cpp";
  }
  for (const auto& entry : fs::directory_iterator(PAPILIO_GOLDEN))
    EXPECT_TRUE(expected.contains(entry.path().filename())) << entry.path() << " is of no case";
}

}  // namespace
}  // namespace papilio::kernels::test

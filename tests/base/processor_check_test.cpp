#include "base/processor_check.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "support/child_process.hpp"

namespace papilio::base_detail {

// Of this program, which has the check without the library's needs.
constexpr processor_needs needs_of_this_build = {"all", {}};

namespace {

constexpr const char* feature_names[] = {
#define PAPILIO_NAME(macro, name) name,
    PAPILIO_PROCESSOR_FEATURES(PAPILIO_NAME)
#undef PAPILIO_NAME
};

// Linux's names, where they differ from the compilers'.
std::string name_in_cpuinfo(std::string name) {
  if (name == "sse3") return "pni";
  if (name == "pclmul") return "pclmulqdq";
  if (name == "bmi") return "bmi1";
  if (name == "avx512vpopcntdq") return "avx512_vpopcntdq";
  for (const std::string renamed : {"avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512bf16"})
    if (name == renamed) return name.insert(6, "_");
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

std::set<std::string> flags_of_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), {}};
    }
  return {};
}

// Ends a process either way, as a death test must.
[[noreturn]] void require_and_end(const processor_needs& needs) {
  require_processor(needs);
  std::_Exit(0);
}

TEST(processor_check, knows_what_the_system_knows_of_the_processor) {
  const std::set<std::string> flags = flags_of_cpuinfo();
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo";
  for (int i = 0; i < processor_feature_count; ++i) {
    const std::string name = feature_names[i];
    processor_needs needs{"native", {}};
    needs.of_feature[i] = true;
    if (flags.contains(name_in_cpuinfo(name))) {
      EXPECT_EXIT(require_and_end(needs), testing::ExitedWithCode(0), "^$") << name;
    } else {
      EXPECT_EXIT(require_and_end(needs), testing::ExitedWithCode(1),
                  "^papilio: this processor lacks " + name + ", which")
          << name;
    }
  }
}

TEST(processor_check, says_which_build_is_needed) {
  processor_needs needs{"avx2", {}};
  for (bool& needed : needs.of_feature) needed = true;
  EXPECT_EXIT(require_and_end(needs), testing::ExitedWithCode(1),
              "this build of the library \\(PAPILIO_SIMD=avx2\\) uses. A build with "
              "PAPILIO_SIMD=all runs on every");
}

// No processor has Intel's AVX-512 bfloat16 and AMD's XOP: the other program runs nowhere.
TEST(processor_check, comes_before_what_is_constructed_before_main) {
  const test::child_result refused = test::run_child({PAPILIO_REFUSED_PROGRAM});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.output, "");
  EXPECT_NE(refused.errors.find("papilio: this processor lacks "), std::string::npos);
  EXPECT_NE(refused.errors.find("(PAPILIO_SIMD=avx2+avx512)"), std::string::npos);
}

}  // namespace
}  // namespace papilio::base_detail

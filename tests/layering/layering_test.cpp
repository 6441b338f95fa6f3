#include "layering/layering.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace papilio::test {
namespace {

const std::filesystem::path root = PAPILIO_SOURCE_DIR;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(layering, every_include_is_allowed) {
  const auto files =
      sources_below(root, {"include", "src", "kernels", "tests", "examples", "bench", "python"});
  EXPECT_GT(files.size(), 10u);
  for (const auto& file : files)
    for (const auto& violation :
         layering_violations(file.generic_string(), contents(root / file), design_table()))
      ADD_FAILURE() << violation;
}

// Their headers take seconds to compile.
TEST(layering, libraries_of_the_command_line_are_read_by_one_file_each) {
  const std::pair<std::string, std::string> readers[] = {
      {"#include <CLI/", "src/cli/flags.cpp"}, {"#include <nlohmann/", "src/cli/json_value.cpp"}};
  const std::string part_of_flags = "src/cli/help_formatter.hpp";  // which alone reads it
  for (const auto& [include, reader] : readers)
    for (const auto& file : sources_below(root, {"src/cli"})) {
      const bool reads = contents(root / file).find(include) != std::string::npos;
      if (file != part_of_flags) {
        EXPECT_EQ(reads, file == reader) << file;
      }
    }
}

bool takes_text_apart(const std::string& code) {
  for (const char* call :
       {".compare(", ".substr(", ".starts_with(", ".rfind(", ".remove_prefix(", "string::npos",
        "std::regex", "std::sto", "from_chars", "istringstream", "getline("})
    if (code.find(call) != std::string::npos) return true;
  return false;
}

// Designs are values: what they are is not found out from what they print.
TEST(layering, kernels_read_text_only_where_users_write_it) {
  EXPECT_TRUE(takes_text_apart("if (kernel.recipe().find(\"rows\") != std::string::npos)"));
  EXPECT_TRUE(takes_text_apart("text.compare(0, 5, \"tiles\")"));
  EXPECT_FALSE(takes_text_apart("cache.find(key)"));
  // The table of published times has names of kernels with their settings.
  const std::set<std::string> readers{"kernels/catalog.cpp", "kernels/contraction/subscripts.cpp",
                                      "kernels/published/table_model.cpp"};
  for (const auto& file : sources_below(root, {"kernels"}))
    EXPECT_EQ(takes_text_apart(contents(root / file)), readers.contains(file.generic_string()))
        << file;
  for (const auto& file : sources_below(root, {"tests/kernels"}))
    EXPECT_EQ(contents(root / file).find("std::regex"), std::string::npos) << file;
}

TEST(layering, files_are_not_long) {
  for (const auto& file : sources_below(root, {"src", "kernels"}))
    EXPECT_LE(line_count(contents(root / file)), 400u) << file;
  // Declarations with all that users must know of them.
  for (const auto& file : sources_below(root, {"include"}))
    EXPECT_LE(line_count(contents(root / file)), 600u) << file;
}

TEST(layering, public_headers_are_at_most_135) {
  EXPECT_LE(sources_below(root, {"include"}).size(), 135u);
}

TEST(layering, counts_lines) {
  EXPECT_EQ(line_count(""), 0u);
  EXPECT_EQ(line_count("a"), 1u);
  EXPECT_EQ(line_count("a\n"), 1u);
  EXPECT_EQ(line_count("a\n\nb"), 3u);
}

struct sample {
  const char* path;
  const char* include;
};

std::vector<std::string> judge(const sample& s) {
  return layering_violations(s.path, std::string("#include ") + s.include + "\n", design_table());
}

TEST(layering, allows_what_the_design_allows) {
  const sample allowed[] = {
      {"include/papilio/papilio.hpp", R"("papilio/signal.hpp")"},
      {"include/papilio/papilio.hpp", R"("papilio/version.hpp")"},
      {"include/papilio/fft.hpp", R"("papilio/fft/plan.hpp")"},
      {"include/papilio/fft/plan.hpp", R"("papilio/base/array.hpp")"},
      {"include/papilio/fft/plan.hpp", "<span>"},
      {"src/fft/plan.cpp", R"("fft/passes.hpp")"},
      {"src/fft/passes.cpp", R"("beside.hpp")"},
      {"src/fft/passes.cpp", "<hwy/highway.h>"},
      {"src/fft/passes.cpp", R"("hwy/foreach_target.h")"},
      {"src/fft/passes.cpp", "HWY_TARGET_INCLUDE"},
      {"src/render/png.cpp", "<png.h>"},
      {"src/render/png.cpp", R"("papilio/io.hpp")"},
      {"src/audio/reader.cpp", "<sndfile.h>"},
      {"src/base/parallel_for.cpp", "<omp.h>"},
      {"src/base/atomic_file.cpp", "<unistd.h>"},
      {"src/base/atomic_file.cpp", "<sys/stat.h>"},
      {"src/signal/stft.cpp", R"("papilio/fft.hpp")"},
      {"src/engine/device.cpp", R"("papilio/dispatch/accelerator.hpp")"},
      {"kernels/fft_small.cpp", R"("engine/tile.hpp")"},
      {"src/cli/main.cpp", "<CLI/CLI.hpp>"},
      {"src/cli/main.cpp", R"("cli/info.hpp")"},
      {"src/cli/main.cpp", R"("papilio/render.hpp")"},
      {"tests/fft/plan_test.cpp", R"("support/oracle.hpp")"},
      {"tests/fft/plan_test.cpp", R"("fft/tables.hpp")"},
      {"tests/fft/plan_test.cpp", "<gtest/gtest.h>"},
      {"bench/fft.cpp", "<fftw3.h>"},
      {"examples/tour.cpp", "<papilio/papilio.hpp>"},
      {"tests/consumers/find_package/main.cpp", "<papilio/papilio.hpp>"},
  };
  for (const auto& s : allowed) EXPECT_EQ(judge(s), std::vector<std::string>{});
}

TEST(layering, catches_what_the_design_forbids) {
  const sample forbidden[] = {
      {"include/papilio/base/array.hpp", R"("papilio/io.hpp")"},
      {"include/papilio/base.hpp", R"("papilio/papilio.hpp")"},
      {"include/papilio/fft.hpp", "<hwy/highway.h>"},
      {"include/papilio/fft.hpp", "<unistd.h>"},
      {"include/papilio/fft.hpp", R"("fft/passes.hpp")"},
      {"include/papilio/fft.hpp", R"("base.hpp")"},
      {"include/papilio/nowhere.hpp", "<span>"},
      {"src/nowhere/file.cpp", "<span>"},
      {"src/audio/reader.cpp", R"("papilio/fft.hpp")"},
      {"src/audio/reader.cpp", R"("signal/stft.hpp")"},
      {"src/render/png.cpp", R"("papilio/fft.hpp")"},
      {"src/fft/plan.cpp", R"("papilio/dispatch.hpp")"},
      {"src/fft/plan.cpp", R"("../io/npy.hpp")"},
      {"src/fft/plan.cpp", R"("papilio/nowhere.hpp")"},
      {"src/fft/plan.cpp", R"("papilio/papilio.hpp")"},
      {"src/fft/plan.cpp", "<omp.h>"},
      {"src/fft/plan.cpp", "<immintrin.h>"},
      {"src/fft/plan.cpp", "<boost/array.hpp>"},
      {"src/fft/plan.cpp", "SOME_MACRO"},
      {"src/signal/stft.cpp", R"("papilio/audio.hpp")"},
      {"src/signal/stft.cpp", "<hwy/highway.h>"},
      {"src/signal/stft.cpp", "<sndfile.h>"},
      {"src/io/npy.cpp", "<png.h>"},
      {"src/io/npy.cpp", "<cairo.h>"},
      {"src/io/npy.cpp", "<cairo/cairo.h>"},
      {"src/io/npy.cpp", "<pango/pangocairo.h>"},
      {"src/engine/device.cpp", R"("papilio/dispatch.hpp")"},
      {"src/engine/device.cpp", R"("kernels/fft_small.hpp")"},
      {"kernels/fft_small.cpp", R"("papilio/fft.hpp")"},
      {"kernels/fft_small.cpp", "<cmath>"},
      {"src/cli/main.cpp", R"("fft/passes.hpp")"},
      {"src/signal/stft.cpp", "<CLI/CLI.hpp>"},
      {"src/signal/stft.cpp", R"("cli/info.hpp")"},
      {"src/signal/stft.cpp", R"("support/oracle.hpp")"},
      {"tests/io/npy_test.cpp", R"("io/../fft/passes.hpp")"},
      {"tests/io/npy_test.cpp", R"("fft/passes.hpp")"},
      {"examples/tour.cpp", R"("support/oracle.hpp")"},
      {"examples/tour.cpp", R"("base/error.hpp")"},
      {"tests/digest/hash.cpp", R"("engine/storage.hpp")"},
      {"bench/fft.cpp", R"("fft/passes.hpp")"},
      {"bench/fft.cpp", R"("engine/storage.hpp")"},
      {"tests/consumers/find_package/main.cpp", R"("support/oracle.hpp")"},
  };
  for (const auto& s : forbidden) EXPECT_EQ(judge(s).size(), 1u) << s.path << ' ' << s.include;
}

TEST(layering, reads_includes_as_the_preprocessor_does) {
  const std::string text =
      "// #include \"papilio/io.hpp\"\n"
      "  #  include   \"papilio/io.hpp\"  // indented\n"
      "#if 0\n"
      "#include<sndfile.h>\n"
      "#endif";
  EXPECT_EQ(layering_violations("src/fft/plan.cpp", text, design_table()).size(), 2u);
}

}  // namespace
}  // namespace papilio::test

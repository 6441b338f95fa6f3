#include "layering/symbols.hpp"

#include <gtest/gtest.h>

#include "support/child_process.hpp"

namespace papilio::test {
namespace {

using reasons = std::vector<std::string>;

#ifdef PAPILIO_LIBRARIES
TEST(layering, every_symbol_is_of_what_its_component_links) {
  std::map<std::string, library_symbols> libraries;
  const std::string files[] = {PAPILIO_LIBRARIES};
  for (const std::string& file : files) {
    const child_result nm = run_child({"/usr/bin/nm", "-DC", file});
    ASSERT_EQ(nm.exit_code, 0) << nm.errors;
    const auto begin = file.rfind("libpapilio_") + 11;
    const std::string component = file.substr(begin, file.find('.', begin) - begin);
    libraries[component] = symbols_of(nm.output);
    EXPECT_GT(libraries[component].defined.size(), 50u) << file;
  }
  const std::size_t not_built = libraries.contains("mpi") ? 0 : 1;  // the optional one
  EXPECT_EQ(libraries.size() + not_built, design_table().components.size());
  EXPECT_GT(libraries.at("signal").undefined.size(), 10u);
  EXPECT_EQ(symbol_violations(libraries, design_table()), reasons{});
  // What others published is no part of the device's library.
  for (const std::string& name : libraries.at("device").defined)
    EXPECT_EQ(name.find("published"), std::string::npos) << name;
}
#endif

TEST(layering, reads_what_nm_prints) {
  const auto symbols = symbols_of(
      "                 U free@GLIBC_2.2.5\n"
      "                 U papilio::io_error::what() const\n"
      "                 U vtable for papilio::base_detail::sink\n"
      "000000000004a6b0 T papilio::fft_detail::design(unsigned long, bool)\n"
      "000000000004a6b0 W std::vector<papilio::recipe>::~vector()\n");
  EXPECT_EQ(symbols.undefined,
            (name_set{"papilio::io_error::what() const", "vtable for papilio::base_detail::sink"}));
  EXPECT_EQ(symbols.defined, (name_set{"papilio::fft_detail::design(unsigned long, bool)"}));
}

TEST(layering, catches_symbols_of_other_components) {
  const std::string of_engine = "papilio::device papilio::engine::run<float>(int)";
  const std::string of_fft = "papilio::fft_detail::design(unsigned long, bool)";
  const std::string anybodys = "papilio::fft(int)";
  std::map<std::string, library_symbols> libraries{
      {"core", {{of_engine}, {}}},
      {"fft", {{of_fft, anybodys}, {of_engine}}},
      {"signal", {{"papilio::stft(int)"}, {of_fft, of_engine}}},
      {"sound", {{}, {anybodys, of_engine}}}};
  EXPECT_EQ(symbol_violations(libraries, design_table()),
            (reasons{"core has " + of_engine + ", which is of module engine",
                     "sound wants " + anybodys}));
}

}  // namespace
}  // namespace papilio::test

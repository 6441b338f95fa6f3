#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/published/catalog.hpp"
#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

sized_kernel sized(const std::string& kernel, const std::vector<std::string>& settings = {}) {
  return size_kernel(published::find_any(kernel), settings, trainium1());
}

template <class Error>
void expect_refused(const std::string& kernel, const std::vector<std::string>& settings,
                    const std::string& message) {
  try {
    sized(kernel, settings);
    ADD_FAILURE() << "accepted: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(catalog, every_kernel_runs_at_its_presets) {
  EXPECT_GT(published::whole_catalog().size(), catalog().size());
  for (const catalog_entry& entry : published::whole_catalog()) {
    EXPECT_EQ(&published::find_any(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    for (const kernel_parameter& p : entry.parameters) EXPECT_FALSE(p.help.empty()) << p.name;
    const sized_kernel at_presets = sized(entry.name);
    EXPECT_EQ(at_presets.inputs.size(), at_presets.ranges.size()) << entry.name;
    const profile p = dry_profile(entry.name, {});
    EXPECT_EQ(p.kernel, entry.name);
    EXPECT_GT(p.value("total_time"), 0) << entry.name;
  }
}

TEST(catalog, names_differ) {
  std::vector<std::string> names;
  for (const catalog_entry& entry : published::whole_catalog()) names.push_back(entry.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(catalog, settings_reach_the_shapes) {
  const sized_kernel s = sized("gemm", {"m=3", "k=4", "n=5", "dtype=bf16"});
  EXPECT_EQ(s.inputs, (std::vector<tensor_shape>{{{3, 4}, dtype::bf16}, {{4, 5}, dtype::bf16}}));
  EXPECT_EQ(s.outputs, (std::vector<tensor_shape>{{{3, 5}, dtype::fp32}}));
  const sized_kernel e = sized("published/mp2_energy", {"ic=2", "nocc=3", "nvir=448"});
  EXPECT_EQ(e.inputs[0], (tensor_shape{{2 * 448, 3 * 448}}));
  EXPECT_EQ(e.outputs[0], (tensor_shape{{112, 6}}));
}

// What is designed for trainium1 is accepted by the machines after it, and takes the same arrays.
TEST(catalog, every_kernel_runs_at_its_presets_on_every_machine) {
  for (const machine_preset& preset : machine_presets) {
    const machine_spec machine = load_machine(preset.name);
    for (const catalog_entry& entry : published::whole_catalog()) {
      const profile p = dry_profile(entry.name, {}, machine);
      EXPECT_EQ(p.machine, machine.name);
      EXPECT_GT(p.value("total_time"), 0) << entry.name << ' ' << machine.name;
    }
  }
}

// By those a device keeps programs: what changes the body must change them.
TEST(catalog, choices_that_change_the_program_are_in_its_key) {
  const std::string plain = sized("published/mp2_energy").program.parameters;
  EXPECT_NE(sized("published/mp2_energy", {"hoist=yes"}).program.parameters, plain);
  EXPECT_NE(sized("published/mp2_energy", {"pairs_per_store=2"}).program.parameters, plain);
}

TEST(catalog, unknown_kernel) {
  const auto refusal = [](const char* name, std::span<const catalog_entry> among = catalog()) {
    try {
      find_kernel(name, among);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("gem"), "kernel \"gem\" is unknown; did you mean gemm?");
  const std::string text = refusal("nothing like it");
  EXPECT_NE(text.find("kernel \"nothing like it\" is unknown; there are "), std::string::npos)
      << text;
  EXPECT_NE(text.find("gemm"), std::string::npos) << text;
  EXPECT_EQ(text.find("published/mp2_energy"), std::string::npos) << text;
  EXPECT_NE(refusal("nothing like it", published::whole_catalog()).find("published/mp2_energy"),
            std::string::npos);
}

TEST(catalog, bad_settings) {
  using bad = invalid_argument;
  expect_refused<bad>("gemm", {"m"}, "gemm: \"m\" is not name=value");
  expect_refused<bad>("gemm", {""}, "gemm: \"\" is not name=value");
  expect_refused<bad>("gemm", {"q=1"},
                      "gemm has no parameter \"q\"; it has m, k, n, dtype, precision, left, "
                      "right, alpha, beta, bias, function, sums");
  expect_refused<bad>("gemm", {"m=1", "m=2"}, "gemm: m is given twice");
  expect_refused<bad>("gemm", {"m=0"}, "gemm: m must be at least 1, got 0");
  expect_refused<bad>("gemm", {"m=-5"}, "gemm: m must be at least 1, got -5");
  expect_refused<bad>("published/mp2_energy", {"pairs_per_store=-1"},
                      "published/mp2_energy: pairs_per_store must be at least 0, got -1");
  for (const char* text : {"", "x", "1x", "1.5", " 1", "1 ", "0x10", "+1"})
    expect_refused<bad>("gemm", {std::string("m=") + text},
                        "gemm: m must be a whole number, got \"" + std::string(text) + "\"");
  expect_refused<bad>("gemm", {"dtype=int8"},
                      "gemm: dtype must be one of fp32, bf16, fp16, tf32, fp8_e4m3, fp8_e5m2, got "
                      "\"int8\"");
  expect_refused<bad>("published/mp2_energy", {"hoist=1"},
                      "published/mp2_energy: hoist must be one of no, yes, got \"1\"");
}

TEST(catalog, sizes_that_overflow) {
  EXPECT_THROW(sized("gemm", {"m=9223372036854775807", "k=2"}), resource_error);
  EXPECT_THROW(sized("gemm", {"m=4611686018427387904", "k=1", "n=1"}), resource_error);  // bytes
  EXPECT_THROW(sized("gemm", {"m=4000000000", "k=1", "n=4000000000"}), resource_error);  // output
  EXPECT_THROW(sized("published/mp2_energy", {"ic=4000000000", "nvir=4000000000"}), resource_error);
  EXPECT_THROW(sized("published/mp2_energy", {"ic=4000000000", "nocc=4000000000", "nvir=1"}),
               resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

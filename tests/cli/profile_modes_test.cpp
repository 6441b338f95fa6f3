// papilio profile: ranges of sizes, the difference of two runs, and kernels of one's own.
#include <map>

#include "cli/profile_program.hpp"

namespace papilio::test {
namespace {

TEST_F(profile_verb, a_range_of_sizes_is_a_row_for_each) {
  const nlohmann::json doubles = json_report({"gemm", "m=2^7..1024", "k=64"});
  EXPECT_EQ(doubles["swept"], "m");
  std::vector<int> sizes;
  for (const nlohmann::json& row : doubles["rows"]) {
    sizes.push_back(row["size"]);
    const nlohmann::json one =
        json_report({"gemm", "m=" + std::to_string(row["size"].get<int>()), "k=64", "--dry-run"});
    EXPECT_EQ(row["seconds"], one["summary"]["total_time"]);
    EXPECT_EQ(row["floor_seconds"], one["floor_seconds"]);
    EXPECT_EQ(row["bound_by"], one["bound_by"]);
    EXPECT_EQ(row["total_seconds"], one["dispatch"]["total_seconds"]);
  }
  EXPECT_EQ(sizes, (std::vector<int>{128, 256, 512, 1024}));
  sizes.clear();
  const nlohmann::json steps = json_report({"gemm", "m=100..500:150"});
  for (const nlohmann::json& row : steps["rows"]) sizes.push_back(row["size"]);
  EXPECT_EQ(sizes, (std::vector<int>{100, 250, 400}));
  const std::string text = report({"gemm", "m=128..512", "--plot", "m.svg"});
  for (const char* part : {"\nm    device, us  bound by", "\n128  ", "\n512  "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  EXPECT_NE(read_bytes(path("m.svg")).find("<svg"), std::string::npos);
}

TEST_F(profile_verb, a_size_that_is_refused_does_not_stop_the_others) {
  // 160000^2 fp32 are beyond the device.
  const child_result result = profiled({"gemm", "m=80000..160000", "k=160000", "n=8", "--json"});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_NE(result.errors.find("m=160000: "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("102400000000"), std::string::npos) << result.errors;
  const nlohmann::json rows = nlohmann::json::parse(result.output)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1]["seconds"].is_null());
  EXPECT_NE(rows[1]["error"].get<std::string>().find("102400000000"), std::string::npos);
}

TEST_F(profile_verb, ranges_that_make_no_sense) {
  expect_refused(2, {"gemm", "m=9..3"}, {"m=9..3", "must rise"});
  expect_refused(2, {"gemm", "m=0..3"}, {"m=0..3", "from 1"});
  expect_refused(2, {"gemm", "m=1..9:0"}, {"m=1..9:0", "step"});
  expect_refused(2, {"gemm", "m=1..9:x"}, {"m=1..9:x", "step"});
  expect_refused(2, {"gemm", "m=1..9", "n=1..9"}, {"m and n", "one at a time"});
  expect_refused(2, {"gemm", "m=1..999999:1"}, {"at most 1000 sizes"});
  expect_refused(2, {"gemm", "q=1..9"}, {"no parameter \"q\""});
  expect_refused(2, {"gemm", "m=1..9", "--trace", "t.json"}, {"a range of sizes", "--trace"});
  expect_refused(2, {"gemm", "m=1..9", "--cores", "2"}, {"a range of sizes", "--cores"});
  expect_refused(2, with(small_gemm, {"--plot", "p.png"}), {"--plot", "range of sizes"});
  expect_refused(2, {"gemm", "m=1..9", "--plot", "p.gif"}, {"--plot", "gif"});
}

TEST_F(profile_verb, the_difference_of_two_runs) {
  const std::vector<std::string> other = {"gemm", "m=64", "k=9", "n=10"};
  write("a.json", report(with(small_gemm, {"--json"})));
  write("b.json", report(with(other, {"--json"})));
  const nlohmann::json a = nlohmann::json::parse(read_bytes(path("a.json"))),
                       b = nlohmann::json::parse(read_bytes(path("b.json"))),
                       saved = json_report({"b.json", "--against", "a.json"}),
                       fresh = json_report(with(other, {"--against", "a.json"}));
  EXPECT_EQ(saved["before"]["total_seconds"], a["summary"]["total_time"]);
  EXPECT_EQ(saved["after"]["total_seconds"], b["summary"]["total_time"]);
  std::map<std::string, nlohmann::json> by_field, of_fresh;
  for (const nlohmann::json& d : saved["differences"]) by_field[d["field"]] = d;
  for (const nlohmann::json& d : fresh["differences"]) of_fresh[d["field"]] = d;
  EXPECT_EQ(by_field, of_fresh);
  for (const auto& [field, value] : a["summary"].items()) {
    ASSERT_EQ(by_field.contains(field), value != b["summary"][field]) << field;
    if (!by_field.contains(field)) continue;
    EXPECT_EQ(by_field[field]["before"], value);
    EXPECT_EQ(by_field[field]["after"], b["summary"][field]);
  }
  const std::string text = report({"b.json", "--against", "a.json"});
  for (const char* part : {"before    gemm m=8 k=9 n=10 on trainium1\n", "\ntime      ",
                           "\nbound by  ", "\nhbm_write_bytes  ", "+700.0 %"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  EXPECT_NE(report(with(small_gemm, {"--against", "a.json"})).find("differs   nothing\n"),
            std::string::npos);
  write("list.json", "{\"kernels\": []}");
  expect_refused(1, with(small_gemm, {"--against", "list.json"}), {"list.json", "--json prints"});
  expect_refused(1, with(small_gemm, {"--against", "gone.json"}), {"gone.json"});
  expect_refused(2, {"a.json"}, {"--against", "a.json"});
  expect_refused(2, {"a.json", "--against", "b.json", "m=3"}, {"a.json", "SETTING"});
  expect_refused(2, {"a.json", "--against", "b.json", "--dry-run"}, {"a.json", "--dry-run"});
  expect_refused(2, with(small_gemm, {"--against", "a.json", "--trace", "./a.json"}), {"--trace"});
}

#ifdef PAPILIO_KERNEL_OBJECTS
TEST_F(profile_verb, a_kernel_of_ones_own) {
  const std::string object = PAPILIO_KERNEL_OBJECTS "/papilio_test_own_kernel.so";
  const nlohmann::json j = json_report({object, "fused_multiply_add", "rows=300"});
  EXPECT_EQ(j["kernel"], "fused_multiply_add");
  // docs/writing_a_kernel.md has these numbers.
  EXPECT_NEAR(j["summary"]["total_time"].get<double>(), 85.59e-6, 0.005e-6);
  EXPECT_EQ(j["summary"]["hbm_read_bytes"], 3 * 4 * 300 * 4100);
  // Its only kernel needs no name; sizes may be powers, and ranges.
  EXPECT_EQ(json_report({object, "rows=2^3", "columns=64..128"})["rows"].size(), 2u);
  EXPECT_EQ(json_report({object, "--list"})["kernels"][0]["parameters"][1]["preset"], "4100");
  expect_refused(2, {object, "other"}, {"other", "fused_multiply_add"});
  expect_refused(2, {object, "rows=0"}, {"rows must be at least 1"});
}

TEST_F(profile_verb, objects_that_are_no_kernels) {
  const std::string objects = PAPILIO_KERNEL_OBJECTS "/papilio_test_kernel_object_";
  expect_refused(1, {objects + "1.so", "a"}, {"throws: no list today"});
  expect_refused(1, {objects + "2.so", "a"}, {"is empty"});
  expect_refused(1, {objects + "3.so", "a"}, {"no size()"});
  expect_refused(1, {objects + "4.so", "a"}, {"papilio 0.1.0", "compile it again"});
  expect_refused(1, {objects + "5.so", "a"}, {"PAPILIO_KERNEL_OBJECT"});
  expect_refused(1, {"./gone.so", "a"}, {"./gone.so", "No such file"});
  write("text.so", "not ELF\n");
  expect_refused(1, {"./text.so", "a"}, {"./text.so", "ELF"});
  write("cut.so", read_bytes(objects + "1.so").substr(0, 5000));
  expect_refused(1, {"cut.so", "a"}, {"cut.so", "is cut short"});
}
#endif

}  // namespace
}  // namespace papilio::test

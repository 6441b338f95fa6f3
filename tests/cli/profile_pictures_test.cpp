// papilio profile --timeline and --roofline: pictures and pages of the events and numbers of a run.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

using nlohmann::json;

class profile_pictures : public program_test {
 protected:
  child_result profiled(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"profile", "gemm", "m=300", "k=200", "n=600"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  json part_of(const std::string& name) const {
    const std::string html = read_bytes(path(name)), tag = "class=\"part\">";
    const std::size_t begin = html.find(tag) + tag.size();
    return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  }
};

TEST_F(profile_pictures, are_of_the_kind_that_the_name_tells) {
  const std::pair<const char*, const char*> kinds[] = {
      {"png", "\x89PNG"}, {"svg", "<?xml"}, {"pdf", "%PDF"}, {"html", "<!DOCTYPE html>"}};
  for (const auto& [ending, start] : kinds) {
    const std::string timeline = std::string("t.") + ending, roof = std::string("r.") + ending;
    EXPECT_EQ(profiled({"--timeline", timeline, "--roofline", roof, "--dry-run"}).exit_code, 0);
    for (const std::string& name : {timeline, roof}) {
      const std::string bytes = read_bytes(path(name));
      EXPECT_TRUE(bytes.starts_with(start)) << name;
      if (name.ends_with(".html")) {
        EXPECT_EQ(bytes.find("http:"), std::string::npos) << name;
      }
    }
  }
}

// The slices of both come from one trace: times in whole nanoseconds, engine by engine.
TEST_F(profile_pictures, a_timeline_has_the_slices_of_the_trace) {
  ASSERT_EQ(profiled({"--timeline", "t.html", "--trace", "t.json"}).exit_code, 0);
  const json part = part_of("t.html"), trace = json::parse(read_bytes(path("t.json")));
  std::map<int, std::string> names;
  std::map<std::string, std::multiset<long long>> starts, drawn;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name")
      names[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    std::string name = names.at(event["tid"]);
    name = name.substr(0, name.find(" ("));
    if (name == "tensor LoadStationary") name = "tensor load";
    starts[name].insert(std::llround(1000 * event["ts"].get<double>()));
  }
  for (const json& lane : part["lanes"])
    for (std::size_t i = 0; i < lane["spans"].size(); i += 3) {
      drawn[lane["name"]].insert(lane["spans"][i].get<long long>());
      EXPECT_LT(lane["spans"][i + 2], part["opcodes"].size());
    }
  EXPECT_GT(drawn.size(), 2u);
  EXPECT_EQ(drawn, starts);
}

TEST_F(profile_pictures, a_roofline_has_the_machines_peaks_and_the_run) {
  const child_result result = profiled({"--roofline", "r.html", "--dry-run", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json part = part_of("r.html"), summary = json::parse(result.output)["summary"];
  const double products = 2.0 * 300 * 200 * 600;
  EXPECT_NEAR(part["tflops"], 1e-12 * products / summary["total_time"].get<double>(),
              1e-4 * part["tflops"].get<double>());
  EXPECT_NEAR(part["intensity"], products / (4.0 * (300 * 200 + 200 * 600 + 300 * 600)), 0.01);
  // 128 x 128 multiply-adds at 2.8 GHz; HBM's 820 GB/s are two cores'; 16 x 17 B/ns of DMA.
  const double peaks[] = {91.75, 91.75, 91.75 / 4}, rates[] = {410e9, 272e9, 272e9};
  ASSERT_EQ(part["roofs"].size(), 3u);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t i = 0; i < part["x"].size(); ++i) {
      const double expected = std::min(peaks[r], 1e-12 * rates[r] * part["x"][i].get<double>());
      ASSERT_NEAR(part["roofs"][r]["y"][i], expected, 1e-3 * expected) << r << " " << i;
    }
}

TEST_F(profile_pictures, what_cannot_be_drawn) {
  const auto expect_refused = [&](int code, std::vector<std::string> flags, const char* reason) {
    flags.insert(flags.begin(), "profile");
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
    EXPECT_TRUE(listing().empty());
  };
  expect_refused(2, {"gemm", "--timeline", "t.gif"}, "--timeline");
  expect_refused(2, {"gemm", "--roofline", "-"}, "--roofline");
  expect_refused(2, {"gemm", "--roofline", "r.png", "--timeline", "r.png"}, "another output");
  expect_refused(1, {"gemm", "--timeline", "nowhere/t.png"}, "nowhere/t.png");
  expect_refused(1, {"gemm", "--timeline", "nowhere/t.html"}, "nowhere/t.html");
  expect_refused(1, {"complex_mask", "--roofline", "r.png"}, "no products on the tensor engine");
}

}  // namespace
}  // namespace papilio::test

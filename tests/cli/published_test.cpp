// papilio published: its tables, its JSON, and what it refuses.
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class published_verb : public program_test {
 protected:
  std::string report(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), "published");
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }

  nlohmann::json json_report(std::vector<std::string> arguments = {}) const {
    arguments.emplace_back("--json");
    return nlohmann::json::parse(report(std::move(arguments)));
  }

  void expect_refused(int code, std::vector<std::string> arguments,
                      const std::vector<std::string>& words) {
    arguments.insert(arguments.begin(), "published");
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_EQ(result.output, "");
    for (const std::string& word : words)
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << " in: " << result.errors;
  }
};

std::string contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(published_verb, is_what_the_guide_shows) {
  const std::string guide = contents(PAPILIO_PUBLISHED_GUIDE), head = "$ papilio published\n";
  const std::size_t from = guide.find(head);
  ASSERT_NE(from, std::string::npos);
  const std::size_t to = guide.find("```", from);
  EXPECT_EQ(report(), guide.substr(from + head.size(), to - from - head.size()));
}

TEST_F(published_verb, brief_fits_eighty_columns) {
  const std::string text = report({"--brief"});
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    rows += line.find(" %  ") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(rows, 70u) << text;  // those of the device
}

void expect_a_row_for_each_that_names_the_device(const nlohmann::json& j) {
  EXPECT_EQ(j["machine"], "trainium1");
  EXPECT_TRUE(j["runtime"].is_null());
  ASSERT_EQ(j["rows"].size(), 77u);
  EXPECT_EQ(j["host_rows"].size(), 58u);
  std::map<std::string, int> places;
  for (const auto& row : j["rows"]) {
    for (const char* key :
         {"op", "shape", "version", "published_us", "host_us", "modelled_us", "residual", "ours_us",
          "ours_device_us", "speedup", "parts", "host_parts", "runtime", "role", "measured_host_us",
          "modelled_without_host_us", "residual_without_host"})
      EXPECT_TRUE(row.contains(key)) << key << " in " << row;
    ++places[row["status"].get<std::string>()];
    EXPECT_EQ(row["residual"].is_null(), row["status"] != "device") << row;
    EXPECT_EQ(row["role"].is_null(), row["status"] != "device") << row;
    EXPECT_EQ(row["source"].get<std::string>().rfind("trnsci/", 0), 0u) << row;
  }
  EXPECT_EQ(places, (std::map<std::string, int>{
                        {"device", 70}, {"host", 3}, {"partly", 2}, {"retracted", 2}}));
  for (const auto& row : j["host_rows"]) EXPECT_FALSE(row.contains("residual"));
}

void expect_kernels_alone_as_rows_of_their_own(const nlohmann::json& j) {
  const nlohmann::json& rows = j["kernel_rows"];
  ASSERT_EQ(rows.size(), 18u);
  for (const auto& row : rows) {
    EXPECT_EQ(row["status"], "kernel") << row;
    EXPECT_EQ(row["kernel"].get<std::string>().rfind("published/", 0), 0u) << row;
    const double published = row["published_us"], modelled = row["modelled_us"];
    EXPECT_NEAR(row["residual"].get<double>(), modelled / published - 1, 1e-12) << row;
  }
}

void expect_parts_to_add_up(const nlohmann::json& j) {
  for (const auto& row : j["rows"]) {
    if (row["status"] != "device") continue;
    double sum = 0;
    for (const char* part : {"launch_us", "upload_us", "fetch_us", "device_us"})
      sum += row["parts"][part].get<double>();
    const double published = row["published_us"], modelled = row["modelled_us"];
    EXPECT_NEAR(row["modelled_without_host_us"].get<double>(), sum, 1e-9 * sum) << row;
    for (const auto& [name, us] : row["host_parts"].items()) sum += us.get<double>();
    EXPECT_NEAR(modelled, sum, 1e-9 * sum) << row;
    EXPECT_NEAR(row["residual"].get<double>(), modelled / published - 1, 1e-12) << row;
    if (!row["ours_us"].is_null()) {
      EXPECT_NEAR(row["speedup"].get<double>(), published / row["ours_us"].get<double>(), 1e-9);
    }
  }
}

void expect_a_summary_of_the_rows(const nlohmann::json& j) {
  double sum = 0, largest = 0;
  int rows = 0;
  for (const auto& row : j["rows"]) {
    if (row["system"] != "trnfft" || row["role"] != "fit" || row["sdk"] != "2.24") continue;
    const double size = std::fabs(row["residual"].get<double>());
    sum += size;
    largest = std::max(largest, size);
    ++rows;
  }
  ASSERT_EQ(j["summary"].size(), 9u);
  const nlohmann::json& first = j["summary"][0];
  EXPECT_EQ(first["sdk"], "2.24");
  EXPECT_EQ(first["role"], "fit");
  EXPECT_EQ(first["rows"], rows);
  EXPECT_NEAR(first["mean_residual"].get<double>(), sum / rows, 1e-12);
  EXPECT_NEAR(first["largest_residual"].get<double>(), largest, 1e-12);
}

// One case, since each case is a process, and each run reckons the whole table.
TEST_F(published_verb, its_json_is_consistent) {
  const nlohmann::json j = json_report();
  EXPECT_EQ(json_report({"--brief"}), j);
  EXPECT_TRUE(j["rows"][0]["measured_host_us"].is_null());
  expect_a_row_for_each_that_names_the_device(j);
  expect_kernels_alone_as_rows_of_their_own(j);
  expect_parts_to_add_up(j);
  expect_a_summary_of_the_rows(j);
}

TEST_F(published_verb, another_runtime_and_machine) {
  const nlohmann::json j = json_report({"--runtime", "sdk_2_29", "--machine", "trainium2"});
  EXPECT_EQ(j["machine"], "trainium2");
  EXPECT_EQ(j["runtime"], "sdk_2_29");
  for (const auto& row : j["rows"]) {
    if (row["status"] != "device") continue;
    EXPECT_EQ(row["runtime"], "sdk_2_29");
    EXPECT_NEAR(row["parts"]["launch_us"].get<double>(),
                863 * row["parts"]["launches"].get<double>(), 1e-6);
  }
}

TEST_F(published_verb, measures_only_when_asked) {
  const nlohmann::json j = json_report({"--measure"});
  for (const auto& row : j["rows"]) {
    if (row["status"] != "device") continue;
    const std::string op = row["op"];
    const bool can = op != "mp2_energy";
    EXPECT_EQ(row["measured_host_us"].contains("host"), can) << op;
    for (const auto& [name, us] : row["measured_host_us"].items()) EXPECT_GT(us, 0) << name;
  }
}

TEST_F(published_verb, bad_usage) {
  expect_refused(1, {"--machine", "trainium9"}, {"trainium9", "trainium1, trainium2"});
  expect_refused(1, {"--runtime", "sdk_1"}, {"sdk_1", "sdk_2_24"});
  expect_refused(2, {"--machine", ""}, {"--machine"});
  expect_refused(2, {"--runtime", ""}, {"--runtime"});
  expect_refused(2, {"fft"}, {"fft"});
  write("bad.json", R"({"launch_us": -1})");
  expect_refused(1, {"--runtime", "bad.json"}, {"bad.json", "launch_us"});
}

}  // namespace
}  // namespace papilio::test

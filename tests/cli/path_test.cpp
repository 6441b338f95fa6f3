// papilio path: its table, its JSON, and the files it refuses.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace papilio::test {
namespace {

class path_verb : public program_test {
 protected:
  child_result path_run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "path");
    return run(std::move(arguments));
  }

  nlohmann::json json_report(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const child_result result = path_run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }

  void expect_refused(int code, std::vector<std::string> arguments,
                      const std::vector<std::string>& words) const {
    const child_result result = path_run(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_EQ(result.output, "");
    for (const std::string& word : words)
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << " in: " << result.errors;
  }

  std::string networks() const {
    return write("networks.json", R"({"networks": [
      {"name": "chain", "inputs": [["i", "j"], ["j", "k k"], ["k k", "l"]], "output": ["i", "l"],
       "sizes": {"i": 2, "j": 3, "k k": 5, "l": 7}, "best_flops": 200},
      {"name": "numbers", "inputs": [[0, 1], [1, 2], [2, 0]], "output": [],
       "sizes": {"0": 4, "1": 4, "2": 4}}]})");
  }

  void expect_bad_network(const std::string& text, const std::vector<std::string>& words) const {
    std::vector<std::string> all = words;
    all.emplace_back("bad.json");
    expect_refused(1, {write("bad.json", text)}, all);
  }
};

TEST_F(path_verb, json_has_order_and_costs) {
  const nlohmann::json j = json_report({networks()});
  ASSERT_EQ(j["networks"].size(), 2u);
  const nlohmann::json& chain = j["networks"][0];
  EXPECT_EQ(chain["name"], "chain");
  EXPECT_EQ(chain["path"].size(), 2u);
  EXPECT_EQ(chain["flops"], 200);
  EXPECT_EQ(chain["macs"], 100);
  EXPECT_EQ(chain["largest"], 14);
  EXPECT_EQ(chain["slices"], 1);
  EXPECT_EQ(chain["search"], "optimal");
  EXPECT_GE(chain["seconds"].get<double>(), 0);
  EXPECT_EQ(j["networks"][1]["flops"], 2 * 64 + 2 * 16);
}

TEST_F(path_verb, text_is_a_table_beside_what_is_known) {
  const child_result result = path_run({networks(), "--search", "optimal"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("network", 0), 0u);
  EXPECT_NE(result.output.find("1.0000\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("numbers"), std::string::npos);
}

TEST_F(path_verb, one_network_and_one_name) {
  const std::string one = write("one.json", R"({"inputs": [["a"], ["a"]], "output": [],
                                                "sizes": {"a": 3}})");
  EXPECT_EQ(json_report({one})["networks"][0]["name"], "network 1");
  const nlohmann::json j = json_report({networks(), "--name", "numbers"});
  ASSERT_EQ(j["networks"].size(), 1u);
  EXPECT_EQ(j["networks"][0]["name"], "numbers");
  expect_refused(2, {networks(), "--name", "none"}, {"--name", "none"});
}

TEST_F(path_verb, a_limit_slices_labels_by_name) {
  const nlohmann::json j =
      json_report({networks(), "--name", "numbers", "--memory-limit", "4", "--seed", "7"});
  const nlohmann::json& network = j["networks"][0];
  EXPECT_LE(network["largest"].get<double>(), 4);
  ASSERT_EQ(network["sliced"].size(), 1u);
  EXPECT_EQ(network["slices"], 4);
  expect_refused(1, {networks(), "--memory-limit", "3"}, {"chain", "largest_intermediate", "14"});
}

TEST_F(path_verb, bad_usage) {
  expect_refused(2, {}, {"FILE"});
  expect_refused(2, {networks(), "--search", "best"}, {"--search"});
  expect_refused(2, {networks(), "--seconds", "0"}, {"--seconds"});
  expect_refused(2, {networks(), "--memory-limit", "0"}, {"--memory-limit"});
  expect_refused(2, {networks(), "--seed", "-1"}, {"--seed"});
}

TEST_F(path_verb, bad_files_name_network_and_field) {
  expect_refused(1, {path("absent.json")}, {"absent.json"});
  expect_bad_network("[", {"no JSON object"});
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  expect_bad_network(R"({"inputs": [["a"]], "output": ["a"], "sizes": {"a": )" + deep + "}}",
                     {"nested deeper than 32 levels"});
  expect_bad_network("{}", {"\"networks\""});
  expect_bad_network(R"({"networks": 3})", {"\"networks\" must be a list"});
  expect_bad_network(R"({"networks": [3]})", {"network 1", "must be an object"});
  expect_bad_network(R"({"name": "x", "inputs": [["a"]], "output": []})", {"x", "\"sizes\""});
  expect_bad_network(R"({"name": "x", "inputs": [["a"]], "sizes": {"a": 2}})", {"\"output\""});
  expect_bad_network(R"({"inputs": [], "output": [], "sizes": {}})", {"\"inputs\""});
  expect_bad_network(R"({"inputs": ["a"], "output": [], "sizes": {"a": 2}})", {"operand 0"});
  expect_bad_network(R"({"inputs": [["a"], ["b"]], "output": [], "sizes": {"a": 2}})",
                     {"operand 1", "\"b\""});
  expect_bad_network(R"({"inputs": [[null]], "output": [], "sizes": {"a": 2}})", {"operand 0"});
  for (const char* size : {"-2", "1.5", "\"3\"", "1e99", "9223372036854775808"})
    expect_bad_network(
        std::string(R"({"inputs": [["a"]], "output": [], "sizes": {"a": )") + size + "}}",
        {"\"sizes\"", "\"a\""});
  expect_bad_network(R"({"inputs": [["a"]], "output": ["a", "a"], "sizes": {"a": 2}})", {"result"});
  expect_bad_network(R"({"inputs": [["a"]], "output": ["b"], "sizes": {"a": 2, "b": 2}})",
                     {"result"});
  expect_bad_network(
      R"({"name": "n\u001b", "inputs": [["a"]], "output": [], "sizes": {"a": 1}, "best_flops": 0})",
      {"\"best_flops\"", "n\\x1b"});
}

}  // namespace
}  // namespace papilio::test

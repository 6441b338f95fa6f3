// papilio plan: its language, its report, and what it refuses.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::test {
namespace {

class plan_verb : public program_test {
 protected:
  nlohmann::json double_report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--type", "double"});
    return report(std::move(arguments));
  }

  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "plan");
    arguments.emplace_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return nlohmann::json::parse(result.output);
  }

  /// Exit 2, the fault, and the caret in `column` of the line under the expression.
  void expect_fault(const std::string& expression, const std::string& fault, std::size_t column) {
    const child_result result = run({"plan", expression});
    EXPECT_EQ(result.exit_code, 2) << expression;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(fault), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("\n  " + std::string(column, ' ') + "^\n"), std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("EXPR is NAME SIZES"), std::string::npos);
  }
};

TEST_F(plan_verb, says_what_runs_and_why) {
  const child_result result = run({"plan", "fft 128x1024", "--type", "float"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::string head =
      "transform fft of 1024, 128 lines, float\n"
      "work      6.55 Mflop by the 5 n log2 n convention\n"
      "data      1.0 MiB in, 1.0 MiB out\n"
      "rates     from CPU features\n"
      "\n"
      "host: runs, the ";
  EXPECT_EQ(result.output.substr(0, head.size()), head) << result.output;
  for (const char* line :
       {"\n  recipe    (", "\n  passes    ", "\n  moves     ", "\n  computes  ", "\n  tables    ",
        "\n  scratch   ", "\n  planning  ", "\n  estimate  ", "\n  error     "})
    EXPECT_NE(result.output.find(line), std::string::npos) << line << result.output;
}

TEST_F(plan_verb, json_holds_the_numbers) {
  const nlohmann::json json = double_report({"fft 128x1024"});
  EXPECT_EQ(json["lines"], 128);
  EXPECT_EQ(json["extents"], nlohmann::json({1024}));
  EXPECT_EQ(json["bytes_in"], 128 * 1024 * 16);
  EXPECT_EQ(json["nominal_flops"], 5.0 * 128 * 1024 * 10);
  EXPECT_EQ(json["runs"], "host");
  const nlohmann::json& host = json["candidates"][0];
  EXPECT_EQ(host["name"], "host");
  EXPECT_EQ(host["runs"], true);
  EXPECT_EQ(host["refusal"], "");
  EXPECT_NE(host["recipe"].get<std::string>().find("1024"), std::string::npos);
  EXPECT_GE(host["passes"], 1);
  EXPECT_GE(host["bytes_moved"], 2 * 128 * 1024 * 16);
  for (const char* key : {"flops", "seconds", "table_bytes", "scratch_bytes", "relative_error"})
    EXPECT_GT(host[key], 0) << key;
  EXPECT_TRUE(host["measured_seconds"].is_null());
}

TEST_F(plan_verb, quotes_may_be_left_out) {
  const nlohmann::json json = report({"rfft2", "3x8", "x", "10", "--threads", "1"});
  EXPECT_EQ(json["expression"], "rfft2 3x8 x 10");
  EXPECT_EQ(json["lines"], 3);
}

TEST_F(plan_verb, knows_every_transform) {
  struct expected {
    const char* expression;
    std::vector<std::size_t> extents;
    std::size_t lines, bytes_in, bytes_out;
  };
  const std::vector<expected> all{{"fft 1024", {1024}, 1, 16384, 16384},
                                  {"ifft 3*7", {7}, 3, 336, 336},
                                  {"rfft 4096", {4096}, 1, 32768, 32784},
                                  {"irfft 2 x 9", {9}, 2, 160, 144},
                                  {" fft2  512X512 ", {512, 512}, 1, 4194304, 4194304},
                                  {"rfft2 3x8x10", {8, 10}, 3, 1920, 2304},
                                  {"irfft2 8x10", {8, 10}, 1, 768, 640},
                                  {"fftn 4x6x8", {4, 6, 8}, 1, 3072, 3072},
                                  {"rfftn 4x6x9", {4, 6, 9}, 1, 1728, 1920},
                                  {"ifftn 5", {5}, 1, 80, 80},
                                  {"fft 2^10", {1024}, 1, 16384, 16384},
                                  {"fft 010", {10}, 1, 160, 160}};
  for (const expected& e : all) {
    SCOPED_TRACE(e.expression);
    const nlohmann::json json = double_report({e.expression});
    EXPECT_EQ(json["extents"], nlohmann::json(e.extents));
    EXPECT_EQ(json["lines"], e.lines);
    EXPECT_EQ(json["bytes_in"], e.bytes_in);
    EXPECT_EQ(json["bytes_out"], e.bytes_out);
    EXPECT_EQ(json["runs"], "host");
  }
}

TEST_F(plan_verb, cosine_and_sine_transforms_have_types) {
  for (const char* expression : {"dct 16", "idct-3 4x16", "dst-1 1", "idst-4 5"}) {
    const nlohmann::json json = report({expression, "--effort", "measure"});
    EXPECT_EQ(json["runs"], "host") << expression;
    EXPECT_GT(json["candidates"][0]["measured_seconds"], 0) << expression;
  }
  expect_fault("dct-5 16", "types are 1 to 4", 4);
  expect_fault("dct-1 1", "at least 2 points", 6);
}

TEST_F(plan_verb, every_option_does_something) {
  EXPECT_EQ(report({"fft 64"})["bytes_in"], 512);
  EXPECT_EQ(report({"fft 64", "--type", "float"})["bytes_in"], 512);
  EXPECT_EQ(report({"fft 64", "--type", "Double"})["bytes_in"], 1024);
  EXPECT_EQ(report({"fft 64", "--type", "long-double"})["bytes_in"], 128 * sizeof(long double));
  // Cores that are not there do not help.
  const auto seconds = [&](const char* threads) {
    return report({"fft 65536x64", "--threads", threads})["candidates"][0]["seconds"].get<double>();
  };
  if (host_from_features().cores > 1) {
    EXPECT_LT(seconds("2"), seconds("1"));
  }
  EXPECT_EQ(report({"fft 64", "--backend", "host"})["why"],
            "the policy is host; host is the backend that --backend asks for");
  const nlohmann::json measured = report({"fft 3x60", "--effort", "measure"})["candidates"][0];
  EXPECT_GT(measured["measured_seconds"], 0);
}

TEST_F(plan_verb, measures_every_kind) {
  for (const char* expression : {"rfft 3x50", "irfft 3x50", "fft2 2x8x9", "rfft2 2x8x9",
                                 "irfft2 2x8x9", "fftn 3x4x5", "rfftn 3x4x5", "irfftn 3x4x5"})
    EXPECT_GT(report({expression, "--effort", "measure"})["candidates"][0]["measured_seconds"], 0)
        << expression;
}

TEST_F(plan_verb, wisdom_is_kept_and_taken) {
  const nlohmann::json first =
      double_report({"fft 1000", "--effort", "measure", "--wisdom", "w.txt"});
  EXPECT_EQ(first["wisdom"], "w.txt");
  const std::string kept = read_bytes(path("w.txt"));
  const std::string recipe = first["candidates"][0]["recipe"];
  EXPECT_NE(kept.find("complex double 1000 " + recipe + "\n"), std::string::npos) << kept;
  const nlohmann::json again =
      double_report({"fft 1000", "--effort", "measure", "--wisdom", "w.txt"});
  EXPECT_EQ(again["candidates"][0]["recipe"], recipe);
  EXPECT_EQ(read_bytes(path("w.txt")), kept);
  report({"fft 96", "--effort", "measure", "--wisdom", "w.txt"});
  EXPECT_NE(read_bytes(path("w.txt")).find("complex double 1000 " + recipe), std::string::npos);
}

TEST_F(plan_verb, bad_wisdom_is_refused_and_left_as_it_is) {
  const std::string name = write("w.txt", "papilio-wisdom format=99\n");
  const child_result damaged = run({"plan", "fft 8", "--effort", "measure", "--wisdom", name});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_EQ(damaged.output, "");
  EXPECT_NE(damaged.errors.find(name), std::string::npos) << damaged.errors;
  EXPECT_EQ(read_bytes(name), "papilio-wisdom format=99\n");
  const child_result unused = run({"plan", "fft 8", "--wisdom", "new.txt"});
  EXPECT_EQ(unused.exit_code, 2);
  EXPECT_NE(unused.errors.find("--effort measure"), std::string::npos) << unused.errors;
  EXPECT_EQ(run({"plan", "fft 8", "--effort", "measure", "--wisdom", "no/such/w"}).exit_code, 1);
}

// The tables of a convolution of prime length would take gigabytes and a minute.
TEST_F(plan_verb, huge_transforms_are_reckoned_and_not_built) {
  for (const char* expression : {"fft 2^32", "dst-1 2^26", "dct-1 2^26", "rfft 67108859"}) {
    SCOPED_TRACE(expression);
    const child_result result = run({"plan", expression, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_LT(result.peak_kilobytes, 200 * 1024);
    const nlohmann::json host = nlohmann::json::parse(result.output)["candidates"][0];
    EXPECT_GT(host["table_bytes"], 0);
    EXPECT_TRUE(host["planning_seconds"].is_null());
    EXPECT_GT(host["seconds"], 1);
  }
}

TEST_F(plan_verb, what_neither_side_can_is_told_on_standard_error) {
  const child_result result = run({"plan", "rfft 128x4096", "--precision", "compensated"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("native precision only"), std::string::npos) << result.errors;
}

TEST_F(plan_verb, faults_are_shown_where_they_are) {
  expect_fault("", "name of an operation is expected", 0);
  expect_fault("FFT 8", "names of operations are in lower case", 0);
  expect_fault("fht 8", "there is no such operation", 0);
  expect_fault("fft3 8", "a space is expected", 3);
  expect_fault("fft", "a whole number is expected", 3);
  expect_fault("fft 128y1024", "\"x\" and a size", 7);
  expect_fault("fft 128x", "a whole number is expected", 8);
  expect_fault("fft x8", "a whole number is expected", 4);
  expect_fault("fft -8", "a whole number is expected", 4);
  expect_fault("fft 0", "at least 1", 4);
  expect_fault("fft 8 x 0", "at least 1", 8);
  expect_fault("fft 8.5", "\"x\" and a size", 5);
  expect_fault("fft 2^", "a whole number is expected", 6);
  expect_fault("fft 2x3x4", "one size too many: fft takes one size", 8);
  expect_fault("fft 2x30 x 400", "one size too many", 11);
  expect_fault("dct-1 4x1", "at least 2 points", 8);
  expect_fault("fft2 512", "takes two sizes", 8);
  expect_fault("fft2 2x3x4x5", "one size too many: fft2 takes two sizes", 11);
  expect_fault("fft 99999999999999999999", "too large", 4);
  expect_fault("fft 2^64", "too large", 4);
  expect_fault("fft 2^99999999999", "too large", 4);
  expect_fault("fft 2^40 x 2^40", "more bytes than there are addresses", 4);
  expect_fault("fft 2^60", "more bytes than there are addresses", 4);
  expect_fault("\x1b[31m 8", "name of an operation is expected", 0);
  std::string many = "fftn 1";
  for (int i = 0; i < 32; ++i) many += "x1";
  expect_fault(many, "more than 32 sizes", many.size() - 1);
}

TEST_F(plan_verb, bad_options_are_usage) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--type", "half"},
                                                {"--effort", "heroic"},
                                                {"--threads", "0"},
                                                {"--threads", "1025"},
                                                {"--wisdom", ""},
                                                {"--backend", ""},
                                                {"--backend", "abacus"}}) {
    std::vector<std::string> arguments{"plan", "fft 8"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << flags[0] << ' ' << flags[1];
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(flags[0] == "--backend" ? "backend" : flags[0]), std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(run({"plan"}).exit_code, 2);
}

TEST_F(plan_verb, predicts_what_many_processes_take) {
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"plan", "rfftn 512x512x512", "--ranks", "160", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto plain = told({}), natural = told({"--natural"});
  int ranks = 1;
  for (const int pieces : plain.at("grid")) ranks *= pieces;
  EXPECT_EQ(ranks, 160);
  EXPECT_EQ(plain.at("grid").back(), 1);
  EXPECT_GT(natural.at("exchange_seconds"), plain.at("exchange_seconds"));
  EXPECT_DOUBLE_EQ(plain.at("seconds").get<double>(),
                   plain.at("compute_seconds").get<double>() +
                       plain.at("packing_seconds").get<double>() +
                       plain.at("exchange_seconds").get<double>());
  write("slow.json", R"({"link_bytes_per_second": 1e6})");
  EXPECT_GT(told({"--network", "slow.json"}).at("exchange_seconds"),
            100 * plain.at("exchange_seconds").get<double>());
  expect_refused({"plan", "fft 1024", "--ranks", "4"}, 2, "not one array of several axes");
  expect_refused({"plan", "fftn 8x8", "--network", "slow.json"}, 2, "--network: needs --ranks");
  expect_refused({"plan", "fftn 8x8", "--ranks", "2", "--threads", "2"}, 2, "is not for --ranks");
  expect_refused({"plan", "fftn 8x8", "--ranks", "2", "--network", "none.json"}, 1, "none.json");
}

}  // namespace
}  // namespace papilio::test

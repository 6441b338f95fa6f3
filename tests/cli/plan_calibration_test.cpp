// papilio plan: what estimates rest on, measured, kept, found, and refused.
#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "cli/program.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::test {
namespace {

class plan_calibration : public program_test {
 protected:
  plan_calibration() {
    setenv("PAPILIO_CALIBRATION", "", 1);
    setenv("XDG_CONFIG_HOME", path("config").c_str(), 1);
  }
  ~plan_calibration() override {
    setenv("PAPILIO_CALIBRATION", "off", 1);
    unsetenv("XDG_CONFIG_HOME");
  }

  /// What would have been measured on that day.
  std::string write_calibration(const std::string& name, const std::string& day) const {
    host_model h = host_from_features();
    h.measured_on = day;
    h.call_seconds = 1;
    save_host(path(name), h);
    return path(name);
  }
  // Other tests run meanwhile.
  static void expect_nothing_but_a_warning(const std::string& errors) {
    if (!errors.empty()) {
      EXPECT_EQ(errors.find("papilio: warning: --calibrate: the computer is busy: "), 0u) << errors;
    }
  }
  nlohmann::json plan(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"plan", "fft 64", "--json"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }
  std::string rates(const std::vector<std::string>& flags = {}) const {
    return plan(flags)["rates"];
  }
};

TEST_F(plan_calibration, is_measured_saved_and_used) {
  const child_result result = run({"plan", "--calibrate", "--calibrate-seconds", "0.01",
                                   "--calibration", "a/host.json", "--even-if-busy"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  expect_nothing_but_a_warning(result.errors);
  for (const char* text : {"by features     measured\n", "\npeak, float ", "\nL1 copying, 1 core ",
                           "\nmemory transforms, double ",
                           " s; meanwhile threads waited for a core ", "\nsaved in a/host.json\n"})
    EXPECT_NE(result.output.find(text), std::string::npos) << text << result.output;
  const host_model measured = load_host(path("a/host.json"));
  EXPECT_EQ(rates({"--calibration", "a/host.json"}), to_string(measured));
  EXPECT_EQ(rates(), "from CPU features");
}

TEST_F(plan_calibration, prints_json) {
  const child_result result =
      run({"plan", "--calibrate", "--calibrate-seconds", "0.01", "--json", "--even-if-busy"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json json = nlohmann::json::parse(result.output);
  const std::string file = path("config/papilio/host.json");
  EXPECT_EQ(json["file"], file);
  const host_model measured = load_host(file);
  EXPECT_EQ(json["measured_on"], measured.measured_on);
  EXPECT_GT(json["seconds"], 0);
  EXPECT_GE(json["waited_share"], 0);
  EXPECT_GE(json["spread"], 0);
  EXPECT_EQ(json["figures"][0]["name"], "float_peak_flops_per_second");
  EXPECT_EQ(json["figures"][0]["measured"], measured.float_peak_flops_per_second);
  EXPECT_EQ(json["figures"][0]["features"], host_from_features().float_peak_flops_per_second);
  EXPECT_EQ(rates(), to_string(measured));
}

// Four times as many loops as cores leave each thread a small share of one.
TEST_F(plan_calibration, of_a_busy_computer_nothing_is_saved) {
  std::atomic<bool> done = false;
  std::vector<std::thread> loops(static_cast<std::size_t>(4 * host_from_features().cores));
  for (std::thread& loop : loops)
    loop = std::thread([&] {
      while (!done) {
      }
    });
  const child_result result =
      run({"plan", "--calibrate", "--calibrate-seconds", "0.01", "--calibration", "host.json"});
  done = true;
  for (std::thread& loop : loops) loop.join();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("the computer is busy: "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("nothing is saved"), std::string::npos) << result.errors;
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

TEST_F(plan_calibration, is_found_where_the_environment_says) {
  EXPECT_EQ(rates(), "from CPU features");
  write_calibration("config/papilio/host.json", "2026-01-02");
  EXPECT_EQ(rates(), "calibrated 2026-01-02");
  EXPECT_GE(plan({})["candidates"][0]["seconds"], 1);
  EXPECT_EQ(rates({"--calibration", write_calibration("b.json", "2026-01-03")}),
            "calibrated 2026-01-03");
  setenv("PAPILIO_CALIBRATION", path("b.json").c_str(), 1);
  EXPECT_EQ(rates(), "calibrated 2026-01-03");
  setenv("PAPILIO_CALIBRATION", "off", 1);
  EXPECT_EQ(rates(), "from CPU features");
  setenv("PAPILIO_CALIBRATION", "", 1);
  unsetenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", directory.path().c_str(), 1);
  EXPECT_EQ(rates(), "from CPU features");
  write_calibration(".config/papilio/host.json", "2026-01-04");
  EXPECT_EQ(rates(), "calibrated 2026-01-04");
  setenv("HOME", before.c_str(), 1);
}

TEST_F(plan_calibration, bad_files_are_never_used) {
  const auto expect_refused = [&](const std::string& fault, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"plan", "fft 64"});
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 1) << fault;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(fault), std::string::npos) << result.errors;
  };
  const std::string file = write_calibration("config/papilio/host.json", "2026-01-02");
  nlohmann::json json = nlohmann::json::parse(read_bytes(file));
  json["processor"] = "an abacus";
  write("foreign.json", json.dump());
  expect_refused("foreign.json: processor: is \"an abacus\"", {"--calibration", "foreign.json"});
  expect_refused("none.json", {"--calibration", "none.json"});
  json["clock_hz"] = -1;
  write("config/papilio/host.json", json.dump());
  expect_refused(file + ": clock_hz: must be");
  setenv("PAPILIO_CALIBRATION", path("none.json").c_str(), 1);
  expect_refused("none.json");
}

TEST_F(plan_calibration, estimates_are_checked_against_times) {
  const std::string file = write_calibration("host.json", "2026-01-02");
  const child_result text = run({"plan", "--check-estimates", "fft 64"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_NE(text.output.find("\nfft 64           float "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("\nfft 64           double "), std::string::npos) << text.output;
  const child_result result =
      run({"plan", "--check-estimates", "fft 64", "--calibration", file, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["host"], "calibrated 2026-01-02");
  ASSERT_EQ(json["rows"].size(), 2u);
  for (const nlohmann::json& row : json["rows"]) {
    EXPECT_GT(row["measured_seconds"], 0);
    EXPECT_LT(row["features_seconds"], 1e-3);
    EXPECT_GE(row["calibrated_seconds"], 1);
  }
}

TEST_F(plan_calibration, bad_usage_is_refused_before_anything_is_measured) {
  const std::vector<std::vector<std::string>> all{{"--calibrate", "fft 64"},
                                                  {"--calibrate", "--check-estimates"},
                                                  {"--calibrate-seconds", "0", "x"},
                                                  {"--calibrate", "--calibrate-seconds", "nan"},
                                                  {"--calibration", "", "fft 64"},
                                                  {"--check-estimates", "fht 64"},
                                                  {"--check-estimates", "fft 2^30"},
                                                  {"--check-estimates", "gemm 8x8x8"},
                                                  {"--even-if-busy", "fft 8"},
                                                  {"--calibrate-seconds", "1", "fft 8"},
                                                  {"--calibrate", "--backend", "host"},
                                                  {"--check-estimates", "--type", "float"},
                                                  {"--check-estimates", "dct-1 1"}};
  for (std::vector<std::string> flags : all) {
    flags.insert(flags.begin(), "plan");
    const child_result result = run(flags);
    EXPECT_EQ(result.exit_code, 2) << flags.back() << result.errors;
    EXPECT_EQ(result.output.find("fft"), std::string::npos);
  }
  EXPECT_EQ(listing(), std::vector<std::string>{});
  EXPECT_NE(run({"plan", "--check-estimates", "gemm 8x8x8"})
                .errors.find("--check-estimates: runs transforms alone, gemm is none"),
            std::string::npos);
  unsetenv("XDG_CONFIG_HOME");
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", "", 1);
  const child_result nowhere = run({"plan", "--calibrate"});
  setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_NE(nowhere.errors.find("--calibration must name the file"), std::string::npos);
}

}  // namespace
}  // namespace papilio::test

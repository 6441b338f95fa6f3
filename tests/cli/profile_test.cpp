// papilio profile: its report, its files, and what it refuses.
#include "cli/profile_program.hpp"

namespace papilio::test {
namespace {

TEST_F(profile_verb, prints_the_verdict_the_dispatch_and_the_summary) {
  const std::string text = report(small_gemm);
  std::size_t at = 0;
  for (const char* part :
       {"kernel   gemm\nmachine  trainium1\n\nno unit is active ", "\nit waited ",
        "\nthe floor is ", "\nmodelled ", " where documents leave the machine open, most by ",
        "One dispatch with sdk_2_24", "\n  launch           624.0 us\n",
        "2 tensors in, 1 tensor out; program assumed warm", "\ntotal_time  ", "\nEmulated in "}) {
    at = text.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " in:\n" << text;
  }
  // What is zero is left out, unless all is asked for.
  for (const char* zero : {"\nvector_engine_active_time_percent  ", "\n  compile  ", "\ncc_op_"})
    EXPECT_EQ(text.find(zero), std::string::npos) << zero << " in:\n" << text;
  const std::string all = report(with(small_gemm, {"--all"}));
  for (const char* zero : {"\nvector_engine_active_time_percent  ",
                           "\n  compile            0.0 us\n", "\ncc_op_count "})
    EXPECT_NE(all.find(zero), std::string::npos) << zero << " in:\n" << all;
}

TEST_F(profile_verb, brief_begins_with_the_verdict_and_has_no_zeros) {
  const std::string text = report(with(small_gemm, {"--brief"})),
                    verdict = json_report(small_gemm)["verdict"].get<std::string>();
  EXPECT_EQ(text.rfind(verdict, 0), 0u) << text;
  for (const char* part : {"\n  launch           624.0 us\n", "\n  scalar_engine ",
                           "program assumed warm, which compiles in about 27 s\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  for (const char* part : {" 0.0 us", " 0.0 %", "\n  compile ", "vector_engine", "cc_op"})
    EXPECT_EQ(text.find(part), std::string::npos) << part << " in:\n" << text;
  EXPECT_EQ(json_report(with(small_gemm, {"--brief"}))["summary"],
            json_report(small_gemm)["summary"]);
  expect_refused(2, with(small_gemm, {"--brief", "--listing"}), {"--listing", "--brief"});
}

TEST_F(profile_verb, a_target_error_is_measured) {
  const std::vector<std::string> asked = {"fft", "n=64", "batch=16", "target_error=1e-3"};
  const std::string text = report(asked);
  for (const char* part :
       {"expected relative error", "\nachieved: ", " over 512 outputs of 16 lines"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  const nlohmann::json j = json_report(asked);
  EXPECT_GT(j["achieved_error"]["error"], 0.0);
  EXPECT_LE(j["achieved_error"]["error"], 1e-3);
  EXPECT_LE(j["expected_error"], 1e-3);
  // A dry run has no values to measure, and what asks for no error needs none.
  EXPECT_TRUE(json_report(with(asked, {"--dry-run"})).at("achieved_error").is_null());
  EXPECT_TRUE(json_report({"fft", "n=64"}).at("achieved_error").is_null());
  expect_refused(2, {"fft", "target_error=1e-30"}, {"target_error must be at least"});
}

TEST_F(profile_verb, json_has_the_same_numbers) {
  const nlohmann::json j = json_report(small_gemm);
  EXPECT_EQ(j["kernel"], "gemm");
  EXPECT_EQ(j["machine"], "trainium1");
  EXPECT_EQ(j["mode"], "execute");
  EXPECT_EQ(j["settings"], (std::vector<std::string>{"m=8", "k=9", "n=10"}));
  const nlohmann::json& summary = j["summary"];
  ASSERT_TRUE(summary.is_object());
  for (const auto& [field, value] : summary.items()) EXPECT_TRUE(value.is_number()) << field;
  EXPECT_EQ(summary["hbm_read_bytes"], 4 * (8 * 9 + 9 * 10));
  EXPECT_EQ(summary["hbm_write_bytes"], 4 * 8 * 10);
  EXPECT_GT(summary["total_time"], 0);
  EXPECT_NEAR(j["dispatch"]["launch_seconds"].get<double>(), 624e-6, 1e-12);
  EXPECT_DOUBLE_EQ(j["dispatch"]["device_seconds"], summary["total_time"]);
}

TEST_F(profile_verb, a_dry_run_tells_the_same_times) {
  nlohmann::json executed = json_report(small_gemm),
                 dry = json_report(with(small_gemm, {"--dry-run"}));
  EXPECT_EQ(dry["mode"], "dry_run");
  EXPECT_EQ(executed["summary"], dry["summary"]);
  EXPECT_EQ(executed["dispatch"], dry["dispatch"]);
  EXPECT_NE(report(with(small_gemm, {"--dry-run"})).find("(dry run: no values)"),
            std::string::npos);
}

TEST_F(profile_verb, every_kernel_runs) {
  const nlohmann::json list = json_report({"--list"});
  ASSERT_GE(list["kernels"].size(), 2u);
  const std::string text = report({"--list"});
  for (const auto& entry : list["kernels"]) {
    const std::string name = entry["name"];
    EXPECT_NE(text.find(name + "\n"), std::string::npos) << name;
    for (const auto& p : entry["parameters"])
      EXPECT_NE(text.find("    " + p["name"].get<std::string>() + "="), std::string::npos);
    EXPECT_GT(json_report({name})["summary"]["total_time"], 0) << name;
    EXPECT_GT(json_report({name, "--dry-run", "--machine", "trainium2", "--runtime",
                           "sdk_2_29_trn2"})["summary"]["total_time"],
              0)
        << name;
  }
}

TEST_F(profile_verb, a_trace_is_json) {
  report(with(small_gemm, {"--trace", "trace.json"}));
  const nlohmann::json trace = nlohmann::json::parse(read_bytes(path("trace.json")));
  std::size_t slices = 0;
  for (const auto& event : trace["traceEvents"]) slices += event["ph"] == "X" ? 1 : 0;
  EXPECT_GE(slices, 7u);  // two loads, transpose, copy, product, copy, store
}

TEST_F(profile_verb, a_listing_has_every_instruction) {
  const std::string text = report(with(small_gemm, {"--listing"}));
  EXPECT_EQ(text.rfind("  index ", 0), 0u) << text;
  for (const char* opcode : {" dma_copy ", " transpose ", " activation ", " matmul "})
    EXPECT_NE(text.find(opcode), std::string::npos) << opcode;
}

TEST_F(profile_verb, how_a_program_is_found) {
  const nlohmann::json warm = json_report(small_gemm)["dispatch"],
                       cached = json_report(with(small_gemm, {"--start", "cached"}))["dispatch"],
                       cold = json_report(with(small_gemm, {"--start", "cold"}));
  EXPECT_EQ(warm["compile_seconds"], 0);
  EXPECT_NEAR(cached["compile_seconds"].get<double>(), 1.5 + 0.052, 1e-9);
  const double compile = 27 + 4300e-6 * cold["instructions"].get<double>();
  EXPECT_NEAR(cold["compile_seconds"].get<double>(), compile, 1e-9);
  EXPECT_NEAR(cold["dispatch"]["compile_seconds"].get<double>(), compile + 1.5 + 0.052, 1e-9);
}

TEST_F(profile_verb, what_documents_leave_open) {
  // Of long programs that takes its time, and is done where it is asked for.
  EXPECT_TRUE(json_report({"gemm", "m=8192", "k=8192", "n=8192", "--dry-run"})["range"].is_null());
  const nlohmann::json j = json_report(with(small_gemm, {"--uncertainty"})), range = j["range"];
  EXPECT_EQ(json_report(small_gemm)["range"], range);
  EXPECT_DOUBLE_EQ(range["seconds"].get<double>(), j["summary"]["total_time"].get<double>());
  EXPECT_LE(range["low_seconds"], range["seconds"]);
  EXPECT_LT(range["seconds"], range["high_seconds"]);
  ASSERT_EQ(range["fields"].size(), 12u);
  for (const nlohmann::json& field : range["fields"]) {
    EXPECT_LE(field["low_seconds"], range["seconds"]) << field;
    EXPECT_GE(field["high_seconds"], range["seconds"]) << field;
  }
  const std::string text = report(with(small_gemm, {"--uncertainty"}));
  EXPECT_NE(text.find("where documents leave the machine open"), std::string::npos) << text;
  EXPECT_NE(text.find("machine open, most by " + range["fields"][0]["field"].get<std::string>()),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("dma.descriptor_ns"), std::string::npos);
  // The floor is of no open field, so that its share is lowest where the run is longest.
  const double floor = j["floor_seconds"];
  EXPECT_DOUBLE_EQ(range["low_floor_fraction"].get<double>(),
                   floor / range["high_seconds"].get<double>());
  EXPECT_DOUBLE_EQ(range["high_floor_fraction"].get<double>(),
                   floor / range["low_seconds"].get<double>());
  EXPECT_NE(text.find("\nthe floor is "), std::string::npos) << text;
  EXPECT_EQ(report(small_gemm).find("dma.descriptor_ns  "), std::string::npos);
}

// Its instructions are ordered so that a run on the fastest machine is not the shortest.
TEST_F(profile_verb, ranges_hold_the_time) {
  for (const std::vector<std::string>& run :
       {std::vector<std::string>{"published/gemm", "m=512", "k=512", "n=512", "--dry-run"},
        {"butterfly_fft", "n=256", "batch=128", "compensated=yes", "--dry-run"}}) {
    const nlohmann::json range = json_report(with(run, {"--uncertainty"}))["range"];
    EXPECT_LE(range["low_seconds"], range["seconds"]) << range;
    EXPECT_GE(range["high_seconds"], range["seconds"]) << range;
    for (const nlohmann::json& field : range["fields"]) {
      EXPECT_LE(field["low_seconds"], range["seconds"]) << field;
      EXPECT_GE(field["high_seconds"], range["seconds"]) << field;
      EXPECT_LE(range["low_seconds"], field["low_seconds"]) << field;
      EXPECT_GE(range["high_seconds"], field["high_seconds"]) << field;
      const bool is_of_gpsimd = field["field"] == "gpsimd.cycles_per_element";
      if (run[0] == "butterfly_fft" && is_of_gpsimd) {
        EXPECT_LT(field["low_seconds"], field["high_seconds"]) << field;
      }
    }
  }
}

TEST_F(profile_verb, amdahl) {
  const std::vector<std::string> run = {
      "published/mp2_energy", "ic=64", "nocc=64", "nvir=448", "--dry-run",
      "--replaces",           "2.83",  "--rest",  "5.2"};
  EXPECT_NE(report(run).find("f = 0.35, s = 13."), std::string::npos) << report(run);
  EXPECT_NEAR(json_report(run)["amdahl"]["f"].get<double>(), 2.83 / 8.03, 1e-3);
}

TEST_F(profile_verb, cores_of_a_group) {
  const std::vector<std::string> batch = {"fft", "n=64", "batch=512", "--cores", "4"},
                                 line = {"fft", "n=65536", "--cores", "4"};
  const std::string text = report(batch);
  for (const char* part : {"kernel   fft\n", "cores    4\n", "512 in parts of 128, on 4 of 4 cores",
                           "cores and links ", "with dispatch, copies ", "communication 0.0%"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  const nlohmann::json by_batch = json_report(batch), by_line = json_report(line);
  EXPECT_EQ(by_batch["one_core"]["cores"], 1);
  EXPECT_EQ(by_batch["group"]["cores"], 4);
  EXPECT_EQ(by_batch["group"]["communication_share"], 0);
  EXPECT_GT(by_line["group"]["communication_share"], 0);
  for (const nlohmann::json& j : {by_batch, by_line}) {
    const auto one = j["one_core"]["seconds"].get<double>(),
               four = j["group"]["seconds"].get<double>();
    EXPECT_NEAR(j["efficiency"].get<double>(), one / (4 * four), 1e-12);
    EXPECT_GT(j["group"]["device_seconds"], 0);
  }
  EXPECT_EQ(json_report({"fft", "n=64", "batch=512", "--cores", "1"})["efficiency"], 1);
  expect_refused(2, {"gemm", "--cores", "2"}, {"--cores", "gemm", "not split", "fft"});
  expect_refused(2, {"fft", "--cores", "0"}, {"--cores"});
  expect_refused(2, {"fft", "--cores", "4097"}, {"--cores", "4096"});
  expect_refused(2, {"fft", "n=0", "--cores", "2"}, {"n must be at least 1, got 0"});
  expect_refused(2, {"fft", "--cores", "2", "--listing"}, {"--cores", "--listing"});
  expect_refused(2, {"fft", "--cores", "2", "--trace", "t.json"}, {"--cores", "--trace"});
}

TEST_F(profile_verb, sizes_may_be_powers) {
  const nlohmann::json power = json_report({"fft", "n=2^10", "batch=2^3", "--dry-run"}),
                       plain = json_report({"fft", "n=1024", "batch=8", "--dry-run"});
  EXPECT_EQ(power["summary"], plain["summary"]);
  for (const char* bad : {"m=2^", "m=^2", "m=2^-1", "m=2^3x", "m=", "m=2^3^2"})
    expect_refused(2, {"gemm", bad}, {"m must be a whole number, got", std::string(bad).substr(2)});
  for (const char* large : {"m=2^63", "m=2^999999999999", "m=9223372036854775808"})
    expect_refused(2, {"gemm", large},
                   {"m must be at most 9223372036854775807, got", std::string(large).substr(2)});
}

TEST_F(profile_verb, lists_its_machines) {
  const nlohmann::json machines = json_report({"--machine", "list"})["machines"];
  ASSERT_EQ(machines.size(), 3u);
  EXPECT_EQ(machines[2]["name"], "trainium3");
  EXPECT_EQ(machines[2]["short_name"], "trn3");
  EXPECT_EQ(machines[2]["core"], "NeuronCore-v4");
  EXPECT_EQ(machines[2]["sbuf_mib"], 32);
  EXPECT_EQ(machines[2]["dma_gb_per_s"], 528);
}

TEST_F(profile_verb, the_environment_names_machine_and_runtime) {
  setenv("PAPILIO_MACHINE", "trainium2", 1);
  setenv("PAPILIO_RUNTIME", "sdk_2_29_trn2", 1);
  const nlohmann::json named = json_report(with(small_gemm, {"--dry-run"})),
                       flags = json_report(with(small_gemm, {"--dry-run", "--machine", "trainium1",
                                                             "--runtime", "sdk_2_29"}));
  setenv("PAPILIO_MACHINE", "abacus", 1);
  expect_refused(1, small_gemm, {"abacus", "trainium1, trainium2"});
  unsetenv("PAPILIO_MACHINE");
  unsetenv("PAPILIO_RUNTIME");
  EXPECT_EQ(named["machine"], "trainium2");
  EXPECT_EQ(named["runtime"], "sdk_2_29_trn2");
  EXPECT_EQ(flags["machine"], "trainium1");
  EXPECT_EQ(flags["runtime"], "sdk_2_29");
}

TEST_F(profile_verb, a_machine_of_a_file) {
  write("half.json", R"({"name": "half", "based_on": "trainium1", "tensor": {"clock_hz": 0.7e9}})");
  const nlohmann::json j = json_report({"gemm", "--dry-run", "--machine", "half.json"});
  EXPECT_EQ(j["machine"], "half");
  EXPECT_GT(j["summary"]["total_time"].get<double>(),
            1.5 * json_report({"gemm", "--dry-run"})["summary"]["total_time"].get<double>());
}

TEST_F(profile_verb, bad_usage) {
  expect_refused(2, {}, {"KERNEL is missing", "--list"});
  expect_refused(2, {"gem"}, {"kernel \"gem\" is unknown", "did you mean gemm?"});
  expect_refused(2, {"nothing"}, {"kernel \"nothing\" is unknown", "published/mp2_energy"});
  expect_refused(2, {"gemm", "m"}, {"gemm", "\"m\" is not name=value"});
  expect_refused(2, {"gemm", "q=1"}, {"no parameter \"q\"", "m, k, n, dtype"});
  expect_refused(2, {"gemm", "m=0"}, {"m must be at least 1, got 0"});
  expect_refused(2, {"gemm", "m=x"}, {"m must be a whole number, got \"x\""});
  expect_refused(2, {"gemm", "m=1", "m=2"}, {"m is given twice"});
  expect_refused(2, {"gemm", "dtype=int8"}, {"dtype must be one of fp32", "int8"});
  expect_refused(2, {"--list", "gemm"}, {"--list"});
  expect_refused(2, with(small_gemm, {"--listing", "--json"}), {"--listing"});
  expect_refused(2, with(small_gemm, {"--rest", "1"}), {"--rest", "--replaces"});
  const std::pair<const char*, const char*> bad[] = {
      {"--start", "hot"},   {"--threads", "0"},    {"--threads", "many"}, {"--machine", ""},
      {"--runtime", ""},    {"--trace", ""},       {"--trace", "-"},      {"--replaces", "0"},
      {"--replaces", "-1"}, {"--replaces", "nan"}, {"--replaces", "inf"}, {"--rest", "nan"}};
  for (const auto& [flag, value] : bad) expect_refused(2, with(small_gemm, {flag, value}), {flag});
}

TEST_F(profile_verb, bad_machines) {
  expect_refused(1, with(small_gemm, {"--machine", "trainium9"}),
                 {"trainium9", "trainium1, trainium2"});
  expect_refused(1, with(small_gemm, {"--runtime", "sdk_1"}), {"sdk_1", "sdk_2_24"});
  const std::pair<const char*, const char*> files[] = {
      {R"({"tensor": {"clock_hz": -1}})", "tensor.clock_hz: must be a number >= 1e-06"},
      {R"({"tensor": {"clock_hz": "fast"}})", "tensor.clock_hz: must be a number"},
      {R"({"tensor": {"clok_hz": 1}})", "clok_hz"},
      {R"({"tensor": 5})", "tensor"},
      {R"({"based_on": "trainium9"})", "based_on"},
      {R"({"tensor": )", "not JSON"},
      {"", "not JSON"},
      {"[]", "bad.json"}};
  for (const auto& [text, message] : files) {
    write("bad.json", text);
    expect_refused(1, with(small_gemm, {"--machine", "bad.json"}), {"bad.json", message});
  }
  write("bad.json", R"({"launch_us": -1})");
  expect_refused(1, with(small_gemm, {"--runtime", "bad.json"}), {"bad.json", "launch_us", "-1"});
}

TEST_F(profile_verb, a_trace_does_not_replace_what_was_read) {
  write("machine.json", R"({"name": "own"})");
  expect_refused(2, with(small_gemm, {"--machine", "machine.json", "--trace", "./machine.json"}),
                 {"--trace", "machine.json"});
  expect_refused(1, with(small_gemm, {"--trace", "nowhere/trace.json"}), {"nowhere/trace.json"});
}

TEST_F(profile_verb, a_kernel_that_the_machine_refuses) {
  for (const int bytes : {64, 512, 4096}) {
    write("tiny.json",
          R"({"name": "tiny", "sbuf": {"bytes_per_partition": )" + std::to_string(bytes) + "}}");
    expect_refused(
        1, {"gemm", "m=128", "k=600", "n=128", "--machine", "tiny.json"},
        {"kernel gemm", "sbuf", "need", std::to_string(bytes) + " bytes of a partition"});
  }
}

TEST_F(profile_verb, shapes_beyond_the_device) {
  // 160000^2 fp32 are 102.4 GB.
  const std::vector<std::string> large = {"gemm", "m=160000", "k=160000", "n=8"};
  expect_refused(1, large, {"gemm", "102400000000", "15900000000"});
  expect_refused(1, with(large, {"--dry-run"}), {"gemm", "102400000000", "15900000000"});
  expect_refused(1, {"gemm", "m=9223372036854775807", "k=3"}, {"9223372036854775807", "overflows"});
  expect_refused(1, {"published/mp2_energy", "ic=4000000000", "nvir=4000000000"},
                 {"published/mp2_energy", "overflows"});
}

}  // namespace
}  // namespace papilio::test

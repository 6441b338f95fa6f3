// papilio plan: both sides of every operation, where the verdict turns, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::test {
namespace {

class plan_sides : public program_test {
 protected:
  plan_sides() {
    for (const char* name : {"PAPILIO_MACHINE", "PAPILIO_RUNTIME", "PAPILIO_POLICY"})
      unsetenv(name);
  }
  ~plan_sides() override {
    for (const char* name : {"PAPILIO_MACHINE", "PAPILIO_RUNTIME", "PAPILIO_POLICY"})
      unsetenv(name);
  }

  nlohmann::json report(std::vector<std::string> arguments, int exit_code = 0) const {
    arguments.insert(arguments.begin(), "plan");
    arguments.emplace_back("--json");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.errors.empty(), exit_code == 0) << result.errors;  // the reason
    return nlohmann::json::parse(result.output);
  }

  void expect_fault(const std::string& expression, const std::string& fault, std::size_t column) {
    const child_result result = run({"plan", expression});
    EXPECT_EQ(result.exit_code, 2) << expression;
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find(fault), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("\n  " + expression + "\n  " + std::string(column, ' ') + "^\n"),
              std::string::npos)
        << result.errors;
  }
};

TEST_F(plan_sides, text_has_both_sides_and_the_crossover) {
  const child_result result = run({"plan", "fft 128x1024"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  for (const char* part :
       {"transform fft of 1024, 128 lines, float\n", "\nhost: runs, ",
        "\nfft of 128x1024 in float along axis 1: 6.55 Mflop by convention\n",
        "\nhost, from CPU features\n", "\ndevice trainium1 with sdk_2_24, modelled; ",
        "\n  upload    ", "\n  launch    624 us     1 launch\n", "\n  device    ", "\n  fetch     ",
        "1 tensor, 1.05 MB\n", "\n  cold      ", "verdict", "\n  warm, operands on the host    ",
        "\n  cold, operands on the device  ", "\n  policy host: host\n",
        "\n  policy automatic: ", "\ncrossover in lines of 1024 points; here 128\n"})
    EXPECT_NE(result.output.find(part), std::string::npos) << part << result.output;
}

TEST_F(plan_sides, json_keys) {
  const nlohmann::json json = report({"fft 128x1024"});
  for (const char* key :
       {"expression", "operation", "transform",  "type",       "effort",    "threads",
        "wisdom",     "extents",   "lines",      "bytes_in",   "bytes_out", "nominal_flops",
        "rates",      "runs",      "why",        "candidates", "policy",    "automatic",
        "host",       "device",    "situations", "crossover",  "thresholds"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"refusal", "backend", "recipe", "seconds", "flops", "bytes_moved",
                          "relative_error", "basis"})
    EXPECT_TRUE(json["host"].contains(key)) << key;
  for (const char* key :
       {"machine", "refusal", "recipe", "launches", "tensors_in", "tensors_out", "copies_in",
        "copies_out", "bytes_in", "bytes_out", "table_bytes", "upload_seconds", "launch_seconds"})
    EXPECT_TRUE(json["device"].contains(key)) << key;
  for (const char* key : {"device_seconds", "link_seconds", "fetch_seconds", "floor_seconds",
                          "cold_seconds", "seconds", "device_array_seconds", "relative_error"})
    EXPECT_TRUE(json["device"].contains(key)) << key;
  ASSERT_EQ(json["situations"].size(), 4u);
  for (const nlohmann::json& s : json["situations"])
    for (const char* key : {"cold", "device_arrays", "host_seconds", "device_seconds", "faster"})
      EXPECT_TRUE(s.contains(key)) << key;
  EXPECT_EQ(json["crossover"]["size"], 128);
  ASSERT_EQ(json["crossover"]["turns"].size(), 4u);
  for (const nlohmann::json& t : json["crossover"]["turns"])
    for (const char* key : {"cold", "device_arrays", "device_wins", "host_wins"})
      EXPECT_TRUE(t.contains(key)) << key;
  EXPECT_LE(json["crossover"]["dry_runs"], 40);
  EXPECT_TRUE(json["thresholds"].is_null());
}

TEST_F(plan_sides, numbers_are_those_of_the_library) {
  const nlohmann::json json = report({"fft 128x1024", "--threads", "2"});
  const fft_problem p{.type = real_type::single_precision, .extents = {128, 1024}, .axes = {1}};
  engine::device device;
  use_host(host_from_features());
  const comparison c = explain(p, {.where = policy::automatic, .on = &device, .threads = 2});
  EXPECT_EQ(json["operation"], to_string(operation(p)));
  EXPECT_DOUBLE_EQ(json["host"]["seconds"], c.host.seconds);
  // Both reports of the host are of one estimate.
  EXPECT_EQ(json["host"]["seconds"], json["candidates"][0]["seconds"]);
  EXPECT_DOUBLE_EQ(json["device"]["seconds"], c.device.seconds());
  EXPECT_DOUBLE_EQ(json["device"]["device_array_seconds"], c.device.device_array_seconds());
  EXPECT_EQ(json["device"]["tensors_in"], 1);
  EXPECT_EQ(json["device"]["bytes_in"], 128 * 1024 * 8);
  EXPECT_EQ(json["automatic"], c.automatic);
  EXPECT_DOUBLE_EQ(json["situations"][3]["device_seconds"], seconds_in(c.device, {true, true}));
}

// Of a runtime with asynchronous calls both times of a call after another, in text and numbers.
TEST_F(plan_sides, calls_after_one_another_are_timed_both_ways) {
  const nlohmann::json old = report({"fft 128x1024"});
  EXPECT_TRUE(old["device"]["asynchronous_seconds"].is_null());
  EXPECT_TRUE(old["device"]["asynchronous_device_array_seconds"].is_null());
  const std::vector<std::string> words{"fft 4096x1024", "--machine", "trn2", "--runtime",
                                       "sdk_2_32_trn2"};
  const nlohmann::json device = report(words)["device"];
  const double upload = device["upload_seconds"], seconds = device["device_seconds"],
               fetch = device["fetch_seconds"];
  EXPECT_DOUBLE_EQ(device["launch_seconds"], 437e-6);
  EXPECT_DOUBLE_EQ(device["seconds"], 437e-6 + upload + seconds + fetch);
  EXPECT_DOUBLE_EQ(device["asynchronous_seconds"], std::max({437e-6, upload, seconds, fetch}));
  EXPECT_DOUBLE_EQ(device["device_array_seconds"], 437e-6 + seconds);
  EXPECT_DOUBLE_EQ(device["asynchronous_device_array_seconds"], std::max(437e-6, seconds));
  std::vector<std::string> command{"plan"};
  command.insert(command.end(), words.begin(), words.end());
  const std::string text = run(command).output;
  EXPECT_NE(text.find("device, a call after another   synchronous  asynchronous\n"),
            std::string::npos)
      << text;
}

// Cores that share the work: copies of all of them follow one another, and links count as runs.
TEST_F(plan_sides, calls_of_groups_are_timed_both_ways) {
  const std::vector<std::string> words{"fft 65536x1024", "--machine",    "trn2", "--cores", "4",
                                       "--runtime",      "sdk_2_32_trn2"};
  const nlohmann::json device = report(words)["device"];
  const double upload = device["upload_seconds"], seconds = device["device_seconds"],
               link = device["link_seconds"], fetch = device["fetch_seconds"],
               launches = device["launches"];
  EXPECT_EQ(device["copies_in"], 4);
  EXPECT_NEAR(device["launch_seconds"], launches * 437e-6, 1e-12);
  EXPECT_NEAR(device["asynchronous_seconds"],
              std::max({launches * 437e-6, upload, seconds + link, fetch}), 1e-12);
  EXPECT_LT(device["asynchronous_seconds"], device["seconds"]);
  const double alone = double(device["device_array_seconds"]) - 437e-6;
  EXPECT_NEAR(device["asynchronous_device_array_seconds"], std::max(437e-6, alone), 1e-12);
  std::vector<std::string> command{"plan"};
  command.insert(command.end(), words.begin(), words.end());
  const std::string text = run(command).output;
  EXPECT_NE(text.find("device, a call after another   synchronous  asynchronous\n"),
            std::string::npos)
      << text;
}

TEST_F(plan_sides, every_operation_has_an_expression) {
  const std::vector<std::pair<const char*, const char*>> all{
      {"stft 100000 n_fft=1024 hop=256", "stft of 100000 samples, n_fft 1024, hop 256"},
      {"stft 16000 channels=2", "stft of 2 channels of 16000 samples, n_fft 2048, hop 512"},
      {"stft 16000 result=magnitude hop=2^8", "stft of 16000 samples, n_fft 2048, hop 256"},
      {"istft 16000 n_fft=512 hop=128",
       "istft of 126 segments to 16000 samples, n_fft 512, hop 128"},
      {"gemm 100x200x300", "gemm of 100x200 by 200x300 in float"},
      {"gemm 4 x 10 x 20 x 30", "gemm of 4 times 10x20 by 20x30 in float"},
      {"gemm 64x64x64 elements=complex", "gemm of complex 64x64 by 64x64 in float"},
      {" product 10^6 ", "product of 1000000 complex numbers"},
      {"mask 1000", "product of 1000 complex numbers"},
      {"layer 4096 x 512 function=modrelu_vjp",
       "gradients of modrelu of 4096x512 complex numbers in float"},
      {"layer 300x20 function=batch_norm",
       "batch normalisation of 300x20 complex numbers in float"}};
  for (const auto& [expression, text] : all) {
    SCOPED_TRACE(expression);
    const nlohmann::json json = report({expression});
    EXPECT_EQ(json["operation"], text);
    EXPECT_EQ(json["device"]["refusal"], "");
    EXPECT_EQ(json["device"]["recipe"].get<std::string>().find("compared"), std::string::npos);
    EXPECT_GT(json["device"]["seconds"], 624e-6);
    EXPECT_GT(json["host"]["seconds"], 0);
    EXPECT_EQ(json["runs"], "host");
    EXPECT_TRUE(json["candidates"].is_null());
    EXPECT_EQ(json["why"], "the policy is host");
  }
  EXPECT_EQ(report({"stft 16000 result=power"})["device"]["bytes_out"], 4 * 32 * 1025);
}

TEST_F(plan_sides, gemm_has_thresholds_beside_the_published_ones) {
  const nlohmann::json json = report({"gemm 64x64x64"});
  const nlohmann::json& t = json["thresholds"];
  ASSERT_EQ(t["modelled"].size(), 4u);
  for (const nlohmann::json& row : t["modelled"]) {
    ASSERT_FALSE(row["side"].is_null()) << row;
    const double side = row["side"];
    EXPECT_DOUBLE_EQ(row["flops"], 2 * side * side * side);
  }
  EXPECT_GT(t["modelled"][0]["side"], t["modelled"][1]["side"]);
  ASSERT_EQ(t["published"].size(), 2u);
  EXPECT_EQ(t["published"][0]["flops"], 2e9);
  EXPECT_NEAR(t["published"][0]["side"], 1000, 1e-6);
  EXPECT_EQ(t["published"][1]["flops"], 0.9e9);
  EXPECT_NEAR(t["published"][1]["side_as_applied"], std::cbrt(0.9e9), 1e-6);
  const child_result text = run({"plan", "gemm 64x64x64"});
  EXPECT_NE(text.output.find("threshold of a square gemm"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("compared m k n with them"), std::string::npos);
}

TEST_F(plan_sides, flags_choose_machine_policy_and_precision) {
  const nlohmann::json second = report({"gemm 64x64x64", "--machine", "trainium2"});
  EXPECT_EQ(second["device"]["machine"], "trainium2");
  EXPECT_EQ(second["device"]["runtime"], "sdk_2_24");
  EXPECT_DOUBLE_EQ(report({"gemm 64x64x64", "--runtime", "sdk_2_29"})["device"]["launch_seconds"],
                   863e-6);
  setenv("PAPILIO_MACHINE", "trainium2", 1);
  setenv("PAPILIO_RUNTIME", "sdk_2_29_trn2", 1);
  const nlohmann::json named = report({"gemm 64x64x64"});
  EXPECT_EQ(named["device"]["machine"], "trainium2");
  EXPECT_EQ(named["device"]["runtime"], "sdk_2_29_trn2");
  EXPECT_DOUBLE_EQ(named["device"]["launch_seconds"].get<double>(), 744.5e-6);
  EXPECT_EQ(report({"gemm 64x64x64", "--machine", "trainium1"})["device"]["machine"], "trainium1");
  unsetenv("PAPILIO_MACHINE");
  unsetenv("PAPILIO_RUNTIME");

  const nlohmann::json device = report({"fft 64x64", "--policy", "device"});
  EXPECT_EQ(device["runs"], "device");
  EXPECT_EQ(device["why"], "the policy is device");
  EXPECT_EQ(device["candidates"][0]["runs"], false);
  const nlohmann::json automatic = report({"fft 64x64", "--policy", "automatic"});
  EXPECT_EQ(automatic["runs"], "host");
  EXPECT_EQ(automatic["why"].get<std::string>().find("estimated to be faster than the device"), 0u);
  setenv("PAPILIO_POLICY", "device", 1);
  EXPECT_EQ(report({"fft 64x64"})["runs"], "device");
  unsetenv("PAPILIO_POLICY");

  const nlohmann::json bf16 = report({"fft 64x64", "--policy", "automatic", "--precision", "bf16"});
  EXPECT_EQ(bf16["runs"], "device");
  EXPECT_GT(bf16["device"]["relative_error"], 1e-4);
  EXPECT_NE(bf16["host"]["refusal"], "");
  EXPECT_LT(report({"fft 64x64", "--target-error", "1e-5"})["device"]["relative_error"], 1e-5);
}

// The host stays in the report, in its own precision, and the default policy is nobody's wish.
TEST_F(plan_sides, a_precision_is_compared_with_the_host_in_its_own) {
  const std::vector<std::string> rounded{"fft 64x64", "--precision", "bf16"};
  const nlohmann::json json = report(rounded);
  EXPECT_EQ(json["runs"], "");
  EXPECT_NE(json["why"].get<std::string>().find("native precision only"), std::string::npos);
  EXPECT_EQ(json["host"]["seconds"], report({"fft 64x64"})["host"]["seconds"]);
  EXPECT_EQ(json["situations"][0]["host_seconds"], json["host"]["seconds"]);
  EXPECT_EQ(json["situations"][0]["faster"], "host");
  EXPECT_EQ(json["automatic"], "device");
  EXPECT_EQ(json["crossover"]["refusal"], "");
  EXPECT_EQ(report({"fft 64x64", "--precision", "bf16", "--policy", "host"}, 1)["runs"], "");
  setenv("PAPILIO_POLICY", "host", 1);
  EXPECT_EQ(report(rounded, 1)["runs"], "");
  unsetenv("PAPILIO_POLICY");
  EXPECT_EQ(report({"fft 64x64", "--precision", "bf16", "--backend", "host"}, 1)["runs"], "");
  // Neither side reaches it, of which one refused design is enough.
  const nlohmann::json unreached = report({"fft 64x64", "--target-error", "1e-14"}, 1);
  EXPECT_EQ(unreached["runs"], "");
  EXPECT_EQ(unreached["crossover"]["dry_runs"], 1);
  const child_result text = run({"plan", "fft 64x64", "--precision", "bf16"});
  for (const char* part : {"\nhost: can, but the policy cannot be met\n",
                           "\nhost, from CPU features, in native precision: the host computes in "
                           "native precision only",
                           "\n  policy host: cannot be met, "})
    EXPECT_NE(text.output.find(part), std::string::npos) << part << text.output;
}

TEST_F(plan_sides, keys_stay_where_a_side_cannot) {
  const auto keys = [](const nlohmann::json& json) {
    std::vector<std::string> names;
    for (const auto& [key, value] : json.items()) names.push_back(key);
    return names;
  };
  const nlohmann::json both = report({"fft 64"}), wide = report({"fft 64", "--type", "double"}),
                       gemm = report({"gemm 8x8x8"});
  for (const nlohmann::json* other : {&wide, &gemm}) {
    EXPECT_EQ(keys(*other), keys(both));
    for (const char* part : {"host", "device", "crossover"})
      EXPECT_EQ(keys((*other)[part]), keys(both[part])) << part;
    ASSERT_EQ((*other)["crossover"]["turns"].size(), 4u);
    EXPECT_EQ(keys((*other)["crossover"]["turns"][0]), keys(both["crossover"]["turns"][0]));
  }
  EXPECT_EQ(wide["device"]["machine"], "trainium1");
  EXPECT_EQ(wide["device"]["runtime"], "sdk_2_24");
  EXPECT_TRUE(wide["device"]["seconds"].is_null());
  EXPECT_TRUE(wide["crossover"]["turns"][3]["host_wins"].is_null());
  const nlohmann::json huge = report({"fft 64", "--type", "long-double", "--backend", "host"});
  for (const nlohmann::json& candidate : huge["candidates"])
    EXPECT_EQ(keys(candidate), keys(both["candidates"][0]));
}

TEST_F(plan_sides, a_policy_that_cannot_be_met_is_said) {
  const nlohmann::json json = report({"fft 64 ", "--type", "double", "--policy", "device"}, 1);
  EXPECT_EQ(json["runs"], "");
  EXPECT_NE(json["why"].get<std::string>().find("computes in float"), std::string::npos);
  EXPECT_NE(json["crossover"]["refusal"], "");
  EXPECT_TRUE(json["situations"][0]["device_seconds"].is_null());
  // A prime above 127 has no digits, and the matrix of more than 4096 points is too large.
  const nlohmann::json cosine = report({"dct 5003"});
  EXPECT_EQ(cosine["runs"], "host");
  EXPECT_NE(cosine["device"]["refusal"], "");
}

TEST_F(plan_sides, faults_are_shown_where_they_are) {
  expect_fault("stft", "a whole number is expected", 4);
  expect_fault("stft 100x200", "one size too many: stft takes one", 9);
  expect_fault("stft 16000 window=hann", "a setting is expected: n_fft, hop, channels, result", 11);
  expect_fault("stft 16000 n_fft 512", "\"=\" is expected after n_fft", 16);
  expect_fault("stft 16000 n_fft=", "a whole number is expected", 17);
  expect_fault("stft 16000 n_fft=0", "at least 1", 17);
  expect_fault("stft 16000 n_fft=512,hop=2", "a space and a setting", 20);
  expect_fault("stft 16000 hop=2 hop=3", "hop is given twice", 17);
  expect_fault("stft 16000 result=phase", "one of complex, magnitude, power is expected", 18);
  expect_fault("stft 16000 n_fft=512 hop=513", "hop must be at most n_fft, 512, is 513", 25);
  expect_fault("stft 16000 hop=9 n_fft=8", "hop must be at most n_fft, 8, is 9", 15);
  expect_fault("stft 16000 hop=4096", "hop must be at most n_fft, 2048, is 4096", 15);
  expect_fault("istft 16000 n_fft=256", "n_fft must be at least hop, 512", 18);
  expect_fault("stft 16000 n_fft=1", "n_fft must be 2 to", 17);
  expect_fault("istft 16000 hop=2 n_fft=2^40", "n_fft must be 2 to", 24);
  expect_fault("istft 16000 result=power", "a setting is expected: n_fft, hop, channels", 12);
  expect_fault("gemm 2048x2048", "\"x\" and a size are expected: gemm takes M x K x N", 14);
  expect_fault("gemm 2x3x4x5x6", "one size too many: gemm takes M x K x N", 13);
  expect_fault("gemm 8x8x8 elements=pure", "one of real, complex is expected", 20);
  expect_fault("gemm 8x8x8!", "\"x\" and a size", 10);
  expect_fault("product 10 n=2", "the end is expected", 11);
  expect_fault("mask 2x3", "one size too many: mask takes one", 7);
  expect_fault("layer 10", "layer takes ROWS x FEATURES", 8);
  expect_fault("layer 10x2x3", "layer takes ROWS x FEATURES", 11);
  expect_fault("layer 10x2 function=sin", "one of crelu, crelu_vjp, zrelu,", 20);
  expect_fault("fft 8 n=2", "the end is expected: fft has no settings", 6);
  expect_fault("trsm m=8", "trsm needs n=SIZE", 8);
  expect_fault("syrk n=8 k=4 side=left", "a setting is expected: k, n, triangle, elements, op", 13);
  expect_fault("symm m=8 n=8 diagonal=unit", "a setting is expected", 13);
  expect_fault("einsum", "letters, commas and an arrow are expected", 6);
  expect_fault("einsum ij,jk->ik i=8 j=8", "k=SIZE is missing", 24);
  expect_fault("einsum ij->i i=8 j=8 k=2", "a setting is expected: i, j, elements", 21);
  const child_result stray = run({"plan", "einsum ij>i i=2 j=3"});
  EXPECT_EQ(stray.exit_code, 2);
  EXPECT_NE(stray.errors.find(">"), std::string::npos) << stray.errors;
  EXPECT_EQ(stray.errors.find("map::at"), std::string::npos) << stray.errors;
  expect_fault("mp2 nocc=4 nvir=8", "mp2 needs naux=SIZE", 17);
  expect_fault("mp2 nocc=4 nvir=8 naux=9 frozen=4", "frozen must leave an occupied orbital", 32);
  expect_fault("mp2 nocc=4 nvir=8 naux=9 nvir_other=3", "for spins=opposite_spin", 36);
  expect_fault("ao_to_mo nbasis=4 nocc=2 nvir=2", "ao_to_mo needs naux=SIZE", 31);
  expect_fault("cp 64 rank=4", "cp takes at least 2 sizes", 6);
  expect_fault("tt 8x8 rank=2 iterations=3", "a setting is expected: rank", 14);
  expect_fault("tucker 8x8 rank=2 method=hosvd iterations=3", "are for method=hooi", 42);
  expect_fault("welch 100 nperseg=256", "there must be nperseg samples", 18);
  expect_fault("welch 1000 noverlap=256", "noverlap must be below nperseg, 256", 20);
  expect_fault("convolution 100", "convolution needs filter=SIZE", 15);
  expect_fault("czt 2x3x4", "one size too many: czt takes at most 2", 8);
  expect_fault("cp 2^40x2^40 rank=1", "more bytes than there are addresses", 3);
  expect_fault("gemm 2^40x2^40x2", "more bytes than there are addresses", 5);
  expect_fault("product 2^62", "more bytes than there are addresses", 8);
}

struct known_operation {
  const char *expression, *operation;
  std::size_t operations;
  const char* recipe;  ///< a part of it
};

// Every operation that takes an execution, with both sides.
TEST_F(plan_sides, every_operation_is_known) {
  const std::vector<known_operation> all{
      {"symm m=30 n=20 side=right", "symm of 30x20 by a symmetric matrix on the right in float", 1,
       "order 20"},
      {"syrk n=30 k=900 op=transpose triangle=upper",
       "syrk of 900x30 to an upper triangle in float", 1, "triangle"},
      {"trmm m=30 n=20 diagonal=unit", "trmm of 30x20 by a lower triangle in float", 1, "triangle"},
      {"trsm m=30 n=20 side=left", "trsm of 30x20 by a lower triangle in float", 1, "blocks"},
      {"einsum ij,jk,kl->il i=8 j=4 k=8 l=2", "contraction of 3 tensors in 2 steps, float", 1,
       "step 2"},
      {"einsum aB,B->a a=8 B=4 elements=complex",
       "contraction of 2 tensors in 1 step, complex float", 1, "step 1"},
      {"ao_to_mo nbasis=24 nocc=5 nvir=19 naux=72",
       "integrals over 5x19 orbitals from 24 basis and 72 auxiliary functions in float", 1,
       "slices in turn"},
      {"mp2 nocc=5 nvir=19 naux=72", "MP2 energy of 5x19 orbitals, 72 auxiliary functions in float",
       1, "strips"},
      {"mp2 nocc=5 nvir=9 naux=32 spins=opposite_spin nocc_other=4 nvir_other=10",
       "MP2 energy of 5x9 and 4x10 orbitals, 32 auxiliary functions in float", 1, "strips"},
      {"cp 8x7x6 rank=3 iterations=4", "cp 8x7x6 rank=3 iterations=4", 12, "contraction"},
      {"tucker 8x7x6 rank=3 method=hosvd", "tucker 8x7x6 rank=3 method=hosvd", 4, "contraction"},
      {"tucker 8x7x6 rank=3 iterations=2", "tucker 8x7x6 rank=3 iterations=2", 0, "contraction"},
      {"tt 8x7x6 rank=3", "tt 8x7x6 rank=3", 3, "contraction"},
      {"mp2 nocc=5 nvir=19 naux=72 frozen=0",
       "MP2 energy of 5x19 orbitals, 72 auxiliary functions in float", 1, "strips"},
      {"welch 4096 noverlap=0", "welch 4096 noverlap=0", 0, "stft"},
      {"welch 4096 nperseg=512 channels=2", "welch 4096 nperseg=512 channels=2", 2, "stft of 2"},
      {"convolution 1000 filter=30 mode=same", "convolution 1000 filter=30 mode=same", 0, "irfft"},
      {"czt 3x100 m=40", "czt 3x100 m=40", 7, "ifft"},
      {"layer 8x64 function=modrelu", "modrelu of 8x64 complex numbers in float", 1, ""}};
  for (const known_operation& o : all) {
    SCOPED_TRACE(o.expression);
    const nlohmann::json json = report({o.expression});
    EXPECT_EQ(json["operation"], o.operation);
    if (o.operations > 0) {
      EXPECT_EQ(json["operations"], o.operations);
    }
    EXPECT_GT(json["host"]["seconds"], 0);
    EXPECT_GT(json["device"]["seconds"], 0);
    EXPECT_EQ(json["device"]["refusal"], "");
    EXPECT_NE(json["device"]["recipe"].get<std::string>().find(o.recipe), std::string::npos)
        << json["device"]["recipe"];
    EXPECT_GT(json["nominal_flops"], 0);
  }
}

// What one side cannot do has its reason, and the other's figures.
TEST_F(plan_sides, operations_that_one_side_cannot_do) {
  for (const char* expression :
       {"trsm m=30 n=20", "einsum ij,jk->ik i=8 j=4 k=8", "mp2 nocc=5 nvir=9 naux=32 function=vjp",
        "cp 8x7x6 rank=3", "welch 4096 nperseg=512", "convolution 100 filter=7", "czt 100"}) {
    SCOPED_TRACE(expression);
    const nlohmann::json json = report({expression, "--type", "double"});
    EXPECT_NE(json["device"]["refusal"].get<std::string>().find("it computes in float"),
              std::string::npos)
        << json["device"]["refusal"];
    EXPECT_GT(json["host"]["seconds"], 0);
    EXPECT_EQ(json["runs"], "host");
  }
  // Neither computes in bf16 at double; what the host takes in native precision is still told.
  EXPECT_GT(report({"einsum ij,jk->ik i=8 j=8 k=8", "--type", "double", "--target-error",
                    "1e-6"})["host"]["seconds"],
            0);
  EXPECT_GT(report({"welch 4096", "--precision", "bf16"})["host"]["seconds"], 0);
  EXPECT_NE(report({"trsm m=8 n=8 elements=complex"})["device"]["refusal"].get<std::string>().find(
                "real matrices"),
            std::string::npos);
  const child_result result = run({"plan", "cp 8x8x8 rank=2", "--precision", "bf16"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("a decomposition computes in native precision only"),
            std::string::npos)
      << result.errors;
}

TEST_F(plan_sides, the_host_is_of_a_file) {
  const nlohmann::json here = report({"fft 64x1024"});
  EXPECT_EQ(here["rates"], "from CPU features");
  std::ofstream(path("slow.json")) << R"({"call_seconds": 1})";
  const nlohmann::json slow = report({"fft 64x1024", "--host", path("slow.json")});
  EXPECT_EQ(slow["rates"], "from slow.json");
  EXPECT_EQ(slow["host"]["basis"], "from slow.json");
  EXPECT_NEAR(slow["host"]["seconds"].get<double>() - here["host"]["seconds"].get<double>(), 1,
              1e-6);
  EXPECT_EQ(slow["automatic"], "device");
  std::ofstream(path("bad.json")) << R"({"l1": {"speed": 1}})";
  const child_result refused = run({"plan", "fft 8", "--host", path("bad.json")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.output, "");
  EXPECT_NE(refused.errors.find("bad.json: l1.\"speed\": no such field"), std::string::npos)
      << refused.errors;
}

TEST_F(plan_sides, bad_usage) {
  const std::vector<std::vector<std::string>> all{
      {"fft 8", "--policy", "maybe"},
      {"fft 8", "--precision", "half"},
      {"fft 8", "--target-error", "0"},
      {"fft 8", "--target-error", "nan"},
      {"fft 8", "--machine", ""},
      {"fft 8", "--precision", "bf16", "--target-error", "1"},
      {"gemm 8x8x8", "--type", "long-double"},
      {"stft 16000", "--type", "double"},
      {"gemm 8x8x8", "--effort", "measure"},
      {"fft 8", "--host", ""},
      {"--machine", "trainium1"}};
  for (std::vector<std::string> arguments : all) {
    arguments.insert(arguments.begin(), "plan");
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[1] << ' ' << arguments[2];
    EXPECT_EQ(result.output, "");
  }
  for (const char* flag : {"--machine", "--runtime", "--host"}) {
    const child_result result = run({"plan", "fft 8", flag, "abacus"});
    EXPECT_EQ(result.exit_code, 1) << flag;
    EXPECT_NE(result.errors.find("abacus"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace papilio::test

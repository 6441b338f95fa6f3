// papilio decompose: arrays of known ranks, what is written, and what is refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/decompose.hpp"
#include "papilio/io.hpp"

namespace papilio::test {
namespace {

class decompose_verb : public program_test {
 protected:
  /// Of CP rank 2, and so of Tucker ranks and bonds of 2.
  tensor<double> sample() const {
    tensor<double> x({7, 6, 5});
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t k = 0; k < 5; ++k)
          x.data()[(i * 6 + j) * 5 + k] = double((i + 1) * (j + 2)) / double(k + 1) +
                                          std::cos(double(i)) * double(k) * double(j);
    return x;
  }

  child_result decompose(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "decompose");
    return run(std::move(arguments));
  }
  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const child_result result = decompose(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }
  void expect_failure(std::vector<std::string> arguments, int code,
                      const std::string& message) const {
    const auto before = listing();
    const child_result result = decompose(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(listing(), before);
  }
  array<double, 2> matrix(const std::string& name) const {
    const auto t = std::get<tensor<double>>(read_npy(path(name)));
    const view<const double, 2> v = t.as<2>();
    array<double, 2> m(v.extents());
    std::ranges::copy(t.flat(), m.begin());
    return m;
  }
};

TEST_F(decompose_verb, cp_writes_weights_and_factors) {
  save_npy(path("x.npy"), sample());
  const auto j = report({"cp", "x.npy", "--rank", "2", "--out", "d", "--max-iterations", "3000",
                         "--tolerance", "1e-14", "--seed", "1"});
  EXPECT_EQ(j["ranks"], nlohmann::json({2}));
  EXPECT_LT(j["relative_error"], 1e-6);
  EXPECT_EQ(j["files"],
            nlohmann::json({"weights.npy", "factor_0.npy", "factor_1.npy", "factor_2.npy"}));
  EXPECT_EQ(j["history"].size(), j["iterations"]);
  cp_model<double> m;
  const auto weights = std::get<tensor<double>>(read_npy(path("d/weights.npy")));
  m.weights = array<double, 1>(2);
  std::ranges::copy(weights.flat(), m.weights.begin());
  for (const char* name : {"d/factor_0.npy", "d/factor_1.npy", "d/factor_2.npy"})
    m.factors.push_back(matrix(name));
  EXPECT_NEAR(relative_error(sample(), m), j["relative_error"], 1e-12);
  EXPECT_TRUE(std::filesystem::exists(path("d/manifest.json")));
}

TEST_F(decompose_verb, tucker_finds_ranks_by_tolerance) {
  save_npy(path("x.npy"), sample());
  const auto j = report({"tucker", "x.npy", "--tolerance", "1e-8", "--out", "d/e"});
  EXPECT_EQ(j["ranks"], nlohmann::json({2, 2, 2}));
  EXPECT_LT(j["relative_error"], 1e-8);
  tucker_model<double> m{std::get<tensor<double>>(read_npy(path("d/e/core.npy"))), {}};
  for (const char* name : {"d/e/factor_0.npy", "d/e/factor_1.npy", "d/e/factor_2.npy"})
    m.factors.push_back(matrix(name));
  EXPECT_LT(relative_error(sample(), m), 1e-13);
  const auto improved = report({"tucker", "x.npy", "--rank", "1", "--out", "f", "--max-iterations",
                                "5", "--precision", "float32"});
  EXPECT_EQ(improved["precision"], "float32");
  EXPECT_LE(improved["iterations"], 5);
  EXPECT_EQ(describe_npy(path("f/core.npy")).element_type, "<f4");
}

TEST_F(decompose_verb, tt_writes_cores) {
  save_npy(path("x.npy"), sample());
  const auto j = report({"tt", "x.npy", "--rank", "2,3", "--tolerance", "1e-8", "--out", "d"});
  EXPECT_EQ(j["ranks"], nlohmann::json({1, 2, 2, 1}));
  EXPECT_EQ(j["files"], nlohmann::json({"core_0.npy", "core_1.npy", "core_2.npy"}));
  EXPECT_EQ(describe_npy(path("d/core_1.npy")).extents, (std::vector<std::size_t>{2, 6, 2}));
  EXPECT_FALSE(j.contains("iterations"));
}

TEST_F(decompose_verb, says_what_it_made) {
  save_npy(path("x.npy"), sample());
  const child_result result = decompose({"tucker", "x.npy", "--rank", "1,1,1", "--out", "d"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("file         x.npy, 7 x 6 x 5, <f8\n"
                               "method       tucker, float64\n"
                               "ranks        1 1 1\n"
                               "error        0."),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("parameters   19, 11.05 times fewer than elements\n"
                               "out          d\n"),
            std::string::npos)
      << result.output;
}

TEST_F(decompose_verb, a_machine_that_is_named_computes) {
  save_npy(path("x.npy"), sample());
  const std::vector<std::string> there{"--machine", "trainium1", "--precision", "float32"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), there.begin(), there.end());
    return arguments;
  };
  const auto cp = report(with(
      {"cp", "x.npy", "--rank", "2", "--out", "d", "--max-iterations", "4", "--tolerance", "0"}));
  EXPECT_EQ(cp["run"]["backend"], "device");
  EXPECT_EQ(cp["run"]["machine"], "trainium1");
  EXPECT_EQ(cp["run"]["dispatches"], 3 * 4);
  EXPECT_GT(cp["run"]["device_seconds"], 0);
  EXPECT_EQ(cp["run"]["steps"].size(), 3u);
  const auto host = report({"cp", "x.npy", "--rank", "2", "--out", "e", "--max-iterations", "4",
                            "--tolerance", "0", "--precision", "float32"});
  EXPECT_EQ(host["run"], nlohmann::json({{"backend", "host"}, {"machine", nullptr}}));
  EXPECT_NEAR(host["relative_error"].get<double>(), cp["relative_error"].get<double>(), 1e-4);
  EXPECT_EQ(report(with({"tucker", "x.npy", "--rank", "2", "--out", "f"}))["run"]["dispatches"], 4);
  EXPECT_EQ(report(with({"tt", "x.npy", "--rank", "2", "--out", "g", "--policy",
                         "automatic"}))["run"]["backend"],
            "host");
  const child_result text = decompose(with({"tt", "x.npy", "--rank", "2", "--out", "h"}));
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_NE(text.output.find("runs on      device, trainium1: 3 dispatches\nmodelled     0.00"),
            std::string::npos)
      << text.output;
  expect_failure({"tt", "x.npy", "--rank", "2", "--out", "i", "--machine", "trainium1"}, 1,
                 "it computes in float");
  expect_failure(with({"tt", "x.npy", "--rank", "2", "--out", "i", "--policy", "there"}), 2,
                 "--policy");
  expect_failure({"tt", "x.npy", "--rank", "2", "--out", "i", "--machine", "nothing"}, 1,
                 "no such file");
}

TEST_F(decompose_verb, missing_elements_and_signs) {
  tensor<double> x = sample(), mask({7, 6, 5});
  for (std::size_t i = 0; i < x.size(); ++i) mask.data()[i] = i % 4 == 1 ? 0 : 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i % 4 == 1) x.data()[i] = std::nan("");
  save_npy(path("x.npy"), x);
  save_npy(path("m.npy"), mask);
  const auto j = report({"cp", "x.npy", "--rank", "3", "--out", "d", "--mask", "m.npy",
                         "--nonnegative", "--start", "svd"});
  EXPECT_LT(j["relative_error"], 0.5);
  for (const double v : matrix("d/factor_1.npy")) EXPECT_GE(v, 0);
  expect_failure({"cp", "x.npy", "--rank", "3", "--out", "e"}, 1, "x[0, 0, 1] is not finite");
}

TEST_F(decompose_verb, bad_usage) {
  save_npy(path("x.npy"), sample());
  expect_failure({"svd", "x.npy", "--rank", "1", "--out", "d"}, 2, "METHOD");
  expect_failure({"cp", "x.npy", "--rank", "1"}, 2, "--out");
  expect_failure({"cp", "x.npy", "--out", "d"}, 2, "--rank: cp takes one");
  expect_failure({"cp", "x.npy", "--rank", "1,2", "--out", "d"}, 2, "--rank: cp takes one");
  expect_failure({"tucker", "x.npy", "--out", "d"}, 2, "one of --rank and --tolerance");
  expect_failure({"tucker", "x.npy", "--rank", "8", "--out", "d"}, 2,
                 "mode 0 has extent 7, and rank 8 is above it");
  expect_failure({"tucker", "x.npy", "--rank", "2,2", "--out", "d"}, 2, "3 modes take one rank");
  expect_failure({"tt", "x.npy", "--rank", "2,2,2", "--out", "d"}, 2, "one rank or 2, not 3");
  expect_failure({"tt", "x.npy", "--rank", "0", "--out", "d"}, 2, "--rank");
  expect_failure({"tt", "x.npy", "--tolerance", "1e-15", "--out", "d"}, 2,
                 "tt in float64 gives at least 5.33e-15");
  expect_failure({"tt", "x.npy", "--rank", "2", "--seed", "1", "--out", "d"}, 2,
                 "--seed is of cp only");
  expect_failure({"tucker", "x.npy", "--rank", "2", "--mask", "x.npy", "--out", "d"}, 2,
                 "--mask is of cp only");
  expect_failure({"tt", "x.npy", "--rank", "2", "--max-iterations", "1", "--out", "d"}, 2,
                 "tt does not iterate");
}

TEST_F(decompose_verb, bad_data) {
  save_npy(path("x.npy"), sample());
  save_npy(path("v.npy"), tensor<float>({7}));
  tensor<std::complex<float>> z({2, 2});
  save_npy(path("z.npy"), z);
  write("text.npy", "no array");
  expect_failure({"cp", "nothing.npy", "--rank", "1", "--out", "d"}, 1, "nothing.npy: ");
  expect_failure({"cp", "text.npy", "--rank", "1", "--out", "d"}, 1, "text.npy: ");
  expect_failure({"cp", "v.npy", "--rank", "1", "--out", "d"}, 1, "at least 2 modes, got 1");
  expect_failure({"cp", "z.npy", "--rank", "1", "--out", "d"}, 1, "z.npy: ");
  expect_failure({"cp", "x.npy", "--rank", "1", "--mask", "v.npy", "--out", "d"}, 1,
                 "the mask must have the extents of x");
  expect_failure({"cp", "x.npy", "--rank", "1", "--out", "v.npy"}, 1, "v.npy: is no folder");
}

}  // namespace
}  // namespace papilio::test

// papilio einsum: values that are known, files, and what it refuses.
#include <complex>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/io.hpp"

namespace papilio::test {
namespace {

class einsum_verb : public program_test {
 protected:
  /// Elements first, first + 1, ...
  template <class T>
  void save(const std::string& name, const std::vector<std::size_t>& extents, int first = 1) const {
    tensor<T> values{std::span<const std::size_t>(extents)};
    for (T& v : values.flat()) v = static_cast<T>(static_cast<float>(first++));
    save_npy(path(name), values);
  }

  std::string output(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "einsum");
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }

  void expect_failure(std::vector<std::string> arguments, int code,
                      const std::string& message) const {
    const auto before = listing();
    arguments.insert(arguments.begin(), "einsum");
    const child_result result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(einsum_verb, small_results_are_printed) {
  save<float>("a.npy", {2, 3});
  save<double>("b.npy", {3, 2});
  EXPECT_EQ(output({"ij,jk->ik", "a.npy", "b.npy"}),
            "operands  a.npy, 2 x 3, <f4\n"
            "          b.npy, 3 x 2, <f8\n"
            "result    2 x 2, float64\n"
            "values\n"
            "  22  28\n"
            "  49  64\n");
  EXPECT_EQ(output({"ij->", "a.npy"}),
            "operands  a.npy, 2 x 3, <f4\nresult    one number, float32\nvalues\n  21\n");
}

TEST_F(einsum_verb, matrices_of_more_axes_are_labelled) {
  save<std::int16_t>("a.npy", {2, 1, 2});
  EXPECT_EQ(output({"ijk->kij", "a.npy"}),
            "operands  a.npy, 2 x 1 x 2, <i2\n"
            "result    2 x 2 x 1, float32\n"
            "values\n"
            "[0, :, :]\n  1\n  3\n"
            "[1, :, :]\n  2\n  4\n");
}

TEST_F(einsum_verb, out_has_the_result) {
  save<std::complex<double>>("a.npy", {3});
  save<float>("b.npy", {4}, 0);
  const std::string text = output({"i,j", "a.npy", "b.npy", "--out", "c.npy", "--conjugate", "0"});
  EXPECT_NE(text.find("result    3 x 4, complex128\nout       c.npy\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("values"), std::string::npos);
  const auto c = std::get<tensor<std::complex<double>>>(read_npy(path("c.npy")));
  ASSERT_EQ(c.rank(), 2u);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(c.data()[4 * i + j], double((i + 1) * j)) << i << j;
  output({"i->", "a.npy", "--out", "d.npy"});
  EXPECT_EQ(describe_npy(path("d.npy")).extents.size(), 0u);
}

// Subscripts that begin as a flag does, and labels beyond ASCII.
TEST_F(einsum_verb, subscripts_of_numbers_and_of_any_letters) {
  tensor<double> number{std::vector<std::size_t>{}};
  number.data()[0] = 2.5;
  save_npy(path("s.npy"), number);
  EXPECT_NE(output({"->", "s.npy"}).find("\n  2.5\n"), std::string::npos);
  EXPECT_NE(output({",->", "s.npy", "s.npy"}).find("\n  6.25\n"), std::string::npos);
  save<float>("a.npy", {2, 3});
  save<float>("b.npy", {3, 2});
  const auto plain = nlohmann::json::parse(output({"ij,jk->ik", "a.npy", "b.npy", "--json"}));
  const auto greek = nlohmann::json::parse(
      output({"\u03b1\u03b2,\u03b2\u4e2d->\u03b1\u4e2d", "a.npy", "b.npy", "--json"}));
  EXPECT_EQ(greek["values"], plain["values"]);
  EXPECT_EQ(greek["steps"][0]["expression"], "\u03b1\u03b2,\u03b2\u4e2d->\u03b1\u4e2d");
}

TEST_F(einsum_verb, conjugates) {
  tensor<std::complex<float>> values({2});
  values.data()[0] = {1, 2};
  values.data()[1] = {-3, 0.5f};
  save_npy(path("a.npy"), values);
  EXPECT_NE(output({"i,i", "a.npy", "a.npy", "--conjugate", "1"}).find("\n  14.25"),
            std::string::npos);
  EXPECT_NE(output({"i", "a.npy", "--conjugate", "0"}).find("1-2i  -3-0.5i\n"), std::string::npos);
}

TEST_F(einsum_verb, json) {
  save<std::uint8_t>("a.npy", {20, 30}, 0);
  save<float>("b.npy", {30, 20}, 0);
  save<float>("v.npy", {20}, 0);
  const auto small = nlohmann::json::parse(output({"i,i->i", "v.npy", "v.npy", "--json"}));
  EXPECT_EQ(small["shape"], nlohmann::json({20}));
  EXPECT_EQ(small["values"][19], 361);
  EXPECT_EQ(small["largest_magnitude"], 361);
  const auto large = nlohmann::json::parse(
      output({"ij,jk,k->ik", "a.npy", "b.npy", "v.npy", "--json", "--search", "optimal"}));
  EXPECT_EQ(large["operands"][0]["type"], "|u1");
  EXPECT_EQ(large["type"], "float32");
  EXPECT_EQ(large["values"], nullptr);
  EXPECT_EQ(large["steps"].size(), 2u);
  EXPECT_EQ(large["path"]["search"], "optimal");
  EXPECT_GT(large["path"]["flops"], 1000);
}

TEST_F(einsum_verb, explain) {
  save<float>("a.npy", {20, 30});
  save<float>("b.npy", {30, 40});
  save<float>("c.npy", {40, 50});
  const std::string text = output({"ij,jk,kl->il", "a.npy", "b.npy", "c.npy", "--explain",
                                   "--search", "optimal", "--threads", "1"});
  EXPECT_NE(text.find("order found by        optimal"), std::string::npos) << text;
  EXPECT_NE(text.find("FLOPs                 128000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("values    root mean square "), std::string::npos) << text;
}

TEST_F(einsum_verb, the_result_does_not_depend_on_the_memory_limit) {
  for (const char* name : {"a.npy", "b.npy", "c.npy"}) save<double>(name, {8, 8, 8}, -255);
  const std::vector<std::string> command{"abc,bcd,dae->e", "a.npy", "b.npy", "c.npy"};
  std::vector<std::string> limited = command;
  limited.insert(limited.end(), {"--memory-limit", "128", "--json"});
  std::vector<std::string> free = command;
  free.emplace_back("--json");
  const auto a = nlohmann::json::parse(output(limited)), b = nlohmann::json::parse(output(free));
  EXPECT_EQ(a["values"], b["values"]);  // whole numbers
  EXPECT_GT(a["path"]["slices"], 1);
  EXPECT_LE(a["path"]["largest_elements"], 16);
}

TEST_F(einsum_verb, a_machine_that_is_named_computes) {
  save<float>("a.npy", {5, 6});
  save<float>("b.npy", {6, 7});
  save<float>("c.npy", {7, 4});
  const std::vector<std::string> host{"ij,jk,kl->il", "a.npy", "b.npy", "c.npy"};
  std::vector<std::string> there = host;
  there.insert(there.end(), {"--machine", "trainium1", "--runtime", "sdk_2_29"});
  const std::string text = output(there), here = output(host);
  EXPECT_NE(text.find("runs on   device, trainium1: 1 dispatch\nmodelled  "), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nemulated  in "), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.find("values")), here.substr(here.find("values")));
  EXPECT_EQ(here.find("modelled"), std::string::npos);
  there.emplace_back("--json");
  const auto json = nlohmann::json::parse(output(there));
  EXPECT_EQ(json["run"]["backend"], "device");
  EXPECT_EQ(json["run"]["dispatches"], 1);
  EXPECT_GT(json["run"]["modelled_seconds"], 0);
  ASSERT_EQ(json["run"]["steps"].size(), json["steps"].size());
  for (std::size_t i = 0; i < json["steps"].size(); ++i)
    EXPECT_EQ(json["run"]["steps"][i]["how"], json["steps"][i]["how"]);
  there.insert(there.end(), {"--policy", "automatic", "--cost", "device_seconds"});
  EXPECT_EQ(nlohmann::json::parse(output(there))["run"]["backend"], "host");  // it is small
}

TEST_F(einsum_verb, what_a_machine_cannot_do_is_refused) {
  save<double>("a.npy", {3, 3});
  expect_failure({"ij,jk", "a.npy", "a.npy", "--machine", "trainium1"}, 1, "it computes in float");
  expect_failure({"ij,jk", "a.npy", "a.npy", "--policy", "device"}, 1, "needs an accelerator");
  expect_failure({"ij,jk", "a.npy", "a.npy", "--policy", "none"}, 2, "--policy");
  expect_failure({"ij,jk", "a.npy", "a.npy", "--machine", "nothing"}, 1, "no such file");
}

TEST_F(einsum_verb, bad_usage) {
  save<float>("a.npy", {2, 3});
  save<float>("b.npy", {3, 2});
  expect_failure({}, 2, "SUBSCRIPTS");
  expect_failure({"ij"}, 2, "FILE");
  expect_failure(
      {"ij,j1", "a.npy", "b.npy"}, 2,
      "einsum: labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8\n  ij,j1\n      ^\n");
  expect_failure({"ij,jk", "a.npy"}, 2, "there is 1 operand, and labels of 2\n  ij,jk\n    ^\n");
  expect_failure({"ij->ii", "a.npy"}, 2, "the result has label 'i' twice");
  expect_failure({"ij", "a.npy", "--out", "a.npy"}, 2, "--out: \"a.npy\" is the input itself");
  expect_failure({"ij", "a.npy", "--out", "-"}, 2, "--out: must name a file");
  expect_failure({"ij", "a.npy", "--out", ""}, 2, "--out");
  expect_failure({"ij", "a.npy", "--conjugate", "1"}, 2, "--conjugate: there is no operand 1");
  expect_failure({"ij", "a.npy", "--conjugate", "-1"}, 2, "--conjugate");
  expect_failure({"ij", "a.npy", "--search", "best"}, 2, "--search");
  expect_failure({"ij", "a.npy", "--seconds", "0"}, 2, "--seconds");
  expect_failure({"ij", "a.npy", "--seconds", "nan"}, 2, "--seconds");
  expect_failure({"ij", "a.npy", "--memory-limit", "-1"}, 2, "--memory-limit");
  expect_failure({"ij", "a.npy", "--memory-limit", "3"}, 2, "--memory-limit: an element takes 4");
  expect_failure({"ij", "a.npy", "--threads", "0"}, 2, "--threads");
}

TEST_F(einsum_verb, bad_data) {
  save<float>("a.npy", {2, 3});
  save<float>("b.npy", {4, 2});
  expect_failure({"ij,jk", "a.npy", "b.npy"}, 1,
                 "papilio: einsum: label 'j' has extent 3 in operand 0, and 4 in operand 1\n"
                 "  ij,jk\n     ^\n");
  expect_failure({"ijk", "a.npy"}, 1, "operand 0 has 2 axes and 3 labels\n  ijk\n    ^\n");
  expect_failure({"ij", "missing.npy"}, 1, "papilio: missing.npy: No such file");
  const std::string good = read_bytes(path("a.npy"));
  write("short.npy", good.substr(0, good.size() - 4));
  expect_failure({"ij", "short.npy"}, 1,
                 "short.npy: its header promises 24 bytes of elements, it holds 20");
  expect_failure({"ij", "a.npy", "--out", "missing/c.npy"}, 1, "missing/c.npy");
  expect_failure({"ij,kl", "a.npy", "a.npy", "--memory-limit", "32"}, 1,
                 "--memory-limit: the result alone takes 144 bytes, got 32");
}

// Behind "--" nothing is an option.
TEST_F(einsum_verb, subscripts_that_begin_as_options_do) {
  save<float>("a.npy", {}, 7);
  EXPECT_NE(output({"--", "->", "a.npy"}).find("\n  7\n"), std::string::npos);
}

}  // namespace
}  // namespace papilio::test

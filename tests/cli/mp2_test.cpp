// papilio mp2: energies of molecules that are known, from every kind of file, and what it refuses.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "papilio/io.hpp"

namespace papilio::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class mp2_verb : public program_test {
 protected:
  /// A molecule of the shipped ones, by a copy that may be changed.
  void copy(const std::string& molecule, const std::string& to = "m") const {
    fs::copy(fs::path(PAPILIO_MOLECULES) / molecule, path(to));
    for (const auto& file : fs::directory_iterator(path(to)))
      fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  }
  void remove(const std::string& name) const { fs::remove(path("m/" + name)); }

  json energies(std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"mp2", "m", "--json"});
    const child_result result = run(std::move(flags));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return json::parse(result.output);
  }

  /// Every difference that the program tells, of which there must be so many, is within `bound`.
  static void expect_close(const json& report, std::size_t count, double bound) {
    EXPECT_EQ(report["difference"].size(), count) << report["difference"];
    for (const auto& [name, value] : report["difference"].items())
      EXPECT_LE(std::abs(value.get<double>()), bound) << name;
  }

  void expect_refused(std::vector<std::string> flags, int code, const std::string& message) const {
    flags.insert(flags.begin(), {"mp2", "m"});
    const child_result result = run(std::move(flags));
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }

  /// A file of the copy, changed.
  template <class Change>
  void change(const std::string& name, const Change& change) const {
    tensor<double> values = read_npy_as<double>(path("m/" + name));
    change(values);
    save_npy(path("m/" + name), values);
  }
};

TEST_F(mp2_verb, an_accelerator_says_what_it_would_take) {
  copy("h2o_sto3g");
  for (const auto& [precision, bound] :
       {std::pair{"float", 1e-5}, {"split_bf16", 1e-4}, {"bf16_refined", 1e-4}}) {
    const json report = energies({"--machine", "trainium1", "--precision", precision});
    expect_close(report, 7, bound);
    EXPECT_EQ(report["device"]["machine"], "trainium1");
    EXPECT_EQ(report["device"]["runtime"], "sdk_2_24");
    EXPECT_EQ(report["device"]["record"]["launches"], 1);
    EXPECT_EQ(report["precision"], precision);
  }
  const json frozen = energies({"--machine", "trainium1", "--frozen-core", "1"});
  EXPECT_EQ(frozen["precision"], "float");
  expect_close(frozen, 2, 1e-5);
  const child_result text =
      run({"mp2", "m", "--machine", "trainium2", "--runtime", "sdk_2_29_trn2"});
  EXPECT_NE(text.output.find("energies by trainium2 with sdk_2_29_trn2: modelled"),
            std::string::npos);
}

TEST_F(mp2_verb, an_accelerator_transforms_integrals_too) {
  copy("h2o_sto3g");
  const json report = energies({"--machine", "trainium1", "--from", "ao"});
  expect_close(report, 7, 1e-5);
  // Integrals, the root of the metric and coefficients go up; B stays; energies come back.
  EXPECT_EQ(report["device"]["record"]["launches"], 2);
  EXPECT_EQ(report["device"]["record"]["fetches"], 1);
}

TEST_F(mp2_verb, steps_say_where_the_time_goes) {
  const std::vector<std::string> sizes{"mp2",       "--sizes",   "64x8x56x192",
                                       "--machine", "trainium1", "--json"};
  const json report = json::parse(run(sizes).output);
  ASSERT_EQ(report["steps"].size(), 3u);
  double unfused = 0, fused = 0;
  for (const json& step : report["steps"]) {
    EXPECT_GT(step["host_seconds"].get<double>(), 0);
    unfused += step["unfused"]["seconds"].get<double>();
    if (!step["fused"].is_null()) fused += step["fused"]["seconds"].get<double>();
  }
  EXPECT_TRUE(report["steps"][1]["fused"].is_null());  // the product is part of the energy
  EXPECT_GT(unfused, fused);
  EXPECT_NEAR(report["amdahl"]["speedup"].get<double>(), unfused / fused, 1e-6 * unfused / fused);
  copy("h2o_sto3g");
  EXPECT_EQ(energies({"--machine", "trainium1", "--steps"})["steps"]["nbf"], 7);
  const child_result text = run({"mp2", "m", "--machine", "trainium1", "--steps"});
  EXPECT_NE(text.output.find("AO->MO"), std::string::npos);
}

TEST_F(mp2_verb, steps_need_a_machine_and_sizes_no_folder) {
  copy("h2o_sto3g");
  expect_refused({"--steps"}, 2, "--machine");
  expect_refused({"--sizes", "1x1x1x1", "--machine", "trainium1"}, 2, "--sizes");
  for (const char* const bad : {"1x2x3", "0x1x1x1", "1x1x1x1x1", "1x1x1xa", "1x1x1x9999999999"}) {
    const child_result result = run({"mp2", "--machine", "trainium1", "--sizes", bad});
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_NE(result.errors.find("NBFxNOCCxNVIRxNAUX"), std::string::npos) << result.errors;
  }
  EXPECT_EQ(run({"mp2"}).exit_code, 2);
  const child_result ignored =
      run({"mp2", "--machine", "trainium1", "--sizes", "8x2x6x9", "--frozen-core", "1"});
  EXPECT_EQ(ignored.exit_code, 2);
  EXPECT_NE(ignored.errors.find("--sizes"), std::string::npos) << ignored.errors;
}

TEST_F(mp2_verb, an_accelerator_refuses_what_it_does_not_do) {
  copy("h2o_sto3g");
  expect_refused({"--machine", "trainium1", "--precision", "double"}, 2, "--precision");
  expect_refused({"--precision", "bf16"}, 2, "--machine");
  expect_refused({"--runtime", "sdk_2_29"}, 2, "--runtime");
  expect_refused({"--machine", "abacus"}, 1, "abacus");
}

TEST_F(mp2_verb, molecular_integrals_of_a_closed_shell) {
  copy("h2o_sto3g");
  for (const auto& [precision, bound] : {std::pair{"double", 1e-10}, std::pair{"float", 1e-7}}) {
    const json report = energies({"--precision", precision});
    expect_close(report, 7, bound);
    EXPECT_NEAR(report["E_corr"].get<double>(), -0.03560182304095755, bound);
    EXPECT_NEAR(report["E_corr_opposite_spin"].get<double>(), -0.03356001185080309, bound);
    EXPECT_NEAR(report["E_corr_same_spin"].get<double>(), -0.002041811190154457, bound);
    EXPECT_NEAR(report["E_corr_SCS_MP2"].get<double>(), -0.040952617951015194, bound);
    EXPECT_NEAR(report["sos_mp2_corr"].get<double>(), -0.04362801540604402, bound);
    EXPECT_NEAR(report["E_MP2_total"].get<double>(), -74.99877597440911, bound);
    EXPECT_EQ(report["precision"], precision);
    EXPECT_EQ(report["from"], "B_iaQ.npy");
  }
}

TEST_F(mp2_verb, atomic_integrals_full_and_of_the_lower_triangle) {
  copy("h2o_sto3g");
  remove("B_iaQ.npy");
  for (const auto& [precision, bound] : {std::pair{"double", 1e-10}, std::pair{"float", 1e-7}})
    expect_close(energies({"--from", "ao", "--precision", precision}), 7, bound);
  const tensor<double> full = read_npy_as<double>(path("m/AO_mnQ.npy"));
  const std::size_t nbf = full.extent(0), naux = full.extent(2);
  tensor<double> rows({nbf * (nbf + 1) / 2, naux});
  double* to = rows.data();
  for (std::size_t m = 0; m < nbf; ++m)
    to = std::copy_n(full.data() + m * nbf * naux, (m + 1) * naux, to);
  save_npy(path("m/AO_tril_Q.npy"), rows);
  remove("AO_mnQ.npy");
  const json report = energies({"--from", "ao", "--threads", "2"});
  expect_close(report, 7, 1e-10);
  EXPECT_EQ(report["from"], "AO_tril_Q.npy");
}

TEST_F(mp2_verb, a_frozen_core_is_compared_with_its_own_energies) {
  copy("h2o_sto3g");
  const json report = energies({"--frozen-core", "1"});
  expect_close(report, 2, 1e-10);
  EXPECT_NEAR(report["E_corr"].get<double>(), -0.035502086707444806, 1e-10);
  EXPECT_EQ(report["frozen_core"], 1);
  expect_close(energies({"--frozen-core", "2"}), 0, 0);
  expect_close(energies({"--frozen-core", "1", "--from", "ao", "--precision", "float"}), 2, 1e-7);
}

TEST_F(mp2_verb, two_spins) {
  copy("oh_ccpvdz_uhf");
  for (const auto& [precision, bound] : {std::pair{"double", 1e-10}, std::pair{"float", 1e-7}}) {
    const json report = energies({"--precision", precision});
    expect_close(report, 6, bound);
    EXPECT_NEAR(report["E_aa"].get<double>(), -0.025021041856654856, bound);
    EXPECT_NEAR(report["E_bb"].get<double>(), -0.011813409992073184, bound);
  }
}

// Two equal spins from atomic integrals; how many orbitals are occupied is told.
TEST_F(mp2_verb, two_spins_from_atomic_integrals) {
  copy("h2o_sto3g");
  for (const char* const spin : {"_a", "_b"}) {
    fs::copy(path("m/C.npy"), path(std::string("m/C") + spin + ".npy"));
    fs::copy(path("m/eps.npy"), path(std::string("m/eps") + spin + ".npy"));
  }
  remove("C.npy");
  remove("manifest.json");
  remove("B_iaQ.npy");
  expect_refused({"--from", "ao"}, 1, "--occupied tells");
  const json report = energies({"--from", "ao", "--occupied", "5:5"});
  EXPECT_NEAR(report["E_corr_opposite_spin"].get<double>(), -0.03356001185080309, 1e-10);
  EXPECT_NEAR(report["E_bb"].get<double>(), -0.002041811190154457 / 2, 1e-10);
  EXPECT_EQ(report["difference"], json::object());
  EXPECT_FALSE(report.contains("E_MP2_total"));
}

TEST_F(mp2_verb, what_a_manifest_lacks_is_not_compared) {
  copy("h2o_sto3g");
  fs::remove(path("m/manifest.json"));
  write("m/manifest.json", R"({"energies_hartree": {"E_corr": -0.03, "E_corr_same_spin": null}})");
  const json report = energies();
  ASSERT_EQ(report["difference"].size(), 1u);
  EXPECT_NEAR(report["difference"]["E_corr"].get<double>(), -0.00560182304095755, 1e-10);
  fs::remove(path("m/manifest.json"));
  expect_close(energies({"--from", "ao"}), 0, 0);  // occupied orbitals are those of B_iaQ.npy
  write("m/manifest.json", R"({"energies_hartree": {"E_corr": "low"}})");
  expect_refused({}, 1, "m/manifest.json: \"E_corr\" must be a number");
  write("m/manifest.json", "[1]");
  expect_refused({}, 1, "m/manifest.json: it is no JSON object");
  write("m/manifest.json", "{\"x\":" + std::string(100000, '[') + std::string(100000, ']') + "}");
  expect_refused({}, 1, "m/manifest.json: nested deeper than 32 levels");
}

TEST_F(mp2_verb, people_read_a_table) {
  copy("h2o_sto3g");
  const child_result result = run({"mp2", "m"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output.find("molecule  m\n"
                               "integrals B_iaQ.npy, in double\n"
                               "orbitals  5 occupied, 2 virtual, 84 auxiliary functions\n"
                               "energies                               hartree\n"
                               "  E_corr                          -0.035601823041\n"),
            0u)
      << result.output;
  EXPECT_NE(result.output.find("less those of manifest.json\n  E_corr "), std::string::npos);
}

TEST_F(mp2_verb, missing_files_are_named) {
  expect_refused({}, 1, "m: there is no such folder");
  copy("h2o_sto3g");
  remove("eps.npy");
  expect_refused({}, 1, "m: there is no eps.npy");
  remove("B_iaQ.npy");
  expect_refused({}, 1, "m: there is no B_iaQ.npy (nor Ba_iaQ.npy and Bb_iaQ.npy), eps.npy");
  remove("metric_PQ.npy");
  remove("AO_mnQ.npy");
  expect_refused({"--from", "ao"}, 1,
                 "m: there is no AO_mnQ.npy (nor AO_tril_Q.npy), metric_PQ.npy, eps.npy");
  fs::remove_all(path("m"));
  copy("oh_ccpvdz_uhf");
  remove("Bb_iaQ.npy");
  expect_refused({}, 1, "m: there is no Bb_iaQ.npy");
}

TEST_F(mp2_verb, shapes_that_do_not_fit_are_named_by_file) {
  copy("h2o_sto3g");
  save_npy(path("m/eps.npy"), tensor<double>({6}));
  expect_refused({}, 1,
                 "m/eps.npy: must have the energies of 5 occupied and 2 virtual orbitals, has 6");
  save_npy(path("m/B_iaQ.npy"), tensor<double>({10, 84}));
  expect_refused({}, 1, "m/B_iaQ.npy: must have 3 axes [nocc, nvir, naux], has 2");
  save_npy(path("m/metric_PQ.npy"), tensor<double>({84, 83}));
  expect_refused({"--from", "ao"}, 1,
                 "m/metric_PQ.npy: must be 84 x 84 for AO_mnQ.npy, is 84 x 83");
  fs::remove_all(path("m"));
  copy("h2o_sto3g");
  save_npy(path("m/C.npy"), tensor<double>({8, 7}));
  expect_refused({"--from", "ao"}, 1, "m/C.npy: is 8 x 7, but AO_mnQ.npy is 7 x 7 x 84");
  save_npy(path("m/C.npy"), tensor<double>({7, 4}));
  expect_refused({"--from", "ao"}, 1, "m/C.npy: has 4 orbitals, of which 5 cannot be occupied");
  write("m/B_iaQ.npy", "no array");
  expect_refused({}, 1, "m/B_iaQ.npy: ");
  fs::remove_all(path("m"));
  copy("oh_ccpvdz_uhf");
  save_npy(path("m/Bb_iaQ.npy"), tensor<double>({4, 15, 69}));
  expect_refused({}, 1, "m/Bb_iaQ.npy: must have the 70 auxiliary functions of Ba_iaQ.npy, has 69");
}

TEST_F(mp2_verb, numbers_that_are_none_and_gaps_of_zero) {
  copy("h2o_sto3g");
  change("eps.npy", [](tensor<double>& eps) { eps.data()[5] = eps.data()[4]; });
  expect_refused({}, 1, "m: df_mp2: the gap must be positive");
  change("eps.npy",
         [](tensor<double>& eps) { eps.data()[2] = std::numeric_limits<double>::quiet_NaN(); });
  expect_refused({}, 1, "m: df_mp2: eps_occupied[2] must be finite");
  fs::remove_all(path("m"));
  copy("h2o_sto3g");
  change("B_iaQ.npy",
         [](tensor<double>& b) { b.data()[84 + 3] = std::numeric_limits<double>::infinity(); });
  expect_refused({}, 1, "m: df_mp2: b[0, 1, 3] must be finite");
  change("metric_PQ.npy", [](tensor<double>& metric) { metric.data()[0] = -1; });
  expect_refused({"--from", "ao"}, 1, "must be positive definite");
  const child_result result = run({"mp2", "m", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(json::parse(result.output)["error"].get<std::string>().find("must be finite"),
            std::string::npos);
}

TEST_F(mp2_verb, memory_and_flags_are_checked) {
  copy("h2o_sto3g");
  expect_refused({"--memory", "1e-7"}, 1, "memory_bytes must be at least ");
  expect_close(energies({"--memory", "0.001"}), 7, 1e-10);
  expect_refused({"--frozen-core", "6"}, 1, "frozen_core must be at most the 5 occupied orbitals");
  expect_refused({"--frozen-core", "-1"}, 2, "--frozen-core");
  expect_refused({"--memory", "0"}, 2, "--memory");
  expect_refused({"--from", "mo"}, 2, "--from");
  expect_refused({"--precision", "half"}, 2, "--precision");
  expect_refused({"--occupied", "5:"}, 2, "--occupied");
  expect_refused({"--threads", "0"}, 2, "--threads");
}

}  // namespace
}  // namespace papilio::test

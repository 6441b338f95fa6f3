// A host's rates as a file: what it says counts, the rest is this computer's; refused where it is
// damaged or hostile.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "dispatch/made_up_host.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

using nlohmann::json;

json json_of(const host_level& l) {
  return {{"capacity_bytes", l.capacity_bytes},
          {"core_bytes_per_second", l.core_bytes_per_second},
          {"machine_bytes_per_second", l.machine_bytes_per_second},
          {"float_fft_flops_per_second", l.float_fft_flops_per_second},
          {"double_fft_flops_per_second", l.double_fft_flops_per_second}};
}
json json_of(const host_model& h) {
  return {{"cores", h.cores},
          {"float_peak_flops_per_second", h.float_peak_flops_per_second},
          {"double_peak_flops_per_second", h.double_peak_flops_per_second},
          {"extended_flops_per_second", h.extended_flops_per_second},
          {"gemm_peak_share", h.gemm_peak_share},
          {"elementwise_peak_share", h.elementwise_peak_share},
          {"elementwise_bandwidth_share", h.elementwise_bandwidth_share},
          {"rearrangement_bandwidth_share", h.rearrangement_bandwidth_share},
          {"call_seconds", h.call_seconds},
          {"line_seconds", h.line_seconds},
          {"thread_start_seconds", h.thread_start_seconds},
          {"l1", json_of(h.l1)},
          {"l2", json_of(h.l2)},
          {"l3", json_of(h.l3)},
          {"memory", json_of(h.memory)}};
}

class host_file : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
  void expect_refused(const std::string& text, const std::string& fault) {
    write(text);
    try {
      load_host(file);
      ADD_FAILURE() << fault;
    } catch (const io_error& e) {
      EXPECT_EQ(e.path(), file);
      EXPECT_NE(std::string(e.what()).find(file + ": " + fault), std::string::npos) << e.what();
    }
  }

  test::temporary_directory directory;
  const std::string file = directory / "host.json";
  const json whole = json_of(test::made_up_host());
};

TEST_F(host_file, every_field_counts) {
  write(whole.dump());
  host_model expected = test::made_up_host();
  const host_model here = host_from_features();
  expected.processor = here.processor;
  expected.instruction_set = here.instruction_set;
  expected.clock_hz = here.clock_hz;
  expected.vector_bytes = here.vector_bytes;
  expected.source = "host.json";
  EXPECT_EQ(load_host(file), expected);
  EXPECT_EQ(to_string(load_host(file)), "from host.json");
}

TEST_F(host_file, what_is_absent_is_as_the_features_have_it) {
  host_model expected = host_from_features();
  expected.source = "host.json";
  write("{}");
  EXPECT_EQ(load_host(file), expected);
  write(R"({"cores": 7, "memory": {"machine_bytes_per_second": 4e10}})");
  expected.cores = 7;
  expected.memory.machine_bytes_per_second = 4e10;
  EXPECT_EQ(load_host(file), expected);
}

TEST_F(host_file, a_name_that_no_terminal_should_see_is_not_told) {
  const std::string hostile = directory / "\x1b[31m.json";
  std::ofstream(hostile) << "{}";
  EXPECT_EQ(to_string(load_host(hostile)), "from a file");
}

TEST_F(host_file, every_number_is_checked) {
  const auto spoil = [&](const json::json_pointer& at, const std::string& name) {
    for (const json& bad :
         {json(-1), json(nullptr), json("fast"), json::array(), json(1e30), json(-1e-300)}) {
      json spoilt = whole;
      spoilt[at] = bad;
      expect_refused(spoilt.dump(), name + ": must be");
    }
  };
  for (const auto& [key, value] : whole.items()) {
    if (value.is_number()) spoil(json::json_pointer("/" + key), key);
    if (!value.is_object()) continue;
    for (const auto& inner : value.items())
      spoil(json::json_pointer("/" + key + "/" + inner.key()), key + "." + inner.key());
  }
}

TEST_F(host_file, hostile_texts_are_refused) {
  const std::string text = whole.dump();
  expect_refused("", "not JSON");
  expect_refused("[]", "must be a JSON object");
  expect_refused(text.substr(0, text.size() / 2), "not JSON");
  expect_refused("{\"cores\": NaN}", "not JSON");
  expect_refused("{\"cores\": 1e999}", "cores: must be a number that a double can hold");
  expect_refused("{\"cores\": 1, \"cores\": 1}", "cores: given twice");
  expect_refused(std::string(100, '[') + std::string(100, ']'), "nested deeper");
  expect_refused(std::string(2 << 20, ' '), "expected at most");
  expect_refused(R"({"cores": 1.5})", "cores: must be a whole number");
  expect_refused(R"({"l1": 3})", "l1: must be an object");
  expect_refused(R"({"l1": {"core_bytes_per_second": 0}})", "l1.core_bytes_per_second: must be");
  expect_refused(R"({"clock_hz": 1e9})", "\"clock_hz\": no such field");
  expect_refused(R"({"l3": {"extra": 3}})", "l3.\"extra\": no such field");
  expect_refused(R"({"l2": {"capacity_bytes": 1}})", "l2.capacity_bytes: must be at least");
  expect_refused(R"({"l3": {"capacity_bytes": 1}})", "l3.capacity_bytes: must be at least");
}

TEST_F(host_file, what_cannot_be_read_is_an_error) {
  EXPECT_THROW(load_host(directory / "none.json"), io_error);
  EXPECT_THROW(load_host(directory.path()), io_error);
}

}  // namespace
}  // namespace papilio

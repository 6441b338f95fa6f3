// A calibration as a file: kept whole, and refused where it is damaged, hostile or foreign.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "dispatch/made_up_host.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

using nlohmann::json;

host_model of_this_processor() {
  host_model h = test::made_up_host();
  const host_model here = host_from_features();
  h.processor = here.processor;
  h.instruction_set = here.instruction_set;
  h.cores = here.cores;
  h.call_seconds = 1.0 / 3;
  return h;
}

class host_file : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  json saved() {
    save_host(file, of_this_processor());
    std::ifstream in(file);
    return json::parse(in);
  }
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
};

TEST_F(host_file, what_is_saved_is_loaded) {
  save_host(file, of_this_processor());
  EXPECT_EQ(load_host(file), of_this_processor());
  const std::string deep = directory / "a/b/host.json";
  save_host(deep, of_this_processor());
  EXPECT_EQ(load_host(deep), of_this_processor());
}

TEST_F(host_file, cores_are_those_that_the_process_has) {
  host_model h = of_this_processor();
  h.cores += 3;
  save_host(file, h);
  EXPECT_EQ(load_host(file), of_this_processor());
}

TEST_F(host_file, is_of_one_processor) {
  for (const char* key : {"processor", "instruction_set"}) {
    json other = saved();
    other[key] = "an abacus";
    expect_refused(other.dump(), std::string(key) + ": is \"an abacus\", this computer's is \"");
  }
}

TEST_F(host_file, every_field_must_be_there) {
  const json whole = saved();
  for (const auto& [key, value] : whole.items()) {
    json without = whole;
    without.erase(key);
    expect_refused(without.dump(), key + ": is missing");
    if (!value.is_object()) continue;
    for (const auto& inner : value.items()) {
      json less = whole;
      less[key].erase(inner.key());
      expect_refused(less.dump(), key + "." + inner.key() + ": is missing");
    }
  }
}

TEST_F(host_file, every_number_is_checked) {
  const json whole = saved();
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
  json no_rate = whole;
  no_rate["l1"]["core_bytes_per_second"] = 0;
  expect_refused(no_rate.dump(), "l1.core_bytes_per_second: must be");
}

TEST_F(host_file, hostile_texts_are_refused) {
  const json whole = saved();
  const std::string text = whole.dump();
  expect_refused("", "not JSON");
  expect_refused("[]", "must be a JSON object");
  expect_refused(text.substr(0, text.size() / 2), "not JSON");
  expect_refused("{\"format\": NaN}", "not JSON");
  expect_refused("{\"clock_hz\": 1e999}", "clock_hz: must be a number that a double can hold");
  expect_refused("{\"format\": 1, \"format\": 1}", "format: given twice");
  expect_refused(std::string(100, '[') + std::string(100, ']'), "nested deeper");
  expect_refused(std::string(2 << 20, ' '), "expected at most");
  const std::pair<const char*, std::function<void(json&)>> changes[] = {
      {"format: must be", [](json& j) { j["format"] = 2; }},
      {"cores: must be a whole number", [](json& j) { j["cores"] = 1.5; }},
      {"l1: must be an object", [](json& j) { j["l1"] = 3; }},
      {"\"extra\": no such field", [](json& j) { j["extra"] = 3; }},
      {"l3.\"extra\": no such field", [](json& j) { j["l3"]["extra"] = 3; }},
      {"measured_on: must be", [](json& j) { j["measured_on"] = ""; }},
      {"measured_on: must be", [](json& j) { j["measured_on"] = "\x1b[31m"; }},
      {"l2.capacity_bytes: must be at least", [](json& j) { j["l2"]["capacity_bytes"] = 1; }},
      {"l3.capacity_bytes: must be at least", [](json& j) { j["l3"]["capacity_bytes"] = 1; }}};
  for (const auto& [fault, change] : changes) {
    json changed = whole;
    change(changed);
    expect_refused(changed.dump(), fault);
  }
}

TEST_F(host_file, what_cannot_be_read_or_written_is_an_error) {
  EXPECT_THROW(load_host(directory / "none.json"), io_error);
  EXPECT_THROW(load_host(directory.path()), io_error);
  write("a file");
  EXPECT_THROW(save_host(file + "/host.json", of_this_processor()), io_error);
  EXPECT_THROW(save_host(directory.path(), of_this_processor()), io_error);
}

TEST_F(host_file, only_sound_measurements_are_saved) {
  const std::string before = saved().dump();
  EXPECT_THROW(save_host(file, host_from_features()), invalid_argument);
  host_model bad = of_this_processor();
  bad.memory.machine_bytes_per_second = -1;
  EXPECT_THROW(save_host(file, bad), invalid_argument);
  EXPECT_EQ(load_host(file), of_this_processor());
  bad = of_this_processor();
  bad.processor = "\xff";
  EXPECT_THROW(save_host(file, bad), invalid_argument);
}

}  // namespace
}  // namespace papilio

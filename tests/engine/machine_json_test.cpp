#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "papilio/base/error.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "support/temporary_directory.hpp"

namespace papilio::engine {
namespace {

// What machine_from_json says of the text, less its name; "none" if it takes it.
std::string complaint(std::string_view text) {
  try {
    machine_from_json(text, "origin");
  } catch (const io_error& e) {
    EXPECT_EQ(e.path(), "origin");
    const std::string message = e.what();
    EXPECT_TRUE(message.starts_with("origin: ")) << message;
    return message.substr(std::string("origin: ").size());
  }
  return "none";
}

TEST(machine_json, presets_come_back_whole) {
  for (const auto& machine : {trainium1(), trainium2()})
    EXPECT_EQ(machine_from_json(to_json(machine), "text"), machine);
}

// Every number moved by the least step, so that a field that is not read or is cut shows.
TEST(machine_json, every_field_comes_back) {
  std::size_t refused = 0;
  const nlohmann::json moved = nlohmann::json::parse(to_json(trainium1())).flatten();
  for (const auto& [path, value] : moved.items()) {
    nlohmann::json one;
    const double inf = std::numeric_limits<double>::infinity();
    if (value.is_boolean()) one = !value.get<bool>();
    if (value.is_string()) one = value.get<std::string>() + "x";
    if (value.is_number_float()) one = std::nextafter(value.get<double>(), inf);
    // A power of two suits alignment_bytes.
    if (value.is_number_integer()) one = std::max<std::int64_t>(1, 2 * value.get<std::int64_t>());
    nlohmann::json text = {{path, one}};
    const std::string partial = text.unflatten().dump();
    try {
      const machine_spec machine = machine_from_json(partial, "text");
      EXPECT_NE(machine, trainium1()) << partial;
      EXPECT_EQ(nlohmann::json::parse(to_json(machine)).flatten().at(path), one) << partial;
      EXPECT_EQ(machine_from_json(to_json(machine), "text"), machine) << partial;
    } catch (const io_error& e) {
      // Numbers that may not grow alone, and the core's name: the refusal shows that they were read.
      EXPECT_NE(std::string(e.what()).find(": must be "), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_EQ(refused, 24U);
}

TEST(machine_json, absent_fields_are_the_base_s) {
  EXPECT_EQ(machine_from_json("{}", "text"), trainium1());
  EXPECT_EQ(machine_from_json(R"({"based_on": "trainium2"})", "text"), trainium2());
  machine_spec expected = trainium2();
  expected.tensor.clock_hz = 3e9;
  expected.dma.engines = 8;
  expected.dma.rows_per_engine = 16;
  EXPECT_EQ(machine_from_json(R"({"tensor": {"clock_hz": 3e9}, "based_on": "trainium2",
                                  "dma": {"engines": 8.0, "rows_per_engine": 16}})",
                              "text"),
            expected);
}

TEST(machine_json, text_that_is_not_json) {
  EXPECT_EQ(complaint(""), "not JSON: wrong at byte 1 (line 1)");
  EXPECT_EQ(complaint("{\n  \"name\": x}"), "not JSON: wrong at byte 13 (line 2)");
  EXPECT_EQ(complaint("{} {}"), "not JSON: wrong at byte 4 (line 1)");
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": NaN}})"), "not JSON: wrong at byte 25 (line 1)");
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": 1)"), "not JSON: wrong at byte 26 (line 1)");
  EXPECT_EQ(complaint("{\"name\": \"\xff\"}"), "not JSON: wrong at byte 11 (line 1)");
}

TEST(machine_json, json_that_is_no_machine) {
  EXPECT_EQ(complaint("[1, 2]"), "must be a JSON object, got [1,2]");
  EXPECT_EQ(complaint("null"), "must be a JSON object, got null");
  EXPECT_EQ(complaint(R"({"tensor": 3})"), "tensor: must be an object, got 3");
  EXPECT_EQ(complaint(R"({"based_on": "trainium9"})"),
            "based_on: must be one of trainium1, trainium2, trainium3, trn1, trn2, trn3, got "
            "\"trainium9\"");
}

TEST(machine_json, unknown_fields_are_named) {
  EXPECT_EQ(complaint(R"({"clock": 1})"), "\"clock\": no such field");
  EXPECT_EQ(complaint(R"({"tensor": {"clock_mhz": 1}})"), "tensor.\"clock_mhz\": no such field");
  EXPECT_EQ(complaint(R"({"tensor": {"based_on": "trainium1"}})"),
            "tensor.\"based_on\": no such field");
  EXPECT_EQ(complaint(R"({"a\u001b[31m": 1})"), "\"a\\u001b[31m\": no such field");
}

TEST(machine_json, fields_given_twice_are_named) {
  EXPECT_EQ(complaint(R"({"tensor": {"rows": 1, "rows": 2}})"), "tensor.rows: given twice");
  EXPECT_EQ(complaint(R"({"dma": {}, "tensor": {}, "dma": {}})"), "dma: given twice");
}

TEST(machine_json, values_of_another_type) {
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": "fast"}})"),
            "tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got \"fast\"");
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": null}})"),
            "tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got null");
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": true}})"),
            "tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got true");
  EXPECT_EQ(complaint(R"({"vector": {"performance_mode": 1}})"),
            "vector.performance_mode: must be true or false, got 1");
  EXPECT_EQ(complaint(R"({"name": 7})"), "name: must be 1 to 64 printable ASCII characters, got 7");
  EXPECT_EQ(complaint(R"({"psum": {"banks": 7.5}})"),
            "psum.banks: must be a whole number from 1 to 32, got 7.5");
}

TEST(machine_json, values_out_of_range) {
  EXPECT_EQ(complaint(R"({"tensor": {"clock_hz": -1}})"),
            "tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got -1");
  EXPECT_EQ(complaint(R"({"dma": {"start_ns": 1e300}})"),
            "dma.start_ns: must be a number >= 0 and <= 1e+12, got 1e+300");
  EXPECT_EQ(complaint(R"({"dma": {"start_ns": 1e999}})"),
            "dma.start_ns: must be a number that a double can hold");
  EXPECT_EQ(complaint(R"({"dma": {"engines": 100000000000000000000}})"),
            "dma.engines: must be a whole number from 1 to 65536, got 1e+20");
  EXPECT_EQ(complaint(R"({"dma": {"engines": 18446744073709551615}})"),
            "dma.engines: must be a whole number from 1 to 65536, got 18446744073709551615");
  for (const std::string field : {"stationary_columns_max", "moving_columns_max"})
    EXPECT_EQ(complaint("{\"tensor\": {\"" + field + "\": 1}}"),
              "tensor." + field + ": must be a whole number from 64 to 65536, got 1");
  EXPECT_EQ(complaint(R"({"psum": {"banks": 4}})"),
            "psum.bytes_per_partition: must be psum.banks * psum.bank_bytes, got 16384");
}

TEST(machine_json, hostile_text_is_cut_short) {
  EXPECT_EQ(complaint(std::string(1 << 20, '[')), "nested deeper than 32 levels");
  EXPECT_EQ(complaint(std::string((1 << 20) + 1, ' ')),
            "expected at most 1048576 bytes of JSON, got 1048577");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += R"({"a":)";
  EXPECT_EQ(complaint(deep), "nested deeper than 32 levels");
  const std::string name(100000, 'x');
  EXPECT_LT(complaint("{\"" + name + "\": 1}").size(), 100U);
  EXPECT_LT(complaint("{\"name\": \"" + name + "\"}").size(), 200U);
}

TEST(machine_json, every_cut_of_a_machine_is_refused) {
  const std::string whole = to_json(trainium1());
  const std::size_t end = whole.rfind('}');
  for (std::size_t length = 0; length <= end; length += 37)
    EXPECT_TRUE(complaint(whole.substr(0, length)).starts_with("not JSON: ")) << length;
}

TEST(machine_json, a_number_that_json_does_not_have_is_refused_when_it_comes_back) {
  machine_spec machine = trainium1();
  machine.dma.start_ns = std::nan("");
  EXPECT_EQ(complaint(to_json(machine)),
            "dma.start_ns: must be a number >= 0 and <= 1e+12, got null");
}

TEST(load_machine, presets_by_name) {
  EXPECT_EQ(load_machine("trainium1"), trainium1());
  EXPECT_EQ(load_machine("trainium2"), trainium2());
  EXPECT_EQ(load_machine("trainium3"), trainium3());
  EXPECT_EQ(load_machine("trn3"), trainium3());
}

TEST(load_machine, files) {
  const test::temporary_directory folder;
  const std::string path = folder / "fast.json";
  machine_spec fast = trainium2();
  fast.name = "fast";
  fast.vector.clock_hz = 1e10 / 3;
  save_machine(path, fast);
  EXPECT_EQ(load_machine(path), fast);
}

TEST(load_machine, refusals_begin_with_the_path) {
  const test::temporary_directory folder;
  const auto what = [](const std::string& path) -> std::string {
    try {
      load_machine(path);
    } catch (const io_error& e) {
      return e.what();
    }
    return "none";
  };
  const std::string absent = folder / "absent.json";
  EXPECT_EQ(
      what(absent),
      absent + ": no such file, and no preset (trainium1, trainium2, trainium3, trn1, trn2, trn3)");
  EXPECT_EQ(what(folder.path()), folder.path().string() + ": Is a directory");
  const std::string bad = folder / "bad.json";
  std::ofstream(bad) << R"({"tensor": {"clock_hz": 0}})";
  EXPECT_EQ(what(bad), bad + ": tensor.clock_hz: must be a number >= 1e-06 and <= 1e+18, got 0");
  EXPECT_EQ(what("/dev/zero"), "/dev/zero: is not a regular file");
}

TEST(save_machine, writes_nothing_that_is_not_valid) {
  const test::temporary_directory folder;
  machine_spec machine = trainium1();
  machine.tensor.clock_hz = -1;
  EXPECT_THROW(save_machine(folder / "x.json", machine), invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(save_machine(folder / "absent" / "x.json", trainium1()), io_error);
}

}  // namespace
}  // namespace papilio::engine

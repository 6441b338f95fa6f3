#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/engine/runtime_spec.hpp"
#include "support/temporary_directory.hpp"

namespace papilio::engine {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// One launch, one buffer in, one out.
double packed_us(const runtime_spec& r, double in_bytes, double out_bytes) {
  return r.launch_us + r.upload_us(1, in_bytes) + r.fetch_us(1, out_bytes);
}

TEST(runtime_spec, dispatch_alone_is_the_published_sum) {
  EXPECT_DOUBLE_EQ(packed_us(sdk_2_24(), 0, 0), 624 + 169 + 73);
  EXPECT_DOUBLE_EQ(packed_us(sdk_2_29(), 0, 0), 863 + 30 + 865);
}

TEST(runtime_spec, cold_costs) {
  for (const auto& r : {sdk_2_24(), sdk_2_29(), sdk_2_29_trn2()}) {
    EXPECT_EQ(r.compile_seconds, 27);
    EXPECT_EQ(r.load_seconds, 1.5);
    EXPECT_GE(r.first_call_us, 27e3);
    EXPECT_LE(r.first_call_us, 100e3);
  }
}

TEST(runtime_spec, trainium2_lies_in_the_published_ranges) {
  const auto r = sdk_2_29_trn2();
  EXPECT_EQ(r.name, "sdk_2_29_trn2");
  EXPECT_GE(r.launch_us, 519);
  EXPECT_LE(r.launch_us, 970);
  EXPECT_EQ(r.upload_us(1, 0), 118);
  EXPECT_GE(r.fetch_us(1, 0), 2627);
  EXPECT_LE(r.fetch_us(1, 0), 3362);
}

TEST(runtime_spec, upload_of_sdk_2_24) {
  const auto r = sdk_2_24();
  EXPECT_DOUBLE_EQ(r.upload_us(1, 12e6), 169 + 12 * 109);
  EXPECT_DOUBLE_EQ(r.upload_us(1, 13e6), 169 + 12 * 109 + 582);
  EXPECT_DOUBLE_EQ(r.upload_us(4, 48e6), 4 * 169 + 48 * 109);
  EXPECT_EQ(r.upload_us(0, 0), 0);
}

TEST(runtime_spec, upload_of_sdk_2_29_slows_down_above_2_mb_a_tensor) {
  const auto r = sdk_2_29();
  EXPECT_DOUBLE_EQ(r.upload_us(1, 1e6), 30 + 109);
  EXPECT_DOUBLE_EQ(r.upload_us(1, 2e6), 30 + 2 * 109);
  EXPECT_DOUBLE_EQ(r.upload_us(1, 3e6), 30 + 2 * 109 + 233);
  EXPECT_DOUBLE_EQ(r.upload_us(2, 3e6), 2 * 30 + 3 * 109);
}

TEST(runtime_spec, upload_has_no_step) {
  for (const auto& r : {sdk_2_24(), sdk_2_29(), sdk_2_29_trn2()}) {
    const double at = r.host_to_device_large_bytes;
    EXPECT_NEAR(r.upload_us(1, at + 1), r.upload_us(1, at), 1e-3) << r.name;
    EXPECT_GT(r.upload_us(1, at + 1), r.upload_us(1, at)) << r.name;
  }
}

// One figure is published of 2.32: 437 us of host between synchronous calls, none asynchronously.
TEST(runtime_spec, sdk_2_32_has_the_published_gap_and_no_copy_of_the_host) {
  for (const auto& r : {sdk_2_32_trn2(), sdk_2_32_trn3()}) {
    EXPECT_DOUBLE_EQ(packed_us(r, 0, 0), 437);
    EXPECT_EQ(r.submit_us, 437);
    EXPECT_TRUE(r.is_asynchronous());
    EXPECT_DOUBLE_EQ(r.upload_us(1, 100e6), 100 * 109);
    EXPECT_DOUBLE_EQ(r.fetch_us(4, 100e6), 100 * 109);
  }
  for (const auto& r : {sdk_2_24(), sdk_2_29(), sdk_2_29_trn2()})
    EXPECT_FALSE(r.is_asynchronous()) << r.name;
}

TEST(runtime_spec, fetch) {
  EXPECT_DOUBLE_EQ(sdk_2_24().fetch_us(1, 1e6), 73 + 160);
  EXPECT_DOUBLE_EQ(sdk_2_24().fetch_us(2, 1e6), 2 * 73 + 160);
  EXPECT_DOUBLE_EQ(sdk_2_29().fetch_us(1, 4.9e6), 865 + 1000);
  EXPECT_DOUBLE_EQ(sdk_2_29().fetch_us(3, 4.9e6), 865 + 1000);
  EXPECT_EQ(sdk_2_24().fetch_us(0, 0), 0);
  EXPECT_EQ(sdk_2_29().fetch_us(0, 0), 0);
}

// fft2 of 1024 x 1024 complex floats with 125 us on the device, fft of 65536 with 25 us, reckoned
// by hand: launch, a tensor up by its two rates, a tensor down.
TEST(runtime_spec, end_to_end_figures) {
  const double plane = 1024 * 1024 * 8.0;
  EXPECT_NEAR(packed_us(sdk_2_24(), plane, plane) + 125, 3248, 1);
  EXPECT_NEAR(packed_us(sdk_2_29(), plane, plane) + 125, 5302, 1);
  EXPECT_NEAR(packed_us(sdk_2_29(), 65536 * 8.0, 65536 * 8.0) + 25, 1947, 1);
}

TEST(runtime_spec, json_round_trip) {
  for (const char* const preset : runtime_presets) {
    const runtime_spec r = load_runtime(preset);
    EXPECT_EQ(r.name, preset);
    EXPECT_EQ(runtime_from_json(to_json(r), "text"), r);
    EXPECT_EQ(load_runtime(r.name), r);
  }
}

TEST(runtime_spec, file_round_trip) {
  const test::temporary_directory folder;
  runtime_spec r = sdk_2_29();
  r.name = "mine";
  r.launch_us = 1.0 / 3;
  save_runtime(folder / "mine.json", r);
  EXPECT_EQ(load_runtime(folder / "mine.json"), r);
}

TEST(runtime_spec, json_takes_the_rest_from_its_base) {
  EXPECT_EQ(runtime_from_json("{}", "text"), sdk_2_24());
  runtime_spec expected = sdk_2_29();
  expected.launch_us = 5;
  EXPECT_EQ(runtime_from_json(R"({"launch_us": 5, "based_on": "sdk_2_29"})", "text"), expected);
}

TEST(runtime_spec, malformed_json_names_the_field) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      runtime_from_json(text, "text");
    } catch (const io_error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint(R"({"launch_us": -1})"),
            "text: launch_us: must be a number >= 0 and <= 1e+12, got -1");
  EXPECT_EQ(complaint(R"({"fetch": 1})"), "text: \"fetch\": no such field");
  EXPECT_EQ(complaint(R"({"based_on": "sdk_3"})"),
            "text: based_on: must be one of sdk_2_24, sdk_2_29, sdk_2_29_trn2, "
            "sdk_2_32_trn2, sdk_2_32_trn3, got \"sdk_3\"");
  EXPECT_EQ(complaint(R"({"launch_us": )"), "text: not JSON: wrong at byte 15 (line 1)");
}

TEST(runtime_spec, require_valid_names_the_field) {
  EXPECT_NO_THROW(require_valid(sdk_2_29_trn2()));
  for (const double bad : {-1.0, inf, std::nan("")}) {
    runtime_spec r;
    r.compile_seconds = bad;
    try {
      require_valid(r);
      ADD_FAILURE() << bad;
    } catch (const invalid_argument& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("runtime_spec: compile_seconds: must be "))
          << e.what();
    }
    EXPECT_THROW(save_runtime("/nowhere/x.json", r), invalid_argument);
  }
}

}  // namespace
}  // namespace papilio::engine

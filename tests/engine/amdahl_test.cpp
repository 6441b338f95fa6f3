#include "papilio/engine/profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "papilio/base/error.hpp"

namespace papilio::engine::test {
namespace {

const amdahl_report& published() {
  static const amdahl_report report({{"gemm", 5.2, 5.2}, {"energy", 2.83, 0.21}});
  return report;
}

TEST(amdahl, gives_the_published_prediction) {
  EXPECT_DOUBLE_EQ(published().changed_fraction(), 2.83 / 8.03);
  EXPECT_DOUBLE_EQ(published().changed_speedup(), 2.83 / 0.21);
  const double f = published().changed_fraction(), s = published().changed_speedup();
  EXPECT_NEAR(published().speedup(), 1 / (1 - f + f / s), 1e-14);
  EXPECT_NEAR(published().speedup_limit(), 8.03 / 5.2, 1e-14);
}

TEST(amdahl, prints_a_table_and_a_line) {
  EXPECT_EQ(published().to_text(),
            "step        before       after  speed-up     share\n"
            "gemm       5.200 s     5.200 s     1.00x   64.76 %\n"
            "energy     2.830 s    210.0 ms     13.5x   35.24 %\n"
            "whole      8.030 s     5.410 s     1.48x   100.0 %\n"
            "f = 0.35, s = 13.5, 1.48x\n");
}

TEST(amdahl, adds_up_steps_that_changed) {
  const amdahl_report report({{"a", 1, 1}, {"b", 2, 1}, {"c", 3, 4}});
  EXPECT_DOUBLE_EQ(report.changed_fraction(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(report.changed_speedup(), 1);
  EXPECT_DOUBLE_EQ(report.speedup(), 1);
}

TEST(amdahl, knows_the_extremes) {
  const amdahl_report nothing({{"a", 1, 1}});
  EXPECT_EQ(nothing.changed_fraction(), 0);
  EXPECT_EQ(nothing.changed_speedup(), 1);
  EXPECT_EQ(nothing.speedup_limit(), 1);
  const amdahl_report all({{"a", 8, 2}});
  EXPECT_EQ(all.changed_fraction(), 1);
  EXPECT_EQ(all.speedup(), 4);
  EXPECT_TRUE(std::isinf(all.speedup_limit()));
}

TEST(amdahl, json_holds_steps_and_numbers) {
  const auto json = nlohmann::json::parse(published().to_json());
  EXPECT_EQ(json["steps"][1]["name"], "energy");
  EXPECT_EQ(json["steps"][1]["after_seconds"], 0.21);
  EXPECT_EQ(json["f"].get<double>(), published().changed_fraction());
  EXPECT_EQ(json["s"].get<double>(), published().changed_speedup());
  EXPECT_EQ(json["speedup"].get<double>(), published().speedup());
  EXPECT_NO_THROW(nlohmann::json::parse(amdahl_report({{"\xff\"", 1, 2}}).to_json()));
}

TEST(amdahl, refuses_times_that_are_none) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(amdahl_report({}), invalid_argument);
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(amdahl_report({{"a", bad, 1}}), invalid_argument);
    EXPECT_THROW(amdahl_report({{"a", 1, bad}}), invalid_argument);
  }
  EXPECT_THROW(amdahl_report({{"a", 1e308, 1}, {"b", 1e308, 1}}), invalid_argument);
  try {
    amdahl_report({{"gemm", 1, 1}, {"energy", 1, -2}});
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "amdahl_report: step 'energy': after_seconds must be finite and > 0, got -2");
  }
}

}  // namespace
}  // namespace papilio::engine::test

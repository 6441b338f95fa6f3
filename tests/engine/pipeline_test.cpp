#include "papilio/engine/core.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio::engine::test {
namespace {

// Which stage ran for which item, in order: "a0" is the first stage of item 0.
std::vector<std::string> order_of(std::int64_t items, std::int64_t skew) {
  std::vector<std::string> order;
  const auto note = [&](const char* stage, std::int64_t item) {
    order.push_back(stage + std::to_string(item));
    return item;
  };
  pipeline(
      items, skew, [&](std::int64_t i) { return note("a", i); },
      [&](std::int64_t i) { return note("b", i); }, [&](std::int64_t i) { note("c", i); });
  return order;
}

// Stage s of item i at step i + skew * s, the last stage of a step first.
TEST(pipeline, issues_stages_one_behind_the_other) {
  EXPECT_EQ(order_of(3, 1),
            (std::vector<std::string>{"a0", "b0", "a1", "c0", "b1", "a2", "c1", "b2", "c2"}));
}

TEST(pipeline, leaves_as_many_steps_between_as_it_is_told) {
  EXPECT_EQ(order_of(3, 2),
            (std::vector<std::string>{"a0", "a1", "b0", "a2", "b1", "c0", "b2", "c1", "c2"}));
}

TEST(pipeline, runs_every_stage_of_every_item) {
  EXPECT_TRUE(order_of(0, 1).empty());
  EXPECT_EQ(order_of(1, 5), (std::vector<std::string>{"a0", "b0", "c0"}));
  for (const std::int64_t skew : {1, 2, 3, 7}) EXPECT_EQ(order_of(5, skew).size(), 15u) << skew;
}

TEST(pipeline, hands_results_on_and_takes_a_single_stage) {
  std::vector<std::string> got;
  pipeline(
      2, 1, [](std::int64_t i) { return std::to_string(i) + "!"; },
      [&](const std::string& text) { got.push_back(text); });
  EXPECT_EQ(got, (std::vector<std::string>{"0!", "1!"}));
  std::int64_t sum = 0;
  pipeline(4, 1, [&](std::int64_t i) { sum += i; });
  EXPECT_EQ(sum, 6);
}

TEST(pipeline, refuses_a_skew_below_one_and_items_below_zero) {
  try {
    order_of(3, 0);
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "pipeline: skew must be at least 1, got 0");
  }
  EXPECT_THROW(order_of(-1, 1), invalid_argument);
}

}  // namespace
}  // namespace papilio::engine::test

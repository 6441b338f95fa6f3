#include "papilio/base/error.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace papilio {
namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

TEST(checked, add) {
  EXPECT_EQ(checked_add<std::size_t>(huge - 1, 1, "x"), huge);
  EXPECT_THROW(checked_add<std::size_t>(huge, 1, "x"), resource_error);
  EXPECT_THROW(checked_add<std::int32_t>(std::numeric_limits<std::int32_t>::min(), -1, "x"),
               resource_error);
}

TEST(checked, multiply) {
  EXPECT_EQ(checked_multiply<std::size_t>(0, huge, "x"), 0u);
  EXPECT_EQ(checked_multiply<std::size_t>(1, huge, "x"), huge);
  EXPECT_THROW(checked_multiply<std::size_t>(huge / 2 + 1, 2, "x"), resource_error);
  EXPECT_THROW(checked_multiply<std::int64_t>(std::numeric_limits<std::int64_t>::min(), -1, "x"),
               resource_error);
}

TEST(checked, cast) {
  EXPECT_EQ((checked_cast<int>(std::size_t{7}, "x")), 7);
  EXPECT_EQ((checked_cast<std::size_t>(0, "x")), 0u);
  EXPECT_THROW((checked_cast<std::size_t>(-1, "x")), resource_error);
  EXPECT_THROW((checked_cast<int>(huge, "x")), resource_error);
  EXPECT_THROW((checked_cast<std::uint8_t>(256, "x")), resource_error);
}

TEST(checked, message_names_what_and_the_values) {
  try {
    checked_multiply<std::size_t>(huge, 3, "array: size");
    FAIL() << "must throw";
  } catch (const resource_error& e) {
    EXPECT_EQ(std::string(e.what()),
              "array: size: " + std::to_string(huge) + " * " + std::to_string(3) + " overflows");
  }
}

}  // namespace
}  // namespace papilio

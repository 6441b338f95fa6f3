#include "papilio/base/atomic_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "papilio/base/error.hpp"
#include "support/temporary_directory.hpp"

namespace papilio {
namespace {

bool is_read(const std::string& text) {
  try {
    require_json_levels(text, "x.json");
    return true;
  } catch (const io_error& e) {
    EXPECT_STREQ(e.what(), "x.json: nested deeper than 32 levels");
    EXPECT_EQ(e.path(), "x.json");
    return false;
  }
}

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(json_text, levels_are_counted) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}, {"[{\"b[\": ", "}]"}}) {
    SCOPED_TRACE(open);
    const std::size_t each = open[1] == '{' ? 2 : 1;
    EXPECT_TRUE(is_read(nested(most_json_levels / each, open, close)));
    EXPECT_FALSE(is_read(nested(most_json_levels / each + 1, open, close)));
    EXPECT_FALSE(is_read(nested(1000000, open, "")));
  }
  std::string beside = "[";
  for (int i = 0; i < 1000; ++i) beside += "[{}],";
  EXPECT_TRUE(is_read(beside + "0]"));
}

TEST(json_text, brackets_in_texts_are_none) {
  const std::string brackets(100, '[');
  EXPECT_TRUE(is_read("\"" + brackets + "\""));
  EXPECT_TRUE(is_read(R"(["\"", "\\", ")" + brackets + "\"]"));
  EXPECT_FALSE(is_read(R"("\\")" + brackets));
  EXPECT_TRUE(is_read(""));
  EXPECT_TRUE(is_read("]]]]"));
  EXPECT_TRUE(is_read("\"\\"));
}

TEST(json_text, a_file_is_read_whole_or_not) {
  const test::temporary_directory folder;
  const auto written = [&](const std::string& text) {
    const auto path = folder.path() / "a.json";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  };
  EXPECT_EQ(read_json_text(written("{\"a\": [1]}"), 10), "{\"a\": [1]}");
  EXPECT_THROW(read_json_text(written("{\"a\": [1]}"), 9), io_error);
  EXPECT_THROW(read_json_text(written(std::string(33, '[')), 100), io_error);
  EXPECT_THROW(read_json_text(folder.path() / "none.json", 100), io_error);
  EXPECT_THROW(read_json_text(folder.path(), 100), io_error);
}

}  // namespace
}  // namespace papilio

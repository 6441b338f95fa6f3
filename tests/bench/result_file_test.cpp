#include "result_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "made_results.hpp"
#include "support/temporary_directory.hpp"

namespace papilio::test {
namespace {

using namespace bench;

std::string what_is_wrong_with(const std::string& text) {
  try {
    from_json(text, "x.json");
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = to_json(made_results());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(result_file, comes_back_as_it_was) {
  EXPECT_EQ(from_json(to_json(made_results()), "x.json"), made_results());
}

TEST(result_file, keeps_six_digits) {
  result_file f = made_results();
  f.rows[0].host_one = 0.012345678;
  EXPECT_EQ(from_json(to_json(f), "x.json").rows[0].host_one, 0.0123457);
}

TEST(result_file, what_is_not_good_is_told) {
  EXPECT_EQ(what_is_wrong_with("{").substr(0, 19), "x.json: is no JSON:");
  EXPECT_EQ(what_is_wrong_with("[]"), "x.json: is not an object");
  EXPECT_EQ(what_is_wrong_with("{}"), "x.json: \"format\" is missing: it is no file of bench/run");
  EXPECT_EQ(what_is_wrong_with(with("\"format\": 1", "\"format\": 2")),
            "x.json: is of format 2, this program reads format 1");
  EXPECT_EQ(what_is_wrong_with(with("\"cores\": 2", "\"cores\": -2")),
            "x.json: \"cores\" must be a whole number of at least 0");
  EXPECT_EQ(what_is_wrong_with(with("\"date\"", "\"day\"")), "x.json: \"date\" is missing");
  EXPECT_EQ(what_is_wrong_with(with("\"cores\": 2", "\"cores\": 2, \"more\": 3")),
            "x.json: \"more\" is unknown");
  EXPECT_EQ(what_is_wrong_with(with("\"quiet\": true", "\"quiet\": 1")),
            "x.json: row 1: \"quiet\" must be true or false");
  EXPECT_EQ(what_is_wrong_with(with("\"device_wins\": 500", "\"device_wins\": 0.5")),
            "x.json: row 1: \"crossing_warm\": \"device_wins\" must be a whole number of at least "
            "0");
  result_file twice = made_results();
  twice.rows.push_back(twice.rows[1]);
  EXPECT_EQ(what_is_wrong_with(to_json(twice)), "x.json: row 4: fft 1-D n=256 is there twice");
}

TEST(result_file, the_newest_is_that_of_the_latest_date) {
  const temporary_directory folder;
  EXPECT_THROW(newest_results(folder.path()), std::runtime_error);
  result_file f = made_results();
  EXPECT_EQ(file_name_of(f), "v1.2.3-2026-01-31.json");
  for (const char* date : {"2026-01-31", "2026-02-01", "2025-12-31"}) {
    f.date = date;
    write_text(folder / "results" / file_name_of(f), to_json(f));
  }
  EXPECT_EQ(newest_results(folder / "results").filename(), "v1.2.3-2026-02-01.json");
}

TEST(result_file, a_file_that_is_not_there) {
  const temporary_directory folder;
  EXPECT_THROW(read_results(folder / "none.json"), std::runtime_error);
  EXPECT_THROW(read_results(folder.path()), std::runtime_error);
}

}  // namespace
}  // namespace papilio::test

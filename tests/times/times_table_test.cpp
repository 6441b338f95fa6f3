// What times.txt means, by tables of a few lines.
#include "times/times_table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace papilio::test {
namespace {

using sentences = std::vector<std::string>;

std::vector<times_row> rows_of(const std::string& text) {
  std::istringstream from(text);
  return read_times(from);
}

std::string text_of(const std::vector<times_row>& rows) {
  std::ostringstream to;
  write_times(to, rows);
  return to.str();
}

TEST(times_table, is_written_as_it_was_read) {
  const std::string text =
      "# A head.\n\n# Products.\ngemm m=1 trainium1 : 1000 64 900\nfft n=7 trainium1\n"
      "\nfft n=8 trainium1 : 1200 0 1000 : 1.25 few long lines have one layout less\n";
  EXPECT_EQ(text_of(rows_of(text)), text);
}

TEST(times_table, refuses_lines_of_another_form) {
  for (const char* line :
       {"a : 1 2", "a : 1 2 3 4", "a : 0 2 3", "a : 1 -2 3", "a : 1 2 0", "a : x 2 3",
        "a : 1 2 3 : 1.2", "a : 1 2 3 : 0.9 faster", "a : 1 2 3\na", "a\n# the end"})
    EXPECT_THROW(rows_of(line), std::runtime_error) << line;
}

// Four runs, so that one alone does not move the mean too far.
const std::vector<times_row> four =
    rows_of("a : 1000 500 1000\nb : 1000 500 1000\nc : 1000 500 1000\nd : 1000 500 1000\n");

std::vector<std::string> faults_with(const modelled& first,
                                     const std::vector<times_row>& rows = four) {
  return faults(rows, {first, {1000, 500}, {1000, 500}, {1000, 500}});
}

TEST(times_table, lets_a_run_move_by_a_tenth_either_way) {
  EXPECT_EQ(faults_with({1000, 500}), sentences{});
  EXPECT_EQ(faults_with({1100, 550}), sentences{});
  EXPECT_EQ(faults_with({900, 450}), sentences{});
  EXPECT_EQ(faults_with({899, 500}), (sentences{"a: 899 ns, 1000 in the table"}));
  EXPECT_EQ(faults_with({1000, 551}), (sentences{"a: 551 bytes, 500 in the table"}));
  EXPECT_EQ(faults_with({1000, 449}), (sentences{"a: 449 bytes, 500 in the table"}));
  EXPECT_EQ(faults_with({1101, 500}), (sentences{"a: 1101 ns, 1000 in the table",
                                                 "a: 1101 ns, 1.101 of its base, at most 1.100"}));
}

TEST(times_table, lets_the_mean_move_by_three_hundredths_either_way) {
  const auto all = [](std::int64_t ns) {
    return faults(four, std::vector<modelled>(4, {ns, 500}));
  };
  EXPECT_EQ(all(1029), sentences{});
  EXPECT_EQ(all(971), sentences{});
  EXPECT_EQ(all(969), (sentences{"the mean of all runs is 0.969 of the table's"}));
  EXPECT_EQ(all(1031), (sentences{"the mean of all runs is 1.031 of the table's",
                                  "the mean of all runs is 1.031 of the bases'"}));
}

// Steps that are each within a tenth do not add up unseen.
TEST(times_table, holds_runs_to_their_bases_however_often_now_is_written) {
  std::vector<times_row> rows = four;
  const std::vector<modelled> slower{{1090, 500}, {1000, 500}, {1000, 500}, {1000, 500}};
  EXPECT_EQ(faults(rows, slower), sentences{});
  renew(rows, slower);
  EXPECT_EQ(rows[0].now, (modelled{1090, 500}));
  EXPECT_EQ(rows[0].base_ns, 1000);
  EXPECT_EQ(faults_with({1110, 500}, rows),
            (sentences{"a: 1110 ns, 1.110 of its base, at most 1.100"}));
  rows[0].limit = 1.12;
  EXPECT_EQ(faults_with({1110, 500}, rows), sentences{});
  rows[0].now = {500, 500};  // faster than its base is no fault
  EXPECT_EQ(faults_with({500, 500}, rows), sentences{});
}

TEST(times_table, times_a_new_run_and_gives_it_its_base) {
  std::vector<times_row> rows = rows_of("a\n");
  EXPECT_EQ(faults(rows, {{1000, 500}}), (sentences{"a: is not timed yet"}));
  renew(rows, {{1000, 500}});
  EXPECT_EQ(text_of(rows), "a : 1000 500 1000\n");
}

TEST(times_table, tells_what_moved) {
  const std::vector<times_row> rows =
      rows_of("a : 1000 500 800\nb : 1000 500 1000\nc : 1000 500 1000\nd\n");
  EXPECT_EQ(
      moves(rows, {{1000, 500}, {1100, 500}, {1000, 501}, {7, 8}}),
      (sentences{"b: 1100 ns, was 1000: 1.100 of now, 1.100 of base",
                 "c: 1000 ns, was 1000: 1.000 of now, 1.000 of base; 501 bytes, were 500",
                 "d: 7 ns, is new", "3 of 4 runs moved; the mean is 1.032 of now, 1.112 of base"}));
}

}  // namespace
}  // namespace papilio::test

// Tables that plans share.
#include "fft/shared_table.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace papilio::fft_detail {
namespace {

array<double, 1> ones(std::size_t n) {
  array<double, 1> table({n});
  for (double& v : table) v = 1;
  return table;
}

TEST(shared_table, is_made_once_and_freed_with_the_last_plan) {
  int made = 0;
  const auto make = [&made] {
    ++made;
    return ones(5);
  };
  auto one = table_shared_as<double>("one", make);
  const auto same = table_shared_as<double>("one", make);
  EXPECT_EQ(one, same);
  EXPECT_EQ(made, 1);
  EXPECT_NE(table_shared_as<double>("other", make), one);
  EXPECT_EQ(made, 2);
  const std::weak_ptr<const array<double, 1>> left = table_shared_as<double>("short", make);
  EXPECT_TRUE(left.expired());
  table_shared_as<double>("short", make);
  EXPECT_EQ(made, 4);
}

TEST(shared_table, threads_get_the_same) {
  std::vector<shared_table<double>> tables(8);
  {
    std::vector<std::jthread> threads;
    for (shared_table<double>& table : tables)
      threads.emplace_back(
          [&table] { table = table_shared_as<double>("threads", [] { return ones(1000); }); });
  }
  for (const shared_table<double>& table : tables) {
    EXPECT_EQ(table, tables[0]);
    EXPECT_EQ((*table)(999), 1);
  }
}

}  // namespace
}  // namespace papilio::fft_detail

#include "papilio/base/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

TEST(thread_count, zero_asks_for_every_core) {
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(1), 1);
  EXPECT_EQ(thread_count(7), 7);
  EXPECT_EQ(thread_count(1 << 30), 8 * thread_count(0));
  EXPECT_THROW(thread_count(-1), invalid_argument);
}

TEST(parallel_for, every_index_once) {
  for (int threads : {0, 1, 2, 3, 8})
    for (std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<int> visits(count);
      parallel_for(count, threads, [&](std::size_t i) { ++visits[i]; });
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << count << " on " << threads;
    }
}

TEST(parallel_for, result_does_not_depend_on_the_number_of_threads) {
  const auto run = [](int threads) {
    std::vector<double> out(5000);
    parallel_for(out.size(), threads,
                 [&](std::size_t i) { out[i] = 1.0 / static_cast<double>(i + 1); });
    return out;
  };
  const auto expected = run(1);
  for (int threads : {0, 2, 5}) EXPECT_EQ(run(threads), expected);
}

TEST(parallel_for, takes_a_body_that_is_const_or_not) {
  std::atomic<int> sum{0};
  const auto constant = [&](std::size_t) { ++sum; };
  auto stateful = [&sum, step = 1](std::size_t) mutable { sum += step; };
  parallel_for(3, 2, constant);
  parallel_for(3, 1, stateful);
  EXPECT_EQ(sum, 6);
}

TEST(parallel_for, the_first_exception_wins_and_the_rest_is_skipped) {
  std::size_t calls = 0;
  try {
    parallel_for(100, 1, [&](std::size_t i) {
      ++calls;
      if (i >= 41) throw std::out_of_range(std::to_string(i));
    });
    FAIL() << "must throw";
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "41");
  }
  EXPECT_EQ(calls, 42u);
}

TEST(parallel_for, rethrows_on_any_number_of_threads) {
  for (int threads : {1, 2, 8}) {
    try {
      parallel_for(100, threads, [](std::size_t i) {
        if (i == 41) throw std::out_of_range("index 41");
      });
      FAIL() << "must throw";
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "index 41");
    }
  }
}

TEST(parallel_for, survives_an_exception_in_every_body_and_works_afterwards) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parallel_for(64, 4, [](std::size_t) { throw shape_error("x"); }), shape_error);
    std::atomic<int> calls{0};
    parallel_for(64, 4, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 64);
  }
}

TEST(parallel_for, refuses_a_negative_number_of_threads) {
  EXPECT_THROW(parallel_for(4, -1, [](std::size_t) {}), invalid_argument);
}

TEST(parallel_for, nests) {
  std::vector<int> visits(60);
  parallel_for(12, 2, [&](std::size_t i) {
    parallel_for(5, 2, [&](std::size_t j) { ++visits[i * 5 + j]; });
  });
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
}

TEST(parallel_for, may_be_called_from_several_threads_at_once) {
  std::vector<std::vector<int>> visits(3, std::vector<int>(500));
  {
    std::vector<std::jthread> callers;
    callers.reserve(visits.size());
    for (auto& mine : visits)
      callers.emplace_back([&mine] {
        for (int round = 0; round < 5; ++round)
          parallel_for(mine.size(), 2, [&](std::size_t i) { ++mine[i]; });
      });
  }
  for (const auto& mine : visits) EXPECT_EQ(mine, std::vector<int>(500, 5));
}

}  // namespace
}  // namespace papilio

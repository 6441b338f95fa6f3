#include "papilio/base/parallel_for.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/share.hpp"
#include "base/team_memory.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

struct interrupted {};
thread_local int questions_left = 0;

TEST(interruption, ends_a_loop_between_its_parts) {
  EXPECT_EQ(exchange_interruption([] {
              if (questions_left-- == 0) throw interrupted();
            }),
            nullptr);
  for (const std::size_t workers : {1, 3}) {
    std::atomic<std::size_t> done{0};
    const auto run = [&](int questions) {
      done = 0;
      questions_left = questions;
      base_detail::share(
          1000, base_detail::team{workers, 3},
          [&](std::size_t first, std::size_t last, std::size_t) { done += last - first; });
    };
    run(1000000);
    EXPECT_EQ(done, 1000u) << "a loop that may go on does all";
    EXPECT_THROW(run(0), interrupted) << workers;
    EXPECT_LT(done, 1000u) << workers;
  }
  ASSERT_NE(exchange_interruption(nullptr), nullptr);
  std::size_t parts = 0;
  base_detail::share(1000, base_detail::team{1, 1},
                     [&](std::size_t, std::size_t, std::size_t) { ++parts; });
  EXPECT_EQ(parts, 1u) << "a thread that is not asked does its work in one piece";
}

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

// A number that two threads had at one time could not stand for work memory.
TEST(parallel_for_workers, a_worker_is_one_thread_at_a_time) {
  for (const int threads : {1, 2, 4, 7}) {
    std::vector<std::atomic<bool>> held(static_cast<std::size_t>(threads));
    std::atomic<int> wrong{0};
    base_detail::parallel_for_workers(500, base_detail::team_of(threads),
                                      [&](std::size_t, std::size_t worker) {
                                        if (worker >= held.size() || held[worker].exchange(true))
                                          ++wrong;
                                        std::this_thread::yield();
                                        if (worker < held.size()) held[worker] = false;
                                      });
    EXPECT_EQ(wrong, 0) << threads;
  }
}

// Each call waits until all have begun, so that no thread can do another's.
TEST(parallel_for_workers, a_worker_has_the_same_index_in_every_loop) {
  constexpr std::size_t workers = 3;
  for (int loop = 0; loop < 10; ++loop) {
    std::atomic<std::size_t> begun{0};
    base_detail::parallel_for_workers(
        workers, base_detail::team_of(workers), [&](std::size_t index, std::size_t worker) {
          EXPECT_EQ(index, worker);
          ++begun;
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (begun < workers && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
          EXPECT_EQ(begun, workers);
        });
  }
}

std::set<std::string> thread_ids() {
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(entry.path().filename());
  return ids;
}

// Where the runtime ended them, each pair of loops would cost the making of threads.
TEST(parallel_for_workers, a_smaller_loop_of_the_same_offer_ends_no_thread) {
  const auto nothing = [](std::size_t, std::size_t) {};
  const base_detail::team four{4, 4};
  base_detail::parallel_for_workers(100, four, nothing);
  const std::set<std::string> before = thread_ids();
  base_detail::parallel_for_workers(100, four.at_most(2), nothing);
  base_detail::parallel_for_workers(3, four, nothing);
  base_detail::parallel_for_workers(100, four, nothing);
  EXPECT_EQ(thread_ids(), before);
}

TEST(call_memory, is_kept_by_the_thread_and_lent_once_at_a_time) {
  const std::byte* kept = nullptr;
  {
    base_detail::call_memory first(1000), second(1000), none(0);
    EXPECT_NE(first.data(), second.data());
    EXPECT_EQ(none.data(), nullptr);
    kept = first.data();
  }
  base_detail::call_memory again(500);
  EXPECT_EQ(again.data(), kept);
}

TEST(share, every_unit_once_in_consecutive_ranges) {
  for (const std::size_t workers : {1u, 2u, 3u, 8u})
    for (const std::size_t units : {0u, 1u, 5u, 47u, 48u, 1000u}) {
      std::vector<int> visits(units);
      base_detail::share(units, base_detail::team{workers, 8},
                         [&](std::size_t first, std::size_t last, std::size_t worker) {
                           EXPECT_LT(worker, workers);
                           for (std::size_t i = first; i < last; ++i) ++visits[i];
                         });
      EXPECT_EQ(visits, std::vector<int>(units, 1)) << units << " among " << workers;
    }
}

// The thread that has the first range is held up until all other work is done.
TEST(share, others_do_the_work_of_a_thread_that_is_held_up) {
  constexpr std::size_t units = 1000, workers = 4;
  std::atomic<std::size_t> done{0};
  std::size_t left = units;
  base_detail::share(
      units, base_detail::team_of(workers), [&](std::size_t first, std::size_t last, std::size_t) {
        if (first == 0) {
          left = last;
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (done < units - last && std::chrono::steady_clock::now() < end)
            std::this_thread::yield();
          EXPECT_EQ(done, units - last);
        }
        done += last - first;
      });
  EXPECT_LE(left, units / (4 * workers));
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

constexpr int base = 10;  // of exit codes: 1 is what a runtime that gives up ends with
constexpr int wrong = 9;

// How many threads took part, above `base`, or `wrong`.
int code_of_loop(int threads) {
  std::vector<int> visits(64);
  std::set<std::thread::id> parts;
  std::mutex mutex;
  parallel_for(visits.size(), threads, [&](std::size_t i) {
    ++visits[i];
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::lock_guard lock(mutex);
    parts.insert(std::this_thread::get_id());
  });
  return visits == std::vector<int>(64, 1) ? base + static_cast<int>(parts.size()) : wrong;
}

int code_of_child(int threads) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::_Exit(code_of_loop(threads));
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return wrong;
  return WEXITSTATUS(status);
}

// A user of its own, who may have `count` threads; where that cannot be, none more than there are.
void limit_threads(rlim_t count) {
  const rlimit limit{count, count};
  setrlimit(RLIMIT_NPROC, &limit);
  if (geteuid() == 0 && setuid(40000 + static_cast<uid_t>(getpid()) % 20000) != 0) std::_Exit(8);
}

bool is_at_most_three(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) > base && WEXITSTATUS(status) <= base + 3;
}

class parallel_for_process : public testing::Test {
 protected:
  // Begun anew, without the threads of other tests.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(parallel_for_process, runs_alone_where_no_thread_is_to_be_had) {
  EXPECT_EXIT(
      {
        limit_threads(1);
        std::_Exit(code_of_loop(4));
      },
      testing::ExitedWithCode(base + 1), "");
}

TEST_F(parallel_for_process, runs_on_the_threads_that_are_to_be_had) {
  EXPECT_EXIT(
      {
        limit_threads(3);
        code_of_loop(2);
        std::_Exit(code_of_loop(8));
      },
      is_at_most_three, "");
}

TEST_F(parallel_for_process, callers_at_once_share_the_threads_that_are_to_be_had) {
  EXPECT_EXIT(
      {
        limit_threads(6);
        std::atomic<int> right{0};
        {
          std::vector<std::jthread> callers;
          std::atomic<bool> all_begun{false};
          try {
            while (callers.size() < 3)
              callers.emplace_back([&] {
                all_begun.wait(false);
                for (int round = 0; round < 5; ++round) right += code_of_loop(2 + round) > base;
              });
          } catch (const std::system_error&) {
            // Where others of this user have them all.
          }
          all_begun = true;
          all_begun.notify_all();
          if (callers.size() < 3) right += 5 * (3 - static_cast<int>(callers.size()));
        }
        std::_Exit(right == 15 ? base : wrong);
      },
      testing::ExitedWithCode(base), "");
}

TEST_F(parallel_for_process, a_child_of_a_process_with_threads_runs_alone) {
  EXPECT_EXIT(
      {
        const int before = code_of_loop(2);
        const int child = code_of_child(2);
        std::_Exit(before == base + 2 && code_of_loop(2) == base + 2 ? child : wrong);
      },
      testing::ExitedWithCode(base + 1), "");
}

TEST_F(parallel_for_process, a_child_of_a_process_without_threads_has_its_own) {
  EXPECT_EXIT(std::_Exit(code_of_child(2)), testing::ExitedWithCode(base + 2), "");
}

}  // namespace
}  // namespace papilio

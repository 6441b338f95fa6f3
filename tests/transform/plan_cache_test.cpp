// The cache of plans: what shares one, bounds, order of eviction, counts, use from many threads.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <thread>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

namespace papilio {
namespace {

// Each test begins with an empty cache of the default size, and counts from there.
class plan_cache_test : public testing::Test {
 protected:
  void SetUp() override {
    set_plan_cache_limit({});
    clear_plan_cache();
    before = plan_cache_statistics();
  }
  void TearDown() override { set_plan_cache_limit({}); }

  struct change {
    std::size_t hits, misses, evictions, plans;
    bool operator==(const change&) const = default;
    friend void PrintTo(const change& c, std::ostream* out) {
      *out << c.hits << " hits, " << c.misses << " misses, " << c.evictions << " evictions, "
           << c.plans << " plans";
    }
  };
  change counts() const {
    const plan_cache_counts now = plan_cache_statistics();
    return {now.hits - before.hits, now.misses - before.misses, now.evictions - before.evictions,
            now.plans};
  }

  static void transform(std::size_t n) { fft(std::vector<std::complex<float>>(n)); }

  plan_cache_counts before;
};

TEST_F(plan_cache_test, one_plan_serves_every_batch_and_axis_of_a_length) {
  const auto run = [](std::size_t rows, std::size_t columns, std::ptrdiff_t axis) {
    fft(array<std::complex<double>, 2>({rows, columns}), {.axis = axis});
  };
  run(1, 16, 1);
  EXPECT_EQ(counts(), (change{0, 1, 0, 1}));
  run(5, 16, 1);
  run(16, 7, 0);
  fft(std::vector<std::complex<double>>(16));
  fftn(array<std::complex<double>, 3>({2, 16, 3}), {.axes = {1}});
  EXPECT_EQ(counts(), (change{4, 1, 0, 1}));
}

TEST_F(plan_cache_test, everything_that_decides_has_its_own_plan) {
  using C = std::complex<double>;
  const std::vector<C> x(16);
  const std::vector<double> r(16);
  fft(x);
  fft(x, {.n = 15});
  ifft(x);
  fft(x, {.norm = normalization::orthonormal});
  fft(std::vector<std::complex<float>>(16));
  fft(x, {.plan_effort = effort::measure});
  rfft(r);
  irfft(x, {.n = 16});
  dct(r);
  dct(r, {.type = 4});
  dst(r);
  fft2(array<C, 2>({16, 16}));
  fft2(array<C, 2>({16, 8}));
  fft2(array<C, 3>({16, 16, 1}), {.axes = {0, 1}});
  EXPECT_EQ(counts(), (change{0, 14, 0, 14}));
  // Names of the same thing share.
  fft(x, {.norm = normalization::none});
  ifft(x, {.norm = normalization::orthonormal});
  EXPECT_EQ(counts(), (change{1, 15, 0, 15}));
}

TEST_F(plan_cache_test, the_least_recently_used_goes_first) {
  set_plan_cache_limit({.plans = 3, .bytes = std::size_t{1} << 30});
  for (const std::size_t n : {8, 16, 32}) transform(n);
  transform(8);
  transform(64);  // drops 16
  EXPECT_EQ(counts(), (change{1, 4, 1, 3}));
  transform(8);
  transform(32);
  EXPECT_EQ(counts(), (change{3, 4, 1, 3}));
  transform(16);  // drops 64
  transform(64);
  EXPECT_EQ(counts(), (change{3, 6, 3, 3}));
}

TEST_F(plan_cache_test, bytes_are_bounded_too) {
  transform(1024);
  const std::size_t one = plan_cache_statistics().bytes;
  EXPECT_GE(one, 1024 * sizeof(std::complex<float>));
  set_plan_cache_limit({.plans = 100, .bytes = 2 * one + one / 2});
  for (const std::size_t n : {1080, 1152, 1200, 1280, 1536}) {
    transform(n);
    EXPECT_LE(plan_cache_statistics().bytes, plan_cache_limit().bytes);
  }
  EXPECT_GT(counts().evictions, 0u);
  // A plan that is too large alone is used, and what is there stays.
  const std::size_t plans = counts().plans, evictions = counts().evictions;
  transform(65536);
  EXPECT_EQ(counts().plans, plans);
  EXPECT_EQ(counts().evictions, evictions);
}

TEST_F(plan_cache_test, limits_act_at_once_and_zero_keeps_nothing) {
  for (const std::size_t n : {8, 16, 32, 64}) transform(n);
  set_plan_cache_limit({.plans = 2, .bytes = std::size_t{1} << 30});
  EXPECT_EQ(counts(), (change{0, 4, 2, 2}));
  EXPECT_EQ(plan_cache_limit().plans, 2u);
  for (const plan_cache_bound bound :
       {plan_cache_bound{0, std::size_t{1} << 30}, plan_cache_bound{100, 0}}) {
    set_plan_cache_limit(bound);
    EXPECT_EQ(plan_cache_statistics().plans, 0u);
    EXPECT_EQ(plan_cache_statistics().bytes, 0u);
    transform(8);
    EXPECT_EQ(plan_cache_statistics().plans, 0u);
  }
}

TEST_F(plan_cache_test, clear_drops_without_counting_evictions) {
  transform(8);
  transform(16);
  clear_plan_cache();
  EXPECT_EQ(counts(), (change{0, 2, 0, 0}));
  EXPECT_EQ(plan_cache_statistics().bytes, 0u);
}

#ifdef __GLIBC__
std::size_t bytes_in_use() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// What is told of the last run outlives its plan, which clear frees.
TEST_F(plan_cache_test, clear_frees_the_plan_that_ran_last) {
  if (test::runs_under_a_sanitizer()) GTEST_SKIP() << "malloc is the sanitizer's";
  constexpr std::size_t n = 100003;  // a prime: its tables are long
  transform(n);
  const std::size_t tables = plan_cache_statistics().bytes;
  ASSERT_GT(tables, std::size_t{1} << 20);
  const run_record ran = last_run();
  EXPECT_EQ(ran.operation, "fft of 100003 points in float");
  const std::size_t held = bytes_in_use();
  clear_plan_cache();
  EXPECT_LE(bytes_in_use() + tables / 10 * 9, held);
  EXPECT_EQ(last_run().operation, ran.operation);
  EXPECT_EQ(last_run().recipe, ran.recipe);
  EXPECT_EQ(last_run().backend, ran.backend);
}
#endif

TEST_F(plan_cache_test, what_cannot_be_done_is_not_kept) {
  const std::vector<std::complex<double>> x(8);
  EXPECT_THROW(fft(x, {.on = {.backend = "nobody"}}), invalid_argument);
  EXPECT_THROW(fft(x, {.n = std::ptrdiff_t{1} << 60}), resource_error);
  EXPECT_EQ(counts().plans, 0u);
}

TEST_F(plan_cache_test, a_plan_outlives_its_place) {
  const transform_plan plan({.type = real_type_of<float>, .extents = {100}});
  clear_plan_cache();
  const auto x = test::random_complex<float>(100, 1);
  std::vector<std::complex<float>> y(100);
  plan.execute(view(x), view(y));
  EXPECT_TRUE(std::ranges::equal(y, fft(x)));
}

// First uses of the same plans at once, with a cache that is always too small, cleared meanwhile.
TEST_F(plan_cache_test, many_threads) {
  set_plan_cache_limit({.plans = 4, .bytes = std::size_t{1} << 20});
  std::vector<std::vector<std::complex<float>>> inputs;
  std::vector<array<std::complex<float>, 1>> expected;
  for (std::size_t n = 30; n < 38; ++n) {
    inputs.push_back(test::random_complex<float>(n, 1));
    expected.push_back(fft(inputs.back()));
  }
  clear_plan_cache();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t repeat = 0; repeat < 40; ++repeat) {
        const std::size_t i = (repeat * (t + 1)) % inputs.size();
        EXPECT_TRUE(std::ranges::equal(fft(inputs[i]), expected[i]));
        if (repeat % 10 == t) clear_plan_cache();
        if (repeat % 16 == t) set_plan_cache_limit({.plans = 2 + t, .bytes = std::size_t{1} << 20});
        EXPECT_LE(plan_cache_statistics().plans, 5u);
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST_F(plan_cache_test, first_use_by_many_threads_keeps_one_plan) {
  const auto x = test::random_complex<double>(1000, 1);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { fft(x); });
  for (std::thread& t : threads) t.join();
  const change now = counts();
  EXPECT_EQ(now.plans, 1u);
  EXPECT_EQ(now.hits + now.misses, 4u);
  EXPECT_GE(now.misses, 1u);
}

}  // namespace
}  // namespace papilio

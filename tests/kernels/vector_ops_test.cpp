// Operations on vectors against loops in double.
//
// Error model, u = 2^-24: axpy and scal round twice and once; a sum rounds each term, and once for
// each term of its run at most (2048), each block, each of 128 partitions and at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "kernels/design.hpp"
#include "kernels/elementwise/pointwise.hpp"
#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using numbers = array<float, 1>;
using enum vector_operation;

bool is_sum(vector_operation o) { return o == dot || o == nrm2 || o == asum; }

numbers result_of(const vector_problem& s, const numbers& x, const numbers& y,
                  const machine_spec& machine = trainium1()) {
  device dev(machine);
  numbers out({is_sum(s.operation) ? 1 : std::size_t(s.n)});
  std::vector<launch_input> inputs{x};
  if (s.operation == axpy || s.operation == dot) inputs.emplace_back(y);
  prepared_kernel(dev, vector_kernel(s, machine)).launch(inputs, {out});
  return out;
}

void expect_elements(const vector_problem& s, const numbers& x, const numbers& y,
                     const numbers& got) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = double(s.alpha) * double(x(i)),
                 added = s.operation == axpy ? double(y(i)) : 0;
    ASSERT_LE(std::fabs(double(got(i)) - (scaled + added)),
              gamma(2) * (std::fabs(scaled) + std::fabs(added)))
        << i;
  }
}

void expect_right(const vector_problem& s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << to_string(s.operation) << " of " << s.n);
  const numbers x = normal<1>({std::size_t(s.n)}, 1, 1), y = normal<1>({std::size_t(s.n)}, 1, 2),
                got = result_of(s, x, y, machine);
  if (!is_sum(s.operation)) return expect_elements(s, x, y, got);
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double term = s.operation == asum   ? std::fabs(double(x(i)))
                        : s.operation == nrm2 ? double(x(i)) * double(x(i))
                                              : double(x(i)) * double(y(i));
    sum += term;
    magnitude += std::fabs(term);
  }
  const double most = gamma(2048.0 + double(s.n) / (2048 * 128) + 2 + 128 + 4);
  if (s.operation == nrm2)
    EXPECT_LE(std::fabs(double(got(0)) - std::sqrt(sum)), most * std::sqrt(sum));
  else
    EXPECT_LE(std::fabs(double(got(0)) - sum), most * magnitude);
}

// One element, less than one and more than one a partition, several blocks and what is left.
TEST(vector_ops, values_of_every_length) {
  for (const std::int64_t n : {1, 5, 127, 128, 129, 1000, 262144, 262145, 600001})
    for (const vector_operation o : {axpy, scal, dot, nrm2, asum})
      expect_right({.operation = o, .n = n, .alpha = -1.5F});
}

TEST(vector_ops, values_on_trainium2) {
  for (const vector_operation o : {axpy, dot, nrm2})
    expect_right({.operation = o, .n = 4099, .alpha = 3}, trainium2());
}

// Of whole numbers every order of summing is exact.
TEST(vector_ops, whole_numbers_are_exact) {
  numbers x({5000}), y({5000});
  double sum = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    x(i) = float(i % 7) - 3;
    y(i) = float(i % 5) - 2;
    sum += double(x(i)) * double(y(i));
  }
  EXPECT_EQ(result_of({.operation = dot, .n = 5000}, x, y)(0), sum);
}

std::int64_t index_of(const numbers& x, const machine_spec& machine = trainium1()) {
  device dev(machine);
  array<std::int32_t, 1> index({1});
  index(0) = -7;
  prepared_kernel(dev, vector_kernel({.operation = iamax, .n = std::int64_t(x.size())}, machine))
      .launch({x}, {index});
  return index(0);
}

// The first of equals; one that is no number before all others.
std::int64_t naive_index(const numbers& x) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x(i))) return std::int64_t(i);
    if (std::fabs(x(i)) > std::fabs(x(best))) best = i;
  }
  return std::int64_t(best);
}

numbers all(std::size_t n, float value) {
  numbers x({n});
  std::ranges::fill(x.flat(), value);
  return x;
}

// Less than one, one and more elements a partition, runs that do not fill the partitions, less than
// a run behind them, and several blocks of runs.
constexpr std::size_t lengths[] = {1,      2,      7,      8,      9,      127,   128,
                                   129,    255,    1000,   1001,   1023,   1025,  2047,
                                   100001, 262143, 262144, 262145, 264193, 600001};

TEST(vector_index, of_every_length_is_where_the_largest_is) {
  for (const std::size_t n : lengths) {
    const numbers x = normal<1>({n}, 1, unsigned(n));
    EXPECT_EQ(index_of(x), naive_index(x)) << n;
  }
}

TEST(vector_index, in_shorter_runs) {
  machine_spec machine = trainium1();
  machine.name = "short runs";
  machine.thresholds.vector_run_elements_max = 100;
  const kernel_design design = vector_kernel({.operation = iamax, .n = 100001}, machine).design;
  const auto* const d = kernels_detail::design_as<kernels_detail::pointwise_design>(design);
  EXPECT_EQ(d->parts[0].together, 64);  // a power of two
  const numbers x = normal<1>({100001}, 1, 5);
  EXPECT_EQ(index_of(x, machine), naive_index(x));
}

TEST(vector_index, of_a_single_largest_at_any_place) {
  for (const std::size_t n : {1u, 9u, 129u, 1001u, 264193u})
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 128, n / 2, n - 2, n - 1}) {
      if (at >= n) continue;
      numbers x = all(n, 0.5F);
      x(at) = -3;
      EXPECT_EQ(index_of(x), std::int64_t(at)) << n;
      EXPECT_EQ(index_of(x, trainium2()), std::int64_t(at)) << n;
    }
}

TEST(vector_index, of_equals_is_the_first) {
  for (const std::size_t n : lengths) {
    EXPECT_EQ(index_of(all(n, 0)), 0) << n;
    EXPECT_EQ(index_of(all(n, -0.0F)), 0) << n;
    numbers x = all(n, 1);
    std::mt19937_64 random(n);
    // In one run, in several runs of a partition and on several partitions; of both signs.
    for (int k = 0; k < 6; ++k) x(random() % n) = k % 2 == 0 ? -2 : 2;
    EXPECT_EQ(index_of(x), naive_index(x)) << n;
  }
  // The run behind on a partition before: the later partition's is first.
  numbers x = all(600001, 0);
  x(262144) = 5;       // block 1, partition 0
  x(127 * 2048) = -5;  // block 0, partition 127
  EXPECT_EQ(index_of(x), 127 * 2048);
  x(600000) = 5;  // less than a run, alone
  EXPECT_EQ(index_of(x), 127 * 2048);
  x(600000) = 6;
  EXPECT_EQ(index_of(x), 600000);
}

TEST(vector_index, of_extreme_magnitudes) {
  constexpr float least = std::numeric_limits<float>::denorm_min(),
                  infinite = std::numeric_limits<float>::infinity(),
                  largest = std::numeric_limits<float>::max();
  for (const std::size_t n : {5u, 129u, 1000u, 264193u}) {
    numbers x = all(n, 0);
    x(n / 2) = -least;
    EXPECT_EQ(index_of(x), std::int64_t(n / 2)) << n;
    x(n / 3) = 2 * least;
    EXPECT_EQ(index_of(x), std::int64_t(n / 3)) << n;
    x(n - 1) = -largest;
    EXPECT_EQ(index_of(x), std::int64_t(n - 1)) << n;
    x(n / 2) = -infinite;
    x(n / 2 + 1) = infinite;
    EXPECT_EQ(index_of(x), std::int64_t(n / 2)) << n;
    x(n - 1) = std::nanf("");
    x(n - 2) = -std::nanf("");
    EXPECT_EQ(index_of(x), std::int64_t(n - 2)) << n;
  }
}

// Columns are folded twice, and fp32 does not hold the index.
TEST(vector_index, of_more_elements_than_fp32_counts) {
  constexpr std::size_t n = (std::size_t{1} << 24) + 5003;
  numbers x = all(n, 1);
  x(n - 2) = -2;
  x(n - 1) = 2;
  EXPECT_EQ(index_of(x), std::int64_t(n - 2));
  x((std::size_t{1} << 24) + 1) = 2;
  EXPECT_EQ(index_of(x), (1 << 24) + 1);
  x(2048 * 128 * 40 + 17) = 2;  // in the second fold of three
  EXPECT_EQ(index_of(x), 2048 * 128 * 40 + 17);
  x(n - 1) = std::nanf("");
  EXPECT_EQ(index_of(x), std::int64_t(n - 1));
  x(3) = std::nanf("");
  EXPECT_EQ(index_of(x), 3);
}

TEST(vector_ops, transfers_are_what_takes_time) {
  for (const char* const o : {"axpy", "scal", "dot", "nrm2", "asum", "iamax"})
    EXPECT_GE(
        dry_profile("vector", {std::string("operation=") + o, "n=8388608"}).verdict.floor_fraction,
        0.7)
        << o;
}

TEST(vector_ops, refuses) {
  const machine_spec machine = trainium1();
  EXPECT_THROW(vector_kernel({.n = 0}, machine), invalid_argument);
  EXPECT_THROW(vector_kernel({.alpha = std::nanf("")}, machine), invalid_argument);
  EXPECT_THROW(vector_kernel({.n = std::int64_t{1} << 62}, machine), resource_error);
  const std::int64_t most = std::int64_t{1} << 31;
  EXPECT_GT(dry_profile("vector", {"operation=iamax", "n=2147483648"}).value("total_time"), 0);
  EXPECT_THROW(vector_kernel({.operation = iamax, .n = most + 1}, machine), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test

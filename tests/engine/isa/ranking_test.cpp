#include <algorithm>
#include <cmath>

#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

using statistics = fixture;
using words = std::vector<std::int32_t>;

TEST_F(statistics, of_even_and_odd_elements) {
  for (const int n : {512, 77, 1}) {
    const tile in = filled(128, n), out = nc.sbuf(128, 6);
    nc.issue(bn_stats{.out = out, .in = in});
    const std::vector<float> from = read(nc, in), got = read(nc, out);
    for (std::size_t p = 0; p < 128; ++p)
      for (std::size_t odd = 0; odd < 2; ++odd) {
        double count = 0, sum = 0, squares = 0;
        for (std::size_t i = odd; i < std::size_t(n); i += 2, ++count)
          sum += double(from[p * std::size_t(n) + i]);
        const double mean = count > 0 ? sum / count : 0;
        for (std::size_t i = odd; i < std::size_t(n); i += 2) {
          const double apart = double(from[p * std::size_t(n) + i]) - mean;
          squares += apart * apart;
        }
        // Values up to 2; at most 256 + 4 roundings a sum.
        const double tolerance = 300 * 0x1p-24;
        ASSERT_EQ(got[p * 6 + 3 * odd], count);
        ASSERT_NEAR(got[p * 6 + 3 * odd + 1], mean, 2 * tolerance);
        ASSERT_NEAR(got[p * 6 + 3 * odd + 2], squares,
                    tolerance * (squares + 8 * count * tolerance));
      }
  }
}

TEST_F(statistics, aggregate_to_mean_and_variance) {
  const tile in = filled(128, 1000), parts = nc.sbuf(128, 12), out = nc.sbuf(128, 2);
  nc.issue(bn_stats{.out = parts->columns(0, 6), .in = in->columns(0, 500)});
  nc.issue(bn_stats{.out = parts->columns(6, 6), .in = in->columns(500, 499)});
  nc.issue(bn_aggr{.out = out, .in = parts});
  const std::vector<float> from = read(nc, in), got = read(nc, out);
  for (std::size_t p = 0; p < 128; ++p) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < 999; ++i) mean += double(from[p * 1000 + i]) / 999;
    for (std::size_t i = 0; i < 999; ++i)
      variance += std::pow(double(from[p * 1000 + i]) - mean, 2) / 999;
    ASSERT_NEAR(got[p * 2], mean, 1e-5);
    ASSERT_NEAR(got[p * 2 + 1], variance, 1e-5 * variance);
  }
}

TEST_F(statistics, documented_cost_of_bn_stats) {
  const tile in = nc.sbuf(128, 512), out = nc.sbuf(128, 6);
  const auto cycles = [&](std::int64_t n) {
    return documented_cycles(bn_stats{.out = out, .in = in->columns(0, n)}, trainium1());
  };
  EXPECT_EQ(cycles(512), 512);
  EXPECT_EQ(cycles(10), 64);
}
TEST_F(statistics, documented_cost_of_bn_aggr) {
  const tile in = nc.sbuf(128, 300), out = nc.sbuf(128, 2);
  EXPECT_DOUBLE_EQ(documented_cycles(bn_aggr{.out = out, .in = in}, trainium1()), 13 * 300 / 3.0);
  EXPECT_EQ(documented_cycles(bn_aggr{.out = out, .in = in->columns(0, 12)}, trainium1()), 64);
}

TEST_F(statistics, refuse_other_shapes) {
  const tile in = filled(128, 513), out = nc.sbuf(128, 6);
  EXPECT_EQ(refusal(nc, bn_stats{.out = out, .in = in}),
            "in: elements a partition must be at most 512, got 513");
  EXPECT_EQ(refusal(nc, bn_stats{.out = out->columns(0, 5), .in = in->columns(0, 5)}),
            "out: elements a partition must be 6, got 5");
  EXPECT_EQ(refusal(nc, bn_stats{.out = out->partition_range(0, 32), .in = in->columns(0, 5)}),
            "out: partitions (as in) must be 128, got 32");
  EXPECT_EQ(refusal(nc, bn_aggr{.out = out->columns(0, 2), .in = in->columns(0, 4)}),
            "in: elements a partition must be a multiple of 3 (count, mean, squares), got 4");
  EXPECT_EQ(refusal(nc, bn_aggr{.out = out, .in = in->columns(0, 6)}),
            "out: elements a partition must be 2, got 6");
}

using ranks = fixture;

TEST_F(ranks, max8_gives_the_largest_in_order) {
  for (const dtype type : {dtype::fp32, dtype::bf16}) {
    const tile in = filled(128, 50, type), out = nc.sbuf(128, 8, type);
    nc.issue(max8{.out = out, .in = in});
    std::vector<float> from = read(nc, in);
    const std::vector<float> got = read(nc, out);
    for (std::size_t p = 0; p < 128; ++p) {
      const auto row = from.begin() + std::ptrdiff_t(p * 50);
      std::sort(row, row + 50, std::greater<>());
      for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(got[p * 8 + k], row[std::ptrdiff_t(k)]);
    }
  }
}

TEST_F(ranks, find_index8_finds_each_place_once) {
  const tile in = nc.sbuf(1, 10), values = nc.sbuf(1, 8), at = nc.sbuf(1, 8, dtype::int32);
  load(nc, in, std::vector<float>{5, 1, 5, 7, 1, 5, 0, 2, 3, 7});
  load(nc, values, std::vector<float>{7, 7, 7, 5, 1, 5, -1, -0.0f});
  nc.issue(find_index8{.out = at, .in = in, .values = values});
  EXPECT_EQ(read_integers(nc, at), (words{3, 9, -1, 0, 1, 2, -1, 6}));
  nc.issue(max8{.out = values, .in = in});
  nc.issue(find_index8{.out = at, .in = in, .values = values});
  EXPECT_EQ(read_integers(nc, at), (words{3, 9, 0, 2, 5, 8, 7, 1}));
}

TEST_F(ranks, take_nan_for_the_largest) {
  const tile in = nc.sbuf(1, 9), values = nc.sbuf(1, 8), at = nc.sbuf(1, 8, dtype::int32);
  load(nc, in, std::vector<float>{5, std::nanf(""), 4, INFINITY, 3, 2, 1, 0, -1});
  nc.issue(max8{.out = values, .in = in});
  nc.issue(find_index8{.out = at, .in = in, .values = values});
  EXPECT_EQ(read_integers(nc, at), (words{1, 3, 0, 2, 4, 5, 6, 7}));
}

TEST_F(ranks, match_replace8_leaves_the_rest) {
  const tile in = nc.sbuf(1, 10), values = nc.sbuf(1, 8), out = nc.sbuf(1, 10, dtype::bf16);
  load(nc, in, std::vector<float>{5, 1, 5, 7, 1, 5, 0, 2, 3, 7});
  load(nc, values, std::vector<float>{7, 5, 5, 9, 9, 9, 9, 9});
  nc.issue(match_replace8{.out = out, .in = in, .values = values, .replacement = -4});
  EXPECT_EQ(read(nc, out), (std::vector<float>{-4, 1, -4, -4, 1, 5, 0, 2, 3, 7}));
  nc.issue(match_replace8{.out = in, .in = in, .values = values, .replacement = -4});
  EXPECT_EQ(read(nc, in), (std::vector<float>{-4, 1, -4, -4, 1, 5, 0, 2, 3, 7}));
}

// The example of the vendor's page: places of equal values go down, where find_index8's go up.
TEST_F(ranks, match_replace8_goes_from_the_last_value_to_the_first) {
  const tile in = nc.sbuf(1, 11), values = nc.sbuf(1, 8), out = nc.sbuf(1, 11),
             at = nc.sbuf(1, 8, dtype::int32);
  load(nc, in, std::vector<float>{1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8});
  load(nc, values, std::vector<float>{3, 8, 8, 8, 8, 8, 8, 8});
  nc.issue(match_replace8{.out = out, .places = at, .in = in, .values = values, .replacement = -1});
  EXPECT_EQ(read_integers(nc, at), (words{2, 10, 9, 8, 7, 6, 5, 4}));
  EXPECT_EQ(read(nc, out), (std::vector<float>{1, 2, -1, 4, -1, -1, -1, -1, -1, -1, -1}));
  nc.issue(find_index8{.out = at, .in = in, .values = values});
  EXPECT_EQ(read_integers(nc, at), (words{2, 4, 5, 6, 7, 8, 9, 10}));
  // Of more equal values than there are places the first find none.
  load(nc, values, std::vector<float>{8, 8, 8, 8, 8, 8, 8, 8});
  nc.issue(match_replace8{.out = out, .places = at, .in = in, .values = values, .replacement = -1});
  EXPECT_EQ(read_integers(nc, at), (words{-1, 10, 9, 8, 7, 6, 5, 4}));
}

// -1 has all bits set, as the vendor's sentinel.
TEST_F(ranks, find_index8_gives_all_ones_where_there_is_no_match) {
  const tile in = nc.sbuf(1, 8), values = nc.sbuf(1, 8), at = nc.sbuf(1, 8, dtype::int32);
  load(nc, in, std::vector<float>(8, 1));
  load(nc, values, std::vector<float>(8, 2));
  nc.issue(find_index8{.out = at, .in = in, .values = values});
  for (const std::int32_t place : read_integers(nc, at))
    EXPECT_EQ(std::uint32_t(place), 0xFFFFFFFFu);
}

TEST_F(ranks, documented_cost_of_max8_and_find_index8) {
  const tile in = nc.sbuf(128, 300), values = nc.sbuf(128, 8), at = nc.sbuf(128, 8, dtype::int32);
  EXPECT_EQ(documented_cycles(max8{.out = values, .in = in}, trainium1()), 300);
  EXPECT_EQ(documented_cycles(max8{.out = values, .in = in->columns(0, 10)}, trainium1()), 10);
  EXPECT_EQ(documented_cycles(find_index8{.out = at, .in = in, .values = values}, trainium1()),
            300);
}
TEST_F(ranks, documented_cost_of_match_replace8) {
  const tile in = nc.sbuf(128, 300), values = nc.sbuf(128, 8);
  const auto cycles = [&](std::int64_t n) {
    return documented_cycles(
        match_replace8{.out = in->columns(0, n), .in = in->columns(0, n), .values = values},
        trainium1());
  };
  EXPECT_EQ(cycles(300), 300);
  EXPECT_EQ(cycles(20), 64);
}

TEST_F(ranks, refuse_other_shapes_and_types) {
  const tile in = filled(128, 30), values = filled(128, 8), at = nc.sbuf(128, 8, dtype::int32);
  EXPECT_EQ(refusal(nc, max8{.out = values->columns(0, 7), .in = in}),
            "out: elements a partition must be 8, got 7");
  EXPECT_EQ(refusal(nc, find_index8{.out = values, .in = in, .values = values}),
            "out: must be int32, is fp32");
  EXPECT_EQ(refusal(nc, find_index8{.out = at, .in = in, .values = values->columns(0, 4)}),
            "values: elements a partition must be 8, got 4");
  EXPECT_EQ(
      refusal(nc, match_replace8{.out = in, .in = in, .values = values->partition_range(0, 32)}),
      "values: partitions (as in) must be 128, got 32");
  EXPECT_EQ(refusal(nc, match_replace8{.out = in->columns(0, 8), .in = in, .values = values}),
            "in: must have the 8 elements a partition of out, has 30");
  EXPECT_EQ(refusal(nc, match_replace8{.out = in, .places = values, .in = in, .values = values}),
            "places: must be int32, is fp32");
  EXPECT_EQ(
      refusal(nc,
              match_replace8{.out = in, .places = at->columns(0, 4), .in = in, .values = values}),
      "places: must have the 8 elements a partition of values, has 4");
}

}  // namespace
}  // namespace papilio::engine::test

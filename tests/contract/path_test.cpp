// Orders of contraction: what they cost against sets of labels, optimal ones against all orders,
// and what each search promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "contract/path_oracle.hpp"
#include "papilio/base/error.hpp"

namespace papilio::test {
namespace {

TEST(path_of, counts_products_sums_and_results) {
  // ij,jk,kl->il
  const contraction_network network{
      .inputs = {{0, 1}, {1, 2}, {2, 3}}, .output = {0, 3}, .sizes = {2, 3, 5, 7}, .names = {}};
  const contraction_path path = path_of(network, steps{{0, 1}, {0, 1}});
  EXPECT_EQ(path.macs, 2 * 3 * 5 + 2 * 5 * 7);
  EXPECT_EQ(path.flops, 2 * path.macs);
  EXPECT_EQ(path.largest, 14);
  const contraction_path outer = path_of(network, steps{{0, 2}, {0, 1}});
  EXPECT_EQ(outer.macs, 2 * 3 * 5 * 7 * 2);
  EXPECT_EQ(outer.flops, 2 * 3 * 5 * 7 * 3);
  const contraction_path sliced = path_of(network, steps{{0, 1}, {0, 1}}, std::vector<int>{1, 3});
  EXPECT_EQ(sliced.slices, 21);
  EXPECT_EQ(sliced.flops, 21 * (2 * 5 + 2 * 2 * 5));
  EXPECT_EQ(sliced.largest, 10);
}

TEST(path_of, is_that_of_sets_of_labels) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const contraction_network network = random_network({7, 9, 4, 3, 6}, seed);
    std::mt19937 random(seed);
    steps pairs;
    for (std::size_t there = 7; there > 1; --there) {
      const std::size_t a = random() % there, b = (a + 1 + random() % (there - 1)) % there;
      pairs.push_back({a, b});
    }
    expect_true_costs(network, path_of(network, pairs));
  }
}

TEST(path_of, refuses_what_is_no_order) {
  const contraction_network network{
      .inputs = {{0}, {0, 1}, {1}}, .output = {}, .sizes = {2, 3, 4}, .names = {}};
  EXPECT_THROW(path_of(network, steps{{0, 1}}), invalid_argument);
  EXPECT_THROW(path_of(network, steps{{0, 1}, {0, 1}, {0, 1}}), invalid_argument);
  EXPECT_THROW(path_of(network, steps{{0, 1}, {0, 2}}), invalid_argument);
  EXPECT_THROW(path_of(network, steps{{1, 1}, {0, 1}}), invalid_argument);
  const steps order{{0, 1}, {0, 1}};
  EXPECT_THROW(path_of(network, order, std::vector<int>{2}), invalid_argument);  // of no operand
  EXPECT_THROW(path_of(network, order, std::vector<int>{-1}), invalid_argument);
  EXPECT_THROW(path_of(network, order, std::vector<int>{1, 1}), invalid_argument);
  try {
    path_of(network, steps{{0, 1}, {0, 2}});
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("step 1"), std::string::npos) << e.what();
  }
}

TEST(find_path, words_are_those_of_searches) {
  for (const path_search s : {path_search::automatic, path_search::optimal, path_search::greedy,
                              path_search::random_greedy})
    EXPECT_EQ(path_search_of(to_string(s)), s);
  EXPECT_THROW(path_search_of("best"), invalid_argument);
}

TEST(find_path, optimal_is_the_best_of_all_orders) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    const std::size_t operands = 2 + seed % 5;
    const contraction_network network =
        random_network({operands, operands + 2, 4, seed % 4, 1 + seed % 7}, seed);
    const double least = oracle(network).least_flops();
    for (const path_search s : {path_search::optimal, path_search::automatic}) {
      const contraction_path path = found(network, s);
      expect_true_costs(network, path);
      EXPECT_DOUBLE_EQ(path.flops, least) << "seed " << seed;
      EXPECT_EQ(path.search, path_search::optimal);
    }
    EXPECT_GE(found(network, path_search::greedy).flops, least * (1 - 1e-12));
    EXPECT_GE(found(network, path_search::random_greedy).flops, least * (1 - 1e-12));
  }
}

// The order of a chain of matrices, by the textbook's dynamic programming over its intervals.
TEST(find_path, a_chain_of_matrices_has_the_known_optimum) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    constexpr std::size_t n = 22;
    std::mt19937 random(seed);
    contraction_network network;
    for (std::size_t i = 0; i <= n; ++i) network.sizes.push_back(2 + random() % 40);
    for (std::size_t i = 0; i < n; ++i) network.inputs.push_back({int(i), int(i) + 1});
    network.output = {0, int(n)};
    std::vector<std::vector<double>> least(n + 1, std::vector<double>(n + 1, 0));
    for (std::size_t length = 2; length <= n; ++length)
      for (std::size_t i = 0; i + length <= n; ++i) {
        const std::size_t j = i + length;
        least[i][j] = std::numeric_limits<double>::infinity();
        for (std::size_t k = i + 1; k < j; ++k) {
          const auto& d = network.sizes;
          least[i][j] = std::min(least[i][j], least[i][k] + least[k][j] +
                                                  2 * double(d[i]) * double(d[k]) * double(d[j]));
        }
      }
    const contraction_path path = found(network, path_search::optimal);
    expect_true_costs(network, path);
    EXPECT_DOUBLE_EQ(path.flops, least[0][n]) << "seed " << seed;
  }
}

TEST(find_path, parts_that_nothing_joins_are_multiplied_last_and_smallest_first) {
  contraction_network network;  // 20 vectors of 2 ... 21, in pairs that are summed, and one result
  for (int i = 0; i < 10; ++i) {
    network.inputs.push_back({i});
    network.inputs.push_back({i});
    network.sizes.push_back(std::size_t(i) + 2);
  }
  const contraction_path path = found(network, path_search::optimal);
  expect_true_costs(network, path);
  double least = 9;  // products of the ten scalars
  for (const std::size_t size : network.sizes) least += 2 * double(size);
  EXPECT_LE(path.flops, least);
}

TEST(find_path, random_greedy_is_never_worse_than_greedy) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const contraction_network network = seed % 2 ? random_network({17, 24, 3, 2, 4}, seed)
                                                 : cubic_network(18 + seed, 2 + seed % 3, seed);
    const contraction_path greedy = found(network, path_search::greedy);
    expect_true_costs(network, greedy);
    const contraction_path best = found(network, path_search::random_greedy, seed);
    expect_true_costs(network, best);
    EXPECT_LE(best.flops, greedy.flops);
    EXPECT_EQ(best.search, path_search::random_greedy);
  }
}

TEST(find_path, a_seed_decides) {
  const contraction_network network = cubic_network(30, 2, 5);
  for (const std::size_t limit : {std::size_t(0), std::size_t(32)}) {
    path_options options{.search = path_search::random_greedy, .seconds = 1e3, .seed = 9};
    options.largest_intermediate = limit;
    const contraction_path a = find_path(network, options), b = find_path(network, options);
    EXPECT_EQ(a.pairs, b.pairs);
    EXPECT_EQ(a.sliced, b.sliced);
  }
}

TEST(find_path, a_lattice_is_swept_as_is_known_to_be_best) {
  // By columns of a strip of 3: of all but the ends, 2 * (4^4 + 4^5 + 4^4)-like steps; the bound is
  // what that order costs.
  const contraction_network strip = lattice(3, 8, 4);
  steps by_columns;
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t r = 0; r < 3; ++r) order.push_back(r * 8 + c);
  std::vector<std::size_t> names(24);
  for (std::size_t i = 0; i < 24; ++i) names[i] = i;
  std::size_t last = order[0];
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto at = [&](std::size_t name) {
      return std::size_t(std::ranges::find(names, name) - names.begin());
    };
    by_columns.push_back({at(last), at(order[i])});
    std::erase(names, last);
    std::erase(names, order[i]);
    names.push_back(last = 100 + i);
  }
  const double swept = path_of(strip, by_columns).flops;
  for (const path_search s :
       {path_search::automatic, path_search::optimal, path_search::random_greedy})
    EXPECT_LE(found(strip, s).flops, swept);
}

TEST(find_path, few_and_odd_networks) {
  const contraction_network one{.inputs = {{0, 0}}, .output = {0}, .sizes = {3}, .names = {}};
  for (const path_search s : {path_search::automatic, path_search::optimal, path_search::greedy,
                              path_search::random_greedy}) {
    EXPECT_TRUE(found(one, s).pairs.empty());
    EXPECT_NE(found(one, s).search, path_search::automatic);
    const contraction_network none{
        .inputs = {{0, 1}, {1}, {}}, .output = {}, .sizes = {0, 4}, .names = {}};
    expect_true_costs(none, found(none, s));
    contraction_network vast{.inputs = {}, .output = {}, .sizes = {}, .names = {}};
    for (int i = 0; i < 20; ++i) {
      for (int k = 0; k < 5; ++k) vast.sizes.push_back(std::size_t(1) << 60);
      vast.inputs.push_back({5 * i, 5 * i + 1, 5 * i + 2, 5 * i + 3, 5 * i + 4});
      if (i > 0) vast.inputs.back().push_back(5 * i - 1);
    }
    if (s != path_search::optimal) {
      EXPECT_EQ(found(vast, s).pairs.size(), 19u);
    }
  }
}

TEST(find_path, a_label_on_many_operands) {
  contraction_network network{.inputs = {}, .output = {0}, .sizes = {3}, .names = {}};
  for (int i = 0; i < 60; ++i) {
    network.sizes.push_back(2);
    network.inputs.push_back({0, i + 1, i ? i : 1});
  }
  for (const path_search s : {path_search::greedy, path_search::random_greedy}) {
    const contraction_path path = found(network, s);
    expect_true_costs(network, path);
    EXPECT_LT(path.flops, 59 * 2 * 3 * 8 + 1);  // from one to the next
  }
}

TEST(find_path, a_limit_holds) {
  for (const path_search s : {path_search::automatic, path_search::optimal, path_search::greedy,
                              path_search::random_greedy})
    for (const std::size_t limit : {std::size_t(1), std::size_t(6), std::size_t(40)}) {
      const contraction_network network = cubic_network(12, 3, 1);
      const contraction_path path =
          find_path(network, {.search = s, .seconds = 1e3, .largest_intermediate = limit});
      EXPECT_LE(path.largest, double(limit));
      expect_true_costs(network, path);
    }
  const contraction_network grid = lattice(5, 5, 3);
  const contraction_path path = find_path(grid, {.seconds = 1e3, .largest_intermediate = 81});
  EXPECT_LE(path.largest, 81);
  EXPECT_FALSE(path.sliced.empty());
  expect_true_costs(grid, path);
}

TEST(find_path, a_limit_that_holds_changes_nothing) {
  const contraction_network network = cubic_network(12, 3, 2);
  const contraction_path free = found(network, path_search::optimal);
  const contraction_path bound = find_path(
      network, {.search = path_search::optimal, .largest_intermediate = std::size_t(free.largest)});
  EXPECT_TRUE(bound.sliced.empty());
  EXPECT_DOUBLE_EQ(bound.flops, free.flops);
}

TEST(find_path, slices_of_the_result_are_counted) {
  // a,b,c,abc->a b c would be one product; results of a limit below theirs are refused.
  const contraction_network network{
      .inputs = {{0}, {1}, {2}, {0, 1, 2}}, .output = {0, 1}, .sizes = {8, 8, 8}, .names = {}};
  const contraction_path path = find_path(network, {.largest_intermediate = 64});
  EXPECT_LE(path.largest, 64);
  expect_true_costs(network, path);
  try {
    find_path(network, {.largest_intermediate = 63});
    FAIL() << "the result has 64 elements";
  } catch (const resource_error& e) {
    EXPECT_NE(std::string(e.what()).find("64"), std::string::npos) << e.what();
  }
}

TEST(find_path, refuses) {
  const contraction_network fine = cubic_network(4, 2, 1);
  EXPECT_THROW(find_path(fine, {.seconds = 0}), invalid_argument);
  EXPECT_THROW(find_path(fine, {.seconds = std::nan("")}), invalid_argument);
  EXPECT_THROW(find_path({}, {}), invalid_argument);
  contraction_network bad = fine;
  bad.output = {77};
  EXPECT_THROW(find_path(bad, {}), invalid_argument);
  // Too many operands, and too many orders of few.
  EXPECT_THROW(found(cubic_network(66, 2, 1), path_search::optimal), invalid_argument);
  EXPECT_EQ(found(cubic_network(66, 2, 1), path_search::automatic).pairs.size(), 65u);
}

}  // namespace
}  // namespace papilio::test

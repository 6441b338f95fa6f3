// Searches without time, and networks of shapes that take much of it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "contract/path_oracle.hpp"
#include "papilio/base/error.hpp"

namespace papilio::test {
namespace {

// A centre that shares labels with every leaf, and leaves that share some with their neighbours:
// results have most of the labels, and a step of a bad order looks at all of them.
contraction_network label_heavy_star(std::size_t leaves) {
  contraction_network network;
  network.inputs.resize(leaves + 1);
  const auto join = [&](std::size_t a, std::size_t b) {
    for (const std::size_t at : {a, b}) network.inputs[at].push_back(int(network.sizes.size()));
    network.sizes.push_back(2);
  };
  for (std::size_t i = 0; i < leaves; ++i) {
    join(leaves, i);
    for (std::size_t step = 1; step < 4; ++step) join(i, (i + step) % leaves);
  }
  return network;
}

// The greedy order is there however short the time; the others keep it, or refuse.
TEST(find_path, without_time_the_greedy_order_is_kept) {
  for (const auto& network : {cubic_network(60, 2, 3), label_heavy_star(40), lattice(6, 9, 2)}) {
    const contraction_path greedy = found(network, path_search::greedy);
    for (const path_search s :
         {path_search::automatic, path_search::greedy, path_search::random_greedy}) {
      const contraction_path path = find_path(network, {.search = s, .seconds = 1e-9});
      EXPECT_EQ(path.pairs, greedy.pairs) << to_string(s);
      const contraction_path sliced =
          find_path(network, {.search = s, .seconds = 1e-9, .largest_intermediate = 64});
      EXPECT_LE(sliced.largest, 64);
      expect_true_costs(network, sliced);
    }
    try {
      find_path(network, {.search = path_search::optimal, .seconds = 1e-9});
      FAIL() << "the optimum without time";
    } catch (const invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("seconds"), std::string::npos) << e.what();
    }
  }
}

// More neighbours than an operand is let meet at once.
TEST(find_path, stars_of_many_leaves_are_summed_leaf_by_leaf) {
  contraction_network star;
  star.inputs.resize(601);
  for (int i = 0; i < 600; ++i) {
    star.inputs[0].push_back(i);
    star.inputs[std::size_t(i) + 1].push_back(i);
    star.sizes.push_back(1 + std::size_t(i < 20));
  }
  for (const path_search s : {path_search::greedy, path_search::random_greedy}) {
    const contraction_path path = find_path(star, {.search = s, .seconds = 0.05});
    expect_true_costs(star, path);
    EXPECT_LT(path.flops, 4 * std::pow(2.0, 20) + 2 * 600);  // the centre is halved 20 times
  }
}

// More kinds of labels than the search of all subsets takes.
TEST(find_path, few_operands_with_thousands_of_kinds_of_labels) {
  contraction_network network;
  network.inputs.resize(12);
  for (std::size_t held = 1; held < 4096; ++held) {
    for (std::size_t i = 0; i < 12; ++i)
      if (held >> i & 1) network.inputs[i].push_back(int(network.sizes.size()));
    network.sizes.push_back(2);
  }
  EXPECT_EQ(find_path(network).search, path_search::random_greedy);
  EXPECT_EQ(find_path(network).pairs.size(), 11u);
  EXPECT_THROW(find_path(network, {.search = path_search::optimal}), invalid_argument);
}

}  // namespace
}  // namespace papilio::test

// Networks of more labels than one word of bits holds, on 17 to 66 operands: all searches, their
// costs by `path_of`. Under the address sanitizer it shows what a search reads of lists that grow
// meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "contract/path_searches.hpp"
#include "papilio/contract/path.hpp"

namespace papilio {
namespace {

using namespace path_detail;

struct edge {
  std::size_t a, b;
};

contraction_network network_of(std::size_t operands, const std::vector<edge>& edges,
                               std::mt19937& random) {
  contraction_network network;
  network.inputs.resize(operands);
  const auto label = [&](std::initializer_list<std::size_t> holders) {
    for (const std::size_t at : holders)
      network.inputs[at].push_back(static_cast<int>(network.sizes.size()));
    network.sizes.push_back(2 + random() % 3);
  };
  for (const edge& e : edges) label({e.a, e.b});
  // Labels of one operand make the search for the optimum long: few or many of them.
  const std::size_t one_in = random() % 2 ? operands : 4;
  for (std::size_t i = 0; i < operands; ++i) {
    if (random() % one_in && !network.inputs[i].empty()) continue;
    if (random() % 4 == 0) network.output.push_back(static_cast<int>(network.sizes.size()));
    label({i});
  }
  return network;
}

// Up to three axes, of 17 to 66 points.
contraction_network grid(unsigned seed) {
  std::mt19937 random(seed);
  std::size_t x = 0, y = 0, z = 0;
  while (x * y * z < 17 || x * y * z > 66)
    x = 2 + random() % 9, y = 2 + random() % 9, z = 1 + random() % 4;
  std::vector<edge> edges;
  for (std::size_t i = 0; i < x; ++i)
    for (std::size_t j = 0; j < y; ++j)
      for (std::size_t k = 0; k < z; ++k) {
        const std::size_t at = (i * y + j) * z + k;
        if (i + 1 < x) edges.push_back({at, at + y * z});
        if (j + 1 < y) edges.push_back({at, at + z});
        if (k + 1 < z) edges.push_back({at, at + 1});
      }
  return network_of(x * y * z, edges, random);
}

// Every operand with 2 to 9 others (a pair may be met twice).
contraction_network regular(unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t operands = 17 + random() % 50, degree = 2 + random() % 8;
  std::vector<std::size_t> ends(operands * degree / 2 * 2);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = i / degree;
  std::ranges::shuffle(ends, random);
  std::vector<edge> edges;
  for (std::size_t i = 0; i < ends.size(); i += 2)
    if (ends[i] != ends[i + 1]) edges.push_back({ends[i], ends[i + 1]});
  return network_of(operands, edges, random);
}

// A tree, from a bush to a chain, in which up to as many further pairs are joined.
contraction_network tree_with_loops(unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t operands = 17 + random() % 50, loops = random() % operands;
  const std::size_t reach = 1 + random() % (random() % 2 ? 3 : operands);
  std::vector<edge> edges;
  const auto join = [&](std::size_t i) {
    edges.push_back({i - 1 - random() % std::min(i, reach), i});
  };
  for (std::size_t i = 1; i < operands; ++i) join(i);
  for (std::size_t i = 0; i < loops; ++i) join(1 + random() % (operands - 1));
  return network_of(operands, edges, random);
}

std::vector<contraction_network> bench_networks() {
  std::ifstream file(PAPILIO_BENCH_NETWORKS);
  const nlohmann::json listed_networks = nlohmann::json::parse(file);
  std::vector<contraction_network> networks;
  for (const auto& listed : listed_networks["networks"]) {
    contraction_network network;
    std::vector<std::string> labels;
    for (const auto& [label, size] : listed["sizes"].items()) {
      labels.push_back(label);
      network.sizes.push_back(size.get<std::size_t>());
    }
    const auto numbers = [&](const nlohmann::json& names) {
      std::vector<int> found;
      for (const std::string name : names)
        found.push_back(static_cast<int>(std::ranges::find(labels, name) - labels.begin()));
      return found;
    };
    for (const auto& operand : listed["inputs"]) network.inputs.push_back(numbers(operand));
    network.output = numbers(listed["output"]);
    networks.push_back(std::move(network));
  }
  return networks;
}

double flops_of_path(const contraction_network& network, const named_path& path) {
  return path_of(network, positions_of(path)).flops;
}

// The search for the optimum, with less work than `find_path` lets it take: the path where it came
// to an end.
std::optional<named_path> optimum(const contraction_network& network, const named_path& known) {
  constexpr double work = 1e6;
  return optimal_path_within(search_network_of(network), work, known);
}

// The same network whose labels are numbered the other way round.
contraction_network renumbered(contraction_network network) {
  const auto turn = [&](std::vector<int>& labels) {
    for (int& label : labels) label = static_cast<int>(network.sizes.size()) - 1 - label;
  };
  std::ranges::for_each(network.inputs, turn);
  turn(network.output);
  std::ranges::reverse(network.sizes);
  return network;
}

// Sums of as many costs as there are steps, in another order.
constexpr double rounding = 66 * std::numeric_limits<double>::epsilon();

// What each search finds costs what it says, and no more than what it started from. Whether the
// search for the optimum came to an end.
bool expect_orders(const contraction_network& network) {
  const double greedy = find_path(network, {.search = path_search::greedy}).flops;
  const contraction_path refined =
      find_path(network, {.search = path_search::random_greedy, .seconds = 1e-3});
  EXPECT_EQ(refined.flops, path_of(network, refined.pairs).flops);
  EXPECT_LE(refined.flops, greedy * (1 + rounding));
  const named_path known = quick_path(search_network_of(network), 0, {});
  const double most = flops_of_path(network, known) * (1 + rounding);
  EXPECT_LE(most, greedy * (1 + 2 * rounding));
  const auto best = optimum(network, known);
  if (!best) return false;
  const double least = flops_of_path(network, *best);
  EXPECT_LE(least, most);
  // An optimum is the same however labels are numbered.
  const contraction_network other = renumbered(network);
  if (const auto again = optimum(other, known)) {
    EXPECT_NEAR(flops_of_path(other, *again), least, rounding * least);
  }
  return true;
}

constexpr unsigned networks_of_a_kind = 100;

template <class Make>
void expect_orders_of(Make&& make) {
  std::size_t most_labels = 0;
  unsigned optimal = 0;
  for (unsigned seed = 0; seed < networks_of_a_kind; ++seed) {
    SCOPED_TRACE(seed);
    const contraction_network network = make(seed);
    most_labels = std::max(most_labels, network.sizes.size());
    optimal += expect_orders(network);
  }
  EXPECT_GT(most_labels, 128u);
  EXPECT_GT(optimal, 0u);
}

TEST(path_networks, grids) { expect_orders_of(grid); }
TEST(path_networks, regular_graphs) { expect_orders_of(regular); }
TEST(path_networks, trees_with_loops) { expect_orders_of(tree_with_loops); }

TEST(path_networks, of_the_bench) {
  const auto networks = bench_networks();
  EXPECT_EQ(networks.size(), 13u);
  for (const contraction_network& network : networks) {
    SCOPED_TRACE(network.inputs.size());
    expect_orders(network);
  }
}

// As users ask for it: few of them, for it looks at millions of pairs.
TEST(path_networks, automatic) {
  auto networks = bench_networks();
  for (unsigned seed = 0; seed < 4; ++seed) {
    networks.push_back(grid(1000 + seed));
    networks.push_back(regular(1000 + seed));
    networks.push_back(tree_with_loops(1000 + seed));
  }
  for (const contraction_network& network : networks) {
    const contraction_path path = find_path(network, {.seconds = 0.01});
    EXPECT_EQ(path.flops, path_of(network, path.pairs).flops);
    const double greedy = find_path(network, {.search = path_search::greedy}).flops;
    EXPECT_LE(path.flops, greedy * (1 + rounding));
  }
}

}  // namespace
}  // namespace papilio

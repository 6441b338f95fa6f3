#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "papilio/contract/path.hpp"

// Networks, and what orders of them cost by sets of labels.
namespace papilio::test {

using steps = std::vector<std::array<std::size_t, 2>>;

struct oracle_cost {
  double macs = 0, flops = 0, largest = 0;
};

class oracle {
 public:
  explicit oracle(const contraction_network& network) : network_(network) {
    for (const auto& labels : network.inputs) there_.emplace_back(labels.begin(), labels.end());
  }

  void take(std::size_t a, std::size_t b) {
    if (a < b) std::swap(a, b);
    std::set<int> all = there_[a], kept;
    all.insert(there_[b].begin(), there_[b].end());
    there_.erase(there_.begin() + std::ptrdiff_t(a));
    there_.erase(there_.begin() + std::ptrdiff_t(b));
    for (const int label : all) {
      bool needed = std::ranges::count(network_.output, label) > 0;
      for (const auto& other : there_) needed |= other.contains(label);
      if (needed) kept.insert(label);
    }
    cost_.macs += product(all);
    cost_.flops += (kept.size() < all.size() ? 2 : 1) * product(all);
    cost_.largest = std::max(cost_.largest, product(kept));
    there_.push_back(kept);
  }

  double least_flops() const {
    if (there_.size() == 1) return cost_.flops;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < there_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        oracle next = *this;
        next.take(a, b);
        least = std::min(least, next.least_flops());
      }
    return least;
  }

  const oracle_cost& cost() const { return cost_; }

 private:
  double product(const std::set<int>& labels) const {
    double size = 1;
    for (const int label : labels) size *= double(network_.sizes[std::size_t(label)]);
    return size;
  }

  const contraction_network& network_;
  std::vector<std::set<int>> there_;
  oracle_cost cost_;
};

inline oracle_cost cost_of(const contraction_network& network, const steps& pairs) {
  oracle walk(network);
  for (const auto& pair : pairs) walk.take(pair[0], pair[1]);
  return walk.cost();
}

inline void expect_true_costs(const contraction_network& network, const contraction_path& path) {
  contraction_network slice = network;
  double slices = 1;
  for (const int label : path.sliced) {
    slices *= double(network.sizes[std::size_t(label)]);
    for (auto& labels : slice.inputs) std::erase(labels, label);
    std::erase(slice.output, label);
  }
  const oracle_cost cost = cost_of(slice, path.pairs);
  EXPECT_DOUBLE_EQ(path.slices, slices);
  EXPECT_DOUBLE_EQ(path.macs, cost.macs * slices);
  EXPECT_DOUBLE_EQ(path.flops, cost.flops * slices);
  EXPECT_DOUBLE_EQ(path.largest, cost.largest);
}

struct shape {
  std::size_t operands, labels, most_holders, outputs, largest_size;
};

// Labels on several operands, alone on one, on none but others' diagonals; parts that nothing
// joins.
inline contraction_network random_network(const shape& of, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t count) { return std::size_t(random()) % count; };
  contraction_network network;
  network.inputs.resize(of.operands);
  for (std::size_t label = 0; label < of.labels; ++label) {
    network.sizes.push_back(1 + below(of.largest_size));
    for (std::size_t i = 0, count = 1 + below(of.most_holders); i < count; ++i)
      network.inputs[below(of.operands)].push_back(int(label));
  }
  for (std::size_t i = 0; i < of.outputs; ++i)
    if (const int label = int(below(of.labels)); !std::ranges::count(network.output, label))
      network.output.push_back(label);
  return network;
}

// Each operand has three labels, each label two operands.
inline contraction_network cubic_network(std::size_t operands, std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < 3 * operands; ++i) ends.push_back(i / 3);
  for (std::size_t i = ends.size(); i-- > 1;) std::swap(ends[i], ends[random() % (i + 1)]);
  contraction_network network;
  network.inputs.resize(operands);
  for (std::size_t i = 0; i < ends.size(); ++i)
    network.inputs[ends[i]].push_back(int(network.sizes.size() + i / 2));
  network.sizes.assign(ends.size() / 2, size);
  return network;
}

inline contraction_network lattice(std::size_t rows, std::size_t columns, std::size_t size) {
  contraction_network network;
  network.inputs.resize(rows * columns);
  const auto join = [&](std::size_t a, std::size_t b) {
    for (const std::size_t at : {a, b}) network.inputs[at].push_back(int(network.sizes.size()));
    network.sizes.push_back(size);
  };
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      if (c + 1 < columns) join(r * columns + c, r * columns + c + 1);
      if (r + 1 < rows) join(r * columns + c, (r + 1) * columns + c);
    }
  return network;
}

inline contraction_path found(const contraction_network& network, path_search search,
                              std::uint64_t seed = 0) {
  return find_path(network, {.search = search, .seconds = 1e3, .seed = seed});
}

}  // namespace papilio::test

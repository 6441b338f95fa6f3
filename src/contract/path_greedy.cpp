#include "path_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <queue>

namespace papilio::path_detail {
namespace {

struct candidate {
  double score = 0;
  int a = 0, b = 0;
  bool operator<(const candidate& other) const {
    if (score != other.score) return score > other.score;
    return a != other.a ? a > other.a : b > other.b;
  }
};

// A label on many operands makes a pair of any two: of such, each meets only so many others, the
// smallest. What is so left apart meets when the others are gone, or in an outer product.
constexpr std::size_t most_partners = 24;
// An operand of many labels has many neighbours: it meets the best of those that are seen first, and
// the others when it has become a part of a result.
constexpr std::size_t most_seen = 1024, most_neighbours = 64;

class greedy_search {
 public:
  greedy_search(const search_network& network, const greedy_weights& weights, random_source* random,
                clock::time_point end)
      : network_(network),
        weights_(weights),
        random_(random),
        end_(end),
        nodes_(2 * network.operands - 1),
        labels_(nodes_),
        size_(nodes_),
        kept_size_(nodes_),
        there_(nodes_),
        seen_(nodes_, -1),
        holders_(network.labels),
        uses_(network.labels),
        marked_(network.labels, -1) {
    for (std::size_t i = 0; i < network.operands; ++i) {
      for_each_bit(network.input(i), network.words,
                   [&](std::size_t label) { labels_[i].push_back(int(label)); });
      enter(i);
    }
    for (std::size_t label = 0; label < network.labels; ++label) count_uses(label);
    for (std::size_t i = 0; i < network.operands; ++i) {
      size_[i] = network.size_of(network.input(i));
      kept_size_[i] = 1;
      for (const int label : labels_[i])
        if (uses_[std::size_t(label)] > 1) kept_size_[i] *= extent(label);
    }
  }

  greedy_order run() {
    do {
      some_are_apart_ = false;
      std::ranges::fill(seen_, -1);
      for (std::size_t i = 0; i < network_.operands + order_.path.size(); ++i)
        if (there_[i] && !is_over()) pair_up(i);
      if (heap_.empty()) break;
      while (!heap_.empty() && !is_over()) {
        const candidate best = heap_.top();
        heap_.pop();
        if (!there_[std::size_t(best.a)] || !there_[std::size_t(best.b)]) continue;
        pair_up(contract(std::size_t(best.a), std::size_t(best.b)));
      }
    } while (some_are_apart_ && !is_over());
    if (random_ && is_over()) return {};
    multiply_rest();
    return std::move(order_);
  }

 private:
  bool is_over() const { return clock::now() >= end_; }
  double extent(int label) const { return network_.sizes[std::size_t(label)]; }

  void enter(std::size_t node) {
    there_[node] = 1;
    for (const int label : labels_[node]) holders_[std::size_t(label)].push_back(int(node));
  }

  bool is_in_result(std::size_t label) const {
    return network_.output[label / 64] >> label % 64 & 1;
  }
  // 1: a step of the only holder sums the label (those of operands alone; no result has such); 2: a
  // step of both holders does; 3: it is needed by more, or by the result.
  void count_uses(std::size_t label) {
    uses_[label] = is_in_result(label) ? 3 : char(std::min<std::size_t>(holders_[label].size(), 3));
  }

  // The score of a node whose labels are marked and another, by the labels of the one with fewer. Products
  // in long double are exact where those in double are.
  double score(std::size_t other, std::size_t node) {
    const bool by_other = labels_[other].size() <= labels_[node].size();
    const std::size_t few = by_other ? other : node, many = by_other ? node : other;
    long double out = kept_size_[many];
    // Beyond all bounds a step hardly brings it back: labels need not be looked at.
    constexpr long double hopeless = static_cast<long double>(largest_cost) * largest_cost;
    for (const int label : labels_[few]) {
      if (out > hopeless) break;
      const char uses = uses_[std::size_t(label)];
      if (uses == 1) continue;
      const bool shared = by_other ? marked_[std::size_t(label)] == int(node)
                                   : std::ranges::binary_search(labels_[many], label);
      if (!shared)
        out *= extent(label);
      else if (uses == 2)
        out /= extent(label);
    }
    // The quotient is infinite or no number where sizes are beyond the type or 0.
    const double result = out < largest_cost ? double(out) : largest_cost;
    const double gain = result / weights_.weight - weights_.weight * (size_[other] + size_[node]);
    if (!random_ || weights_.temperature == 0) return gain;
    const double scaled = gain < 0 ? -std::log1p(-gain) : std::log1p(gain);
    return scaled - weights_.temperature * random_->gumbel();
  }

  void pair_up(std::size_t node) {
    neighbours_.clear();
    for (const int label : labels_[node]) {
      marked_[std::size_t(label)] = int(node);
      std::vector<int>& others = holders_[std::size_t(label)];
      if (neighbours_.size() > most_seen) continue;
      if (others.size() > most_partners)
        std::ranges::nth_element(others, others.begin() + most_partners, [&](int a, int b) {
          return size_[std::size_t(a)] < size_[std::size_t(b)];
        });
      const std::size_t met = std::min(others.size(), most_partners);
      for (std::size_t i = 0; i < met; ++i) {
        const auto other = static_cast<std::size_t>(others[i]);
        if (other == node || seen_[other] == int(node)) continue;
        seen_[other] = int(node);
        if (node < network_.operands && other < node && others.size() <= most_partners &&
            !some_are_apart_)
          continue;
        neighbours_.push_back(int(other));
      }
    }
    pairs_.clear();
    for (const int other : neighbours_)
      pairs_.push_back({score(std::size_t(other), node), other, int(node)});
    if (pairs_.size() > most_neighbours) {
      std::ranges::nth_element(pairs_, pairs_.begin() + most_neighbours,
                               [](const candidate& a, const candidate& b) { return b < a; });
      pairs_.resize(most_neighbours);
      some_are_apart_ = true;
    }
    for (const candidate& pair : pairs_) heap_.push(pair);
  }

  std::size_t contract(std::size_t a, std::size_t b) {
    const std::size_t result = network_.operands + order_.path.size();
    order_.path.push_back({int(a), int(b)});
    there_[a] = there_[b] = 0;
    std::vector<int> all;
    all.reserve(labels_[a].size() + labels_[b].size());
    std::ranges::set_union(labels_[a], labels_[b], std::back_inserter(all));
    double size = 1;
    long double kept_size = 1;
    for (const int l : all) {
      const auto label = static_cast<std::size_t>(l);
      if (size < largest_cost) size *= extent(l);
      std::vector<int>& of_label = holders_[label];
      std::erase_if(of_label, [&](int n) { return n == int(a) || n == int(b); });
      if (of_label.empty() && !is_in_result(label)) continue;
      of_label.push_back(int(result));
      count_uses(label);
      labels_[result].push_back(l);
      if (kept_size < largest_cost) kept_size *= extent(l);
    }
    order_.flops += step_flops(std::min(size, largest_cost), labels_[result].size() < all.size());
    there_[result] = 1;
    kept_size_[result] = kept_size;
    size_[result] = kept_size < largest_cost ? double(kept_size) : largest_cost;
    labels_[a] = {};
    labels_[b] = {};
    return result;
  }

  void multiply_rest() {
    using sized = std::pair<double, std::size_t>;
    std::priority_queue<sized, std::vector<sized>, std::greater<>> rest;
    for (std::size_t node = 0; node < nodes_; ++node)
      if (there_[node]) rest.push({size_[node], node});
    while (rest.size() > 1) {
      const std::size_t a = rest.top().second;
      rest.pop();
      const std::size_t b = rest.top().second;
      rest.pop();
      const std::size_t result = contract(std::min(a, b), std::max(a, b));
      rest.push({size_[result], result});
    }
  }

  const search_network& network_;
  greedy_weights weights_;
  random_source* random_;
  clock::time_point end_;
  std::size_t nodes_;
  std::vector<std::vector<int>> labels_;  // ascending
  std::vector<double> size_;
  std::vector<long double> kept_size_;  // without the labels that a step sums at once
  std::vector<char> there_;
  std::vector<int> seen_;
  std::vector<std::vector<int>> holders_;
  std::vector<char> uses_;  // by label
  std::vector<int> marked_, neighbours_;
  std::vector<candidate> pairs_;
  bool some_are_apart_ = false;  // that share a label
  std::priority_queue<candidate> heap_;
  greedy_order order_;
};

}  // namespace

greedy_order greedy_path(const search_network& network, clock::time_point end,
                         const greedy_weights& weights, random_source* random) {
  return greedy_search(network, weights, random, end).run();
}

}  // namespace papilio::path_detail

#include "path_greedy.hpp"

#include <algorithm>
#include <queue>

namespace papilio::path_detail {
namespace {

struct candidate {
  double score;
  int a, b;
  bool operator<(const candidate& other) const {
    if (score != other.score) return score > other.score;
    return a != other.a ? a > other.a : b > other.b;
  }
};

// A label on many operands makes a pair of any two: of such, each meets only so many others, the
// smallest. What is so left apart meets when the others are gone, or in an outer product.
constexpr std::size_t most_partners = 24;

class greedy_search {
 public:
  greedy_search(const search_network& network, const greedy_weights& weights, random_source* random)
      : network_(network),
        weights_(weights),
        random_(random),
        words_(network.words),
        nodes_(2 * network.operands - 1),
        labels_(nodes_ * words_),
        size_(nodes_),
        there_(nodes_),
        seen_(nodes_, -1),
        holders_(network.labels),
        one_(words_),
        two_(words_) {
    for (std::size_t i = 0; i < network.operands; ++i) {
      std::copy_n(network.input(i), words_, set(i));
      enter(i);
    }
    for (std::size_t label = 0; label < network.labels; ++label) note_count(label);
  }

  named_path run() {
    for (std::size_t i = 0; i < network_.operands; ++i) pair_up(i);
    while (!heap_.empty()) {
      const candidate best = heap_.top();
      heap_.pop();
      if (!there_[std::size_t(best.a)] || !there_[std::size_t(best.b)]) continue;
      pair_up(contract(std::size_t(best.a), std::size_t(best.b)));
    }
    multiply_rest();
    return std::move(path_);
  }

 private:
  word* set(std::size_t node) { return labels_.data() + node * words_; }

  void enter(std::size_t node) {
    there_[node] = 1;
    size_[node] = network_.size_of(set(node));
    for_each_bit(set(node), words_,
                 [&](std::size_t label) { holders_[label].push_back(int(node)); });
  }

  // Which labels only one or two have, and the result has not.
  void note_count(std::size_t label) {
    const word bit = word(1) << label % 64;
    const std::size_t w = label / 64;
    one_[w] &= ~bit;
    two_[w] &= ~bit;
    if (network_.output[w] & bit) return;
    if (holders_[label].size() == 1) one_[w] |= bit;
    if (holders_[label].size() == 2) two_[w] |= bit;
  }

  // Labels of the product of two, of one word.
  word kept(const word* a, const word* b, std::size_t w) const {
    const word any = a[w] | b[w];
    return any & ~((a[w] & b[w] & two_[w]) | (any & one_[w]));
  }

  double score(std::size_t a, std::size_t b) {
    const word *x = set(a), *y = set(b);
    double out = 1;
    for (std::size_t w = 0; w < words_; ++w)
      for (word rest = kept(x, y, w); rest; rest &= rest - 1)
        out *= network_.sizes[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
    const double gain =
        std::min(out, largest_cost) / weights_.weight - weights_.weight * (size_[a] + size_[b]);
    if (!random_ || weights_.temperature == 0) return gain;
    const double scaled = gain < 0 ? -std::log1p(-gain) : std::log1p(gain);
    return scaled - weights_.temperature * random_->gumbel();
  }

  void pair_up(std::size_t node) {
    for_each_bit(set(node), words_, [&](std::size_t label) {
      std::vector<int>& others = holders_[label];
      if (others.size() > most_partners)
        std::ranges::nth_element(others, others.begin() + most_partners, [&](int a, int b) {
          return size_[std::size_t(a)] < size_[std::size_t(b)];
        });
      const std::size_t met = std::min(others.size(), most_partners);
      for (std::size_t i = 0; i < met; ++i) {
        const auto other = static_cast<std::size_t>(others[i]);
        if (other == node || seen_[other] == int(node)) continue;
        if (node < network_.operands && other < node && others.size() <= most_partners) continue;
        seen_[other] = int(node);
        heap_.push({score(other, node), int(other), int(node)});
      }
    });
  }

  std::size_t contract(std::size_t a, std::size_t b) {
    const std::size_t result = network_.operands + path_.size();
    path_.push_back({int(a), int(b)});
    for (std::size_t w = 0; w < words_; ++w) set(result)[w] = kept(set(a), set(b), w);
    there_[a] = there_[b] = 0;
    std::vector<word> touched(words_);
    for (std::size_t w = 0; w < words_; ++w) touched[w] = set(a)[w] | set(b)[w];
    for_each_bit(touched.data(), words_, [&](std::size_t label) {
      std::erase_if(holders_[label], [&](int n) { return n == int(a) || n == int(b); });
    });
    enter(result);
    for_each_bit(touched.data(), words_, [&](std::size_t label) { note_count(label); });
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
  std::size_t words_, nodes_;
  std::vector<word> labels_;
  std::vector<double> size_;
  std::vector<char> there_;
  std::vector<int> seen_;
  std::vector<std::vector<int>> holders_;
  std::vector<word> one_, two_;
  std::priority_queue<candidate> heap_;
  named_path path_;
};

}  // namespace

named_path greedy_path(const search_network& network, const greedy_weights& weights,
                       random_source* random) {
  return greedy_search(network, weights, random).run();
}

}  // namespace papilio::path_detail

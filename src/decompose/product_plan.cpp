#include "decompose/product_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "decompose/mode_split.hpp"

namespace papilio::decompose_detail {
namespace {

using term = contraction_problem::term;
// Modes [first, last).
using node = std::pair<std::size_t, std::size_t>;

// Returns the nodes of a mode, from below the whole to the mode alone.
std::vector<node> nodes_to(std::size_t order, std::size_t mode) {
  std::vector<node> all;
  for (node at{0, order}; at.second - at.first > 1;) {
    const std::size_t middle = (at.first + at.second + 1) / 2;
    (mode < middle ? at.second : at.first) = middle;
    all.push_back(at);
  }
  return all;
}

// Labels are the modes, then that of the rank.
class plan_maker {
 public:
  plan_maker(std::span<const std::size_t> extents, std::size_t rank, node from)
      : order_(extents.size()), at_(from) {
    plan_.problem.sizes.assign(extents.begin(), extents.end());
    plan_.problem.sizes.push_back(rank);
    value_.labels = labels_of(from);
    if (from == node{0, order_}) value_.labels.erase(value_.labels.begin());
    plan_.problem.operands.push_back(extents_of(value_.labels));
  }

  // Multiplies by the factors of what the node has not. The array itself by their Khatri-Rao
  // product, as one product of matrices, where that is no larger than what one factor leaves; else
  // by one after the other, the longest first: what is left is then the smallest.
  void descend(node to) {
    std::vector<std::size_t> leaving;
    for (std::size_t mode = at_.first; mode < at_.second; ++mode)
      if (mode < to.first || mode >= to.second) leaving.push_back(mode);
    const bool is_array = value_.labels.front() != rank_label();
    if (is_array && longest_of(leaving) <= size_of(to)) {
      multiply_together(leaving, to);
    } else {
      std::ranges::stable_sort(leaving, std::greater{},
                               [&](std::size_t mode) { return plan_.problem.sizes[mode]; });
      for (const std::size_t mode : leaving) multiply(mode);
    }
    at_ = to;
  }
  void keep(std::size_t number) {
    plan_.kept.push_back(number);
    plan_.problem.results.push_back(value_.value);
  }

  product_plan finished(std::optional<std::size_t> source) && {
    contraction_problem& p = plan_.problem;
    p.results.push_back(value_.value);
    const auto resolve = [&](std::size_t& value) {
      if (value >= of_step) value += p.operands.size() - of_step;
    };
    for (contraction_problem::step& s : p.steps)
      for (term& t : s.of) resolve(t.value);
    for (std::size_t& value : p.results) resolve(value);
    plan_.source = source;
    return std::move(plan_);
  }

 private:
  int rank_label() const { return static_cast<int>(order_); }
  std::vector<std::size_t> extents_of(const std::vector<int>& labels) const {
    std::vector<std::size_t> extents;
    for (const int label : labels)
      extents.push_back(plan_.problem.sizes[static_cast<std::size_t>(label)]);
    return extents;
  }
  std::vector<int> labels_of(node n) const {
    std::vector<int> labels{rank_label()};
    for (std::size_t mode = n.first; mode < n.second; ++mode)
      labels.push_back(static_cast<int>(mode));
    return labels;
  }
  std::size_t longest_of(const std::vector<std::size_t>& modes) const {
    std::size_t longest = 0;
    for (const std::size_t mode : modes) longest = std::max(longest, plan_.problem.sizes[mode]);
    return longest;
  }
  std::size_t size_of(node n) const {
    return product_of(std::span(plan_.problem.sizes).subspan(n.first, n.second - n.first));
  }
  term factor(std::size_t mode) {
    term t{plan_.problem.operands.size(), {rank_label(), static_cast<int>(mode)}};
    plan_.problem.operands.push_back(extents_of(t.labels));
    plan_.factors.push_back(mode);
    return t;
  }
  term product(const term& a, const term& b, std::vector<int> labels) {
    std::vector<contraction_problem::step>& steps = plan_.problem.steps;
    steps.push_back({.of = {a, b}, .labels = std::move(labels)});
    return {of_step + steps.size() - 1, steps.back().labels};
  }

  void multiply(std::size_t mode) {
    std::vector<int> labels{rank_label()};
    for (const int label : value_.labels)
      if (label != rank_label() && label != static_cast<int>(mode)) labels.push_back(label);
    value_ = product(value_, factor(mode), std::move(labels));
  }
  void multiply_together(const std::vector<std::size_t>& modes, node to) {
    term all = factor(modes[0]);
    for (std::size_t i = 1; i < modes.size(); ++i) {
      std::vector<int> labels = all.labels;
      labels.push_back(static_cast<int>(modes[i]));
      all = product(all, factor(modes[i]), std::move(labels));
    }
    value_ = product(value_, all, labels_of(to));
  }

  // Steps are numbered from this number on until the number of operands is known.
  static constexpr std::size_t of_step = std::size_t{1} << 32;
  std::size_t order_;
  node at_;
  product_plan plan_;
  term value_;
};

}  // namespace

std::vector<product_plan> product_plans(std::span<const std::size_t> extents, std::size_t rank) {
  const std::size_t order = extents.size();
  std::map<node, std::size_t> numbers;
  std::vector<product_plan> plans;
  for (std::size_t mode = 0; mode < order; ++mode) {
    node source{0, order};
    std::vector<node> made;
    for (const node& n : nodes_to(order, mode))
      if (n.first < mode)
        source = n, made.clear();
      else
        made.push_back(n);
    plan_maker maker(extents, rank, source);
    for (const node& n : made) {
      maker.descend(n);
      if (n.second - n.first > 1) maker.keep(numbers.emplace(n, numbers.size()).first->second);
    }
    const auto number = numbers.find(source);
    plans.push_back(std::move(maker).finished(
        number == numbers.end() ? std::nullopt : std::optional(number->second)));
  }
  return plans;
}

}  // namespace papilio::decompose_detail

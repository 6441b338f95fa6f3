#include "decompose/product_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace papilio::decompose_detail {
namespace {

// Modes [first, last).
using node = std::pair<std::size_t, std::size_t>;

// From below the whole to the mode alone.
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
    if (from != node{0, order_}) labels_.push_back(rank_label());
    for (std::size_t mode = from.first; mode < from.second; ++mode)
      labels_.push_back(static_cast<int>(mode));
    plan_.problem.operands.push_back(extents_of(labels_));
  }

  // Multiplies by the factors of what the node has not, the longest first: what is left is then the
  // smallest.
  void descend(node to) {
    std::vector<std::size_t> leaving;
    for (std::size_t mode = at_.first; mode < at_.second; ++mode)
      if (mode < to.first || mode >= to.second) leaving.push_back(mode);
    std::ranges::stable_sort(leaving, std::greater{},
                             [&](std::size_t mode) { return plan_.problem.sizes[mode]; });
    for (const std::size_t mode : leaving) multiply(mode);
    at_ = to;
  }
  void keep(std::size_t number) {
    plan_.kept.push_back(number);
    results_.push_back(steps_.size());
  }

  product_plan finished(std::optional<std::size_t> source) && {
    results_.push_back(steps_.size());
    contraction_problem& p = plan_.problem;
    const std::size_t operands = p.operands.size();
    for (contraction_problem::step& s : steps_) {
      s.of[0].value = p.steps.empty() ? 0 : operands + p.steps.size() - 1;
      s.of[1].value = p.steps.size() + 1;
      p.steps.push_back(std::move(s));
    }
    for (const std::size_t steps : results_) p.results.push_back(operands + steps - 1);
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
  void multiply(std::size_t mode) {
    const std::vector<int> factor{rank_label(), static_cast<int>(mode)};
    std::vector<int> result{rank_label()};
    for (const int label : labels_)
      if (label != rank_label() && label != static_cast<int>(mode)) result.push_back(label);
    plan_.problem.operands.push_back(extents_of(factor));
    plan_.factors.push_back(mode);
    steps_.push_back({.of = {{0, labels_}, {0, factor}}, .labels = result});
    labels_ = std::move(result);
  }

  std::size_t order_;
  node at_;
  product_plan plan_;
  std::vector<int> labels_;
  std::vector<contraction_problem::step> steps_;
  std::vector<std::size_t> results_;  // steps until then
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

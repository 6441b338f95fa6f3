#include "contract/shared_steps.hpp"

#include <algorithm>
#include <variant>

namespace papilio::contract_detail {
namespace {

constexpr std::size_t no_step = static_cast<std::size_t>(-1);

// Labels by the order of their first appearance: names do not matter.
class renaming {
 public:
  std::uint64_t operator()(int label) {
    const auto at = std::ranges::find(seen_, label);
    if (at != seen_.end()) return static_cast<std::uint64_t>(at - seen_.begin());
    seen_.push_back(label);
    return seen_.size() - 1;
  }

 private:
  std::vector<int> seen_;
};

std::size_t elements_of(const layout& l) {
  std::size_t product = 1;
  for (std::size_t e : l.extents) product *= e;
  return product;
}

}  // namespace

std::size_t step_numbering::operand_value(const void* data, const layout& lies) {
  key k{reinterpret_cast<std::uintptr_t>(data)};
  for (std::size_t e : lies.extents) k.push_back(e);
  for (std::ptrdiff_t s : lies.strides) k.push_back(static_cast<std::uint64_t>(s));
  const auto [at, is_new] = operands_.emplace(std::move(k), values_.size());
  if (is_new) {
    values_.push_back({.operand = data});
    made_by_.push_back(no_step);
  }
  return at->second;
}

step_numbering::key step_numbering::key_of(const lowered_step& step, std::size_t left,
                                           std::size_t right) const {
  key k{left, step.is_pair() ? right : no_step};
  if (const auto* pair = std::get_if<pair_design>(&step.work))
    k.push_back((pair->conjugates_left() ? 1u : 0u) + (pair->conjugates_right() ? 2u : 0u));
  else
    k.push_back(std::get<unary_design>(step.work).conjugates());
  renaming name;
  for (const layout* l : {&step.left.lies, &step.right.lies, &step.result}) {
    k.push_back(l->labels.size());
    for (int label : l->labels) k.push_back(name(label));
  }
  return k;
}

std::size_t step_numbering::add(const lowered_plan& plan, std::span<const void* const> operands) {
  std::vector<std::size_t> made;  // value of each step of the plan so far
  const auto value_of = [&](const step_source& s) {
    if (s.is_operand) return operand_value(operands[s.index], s.lies);
    // The latest that wrote there: places are used again.
    for (std::size_t i = made.size(); i-- > 0;)
      if (plan.steps()[i].offset == s.offset) return made[i];
    return no_step;
  };
  for (const lowered_step& step : plan.steps()) {
    shared_step shared{.step = &step, .left = value_of(step.left)};
    if (step.is_pair()) shared.right = value_of(step.right);
    const auto [at, is_new] =
        results_.emplace(key_of(step, shared.left, shared.right), values_.size());
    made.push_back(at->second);
    if (!is_new) continue;
    shared.result = values_.size();
    values_.push_back({.operand = nullptr, .elements = elements_of(step.result)});
    made_by_.push_back(steps_.size());
    const auto wait_for = [&](std::size_t value) {
      ++values_[value].uses;
      if (made_by_[value] != no_step)
        shared.level = std::max(shared.level, steps_[made_by_[value]].level + 1);
    };
    wait_for(shared.left);
    if (step.is_pair()) wait_for(shared.right);
    levels_ = std::max(levels_, shared.level + 1);
    steps_.push_back(shared);
  }
  ++values_[made.back()].uses;
  return made.back();
}

}  // namespace papilio::contract_detail

#include "contract/shared_steps.hpp"

#include <algorithm>
#include <bit>
#include <variant>

namespace papilio::contract_detail {
namespace {

constexpr std::size_t no_step = static_cast<std::size_t>(-1);

std::size_t elements_between(const layout& l) {
  std::size_t product = 1;
  for (std::size_t e : l.extents) product *= e;
  return product;
}

// An odd multiplier lets every word change the high bits, which are then folded down.
std::size_t hash_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace

bool key_table::is_key(const entry& e, std::size_t hash, std::span<const std::uint64_t> key) const {
  return e.hash == hash && std::ranges::equal(std::span(words_).subspan(e.first, e.length), key);
}

std::pair<std::size_t, bool> key_table::emplace(std::span<const std::uint64_t> key,
                                                std::size_t fresh) {
  if (2 * entries_.size() >= slots_.size()) grow();
  const std::size_t hash = hash_of(key), mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask)
    if (is_key(entries_[slots_[at] - 1], hash, key))
      return {entries_[slots_[at] - 1].number, false};
  entries_.push_back({words_.size(), key.size(), hash, fresh});
  words_.insert(words_.end(), key.begin(), key.end());
  slots_[at] = entries_.size();
  return {fresh, true};
}

void key_table::grow() {
  constexpr std::size_t least = 64;
  slots_.assign(std::max(least, 4 * entries_.size()), 0);
  slots_.resize(std::bit_ceil(slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = entries_[i].hash & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = i + 1;
  }
}

std::size_t step_numbering::operand_value(const void* data, const layout& lies) {
  key_.assign(1, reinterpret_cast<std::uintptr_t>(data));
  key_.insert(key_.end(), lies.extents.begin(), lies.extents.end());
  for (std::ptrdiff_t s : lies.strides) key_.push_back(static_cast<std::uint64_t>(s));
  const auto [value, is_new] = operands_.emplace(key_, values_.size());
  if (is_new) {
    values_.push_back({.operand = data});
    made_by_.push_back(no_step);
  }
  return value;
}

// Numbers labels in the order of their first appearance, so that keys do not depend on names.
void step_numbering::make_key(const lowered_step& step, std::size_t left, std::size_t right) {
  key_.assign({left, step.is_pair() ? right : no_step});
  if (const auto* pair = std::get_if<pair_design>(&step.work))
    key_.push_back((pair->conjugates_left() ? 1u : 0u) + (pair->conjugates_right() ? 2u : 0u));
  else
    key_.push_back(std::get<unary_design>(step.work).conjugates());
  seen_.clear();
  for (const layout* l : {&step.left.lies, &step.right.lies, &step.result}) {
    key_.push_back(l->labels.size());
    for (int label : l->labels) {
      const auto at = std::ranges::find(seen_, label);
      key_.push_back(static_cast<std::uint64_t>(at - seen_.begin()));
      if (at == seen_.end()) seen_.push_back(label);
    }
  }
}

std::size_t step_numbering::add(const lowered_plan& plan, std::span<const void* const> operands) {
  std::vector<std::size_t> made;  // value of each step of the plan so far
  const auto value_of = [&](const step_source& s) {
    if (s.is_operand) return operand_value(operands[s.index], s.lies);
    // Places in the workspace are used again, so the latest step that wrote there is the source.
    for (std::size_t i = made.size(); i-- > 0;)
      if (plan.steps()[i].offset == s.offset) return made[i];
    return no_step;
  };
  for (const lowered_step& step : plan.steps()) {
    shared_step shared{.step = &step, .left = value_of(step.left)};
    if (step.is_pair()) shared.right = value_of(step.right);
    make_key(step, shared.left, shared.right);
    const auto [number, is_new] = results_.emplace(key_, values_.size());
    made.push_back(number);
    if (!is_new) continue;
    shared.result = values_.size();
    values_.push_back({.operand = nullptr, .elements = elements_between(step.result)});
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

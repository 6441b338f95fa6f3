#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "contract/lowered_plan.hpp"

namespace papilio::contract_detail {

/// An operand in memory, or the result of a step.
struct shared_value {
  const void* operand = nullptr;  ///< null: a result
  std::size_t elements = 0;       ///< of a result
  std::size_t uses = 0;           ///< by steps, and as a result of the whole
};

/// A step that runs once, for all contractions that have it.
struct shared_step {
  const lowered_step* step = nullptr;
  std::size_t left = 0, right = 0, result = 0;  ///< values; right: of pairs only
  std::size_t level = 0;                        ///< above those of what it reads
};

/// The steps of several plans, each only once: value numbering over operands in memory and the
/// labels of steps, whatever their names.
class step_numbering {
 public:
  /// The value that is the plan's result. No slices, no accelerators.
  std::size_t add(const lowered_plan& plan, std::span<const void* const> operands);

  const std::vector<shared_value>& values() const { return values_; }
  const std::vector<shared_step>& steps() const { return steps_; }
  std::size_t levels() const { return levels_; }

 private:
  using key = std::vector<std::uint64_t>;
  std::size_t operand_value(const void* data, const layout& lies);
  key key_of(const lowered_step& step, std::size_t left, std::size_t right) const;

  std::vector<shared_value> values_;
  std::vector<std::size_t> made_by_;  // step of a result
  std::vector<shared_step> steps_;
  std::map<key, std::size_t> operands_, results_;
  std::size_t levels_ = 0;
};

}  // namespace papilio::contract_detail

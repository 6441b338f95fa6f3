#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

/// Words as keys of numbers, in few pieces of memory.
class key_table {
 public:
  /// The number of the key, and whether it is new: then it is `fresh`.
  std::pair<std::size_t, bool> emplace(std::span<const std::uint64_t> key, std::size_t fresh);

 private:
  struct entry {
    std::size_t first = 0, length = 0, hash = 0, number = 0;
  };
  bool is_key(const entry& e, std::size_t hash, std::span<const std::uint64_t> key) const;
  void grow();

  std::vector<std::uint64_t> words_;
  std::vector<entry> entries_;
  std::vector<std::size_t> slots_;  // entry + 1; 0: none
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
  std::size_t operand_value(const void* data, const layout& lies);
  void make_key(const lowered_step& step, std::size_t left, std::size_t right);

  std::vector<shared_value> values_;
  std::vector<std::size_t> made_by_;  // step of a result
  std::vector<shared_step> steps_;
  key_table operands_, results_;
  std::vector<std::uint64_t> key_;  // under way
  std::vector<int> seen_;           // labels of it
  std::size_t levels_ = 0;
};

}  // namespace papilio::contract_detail

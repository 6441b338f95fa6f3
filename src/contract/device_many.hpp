#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "contract/device_plan.hpp"

// Several plans as one operation of an accelerator.
namespace papilio::contract_detail {

/// Operands in memory are one value each, however often they are named, and steps that are alike
/// run once; so do plans in slices, as wholes.
class joined_plans {
 public:
  /// The step that makes the plan's result. Operands are told apart by these addresses, extents and
  /// strides.
  std::size_t add(const lowered_plan& plan, std::span<const void* const> operands);

  /// Results: each of those steps once, in the order of the first that has it.
  contraction_problem problem() const;
  std::size_t steps() const { return steps_.size(); }
  /// Place of a plan's result among those.
  std::size_t result(std::size_t step) const;

  /// The operands, as they lie.
  struct operand {
    const void* data = nullptr;
    std::vector<std::size_t> extents;
    std::vector<std::ptrdiff_t> strides;
  };
  const std::vector<operand>& operands() const { return operands_; }

 private:
  using key = std::vector<std::uint64_t>;
  std::vector<std::size_t> add_operands(const plan_problem& problem,
                                        std::span<const void* const> operands);
  std::size_t add_steps(const contraction_problem& alone, const std::vector<std::size_t>& operands,
                        int first_label);
  std::size_t add_loop(const contraction_problem& alone, const std::vector<std::size_t>& operands,
                       int first_label);
  static contraction_problem::step joined(const contraction_problem::step& s,
                                          const std::vector<std::size_t>& operands,
                                          const std::vector<std::size_t>& made, int first_label);
  template <class Rename>
  static void add_to(key& k, const contraction_problem::step& s, Rename& name);

  std::vector<operand> operands_;
  // Values of their terms: operands, or, from `of_step` on, steps.
  static constexpr std::size_t of_step = std::size_t{1} << 32;
  std::vector<contraction_problem::step> steps_;
  std::vector<contraction_problem::loop> loops_;
  std::vector<std::size_t> sizes_, results_;
  std::map<key, std::size_t> known_operands_, known_steps_, known_loops_;
  bool is_complex_ = false;
  real_type type_ = real_type::single_precision;
};

}  // namespace papilio::contract_detail

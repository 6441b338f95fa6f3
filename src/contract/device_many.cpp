#include "contract/device_many.hpp"

#include <algorithm>
#include <utility>

namespace papilio::contract_detail {
namespace {

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

}  // namespace

contraction_problem::term joined_plans::term_of(const contraction_problem::term& t,
                                                const contraction_problem& plan,
                                                const std::vector<std::size_t>& operands,
                                                const std::vector<std::size_t>& made,
                                                int first_label) const {
  contraction_problem::term joined = t;
  const std::size_t count = plan.operands.size();
  joined.value = t.value < count ? operands[t.value] : of_step + made[t.value - count];
  for (int& label : joined.labels) label += first_label;
  return joined;
}

std::size_t joined_plans::add(const lowered_plan& plan, std::span<const void* const> operands) {
  const plan_problem& problem = plan.problem();
  const contraction_problem alone = problem_of(problem, plan.path(), plan.steps());
  is_complex_ = alone.is_complex;
  type_ = alone.type;
  std::vector<std::size_t> values, made;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    key k{reinterpret_cast<std::uintptr_t>(operands[i])};
    for (const std::size_t e : problem.extents[i]) k.push_back(e);
    for (const std::ptrdiff_t s : problem.strides[i]) k.push_back(static_cast<std::uint64_t>(s));
    const auto [at, is_new] = known_operands_.emplace(std::move(k), operands_.size());
    if (is_new) operands_.push_back({operands[i], problem.extents[i], problem.strides[i]});
    values.push_back(at->second);
  }
  const int first_label = static_cast<int>(sizes_.size());
  sizes_.insert(sizes_.end(), alone.sizes.begin(), alone.sizes.end());
  for (const contraction_problem::step& s : alone.steps) {
    contraction_problem::step joined{.of = {}, .labels = s.labels};
    for (int& label : joined.labels) label += first_label;
    key k;
    renaming name;
    for (const contraction_problem::term& t : s.of) {
      joined.of.push_back(term_of(t, alone, values, made, first_label));
      k.push_back(joined.of.back().value);
      k.push_back(t.conjugate);
      k.push_back(t.labels.size());
      for (const int label : t.labels) k.push_back(name(label));
    }
    for (const int label : s.labels) k.push_back(name(label));
    const auto [at, is_new] = known_steps_.emplace(std::move(k), steps_.size());
    if (is_new) steps_.push_back(std::move(joined));
    made.push_back(at->second);
  }
  if (std::ranges::find(results_, made.back()) == results_.end()) results_.push_back(made.back());
  return made.back();
}

std::size_t joined_plans::result(std::size_t step) const {
  return static_cast<std::size_t>(std::ranges::find(results_, step) - results_.begin());
}

contraction_problem joined_plans::problem() const {
  contraction_problem all{.sizes = sizes_,
                          .operands = {},
                          .steps = steps_,
                          .results = {},
                          .sliced = {},
                          .is_complex = is_complex_,
                          .type = type_};
  for (const operand& o : operands_) all.operands.push_back(o.extents);
  for (contraction_problem::step& s : all.steps)
    for (contraction_problem::term& t : s.of)
      if (t.value >= of_step) t.value += operands_.size() - of_step;
  for (const std::size_t step : results_) all.results.push_back(operands_.size() + step);
  return all;
}

}  // namespace papilio::contract_detail

#include "contract/device_many.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace papilio::contract_detail {
namespace {

// Numbers labels in the order of their first appearance, so that steps compare equal whatever their
// labels' names.
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

std::vector<std::size_t> joined_plans::add_operands(const plan_problem& problem,
                                                    std::span<const void* const> operands) {
  std::vector<std::size_t> values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    key k{reinterpret_cast<std::uintptr_t>(operands[i])};
    for (const std::size_t e : problem.extents[i]) k.push_back(e);
    for (const std::ptrdiff_t s : problem.strides[i]) k.push_back(static_cast<std::uint64_t>(s));
    const auto [at, is_new] = known_operands_.emplace(std::move(k), operands_.size());
    if (is_new) operands_.push_back({operands[i], problem.extents[i], problem.strides[i]});
    values.push_back(at->second);
  }
  return values;
}

// Returns the step with the values and labels of the joined problem; `made` holds the numbers of
// the plan's earlier steps in it.
contraction_problem::step joined_plans::joined(const contraction_problem::step& s,
                                               const std::vector<std::size_t>& operands,
                                               const std::vector<std::size_t>& made,
                                               int first_label) {
  contraction_problem::step all = s;
  for (int& label : all.labels) label += first_label;
  for (contraction_problem::term& t : all.of) {
    t.value =
        t.value < operands.size() ? operands[t.value] : of_step + made[t.value - operands.size()];
    for (int& label : t.labels) label += first_label;
  }
  return all;
}

template <class Rename>
void joined_plans::add_to(key& k, const contraction_problem::step& s, Rename& name) {
  k.push_back(s.of.size());
  for (const contraction_problem::term& t : s.of) {
    k.push_back(t.value);
    k.push_back(t.conjugate);
    k.push_back(t.labels.size());
    for (const int label : t.labels) k.push_back(name(label));
  }
  k.push_back(s.labels.size());
  for (const int label : s.labels) k.push_back(name(label));
}

// Adds a plan with a loop. Its steps are shared all together or not at all, since intermediates
// hold one slice.
std::size_t joined_plans::add_loop(const contraction_problem& alone,
                                   const std::vector<std::size_t>& operands, int first_label) {
  std::vector<std::size_t> places;
  std::vector<contraction_problem::step> steps;
  key k{alone.steps.size()};
  renaming name;
  for (const contraction_problem::step& s : alone.steps) {
    // In the key, steps of the loop are known by their number within it.
    std::vector<std::size_t> own(places.size());
    std::iota(own.begin(), own.end(), std::size_t{0});
    add_to(k, joined(s, operands, own, first_label), name);
    places.push_back(steps_.size() + places.size());
    steps.push_back(joined(s, operands, places, first_label));
  }
  contraction_problem::loop loop = alone.loops.front();
  for (int& label : loop.labels) k.push_back(name(label += first_label));
  const auto [at, is_new] = known_loops_.emplace(std::move(k), places.back());
  if (is_new) {
    loop.first = steps_.size();
    loop.last = places.back();
    loops_.push_back(std::move(loop));
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }
  return at->second;
}

std::size_t joined_plans::add_steps(const contraction_problem& alone,
                                    const std::vector<std::size_t>& operands, int first_label) {
  std::vector<std::size_t> made;
  for (const contraction_problem::step& s : alone.steps) {
    contraction_problem::step step = joined(s, operands, made, first_label);
    key k;
    renaming name;
    add_to(k, step, name);
    const auto [at, is_new] = known_steps_.emplace(std::move(k), steps_.size());
    if (is_new) steps_.push_back(std::move(step));
    made.push_back(at->second);
  }
  return made.back();
}

std::size_t joined_plans::add(const lowered_plan& plan, std::span<const void* const> operands) {
  const contraction_problem alone = problem_of(plan.problem(), plan.path(), plan.steps());
  is_complex_ = alone.is_complex;
  type_ = alone.type;
  const std::vector<std::size_t> values = add_operands(plan.problem(), operands);
  const int first_label = static_cast<int>(sizes_.size());
  sizes_.insert(sizes_.end(), alone.sizes.begin(), alone.sizes.end());
  const std::size_t made = alone.loops.empty() ? add_steps(alone, values, first_label)
                                               : add_loop(alone, values, first_label);
  if (std::ranges::find(results_, made) == results_.end()) results_.push_back(made);
  return made;
}

std::size_t joined_plans::result(std::size_t step) const {
  return static_cast<std::size_t>(std::ranges::find(results_, step) - results_.begin());
}

contraction_problem joined_plans::problem() const {
  contraction_problem all{.sizes = sizes_,
                          .operands = {},
                          .steps = steps_,
                          .results = {},
                          .loops = loops_,
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

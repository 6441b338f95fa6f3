#include "papilio/contract/einsum.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "contract/ordered_contraction.hpp"
#include "contract/planner.hpp"
#include "contract/run_joined.hpp"
#include "contract/shared_steps.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {
namespace contract_detail {
namespace {

// Steps of more multiply-adds than this use all threads each; smaller ones share them.
constexpr double large_step_macs = 1 << 23;

// A copy of an operand for BLAS, for all steps that want the same.
template <class T>
struct shared_copy {
  std::size_t value = 0;
  const step_copy* copy = nullptr;
  std::size_t uses = 0;
  array<T, 1> memory = {};
};

template <class T>
class shared_run {
 public:
  shared_run(const step_numbering& numbering, int threads)
      : steps_(numbering.steps()),
        values_(numbering.values()),
        levels_(numbering.levels()),
        threads_(threads),
        results_(values_.size()) {
    for (const shared_value& v : values_) uses_.push_back(v.uses);
    for (const shared_step& s : steps_) {
      const pair_design* pair = std::get_if<pair_design>(&s.step->work);
      if (pair == nullptr) continue;
      want(s.left, pair->lowering().left);
      want(s.right, pair->lowering().right);
    }
  }

  void run(contraction_sharing& told) {
    for (std::size_t level = 0; level < levels_; ++level) run_level(level, told);
  }

  /// The value, or a copy where others still need it or it is another's intermediate.
  tensor<T> take(std::size_t value, const std::vector<std::size_t>& extents) {
    tensor<T>& there = *results_[value];
    if (uses_[value] == 1 && std::ranges::equal(there.extents(), extents)) return std::move(there);
    tensor<T> result(extents, uninitialized);
    std::copy_n(there.data(), result.size(), result.data());
    release(value);
    return result;
  }

 private:
  void want(std::size_t value, const step_copy& copy) {
    if (copy.size == 0) return;
    if (shared_copy<T>* there = find(value, copy))
      ++there->uses;
    else
      copies_.push_back({.value = value, .copy = &copy, .uses = 1});
  }
  shared_copy<T>* find(std::size_t value, const step_copy& copy) {
    const auto at = std::ranges::find_if(copies_, [&](const shared_copy<T>& c) {
      return c.value == value && c.copy->size == copy.size && c.copy->nest == copy.nest;
    });
    return at == copies_.end() ? nullptr : &*at;
  }

  const T* data(std::size_t value) const {
    const shared_value& v = values_[value];
    return v.operand != nullptr || v.elements == 0 ? static_cast<const T*>(v.operand)
                                                   : results_[value]->data();
  }
  void release(std::size_t value) {
    if (--uses_[value] == 0) results_[value].reset();
  }

  const T* copied(std::size_t value, const step_copy& copy, contraction_sharing& told) {
    if (copy.size == 0) return nullptr;
    shared_copy<T>& there = *find(value, copy);
    if (!there.memory.empty()) {
      ++told.shared_copies;
      return there.memory.data();
    }
    if (there.uses < 2) return nullptr;  // in the step's own scratch
    there.memory = array<T, 1>(copy.size, uninitialized);
    copy_operand(copy, data(value), there.memory.data(), threads_);
    return there.memory.data();
  }
  void release_copy(std::size_t value, const step_copy& copy) {
    if (copy.size == 0) return;
    shared_copy<T>& there = *find(value, copy);
    if (--there.uses == 0) there.memory = {};
  }

  struct ready_step {
    const shared_step* step;
    pair_operands<T> from;
    bool is_large = true;
  };

  const pair_design* pair_of(const ready_step& r) const {
    return std::get_if<pair_design>(&r.step->step->work);
  }

  ready_step made_ready(const shared_step& s, contraction_sharing& told) {
    // A result of the whole in the extents that it is asked for.
    const std::size_t elements = values_[s.result].elements;
    results_[s.result].emplace(s.step->writes_out
                                   ? std::span<const std::size_t>(s.step->result.extents)
                                   : std::span<const std::size_t>(&elements, 1),
                               uninitialized);
    ready_step ready{&s, {.left = data(s.left)}};
    const pair_design* pair = pair_of(ready);
    if (pair == nullptr) return ready;
    const pair_lowering& l = pair->lowering();
    ready.from.right = data(s.right);
    ready.from.copied_left = copied(s.left, l.left, told);
    ready.from.copied_right = copied(s.right, l.right, told);
    ready.is_large = static_cast<double>(pair->batch()) * static_cast<double>(pair->m()) *
                         static_cast<double>(pair->k()) * static_cast<double>(pair->n()) >
                     large_step_macs;
    return ready;
  }

  // Adds the step to the batch of its shape and layout, unless it is more than products of matrices
  // on operands as they lie or as they have been copied.
  bool join_batch(const ready_step& r) {
    const pair_design* pair = pair_of(r);
    if (pair == nullptr || values_[r.step->result].elements == 0) return false;
    const pair_lowering& l = pair->lowering();
    const bool copies = (l.left.size != 0 && r.from.copied_left == nullptr) ||
                        (l.right.size != 0 && r.from.copied_right == nullptr) || l.out.size != 0;
    if (l.is_loops || copies) return false;
    const gemm_operands<T> operands{.left = l.left.size == 0 ? r.from.left : r.from.copied_left,
                                    .right = l.right.size == 0 ? r.from.right : r.from.copied_right,
                                    .out = results_[r.step->result]->data(),
                                    .conjugate_left = pair->conjugates_left(),
                                    .conjugate_right = pair->conjugates_right()};
    const auto is_alike = [&](const gemm_batch<T>& b) {
      const gemm_operands<T>& any = b.items.front();
      return any.conjugate_left == operands.conjugate_left &&
             any.conjugate_right == operands.conjugate_right && *b.nest == l.products;
    };
    auto at = std::ranges::find_if(batches_, is_alike);
    if (at == batches_.end()) at = batches_.insert(at, {.nest = &l.products});
    at->items.push_back(operands);
    return true;
  }

  void run_batches(std::size_t products, contraction_sharing& told) {
    if (products > 1) {
      told.grouped += products;
      told.batches += batches_.size();
    }
    contract_detail::run(std::span<const gemm_batch<T>>(batches_), threads_);
    batches_.clear();
  }

  void run_step(const ready_step& r, int threads) {
    T* const out = results_[r.step->result]->data();
    if (const pair_design* pair = pair_of(r)) {
      array<T, 1> scratch(pair->scratch_size(), uninitialized);
      contract_detail::run(*pair, r.from, out, T(1), T(0), scratch.flat(), threads);
    } else {
      contract_detail::run(std::get<unary_design>(r.step->step->work), r.from.left, out, T(1), T(0),
                           threads);
    }
  }

  void run_level(std::size_t level, contraction_sharing& told) {
    std::vector<ready_step> ready;
    for (const shared_step& s : steps_)
      if (s.level == level) ready.push_back(made_ready(s, told));
    const auto alone = std::stable_partition(ready.begin(), ready.end(),
                                             [this](const ready_step& r) { return join_batch(r); });
    run_batches(static_cast<std::size_t>(alone - ready.begin()), told);
    const auto small =
        std::stable_partition(alone, ready.end(), [](const ready_step& r) { return r.is_large; });
    for (auto r = alone; r != small; ++r) run_step(*r, threads_);
    run_side_by_side(std::span<const ready_step>(small, ready.end()), told);
    for (const ready_step& r : ready) {
      const pair_design* pair = pair_of(r);
      release(r.step->left);
      if (pair == nullptr) continue;
      release(r.step->right);
      release_copy(r.step->left, pair->lowering().left);
      release_copy(r.step->right, pair->lowering().right);
    }
  }

  void run_side_by_side(std::span<const ready_step> steps, contraction_sharing& told) {
    if (steps.size() == 1) return run_step(steps.front(), threads_);
    if (steps.size() > 1)
      told.grouped += static_cast<std::size_t>(std::ranges::count_if(
          steps, [this](const ready_step& r) { return !pair_of(r)->lowering().is_loops; }));
    parallel_for(steps.size(), threads_, [&](std::size_t i) { run_step(steps[i], 1); });
  }

  const std::vector<shared_step>& steps_;
  const std::vector<shared_value>& values_;
  std::size_t levels_;
  int threads_;
  std::vector<std::size_t> uses_;
  std::vector<std::optional<tensor<T>>> results_;  // by value; none of operands
  std::vector<shared_copy<T>> copies_;
  std::vector<gemm_batch<T>> batches_;  // of the level that is being run
};

// Checks the policy where there is nothing to contract, for which one number stands in.
template <class T>
void require_execution(const execution& on) {
  place("contract_many",
        contraction_problem{.sizes = {1},
                            .operands = {{1}},
                            .steps = {{{{0, {0}}}, {0}}},
                            .results = {1},
                            .is_complex = !std::is_floating_point_v<T>,
                            .type = sizeof(typename real_of<T>::type) == sizeof(float)
                                        ? real_type::single_precision
                                        : real_type::double_precision},
        on, host_roofline());
}

template <class T>
std::shared_ptr<const lowered_plan> plan_of(const host_contraction<T>& c, std::size_t index,
                                            const einsum_options& options) {
  return of_contraction(index, [&] {
    einsum_labels held;
    return planned<T>("einsum", c.planned_subscripts(held),
                      std::span<const tensor_view<const T>>(c.operands), nullptr, options);
  });
}

}  // namespace

template <class T>
std::vector<tensor<T>> contract_ordered(std::span<const host_contraction<T>> contractions,
                                        const contract_many_options& options,
                                        contraction_sharing* sharing) {
  constexpr std::size_t alone = static_cast<std::size_t>(-1);
  std::vector<std::shared_ptr<const lowered_plan>> plans;
  std::vector<std::size_t> values;
  step_numbering numbering;
  contraction_sharing shared;
  einsum_options each{.path = options.path, .on = options.on};
  const bool is_plain = options.on.precision == precision_options{};
  if (options.on.where != policy::host) each.on.backend.clear();
  each.on.where = policy::host;
  for (const host_contraction<T>& c : contractions) {
    each.conjugate = c.conjugate;
    each.pairs = c.planned_pairs();
    plans.push_back(plan_of(c, plans.size(), each));
    shared.steps += plans.back()->steps().size();
  }
  if (plans.empty() && options.on.where != policy::host) require_execution<T>(options.on);
  if (options.on.where != policy::host && !plans.empty()) {
    std::vector<tensor<T>> results = run_joined<T>(contractions, plans, options.on, shared);
    if (sharing != nullptr && !results.empty()) *sharing = shared;
    if (!results.empty()) return results;
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const host_contraction<T>& c = contractions[i];
    const lowered_plan& plan = *plans[i];
    std::vector<const void*> data;
    for (const tensor_view<const T>& o : c.operands) data.push_back(o.data());
    const bool is_shared = is_plain && plan.loops().empty();
    if (!is_shared) shared.distinct += plan.steps().size();
    values.push_back(is_shared ? numbering.add(plan, data) : alone);
  }
  shared.distinct += numbering.steps().size();
  shared_run<T> run(numbering, options.on.threads);
  run.run(shared);
  std::vector<tensor<T>> results;
  results.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const host_contraction<T>& c = contractions[i];
    each.conjugate = c.conjugate;
    each.pairs = c.planned_pairs();
    einsum_labels held;
    const einsum_subscripts subscripts = c.planned_subscripts(held);
    if (values[i] != alone)
      results.push_back(run.take(values[i], plans[i]->out_extents()));
    else if (const auto* text = std::get_if<std::string_view>(&subscripts))
      results.push_back(contract_detail::einsum<T>(*text, c.operands, each));
    else
      results.push_back(contract_detail::einsum<T>(held, c.operands, each));
  }
  if (sharing != nullptr) *sharing = shared;
  return results;
}

}  // namespace contract_detail

template <class T>
std::vector<tensor<T>> contract_many(std::span<const contraction<T>> contractions,
                                     const contract_many_options& options,
                                     contraction_sharing* sharing) {
  const auto all = contract_detail::searched(contractions);
  return contract_detail::contract_ordered<T>(
      std::span<const contract_detail::host_contraction<T>>(all), options, sharing);
}

#define PAPILIO_MANY(T)                                                                     \
  template std::vector<tensor<T>> contract_many(                                            \
      std::span<const contraction<T>>, const contract_many_options&, contraction_sharing*); \
  template std::vector<tensor<T>> contract_detail::contract_ordered(                        \
      std::span<const contract_detail::host_contraction<T>>, const contract_many_options&,  \
      contraction_sharing*);
PAPILIO_MANY(float)
PAPILIO_MANY(double)
PAPILIO_MANY(std::complex<float>)
PAPILIO_MANY(std::complex<double>)

}  // namespace papilio

// Designs a contraction as a program of steps: the order in which the labels of intermediates lie,
// which operands are permuted or summed first, the design of each step, and which results stay in
// SBUF. contraction.cpp has the identity and the layout.
#include "kernels/contraction/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/labels.hpp"
#include "kernels/choice.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using base_detail::has;
using base_detail::sliced_around;
using term = contraction_problem::term;

class program_maker {
 public:
  program_maker(const contraction_problem& problem,
                const kernels::contraction_kernel_options& options, const machine_spec& machine)
      : problem_(problem),
        options_(options),
        machine_(machine),
        sizes_(problem.sizes.begin(), problem.sizes.end()) {}

  contraction_program make() {
    contraction_program& p = program_;
    p.planes = problem_.is_complex ? 2 : 1;
    p.operands = problem_.operands.size();
    for (const std::int64_t count : operand_counts(problem_)) p.values.push_back({.count = count});
    for (std::size_t v = 0; v < p.values.size(); ++v) known_.push_back(v);
    // The best order of an intermediate depends on those before and behind it: two sweeps, one from
    // either end.
    for (std::size_t i = problem_.steps.size(); i-- > 0;) reorder(i);
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) reorder(i);
    for (of_ = 0; of_ < problem_.steps.size(); ++of_) {
      starts_.push_back(p.steps.size());
      add_step(named(of_));
    }
    starts_.push_back(p.steps.size());
    for (const contraction_problem::loop& l : problem_.loops) add_loop(l);
    for (std::size_t r = 0; r < problem_.results.size(); ++r)
      p.values[known_[problem_.results[r]]].result = r;
    for (std::size_t i = 0; i + 1 < p.steps.size(); ++i) chain(i);
    add_floor();
    return std::move(program_);
  }

 private:
  // Step i of the problem, with labels in the orders that this program has chosen so far.
  contraction_problem::step named(std::size_t i) const {
    contraction_problem::step s = problem_.steps[i];
    const auto arrange = [&](std::size_t value, std::vector<int>& labels) {
      const auto order = orders_.find(value);
      if (order == orders_.end()) return;
      const std::vector<int> given = labels;
      for (std::size_t a = 0; a < labels.size(); ++a) labels[a] = given[order->second[a]];
    };
    for (term& t : s.of) arrange(t.value, t.labels);
    arrange(problem_.operands.size() + i, s.labels);
    return s;
  }

  bool is_result(std::size_t value) const {
    return std::ranges::find(problem_.results, value) != problem_.results.end();
  }

  std::size_t reader_of(std::size_t value) const {
    for (std::size_t j = 0; j < problem_.steps.size(); ++j)
      for (const term& t : problem_.steps[j].of)
        if (t.value == value) return j;
    return problem_.steps.size();
  }

  double seconds_of(std::size_t i) const {
    const contraction_problem::step s = named(i);
    const term* const right = s.of.size() == 2 ? &s.of[1] : nullptr;
    return choose(loops(i, s.of[0], right, s.labels), machine_).seconds;
  }

  // Chooses the order of a result's labels with which the step that makes it and the first step
  // that reads it take the least time. Only intermediates are free to change.
  void reorder(std::size_t i) {
    const std::size_t value = problem_.operands.size() + i, reader = reader_of(value);
    const contraction_problem::step now = named(i);
    if (is_result(value) || reader == problem_.steps.size() || now.of.size() != 2) return;
    const std::vector<int>& given = problem_.steps[i].labels;
    std::vector<std::vector<int>> all = candidate_orders(now, value, reader);
    all.insert(all.begin(), now.labels);
    const auto price_of = [&](const std::vector<int>& labels) -> std::optional<price> {
      orders_[value] = order_of(given, labels);
      return price{seconds_of(i) + seconds_of(reader)};
    };
    orders_[value] = order_of(given, cheapest(all, price_of).best);
  }

  static std::vector<std::size_t> order_of(const std::vector<int>& given,
                                           const std::vector<int>& labels) {
    std::vector<std::size_t> order;
    for (const int label : labels)
      order.push_back(std::size_t(std::ranges::find(given, label) - given.begin()));
    return order;
  }

  // Orders to try for a result's labels: as either operand has them, with the other operand's free
  // labels in the place of the summed ones; and as the result of the step that reads it has them,
  // with the labels that step sums last or first.
  std::vector<std::vector<int>> candidate_orders(const contraction_problem::step& s,
                                                 std::size_t value, std::size_t reader) const {
    std::vector<std::vector<int>> all;
    for (const std::size_t first : {0, 1}) {
      const term &base = s.of[first], &other = s.of[1 - first];
      std::vector<int> labels;
      const auto add = [&](int label) {
        if (has(s.labels, label) && !has(labels, label)) labels.push_back(label);
      };
      for (const int label : base.labels) {
        add(label);
        if (has(s.labels, label)) continue;
        for (const int more : other.labels)
          if (!has(base.labels, more)) add(more);
      }
      for (const int label : other.labels) add(label);
      all.push_back(labels);
    }
    const contraction_problem::step next = named(reader);
    const std::vector<int>& theirs = next.of[next.of[0].value == value ? 0 : 1].labels;
    const std::vector<int>& given = s.labels;
    std::vector<int> kept, summed;
    for (const int label : next.labels)
      if (has(theirs, label))
        kept.push_back(given[std::size_t(std::ranges::find(theirs, label) - theirs.begin())]);
    for (std::size_t a = 0; a < given.size(); ++a)
      if (!has(kept, given[a])) summed.push_back(given[a]);
    std::vector<int> last = kept, first = summed;
    last.insert(last.end(), summed.begin(), summed.end());
    first.insert(first.end(), kept.begin(), kept.end());
    all.push_back(std::move(last));
    all.push_back(std::move(first));
    return all;
  }

  void add_step(const contraction_problem::step& s) {
    term left = s.of[0];
    left.value = known_[left.value];
    if (s.of.size() == 1) {
      known_.push_back(add(left, nullptr, s.labels));
      return;
    }
    term right = s.of[1];
    right.value = known_[right.value];
    term first = summed(left, right, s.labels), second = summed(right, left, s.labels);
    arrange(first, second, s.labels);
    known_.push_back(add(first, &second, s.labels));
  }

  void add_loop(const contraction_problem::loop& l) {
    program_loop loop{
        .first = starts_[l.first], .last = starts_[l.last + 1] - 1, .sizes = {}, .adds = false};
    double slices = 1;
    for (const int label : l.labels) {
      loop.sizes.push_back(sizes_[std::size_t(label)]);
      slices *= double(loop.sizes.back());
      loop.adds = loop.adds || !has(problem_.steps[l.last].labels, label);
    }
    for (std::size_t i = loop.first; i <= loop.last; ++i) program_.steps[i].slices = slices;
    program_.loops.push_back(std::move(loop));
  }

  labelled_tensor tensor_of(const term& t) const {
    return {t.labels, problem_.is_complex && t.conjugate};
  }

  // The loops of step `of` of the problem, or of a sum or permutation that comes before it.
  contraction_step loops(std::size_t of, const labelled_tensor& left, const labelled_tensor* right,
                         const std::vector<int>& labels, bool joins = true) const {
    contraction_step step = step_of(left, right, labels, sizes_, sliced_around(problem_.loops, of),
                                    problem_.is_complex, joins);
    step.type = options_.type;
    step.parts = options_.parts;
    return step;
  }

  contraction_step loops(std::size_t of, const term& left, const term* right,
                         const std::vector<int>& labels) const {
    const labelled_tensor second = right == nullptr ? labelled_tensor{} : tensor_of(*right);
    return loops(of, tensor_of(left), right == nullptr ? nullptr : &second, labels);
  }

  // Permutes one operand of a step, or both, where that is faster. It is tried only where operands
  // lie in another order than the result and the step takes far longer than DMA of its bytes.
  void arrange(term& left, term& right, const std::vector<int>& out) {
    const engine::threshold_spec& limit = machine_.thresholds;
    const contraction_step direct = loops(of_, left, &right, out);
    const double seconds = choose(direct, machine_).seconds,
                 least = direct.bytes() / machine_.hbm_dma_bytes_per_ns() * 1e-9;
    if (seconds < limit.permuted_slowdown_min * least ||
        direct.terms() < double(limit.permuted_terms_min) ||
        !sliced_around(problem_.loops, of_).empty())
      return;
    const auto in_order = [&](const term& t, const term& other) {
      term sorted{.value = t.value, .labels = {}};
      for (const auto* labels : {&other.labels, &t.labels})
        for (const int label : *labels)
          if (has(t.labels, label) && !has(out, label) && !has(sorted.labels, label))
            sorted.labels.push_back(label);
      for (const int label : out)
        if (has(t.labels, label)) sorted.labels.push_back(label);
      return sorted;
    };
    const auto permuted = [&](const term& from, const term& to) -> std::optional<step_choice> {
      if (from.labels == to.labels) return {};
      return choose(loops(of_, from, nullptr, to.labels), machine_);
    };
    double best = seconds;
    using operands = std::pair<term, term>;
    const auto price_of = [&](const operands& of) -> std::optional<price> {
      const auto first = permuted(left, of.first), second = permuted(right, of.second);
      if (!first && !second) return price{seconds};
      if ((first ? first->seconds : 0) + (second ? second->seconds : 0) >= best) return {};
      const double all =
          seconds_together({first ? &*first : nullptr, second ? &*second : nullptr},
                           choose(loops(of_, of.first, &of.second, out), machine_), machine_);
      best = std::min(best, all);
      return price{all};
    };
    const term first = in_order(left, right), second = in_order(right, left);
    const std::vector<operands> all{{left, right}, {first, right}, {left, second}, {first, second}};
    const operands chosen = cheapest(all, price_of).best;
    const auto take = [&](term& t, const term& to) {
      if (to.labels != t.labels) t = {.value = add(t, nullptr, to.labels), .labels = to.labels};
    };
    take(left, chosen.first);
    take(right, chosen.second);
  }

  // Adds a step that sums the labels which neither the other operand nor the result has; returns
  // its result, or the operand itself where there are none.
  term summed(const term& t, const term& other, const std::vector<int>& out) {
    std::vector<int> kept;
    bool sums = false;
    for (const int label : t.labels) {
      const bool is_fixed = has(sliced_around(problem_.loops, of_), label);
      if (!is_fixed && (has(out, label) || has(other.labels, label))) {
        if (!has(kept, label)) kept.push_back(label);
      } else {
        sums = sums || (!is_fixed && sizes_[std::size_t(label)] > 1);
      }
    }
    if (!sums) return t;
    return {.value = add(t, nullptr, kept), .labels = kept};
  }

  std::size_t add(const term& left, const term* right, const std::vector<int>& labels) {
    contraction_program& p = program_;
    program_step step{.of = of_,
                      .left = left.value,
                      .right = right == nullptr ? no_value : right->value,
                      .out = p.values.size(),
                      .loops = {},
                      .operands = {},
                      .labels = labels,
                      .slice_strides = {},
                      .slices = 1};
    const labelled_tensor first = tensor_of(left),
                          second = right == nullptr ? labelled_tensor{} : tensor_of(*right);
    step.loops = loops(of_, left, right, labels);
    choices_.push_back(choose(step.loops, machine_));
    step.parts = choices_.back().parts;
    step.operands = {first, second};
    for (const int label : sliced_around(problem_.loops, of_))
      step.slice_strides.push_back({stride_of(first.labels, sizes_, label),
                                    stride_of(second.labels, sizes_, label),
                                    stride_of(labels, sizes_, label)});
    p.values[left.value].last_read = p.steps.size();
    if (right != nullptr) p.values[right->value].last_read = p.steps.size();
    p.values.push_back({.count = step.loops.plane[std::size_t(operand_role::out)]});
    p.steps.push_back(std::move(step));
    return p.values.size() - 1;
  }

  contraction_step unjoined(const program_step& s) const {
    return loops(s.of, s.operands[0], &s.operands[1], s.labels, false);
  }

  // Keeps the result of step i in SBUF where only the next step reads it and that is faster.
  void chain(std::size_t i) {
    contraction_program& p = program_;
    program_step &first = p.steps[i], &next = p.steps[i + 1];
    const auto reads = [&](const program_step& s) {
      return s.left == first.out || s.right == first.out;
    };
    const auto readers = std::ranges::count_if(p.steps, reads);
    const bool is_pair = first.right != no_value && next.right != no_value,
               is_together = &sliced_around(problem_.loops, first.of) ==
                             &sliced_around(problem_.loops, next.of),
               is_once = (next.left == first.out) != (next.right == first.out);
    const double room =
        double(machine_.sbuf.partitions) * double(machine_.sbuf.bytes_per_partition);
    const double bytes = 4.0 * p.planes * double(p.values[first.out].count);
    if (!is_pair || !is_together || !is_once || readers != 1 || !reads(next) || bytes > room ||
        p.values[first.out].result != no_value)
      return;
    const auto pair =
        chained({.first = unjoined(first),
                 .second = unjoined(next),
                 .reads = next.left == first.out ? operand_role::left : operand_role::right,
                 .before = first.parts.front().given() != nullptr ? &first.parts.front() : nullptr,
                 .apart = &choices_[i],
                 .next = &choices_[i + 1]},
                machine_);
    if (!pair) return;
    // `before` made the new first step still read from SBUF what it read there before.
    first.parts = {pair->first};
    next.parts = {pair->second};
  }

  // The floor of any program: each operand is read and each result written once, and products run
  // on a full array.
  void add_floor() {
    contraction_program& p = program_;
    std::vector<double> read(p.values.size(), 0);  // elements; a diagonal reads itself alone
    for (const contraction_problem::step& s : problem_.steps)
      for (const term& t : s.of) {
        std::vector<int> labels = t.labels;
        std::ranges::sort(labels);
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        double count = 1;
        for (const int label : labels) count *= double(sizes_[std::size_t(label)]);
        if (t.value < p.operands) read[t.value] = std::max(read[t.value], count);
      }
    for (std::size_t v = 0; v < p.values.size(); ++v)
      p.floor_bytes +=
          4.0 * p.planes * (p.values[v].result != no_value ? double(p.values[v].count) : read[v]);
    for (const program_step& s : p.steps)
      if (!s.loops.axes_of(true, true, false).empty())
        p.floor_cycles += machine_.tensor.least_cycles(
            s.slices * p.planes * p.planes * s.loops.terms(),
            options_.type == dtype::fp32 ? double(machine_.tensor.fp32_passes)
                                         : double(s.loops.part_products()));
  }

  const contraction_problem& problem_;
  kernels::contraction_kernel_options options_;
  const machine_spec& machine_;
  std::vector<std::int64_t> sizes_;  // by label
  contraction_program program_;
  std::vector<step_choice> choices_;  // by step of the program
  std::vector<std::size_t> known_;    // value of the program by value of the problem
  // By value of the problem, where its order changed: for each new axis, the axis that it was.
  std::map<std::size_t, std::vector<std::size_t>> orders_;
  std::size_t of_ = 0;
  std::vector<std::size_t> starts_;  // by step of the problem: its first of the program
};

}  // namespace

contraction_program program_of(const contraction_problem& problem,
                               const kernels::contraction_kernel_options& options,
                               const machine_spec& machine) {
  return program_maker(problem, options, machine).make();
}

}  // namespace papilio::kernels_detail

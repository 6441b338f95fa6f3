#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <span>

#include "base/labels.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::has;
using base_detail::message;

double step_flops(const contraction_problem& p, std::size_t i) {
  const contraction_problem::step& s = p.steps[i];
  std::vector<int> labels;
  for (const contraction_problem::term& t : s.of)
    labels.insert(labels.end(), t.labels.begin(), t.labels.end());
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  double terms = 1;
  bool sums = false;
  for (const int label : labels) {
    const auto size = static_cast<double>(p.sizes[static_cast<std::size_t>(label)]);
    terms *= size;
    sums = sums || (size > 1 && std::ranges::find(s.labels, label) == s.labels.end());
  }
  for (const contraction_problem::loop& l : p.loops)
    for (const int label : l.labels)
      if (l.first <= i && i <= l.last && !std::ranges::binary_search(labels, label))
        terms *= static_cast<double>(p.sizes[static_cast<std::size_t>(label)]);
  if (s.of.size() == 1) return sums ? terms * (p.is_complex ? 2 : 1) : 0;
  return terms * (p.is_complex ? (sums ? 8 : 6) : (sums ? 2 : 1));
}

class checker {
 public:
  checker(const char* function, const contraction_problem& problem)
      : function_(function), p_(problem) {}

  void check() const {
    if (p_.operands.empty() || p_.steps.empty() || p_.results.empty())
      refuse("there must be operands, steps and results, got ", p_.operands.size(), ", ",
             p_.steps.size(), " and ", p_.results.size());
    std::vector<std::size_t> counts;  // elements of each value
    for (const std::vector<std::size_t>& extents : p_.operands)
      counts.push_back(checked_count(extents, function_));
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      check_step(i, counts);
      counts.push_back(count_of(p_.steps[i].labels));
    }
    for (const std::size_t v : p_.results) {
      if (v < p_.operands.size() || v >= counts.size())
        refuse("results must be in [", p_.operands.size(), ", ", counts.size(), "), got ", v);
      if (std::ranges::count(p_.results, v) > 1) refuse("result ", v, " is given twice");
    }
    for (std::size_t i = 0; i < p_.loops.size(); ++i) {
      check_loop(p_.loops[i]);
      if (i > 0 && p_.loops[i].first <= p_.loops[i - 1].last)
        refuse("loop ", i, " must begin after step ", p_.loops[i - 1].last, ", got ",
               p_.loops[i].first);
    }
  }

 private:
  using labels = std::vector<int>;

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw invalid_argument(message(function_, ": ", parts...));
  }

  std::size_t count_of(const labels& of) const {
    std::vector<std::size_t> extents;
    for (const int label : of) extents.push_back(p_.sizes[std::size_t(label)]);
    return checked_count(extents, function_);
  }

  void check_labels(const std::string& what, const labels& of) const {
    for (const int label : of)
      if (label < 0 || std::size_t(label) >= p_.sizes.size())
        refuse(what, ": labels must be in [0, ", p_.sizes.size(), "), got ", label);
  }

  void check_step(std::size_t i, const std::vector<std::size_t>& counts) const {
    const contraction_problem::step& s = p_.steps[i];
    const std::string what = message("step ", i);
    if (s.of.empty() || s.of.size() > 2) refuse(what, " must have 1 or 2 terms, got ", s.of.size());
    for (const contraction_problem::term& t : s.of) {
      if (t.value >= counts.size())
        refuse(what, ": values must be below ", counts.size(), ", got ", t.value);
      check_labels(what, t.labels);
      if (const std::size_t count = count_of(t.labels); count != counts[t.value])
        refuse(what, ": value ", t.value, " has ", counts[t.value], " elements, its labels ",
               count);
    }
    check_labels(what, s.labels);
    for (const int label : s.labels) {
      if (std::ranges::count(s.labels, label) > 1) refuse(what, " has label ", label, " twice");
      if (has(base_detail::sliced_around(p_.loops, i), label))
        continue;  // check_loop looks for its operand
      if (std::ranges::none_of(s.of, [&](const auto& t) { return has(t.labels, label); }))
        refuse(what, ": label ", label, " is of none of its operands");
    }
  }

  // Checks that a loop has one result, that of its last step, and that no step behind the loop
  // reads another value of it: that would be one of the last slice alone.
  void check_loop(const contraction_problem::loop& loop) const {
    if (loop.first > loop.last || loop.last >= p_.steps.size())
      refuse("loops must be of steps in [0, ", p_.steps.size(), "), got ", loop.first, " to ",
             loop.last);
    const std::size_t made = p_.operands.size() + loop.first,
                      result = p_.operands.size() + loop.last;
    const auto is_within = [&](std::size_t value) { return value >= made && value < result; };
    if (std::ranges::find(p_.results, result) == p_.results.end() ||
        std::ranges::any_of(p_.results, is_within))
      refuse("steps ", loop.first, " to ", loop.last,
             ": in slices there must be one result, that of the last step");
    for (std::size_t i = loop.last + 1; i < p_.steps.size(); ++i)
      for (const contraction_problem::term& t : p_.steps[i].of)
        if (is_within(t.value))
          refuse("step ", i, ": value ", t.value, " is of one slice of the loop before");
    check_sliced_labels(loop);
  }

  // Checks that each sliced label is some operand's, and that no intermediate has one: an
  // intermediate belongs to one slice.
  void check_sliced_labels(const contraction_problem::loop& loop) const {
    const auto steps = std::span(p_.steps).subspan(loop.first, loop.last - loop.first + 1);
    check_labels("sliced", loop.labels);
    for (const int label : loop.labels) {
      const bool is_there = std::ranges::any_of(steps, [&](const auto& s) {
        return std::ranges::any_of(s.of, [&](const auto& t) { return has(t.labels, label); });
      });
      if (!is_there || std::ranges::count(loop.labels, label) > 1)
        refuse("sliced labels must be of some operand, each once, got ", label);
    }
    for (std::size_t i = loop.first; i <= loop.last; ++i) {
      if (i < loop.last) check_intermediate(i, loop, p_.steps[i].labels);
      for (const contraction_problem::term& t : p_.steps[i].of)
        if (t.value >= p_.operands.size()) check_intermediate(i, loop, t.labels);
    }
  }

  void check_intermediate(std::size_t i, const contraction_problem::loop& loop,
                          const labels& of) const {
    for (const int label : loop.labels)
      if (has(of, label))
        refuse("step ", i, ": label ", label, " is sliced, no intermediate may have it");
  }

  const char* function_;
  const contraction_problem& p_;
};

}  // namespace

void contraction_problem::require_valid(const char* function) const {
  checker(function, *this).check();
}

std::string contraction_problem::text() const {
  return message("contraction of ", operands.size(),
                 operands.size() == 1 ? " tensor in " : " tensors in ", steps.size(),
                 steps.size() == 1 ? " step, " : " steps, ", is_complex ? "complex " : "",
                 to_string(type));
}

operand_shapes contraction_problem::shapes() const {
  operand_shapes all;
  for (const std::vector<std::size_t>& extents : operands) all.in.push_back({extents, is_complex});
  for (const std::size_t r : results) {
    operand_shape result{{}, is_complex};
    for (const int label : steps.at(r - operands.size()).labels)
      result.extents.push_back(sizes.at(static_cast<std::size_t>(label)));
    all.out.push_back(std::move(result));
  }
  return all;
}

double contraction_problem::nominal_flops() const {
  double all = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) all += step_flops(*this, i);
  return all;
}

}  // namespace papilio

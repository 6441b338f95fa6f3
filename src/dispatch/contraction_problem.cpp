#include "papilio/dispatch/operation.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

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

}  // namespace

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

#include "decompose/projection.hpp"

#include <numeric>

namespace papilio::decompose_detail {

contraction_problem projection_problem(std::span<const std::size_t> extents,
                                       std::span<const axis_product> products,
                                       const axis_range& rows) {
  contraction_problem p;
  p.sizes.assign(extents.begin(), extents.end());
  p.operands = {p.sizes};
  const std::size_t operands = 1 + products.size();
  std::size_t value = 0;
  std::vector<int> labels(extents.size());
  std::iota(labels.begin(), labels.end(), 0);
  const auto new_label = [&](std::size_t size) {
    p.sizes.push_back(size);
    return static_cast<int>(p.sizes.size() - 1);
  };
  for (const axis_product& product : products) {
    const int before = labels[product.axis], after = new_label(product.rank);
    p.operands.push_back({p.sizes[static_cast<std::size_t>(before)], product.rank});
    std::vector<int> result = labels;
    result[product.axis] = after;
    p.steps.push_back(
        {.of = {{value, labels}, {p.operands.size() - 1, {before, after}}}, .labels = result});
    value = operands + p.steps.size() - 1;
    labels = std::move(result);
  }
  if (!products.empty()) p.results.push_back(value);
  if (rows.is_empty()) return p;
  std::vector<int> other = labels, gram;
  for (std::size_t axis = rows.first; axis < rows.last; ++axis) {
    gram.push_back(labels[axis]);
    other[axis] = new_label(p.sizes[static_cast<std::size_t>(labels[axis])]);
  }
  gram.insert(gram.end(), other.begin() + static_cast<std::ptrdiff_t>(rows.first),
              other.begin() + static_cast<std::ptrdiff_t>(rows.last));
  p.steps.push_back({.of = {{value, labels}, {value, other}}, .labels = gram});
  p.results.push_back(operands + p.steps.size() - 1);
  return p;
}

std::vector<std::size_t> projected_extents(std::span<const std::size_t> extents,
                                           std::span<const axis_product> products) {
  std::vector<std::size_t> result(extents.begin(), extents.end());
  for (const axis_product& product : products) result[product.axis] = product.rank;
  return result;
}

}  // namespace papilio::decompose_detail

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "contract/pair_design.hpp"

namespace papilio::contract_detail {
namespace {

struct output_label {
  int label = 0;
  std::size_t extent = 1;
  std::ptrdiff_t left = 0, right = 0;  // 0 too where the operand has it not
};

output_label find(const layout& left, const layout& right, int label) {
  output_label result{.label = label};
  for (std::size_t i = 0; i < left.labels.size(); ++i)
    if (left.labels[i] == label) {
      result.extent = left.extents[i];
      result.left += left.strides[i];
    }
  for (std::size_t i = 0; i < right.labels.size(); ++i)
    if (right.labels[i] == label) {
      result.extent = right.extents[i];
      result.right += right.strides[i];
    }
  return result;
}

double size_of(const std::vector<output_label>& labels) {
  return std::accumulate(labels.begin(), labels.end(), 1.0, [](double size, const auto& l) {
    return size * static_cast<double>(l.extent);
  });
}

void put_in_order(std::vector<output_label>& labels, std::ptrdiff_t output_label::*by) {
  std::ranges::stable_sort(labels, [&](const output_label& x, const output_label& y) {
    return std::abs(x.*by) > std::abs(y.*by);
  });
}

}  // namespace

std::vector<int> natural_output_order(const layout& left, const layout& right,
                                      std::span<const int> output) {
  std::vector<output_label> batch, m, n;
  for (int label : output) {
    const output_label l = find(left, right, label);
    (l.left != 0 && l.right != 0 ? batch : l.left != 0 ? m : n).push_back(l);
  }
  put_in_order(batch, &output_label::left);
  put_in_order(m, &output_label::left);
  put_in_order(n, &output_label::right);
  const auto joined = [&](const std::vector<output_label>& x, const std::vector<output_label>& y) {
    std::vector<int> result;
    for (const auto* group : {static_cast<const std::vector<output_label>*>(&batch), &x, &y})
      for (const output_label& l : *group) result.push_back(l.label);
    return result;
  };
  // Either order suits BLAS: the one that was asked for, else long rows.
  const std::vector<int> by_m = joined(m, n), by_n = joined(n, m);
  if (std::ranges::equal(by_m, output)) return by_m;
  if (std::ranges::equal(by_n, output)) return by_n;
  return size_of(m) > size_of(n) ? by_n : by_m;
}

}  // namespace papilio::contract_detail

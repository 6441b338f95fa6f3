#include "kernels/product/step.hpp"

#include <algorithm>
#include <utility>

namespace papilio::kernels_detail {

namespace {

// Adds a tensor's labels to the axes, with row-major strides; a label that repeats is a diagonal,
// and its strides are added up.
void add_tensor(std::vector<step_axis>& axes, std::vector<int>& labels,
                const std::vector<int>& tensor, std::span<const std::int64_t> sizes,
                operand_role s) {
  std::int64_t stride = 1;
  for (std::size_t i = tensor.size(); i-- > 0;) {
    const auto known = std::ranges::find(labels, tensor[i]);
    const auto at = std::size_t(known - labels.begin());
    const std::int64_t extent = sizes[std::size_t(tensor[i])];
    if (known == labels.end()) {
      labels.push_back(tensor[i]);
      axes.push_back({.extent = extent});
    }
    axes[at].strides[std::size_t(s)] += stride;
    axes[at].has[std::size_t(s)] = true;
    stride *= extent;
  }
}

bool are_one(const step_axis& outer, const step_axis& inner) {
  if (outer.has != inner.has) return false;
  for (std::size_t s = 0; s < outer.has.size(); ++s)
    if (outer.has[s] && outer.strides[s] != inner.extent * inner.strides[s]) return false;
  return true;
}

bool join_two(std::vector<step_axis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < axes.size(); ++j)
      if (i != j && are_one(axes[i], axes[j])) {
        axes[i].extent *= axes[j].extent;
        axes[i].strides = axes[j].strides;
        axes.erase(axes.begin() + std::ptrdiff_t(j));
        return true;
      }
  return false;
}

std::int64_t product(const std::vector<int>& labels, std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  for (const int label : labels) count *= sizes[std::size_t(label)];
  return count;
}

}  // namespace

std::int64_t stride_of(const std::vector<int>& labels, std::span<const std::int64_t> sizes,
                       int label) {
  std::int64_t stride = 1, sum = 0;
  for (std::size_t i = labels.size(); i-- > 0;) {
    if (labels[i] == label) sum += stride;
    stride *= sizes[std::size_t(labels[i])];
  }
  return sum;
}

contraction_step step_of(const labelled_tensor& left, const labelled_tensor* right,
                         const std::vector<int>& out, std::span<const std::int64_t> sizes,
                         const std::vector<int>& fixed, bool is_complex, bool joins) {
  contraction_step step{
      .axes = {},
      .labels = {},
      .is_pair = right != nullptr,
      .planes = is_complex ? 2 : 1,
      .type = engine::dtype::fp32,
      .plane = {product(left.labels, sizes), right == nullptr ? 0 : product(right->labels, sizes),
                product(out, sizes)},
      .conjugate = {left.conjugate, right != nullptr && right->conjugate}};
  std::vector<int> labels;
  add_tensor(step.axes, labels, out, sizes, operand_role::out);
  add_tensor(step.axes, labels, left.labels, sizes, operand_role::left);
  if (right != nullptr) add_tensor(step.axes, labels, right->labels, sizes, operand_role::right);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (std::ranges::find(fixed, labels[i]) != fixed.end()) step.axes[i].extent = 1;
  for (std::size_t i = labels.size(); i-- > 0;)
    if (step.axes[i].extent == 1) {
      step.axes.erase(step.axes.begin() + std::ptrdiff_t(i));
      labels.erase(labels.begin() + std::ptrdiff_t(i));
    }
  if (!joins) {
    step.labels = std::move(labels);
    return step;
  }
  while (join_two(step.axes)) {
  }
  return step;
}

std::int64_t contraction_step::count_of(const std::vector<int>& some) const {
  std::int64_t count = 1;
  for (const int a : some) count *= extent(a);
  return count;
}

double contraction_step::terms() const {
  double count = 1;
  for (const step_axis& a : axes) count *= double(a.extent);
  return count;
}

std::vector<int> contraction_step::axes_of(bool left, bool right, bool out) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].has == std::array{left, right, out}) found.push_back(int(i));
  return found;
}

std::vector<int> contraction_step::axes_in(operand_role of) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].is_in(of)) found.push_back(int(i));
  return found;
}

double contraction_step::bytes() const {
  double elements = 0;
  for (const std::int64_t p : plane) elements += double(p);
  return 4 * double(planes) * elements;
}

bool axis_partitions::has(int axis) const {
  return axis == cut || std::ranges::find(whole, axis) != whole.end();
}

view_levels axis_partitions::levels(const contraction_step& step, operand_role in,
                                    std::int64_t count) const {
  view_levels all;
  if (cut >= 0) all.push_back({count, {step.stride(cut, in)}});
  for (const int a : whole) all.push_back({step.extent(a), {step.stride(a, in)}});
  return all;
}

axis_partitions partitions_of(const contraction_step& step, const std::vector<int>& axes,
                              std::int64_t most) {
  constexpr std::size_t axes_max = 3;  // with the cut one, a pattern's four levels
  axis_partitions group;
  for (const int a : axes) {
    const std::int64_t extent = step.extent(a);
    if (group.whole.size() == axes_max) break;
    if (group.inner * extent <= most) {
      group.whole.insert(group.whole.begin(), a);
      group.inner *= extent;
      continue;
    }
    const std::int64_t room = most / group.inner;
    if (room < 2) continue;
    group.cut = a;
    group.chunk = ceil_div(extent, ceil_div(extent, room));
    break;
  }
  return group;
}

}  // namespace papilio::kernels_detail

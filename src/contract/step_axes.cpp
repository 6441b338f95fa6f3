#include "contract/step_axes.hpp"

#include <algorithm>

#include "papilio/base/error.hpp"

namespace papilio::contract_detail {
namespace {

struct labelled_axis {
  int label = 0;
  step_axis axis = {};
  bool in_left = false, in_right = false, in_out = false;
};

class axis_list {
 public:
  void add(const layout& of, std::ptrdiff_t step_axis::*stride, bool labelled_axis::*has) {
    for (std::size_t i = 0; i < of.labels.size(); ++i) {
      labelled_axis& here = find(of.labels[i]);
      here.axis.extent = of.extents[i];
      here.axis.*stride += of.strides[i];  // a label that repeats walks along the diagonal
      here.*has = true;
    }
  }
  const std::vector<labelled_axis>& axes() const { return axes_; }

 private:
  labelled_axis& find(int label) {
    const auto at = std::ranges::find(axes_, label, &labelled_axis::label);
    if (at != axes_.end()) return *at;
    axes_.push_back({.label = label});
    return axes_.back();
  }

  std::vector<labelled_axis> axes_;
};

step_axes& group_of(step_groups& groups, const labelled_axis& a) {
  const bool left = a.in_left && (a.axis.left != 0 || !a.in_right);
  // Along an axis of which neither depends, one of them is enough.
  const bool right = a.in_right && (a.axis.right != 0 || !a.in_left || !left);
  if (a.in_out) return left && right ? groups.batch : left ? groups.m : groups.n;
  return left && right ? groups.k : left ? groups.left_only : groups.right_only;
}

}  // namespace

std::size_t size_of(const step_axes& axes) {
  if (std::ranges::find(axes, std::size_t{0}, &step_axis::extent) != axes.end()) return 0;
  std::size_t size = 1;
  for (const step_axis& a : axes)
    size = checked_multiply(size, a.extent, "contraction: elements of a step");
  return size;
}

bool are_one(const step_axis& outer, const step_axis& inner) {
  const auto extent = static_cast<std::ptrdiff_t>(inner.extent);
  return outer.left == inner.left * extent && outer.right == inner.right * extent &&
         outer.out == inner.out * extent;
}

void fuse(step_axes& axes) {
  std::size_t count = 0;
  for (const step_axis& a : axes) {
    if (count > 0 && are_one(axes[count - 1], a)) {
      const std::size_t extent = axes[count - 1].extent * a.extent;
      axes[count - 1] = a;
      axes[count - 1].extent = extent;
    } else {
      axes[count++] = a;
    }
  }
  axes.resize(count);
}

step_groups grouped(const layout& left, const layout& right, const layout& out) {
  axis_list list;
  list.add(left, &step_axis::left, &labelled_axis::in_left);
  list.add(right, &step_axis::right, &labelled_axis::in_right);
  list.add(out, &step_axis::out, &labelled_axis::in_out);
  step_groups groups;
  for (const labelled_axis& a : list.axes())
    if (a.axis.extent != 1) group_of(groups, a).push_back(a.axis);
  if (size_of(groups.left_only) == 0 || size_of(groups.right_only) == 0) {
    groups.left_only.clear();
    groups.right_only.clear();
    groups.k = {{.extent = 0}};
  }
  return groups;
}

}  // namespace papilio::contract_detail

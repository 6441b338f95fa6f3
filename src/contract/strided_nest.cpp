#include "contract/strided_nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace papilio::contract_detail {
namespace {

std::size_t reach(std::ptrdiff_t stride) { return static_cast<std::size_t>(std::abs(stride)); }

// Operands through which a loop along the axis would jump.
int jumps(const step_axis& a) { return (reach(a.left) > 1) + (reach(a.right) > 1); }

void put_in_order(step_axes& axes) {
  std::ranges::stable_sort(axes, [](const step_axis& x, const step_axis& y) {
    return std::tuple(reach(x.out), reach(x.left) + reach(x.right)) >
           std::tuple(reach(y.out), reach(y.left) + reach(y.right));
  });
  fuse(axes);
}

step_axis taken(step_axes& axes, step_axes::iterator at) {
  const step_axis result = *at;
  axes.erase(at);
  return result;
}

}  // namespace

strided_nest::strided_nest(step_axes kept, step_axes summed) : summed_(std::move(summed)) {
  results_ = size_of(kept);
  terms_ = size_of(summed_);
  if (results_ == 0) return;
  if (terms_ == 0) summed_.clear();
  std::erase_if(kept, [](const step_axis& a) { return a.extent == 1; });
  std::erase_if(summed_, [](const step_axis& a) { return a.extent == 1; });
  put_in_order(kept);
  put_in_order(summed_);
  const auto has_stride = [](const step_axis& a) { return a.right != 0; };
  has_right_ = std::ranges::any_of(kept, has_stride) || std::ranges::any_of(summed_, has_stride);
  choose_row(kept);
  choose_line(kept);
  // Next to each other in time what is so in the array of which a tile has but short pieces.
  if (together(&step_axis::left) < together(&step_axis::out))
    std::ranges::stable_sort(
        kept, [](const step_axis& x, const step_axis& y) { return reach(x.left) > reach(y.left); });
  outer_ = std::move(kept);
}

void strided_nest::choose_row(step_axes& kept) {
  if (!kept.empty()) row_ = taken(kept, kept.end() - 1);
  if (summed_.empty()) return;
  const step_axis& sum = summed_.back();
  const bool is_short = row_.extent < 8 && sum.extent > row_.extent;
  is_along_row_ = !(jumps(sum) < jumps(row_) || (is_short && jumps(sum) == 0));
}

// A second axis where the row jumps through an operand: along that operand's fastest axis, so that
// a tile uses all of the cache lines that it touches.
void strided_nest::choose_line(step_axes& kept) {
  if (kept.empty()) return;
  const auto speed = [&](const step_axis& a) {
    std::size_t best = static_cast<std::size_t>(-1);
    if (a.left != 0 && reach(a.left) < reach(row_.left)) best = std::min(best, reach(a.left));
    if (a.right != 0 && reach(a.right) < reach(row_.right)) best = std::min(best, reach(a.right));
    return best;
  };
  auto best = kept.end() - 1;
  for (auto at = kept.begin(); at != kept.end(); ++at)
    if (speed(*at) < speed(*best)) best = at;
  line_ = taken(kept, best);
}

// Elements that lie together where the tiles of an operand are read.
double strided_nest::together(std::ptrdiff_t step_axis::*stride) const {
  if (row_.*stride == 0 || reach(row_.*stride) == 1) return static_cast<double>(row_.extent);
  return reach(line_.*stride) == 1 ? static_cast<double>(line_.extent) : 1;
}

// Fitted to arrays that the last cache holds.
double strided_nest::cost() const {
  const auto results = static_cast<double>(results_), terms = static_cast<double>(terms_);
  const auto share = [](double run) { return 8 * std::max(1.0, 32 / run); };
  if (summed_.empty()) {
    const double right = has_right_ ? share(together(&step_axis::right)) : 0;
    return 1000 + results * (10 + share(together(&step_axis::out)) +
                             share(together(&step_axis::left)) + right);
  }
  if (is_along_row_) {
    const double rows = results / static_cast<double>(row_.extent);
    return 1000 + rows * (100 + 40 * terms) + results * terms * (4.0 + 30 * jumps(row_));
  }
  const double runs = terms / static_cast<double>(summed_.back().extent);
  return 1000 + results * (100 + runs * 200 + terms * (4.0 + 30 * jumps(summed_.back())));
}

}  // namespace papilio::contract_detail

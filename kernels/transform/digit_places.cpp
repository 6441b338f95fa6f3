#include "kernels/transform/digit_places.hpp"

#include <algorithm>

#include "kernels/transform/factors.hpp"
#include "kernels/transform/patterns.hpp"

namespace papilio::kernels_detail {

digit_axes packed(digit_axes axes) {
  std::int64_t stride = 1;
  for (std::size_t i = axes.size(); i-- > 0; stride *= axes[i].extent) axes[i].stride = stride;
  return axes;
}

std::int64_t count_of(const digit_axes& axes) {
  std::int64_t count = 1;
  for (const digit_axis& a : axes) count *= a.extent;
  return count;
}

std::int64_t room_of(const digit_axes& axes) {
  return axes.empty() ? 1 : axes.front().extent * axes.front().stride;
}

std::int64_t span_of(const digit_axes& axes) {
  std::int64_t last = 0;
  for (const digit_axis& a : axes) last += (a.extent - 1) * a.stride;
  return last + 1;
}

bool has_axis(const digit_axes& axes, int digit) {
  return std::ranges::find(axes, digit, &digit_axis::digit) != axes.end();
}

digit_axes without(const digit_axes& axes, int digit) {
  digit_axes others;
  for (const digit_axis& a : axes)
    if (a.digit != digit) others.push_back(a);
  return others;
}

digit_values values_at(const digit_axes& axes, std::int64_t index, digit_values from) {
  for (std::size_t i = axes.size(); i-- > 0; index /= axes[i].extent)
    from[axes[i].digit] += index % axes[i].extent * axes[i].unit;
  return from;
}

std::int64_t offset_of(const digit_values& values, const digit_axes& within) {
  std::int64_t at = 0;
  for (const digit_axis& a : within) at += values[a.digit] / a.unit % a.extent * a.stride;
  return at;
}

std::int64_t stride_of(const digit_axis& axis, const digit_axes& within) {
  for (const digit_axis& a : within)
    if (a.digit == axis.digit && axis.unit >= a.unit && axis.unit < a.unit * a.extent)
      return a.stride * (axis.unit / a.unit);
  return 0;
}

std::vector<engine::pattern_dim> levels_of(const digit_axes& some, const digit_axes& within) {
  std::vector<engine::pattern_dim> levels;
  for (const digit_axis& a : some) levels.push_back({a.extent, stride_of(a, within)});
  levels = merged(levels);
  if (levels.empty()) levels.push_back({1, 1});
  return levels;
}

std::pair<digit_axes, digit_axes> split(digit_axes axes, std::int64_t inner_most) {
  digit_axes inner;
  while (!axes.empty()) {
    const digit_axis whole = axes.back();
    const std::int64_t room = std::max<std::int64_t>(1, inner_most / count_of(inner)),
                       part = largest_divisor(whole.extent, room);
    axes.pop_back();
    if (part > 1 || whole.extent == 1) inner.insert(inner.begin(), {whole.digit, part, whole.unit});
    if (part < whole.extent) {
      axes.push_back({whole.digit, whole.extent / part, whole.unit * part});
      break;
    }
  }
  return {axes, inner};
}

}  // namespace papilio::kernels_detail

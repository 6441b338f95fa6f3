#include "kernels/fft/digits.hpp"

#include <algorithm>

namespace papilio::kernels_detail {

std::vector<engine::pattern_dim> merged(const std::vector<engine::pattern_dim>& levels) {
  std::vector<engine::pattern_dim> result;
  for (const engine::pattern_dim& d : levels) {
    if (d.extent == 1) continue;
    if (!result.empty() && result.back().stride == d.stride * d.extent)
      result.back() = {result.back().extent * d.extent, d.stride};
    else
      result.push_back(d);
  }
  if (result.empty()) result.push_back({1, 1});
  return result;
}

digit_layout levels_of(const digit_layout& layout, int digit) {
  digit_layout result;
  std::ranges::copy_if(layout, std::back_inserter(result),
                       [&](const digit_level& l) { return l.digit == digit; });
  std::ranges::sort(result, std::ranges::greater{}, &digit_level::weight);
  return result;
}

std::int64_t offset_at(const digit_layout& levels, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = levels.size(); i-- > 0;) {
    offset += index % levels[i].extent * levels[i].stride;
    index /= levels[i].extent;
  }
  return offset;
}

std::int64_t count_of(const digit_layout& levels) {
  std::int64_t count = 1;
  for (const digit_level& l : levels) count *= l.extent;
  return count;
}

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  for (std::int64_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace papilio::kernels_detail

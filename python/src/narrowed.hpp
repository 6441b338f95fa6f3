#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "adopted.hpp"
#include "papilio/base/array.hpp"

namespace papilio::python {

/// Powers as float32, as what they were made of; or as they are, float64, where no float holds the
/// largest and what lies 140 dB below it.
inline numpy_array narrowed(array<double, 1> powers, const std::vector<std::size_t>& extents) {
  using limits = std::numeric_limits<float>;
  double largest = 0;
  for (const double p : powers) largest = std::max(largest, p);
  if (largest > double{limits::max()} || (largest > 0 && largest < 0x1p48 * double{limits::min()}))
    return adopted(std::move(powers), extents);
  array<float, 1> single(powers.extents(), uninitialized);
  std::ranges::transform(powers, single.begin(), [](double p) { return static_cast<float>(p); });
  return adopted(std::move(single), extents);
}

}  // namespace papilio::python

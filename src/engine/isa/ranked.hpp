#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace papilio::engine_detail {

/// Largest-first order puts NaN before all numbers, and numbers in descending order.
inline bool ranks_before(float a, float b) { return a != a ? b == b : a > b; }
inline bool same_value(float a, float b) { return a == b || (a != a && b != b); }

/// Returns the place in `row` of each of eight values, or -1. A value that occurs j times earlier
/// among the eight has the place of its occurrence j in the row, counted from 0.
inline std::array<std::int32_t, 8> places_of(const float* values, std::span<const float> row) {
  std::array<std::int32_t, 8> places;
  for (std::size_t k = 0; k < 8; ++k) {
    std::size_t from = 0;
    places[k] = -1;
    for (std::size_t j = k; j-- > 0;)
      if (same_value(values[j], values[k])) {
        from = places[j] < 0 ? row.size() : std::size_t(places[j]) + 1;
        break;
      }
    for (std::size_t i = from; i < row.size(); ++i)
      if (same_value(row[i], values[k])) {
        places[k] = std::int32_t(i);
        break;
      }
  }
  return places;
}

}  // namespace papilio::engine_detail

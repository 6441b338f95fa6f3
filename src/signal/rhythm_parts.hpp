#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "papilio/base/error.hpp"

namespace papilio::rhythm_parts {

inline constexpr std::size_t longest_window = std::size_t{1} << 16;
inline constexpr double least_normal = std::numeric_limits<double>::min();

template <class Value>
inline void require(bool good, const char* function, const char* name, const char* bound,
                    Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must be ", bound, ", got ", value));
}

inline void require_positive(const char* function, const char* name, double value) {
  require(value > 0 && std::isfinite(value), function, name, "positive and finite", value);
}

template <class T>
inline void require_finite(const char* function, const char* name, std::span<const T> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw invalid_argument(base_detail::message(function, ": ", name, " must be finite, got ",
                                                  values[i], " at ", i));
}

inline void require_envelope(const char* function, std::span<const double> strength,
                             double frame_rate_hz, std::size_t least) {
  require_positive(function, "frame_rate_hz", frame_rate_hz);
  if (strength.size() < least)
    throw invalid_argument(base_detail::message(function, ": strength must have at least ", least,
                                                " segments, got ", strength.size()));
  require_finite(function, "strength", strength);
}

inline bool is_silent(std::span<const double> strength) {
  return std::ranges::all_of(strength, [](double v) { return v == 0; });
}

inline double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

inline double median_of(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace papilio::rhythm_parts

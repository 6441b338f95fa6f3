#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "base/splitmix64.hpp"

namespace papilio::decompose_detail {

/// Normally distributed numbers, the same for the same seed: splitmix64, and pairs by Box and
/// Muller.
class random_normal {
 public:
  explicit random_normal(std::uint64_t seed) : bits_(seed) {}

  template <class T>
  void fill(std::span<T> values) {
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const double radius = std::sqrt(-2 * std::log(1 - uniform()));
      const double angle = 2 * std::numbers::pi * uniform();
      values[i] = static_cast<T>(radius * std::cos(angle));
      if (i + 1 < values.size()) values[i + 1] = static_cast<T>(radius * std::sin(angle));
    }
  }

 private:
  double uniform() { return base_detail::unit_of(bits_()); }

  base_detail::splitmix64 bits_;
};

}  // namespace papilio::decompose_detail

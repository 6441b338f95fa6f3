#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace papilio::decompose_detail {

/// Normally distributed numbers, the same for the same seed: splitmix64 (Steele, Lea, Flood 2014),
/// and pairs by Box and Muller.
class random_normal {
 public:
  explicit random_normal(std::uint64_t seed) : state_(seed) {}

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
  // In [0, 1).
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }

  std::uint64_t state_;
};

}  // namespace papilio::decompose_detail

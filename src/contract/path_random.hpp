#pragma once

#include <cmath>
#include <cstdint>

namespace papilio::path_detail {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from a seed everywhere.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  /// In 0 ... count - 1.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>((bits() >> 32) * count >> 32);
  }
  /// Of the standard Gumbel distribution.
  double gumbel() { return -std::log(-std::log(uniform())); }

 private:
  std::uint64_t state_;
};

}  // namespace papilio::path_detail

#pragma once

#include <cmath>
#include <cstdint>

#include "base/splitmix64.hpp"

namespace papilio::path_detail {

/// Random numbers that depend on the seed alone, on every platform.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : next_(seed) {}

  std::uint64_t bits() { return next_(); }
  /// Returns a uniform number in (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  /// Returns a uniform number of 0 ... count - 1, for counts below 2^32.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>((bits() >> 32) * count >> 32);
  }
  /// Returns a number of the standard Gumbel distribution.
  double gumbel() { return -std::log(-std::log(uniform())); }

 private:
  base_detail::splitmix64 next_;
};

}  // namespace papilio::path_detail

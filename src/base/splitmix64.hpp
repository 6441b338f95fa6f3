#pragma once

#include <cstdint>

namespace papilio::base_detail {

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): 64
/// uniform bits a call, the same from a seed everywhere.
class splitmix64 {
 public:
  static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15u;

  /// The finaliser: a bijection in which every input bit moves about half of the output bits.
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  /// Returns the result of call number `index`, counted from 0, without the calls before it.
  static constexpr std::uint64_t at(std::uint64_t seed, std::uint64_t index) {
    return mixed(seed + (index + 1) * increment);
  }

  explicit constexpr splitmix64(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t operator()() { return mixed(state_ += increment); }

 private:
  std::uint64_t state_;
};

/// The upper 53 bits as a number in [0, 1).
constexpr double unit_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace papilio::base_detail

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "papilio/engine/operand.hpp"

// An index of a transform in mixed radix, and where its digits lie in a tile or a tensor.
namespace papilio::kernels_detail {

/// One digit of a transform's index. An axis of length n has digits j1 j2 ... of radices r1 r2 ...,
/// the first the most significant; transformed in that order, digit t becomes
///   k_t = sum over j_t of w(R_t)^(j_t K) w(r_t)^(j_t k_t),  K = k_1 + r_1 k_2 + ... below t,
/// with R_t = r_1 ... r_t and w(R) = exp(-2 pi i / R), and k = K of all digits: the first is the
/// least significant.
struct fft_digit {
  std::int64_t radix = 1;
  int axis = 0;             ///< equal for digits of one axis
  std::int64_t before = 1;  ///< r_1 ... r_(t-1)
  int stage = -1;           ///< of the pass, that transforms it; -1: none, it only lies there

  auto fields() const { return std::tie(radix, axis, before, stage); }
};

/// Values of a digit that lie evenly: `extent` of them, `weight` apart in value, `stride` in
/// memory.
struct digit_level {
  int digit = 0;
  std::int64_t extent = 1, weight = 1, stride = 1;
};
using digit_layout = std::vector<digit_level>;

/// Levels that together are one are merged, those of one element dropped; slowest first.
std::vector<engine::pattern_dim> merged(const std::vector<engine::pattern_dim>& levels);

/// The levels of one digit, slowest first.
digit_layout levels_of(const digit_layout& layout, int digit);

/// Strides of several indices under one, slowest first: what element `index` is apart from the
/// first.
std::int64_t offset_at(const digit_layout& levels, std::int64_t index);
std::int64_t count_of(const digit_layout& levels);

/// The largest divisor of n that is at most `most`.
std::int64_t largest_divisor(std::int64_t n, std::int64_t most);

}  // namespace papilio::kernels_detail

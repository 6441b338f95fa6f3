#pragma once

#include <cstdint>

namespace papilio::fft_detail {

/// Tests n by trial division, O(sqrt n).
bool is_prime(std::uint32_t n);

/// The least g whose powers are all of 1 ... p - 1 modulo the prime p. Exact: residues have 32
/// bits, their products 64.
std::uint32_t primitive_root(std::uint32_t p);

}  // namespace papilio::fft_detail

#pragma once

#include <cstdint>
#include <vector>

namespace papilio::kernels_detail {

/// Prime factors, largest first; empty for 1.
std::vector<std::int64_t> primes_of(std::int64_t n);

/// Factors n into few radices of at most `most` each, largest first; a prime between `most` and
/// `prime_most` is a radix by itself. Among equally few, those with the largest groups of adjacent
/// points for each product, then the most even ones. Empty if a prime is larger; {1} for 1.
std::vector<std::int64_t> radices_of(std::int64_t n, std::int64_t most, std::int64_t prime_most);

/// The largest divisor of n that is at most `most`.
std::int64_t largest_divisor(std::int64_t n, std::int64_t most);

/// All divisors, ascending.
std::vector<std::int64_t> divisors_of(std::int64_t n);

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>
#include <vector>

namespace papilio::kernels_detail {

/// Prime factors, largest first; empty for 1.
std::vector<std::int64_t> primes_of(std::int64_t n);

/// Radices of the stages of a length, largest first: as few as there can be of at most `most` each
/// (a prime between `most` and `prime_most` is one by itself), of which groups are as large as can
/// be, and then as equal as they can be. Empty if a prime is larger; {1} for 1.
std::vector<std::int64_t> radices_of(std::int64_t n, std::int64_t most, std::int64_t prime_most);

/// The largest divisor of n that is at most `most`.
std::int64_t largest_divisor(std::int64_t n, std::int64_t most);

/// All divisors, ascending.
std::vector<std::int64_t> divisors_of(std::int64_t n);

}  // namespace papilio::kernels_detail

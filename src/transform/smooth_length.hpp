#pragma once

#include <cstddef>

#include "base/internal.hpp"

namespace papilio::transform_detail {

/// Returns the least product >= target of powers of the primes up to `largest_prime`, which is from
/// 2 to 11; 0 if std::size_t cannot hold it. Throws nothing; target is at least 1.
PAPILIO_INTERNAL std::size_t next_smooth(std::size_t target, unsigned largest_prime);

/// Returns the greatest such product <= target.
PAPILIO_INTERNAL std::size_t prev_smooth(std::size_t target, unsigned largest_prime);

}  // namespace papilio::transform_detail

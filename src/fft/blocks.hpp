#pragma once

#include <algorithm>
#include <cstddef>

#include "papilio/base/parallel_for.hpp"

namespace papilio::fft_detail {

/// Calls body(first, last) for consecutive ranges of [0, n), one for each of up to `threads`
/// threads. They begin at multiples of a number that any register's lanes divide, so that a loop
/// over registers does the same to an element in whichever range it falls.
template <class Body>
void for_each_range(std::size_t n, int threads, const Body& body) {
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (n + block - 1) / block;
  const std::size_t pieces = std::min(blocks, static_cast<std::size_t>(threads));
  if (pieces <= 1) return body(std::size_t{0}, n);
  parallel_for(pieces, threads, [&](std::size_t piece) {
    body(blocks * piece / pieces * block, std::min(n, blocks * (piece + 1) / pieces * block));
  });
}

}  // namespace papilio::fft_detail

#pragma once

#include <algorithm>
#include <cstddef>

#include "base/share.hpp"

namespace papilio::fft_detail {

/// Calls body(first, last) for consecutive ranges of [0, n), on up to `threads` threads. They begin
/// at multiples of a number that any register's lanes divide, so that a loop over registers does
/// the same to an element in whichever range it falls.
template <class Body>
void for_each_range(std::size_t n, int threads, const Body& body) {
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (n + block - 1) / block;
  base_detail::share(blocks, base_detail::workers_for(blocks, threads),
                     [&](std::size_t first, std::size_t last, std::size_t) {
                       body(first * block, std::min(n, last * block));
                     });
}

}  // namespace papilio::fft_detail

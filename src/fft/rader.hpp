#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "fft/executable.hpp"

namespace papilio::fft_detail {

/// Rader recipe for a prime n, 3 <= n < 2^32, where n - 1 has a Stockham recipe; else nothing: with
/// a convolution inside the convolution, Bluestein's of n itself is always cheaper.
std::optional<recipe> design_rader(std::size_t n);

double rader_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_rader(const recipe& r, direction dir, long double scale);

}  // namespace papilio::fft_detail

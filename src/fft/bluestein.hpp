#pragma once

#include <cstddef>
#include <memory>

#include "fft/executable.hpp"

namespace papilio::fft_detail {

/// Bluestein recipe for any n >= 2, on the cheapest smooth length of at least 2n - 1.
recipe design_bluestein(std::size_t n);

double bluestein_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_bluestein(const recipe& r, direction dir,
                                                     long double scale);

}  // namespace papilio::fft_detail

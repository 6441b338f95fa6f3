#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "fft/executable.hpp"

namespace papilio::fft_detail {

/// No factor has less than the columns of the widest register.
inline constexpr std::size_t least_four_step_factor = 16;

/// Four-step recipe for n on the cheapest pair of factors with passes, nothing where there is none
/// near sqrt(n), for n below 256, and for n above 2^40.
std::optional<recipe> design_four_step(std::size_t n);

double four_step_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_four_step(const recipe& r, direction dir,
                                                     long double scale);

}  // namespace papilio::fft_detail

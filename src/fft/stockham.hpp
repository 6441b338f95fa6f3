#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "fft/executable.hpp"

namespace papilio::fft_detail {

/// Stockham recipe for n with powers of two taken in radices up to `largest_power` (4, 8 or 16);
/// nothing where n has a prime factor without a pass. Their order fills the lanes, where there are
/// any.
std::optional<recipe> design_stockham(std::size_t n, std::size_t largest_power, bool lanes = true);

double stockham_cost(const recipe& r);

/// Returns the Stockham recipe that is cheapest over columns, where the order of radices costs
/// nothing; unless `ordered` the order is left open.
std::optional<recipe> design_columns(std::size_t n, bool ordered = true);

/// Cost of a recipe's passes over columns, for one point.
double column_cost(const recipe& r);

template <class T>
std::unique_ptr<const executable<T>> build_stockham(const recipe& r, direction dir,
                                                    long double scale);

}  // namespace papilio::fft_detail

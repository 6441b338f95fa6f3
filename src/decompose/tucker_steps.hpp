#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decompose/mode_array.hpp"
#include "decompose/prepared_operand.hpp"
#include "papilio/decompose/tucker.hpp"

namespace papilio::decompose_detail {

void check_truncation(const char* function, std::span<const std::size_t> extents,
                      std::span<const std::size_t> ranks, const std::optional<double>& tolerance,
                      double bound);

/// Returns the squares that may be cut off in all steps together, so that with the rounding of the
/// results the error stays within the tolerance; below 0 without one.
double budget_of(const std::optional<double>& tolerance, double bound, double squared_norm);

/// Returns the modes in the order in which they are truncated: the cheapest, where the ranks are
/// given.
std::vector<std::size_t> truncation_order(std::span<const std::size_t> extents,
                                          std::span<const std::size_t> ranks);

/// Truncates mode after mode, each by the leading singular vectors of what is left; `x` is then the
/// core. `budget` is that of budget_of. Returns the squares that were cut off.
template <class T>
double truncate_modes(mode_array<T>& x, std::span<const std::size_t> ranks, double budget,
                      std::vector<array<T, 2>>& factors);

/// Returns the sequentially truncated HOSVD of an operand that was checked, whose elements are in
/// `values`; the core has the scale of that operand.
template <class T>
tucker_result<T> truncate(const prepared_operand<T>& x, mode_array<T>& values,
                          std::span<const std::size_t> ranks,
                          const std::optional<double>& tolerance, int threads);

}  // namespace papilio::decompose_detail

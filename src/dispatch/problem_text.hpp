// Helpers of the texts and counts of problems.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace papilio::dispatch_detail {

/// Extents as text, such as "128x256"; "scalar" where there are none.
std::string text_of(std::span<const std::size_t> extents);
/// The product of extents, as a count of elements that need not fit any integer.
double count_of(std::span<const std::size_t> extents);
/// `value` scaled by size / of, rounded, and at least 1.
std::size_t in_ratio(std::size_t value, std::size_t size, std::size_t of);

}  // namespace papilio::dispatch_detail

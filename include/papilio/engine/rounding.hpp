#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::engine {

enum class rounding_mode : std::uint8_t { nearest_even, stochastic };

/// How a value becomes one of a narrower dtype.
///
/// nearest_even: IEEE 754's default. Beyond the largest finite value by half a gap or more becomes
///   infinity; subnormals are kept; zeros keep their sign; NaN stays (quiet) NaN.
/// stochastic: the upper of the two neighbours with a probability of the distance to the lower one
///   over the gap, to within 2^-52; what the dtype holds exactly stays as it is. The choice depends
///   on (seed, position) alone, never on thread or order. Above the largest finite value the upper
///   neighbour is infinity, and the gap that of the largest finite value; from one gap beyond it
///   on, and for NaN and infinities, as nearest_even.
///
/// Integers: values beyond the range saturate in both modes, and NaN becomes 0.
struct rounding {
  rounding_mode mode = rounding_mode::nearest_even;
  std::uint64_t seed = 0;  ///< of stochastic

  bool operator==(const rounding&) const = default;
};

/// The value after a trip through `type`, rounded to nearest even.
PAPILIO_API float round_to(dtype type, float value);

/// The value after a trip through `type`; `position` is the element's, as in store_row.
PAPILIO_API float round_to(dtype type, float value, const rounding& how, std::uint64_t position);

/// Reads `count` elements of `type`, the k-th at `from` + k `stride` size_bytes(type); `stride`
/// counts elements and may be zero or negative. Exact, but that int32 goes to the nearest float,
/// and that a tf32 word with any of its 13 lowest bits set goes to the nearest tf32 value.
/// Any alignment of `from` serves; the ranges do not overlap. O(count), fastest at stride 1.
PAPILIO_API void load_row(dtype type, const std::byte* from, std::ptrdiff_t stride,
                          std::size_t count, float* to);

/// Writes `count` values as `type`, the k-th at `to` + k `stride` size_bytes(type); `stride` counts
/// elements and may be negative. The k-th has position `first_position` + k (modulo 2^64), so that
/// a row may be cut anywhere. Bit patterns are the same on every host; NaN is written quiet.
/// Any alignment of `to` serves; the ranges do not overlap. O(count), fastest at stride 1.
/// Throws invalid_argument for stride 0 with a count over 1.
PAPILIO_API void store_row(dtype type, const float* from, std::size_t count, std::byte* to,
                           std::ptrdiff_t stride, const rounding& how = {},
                           std::uint64_t first_position = 0);

}  // namespace papilio::engine
